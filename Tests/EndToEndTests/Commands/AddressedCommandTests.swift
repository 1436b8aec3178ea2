import Testing

@testable import fettle

@Suite struct `Commands that are advised` {
  @Test(arguments: [
    (
      "'fettle doctor --repair' configures it; without an engine, 'fettle root repair /r'",
      "'fettle --socket /s doctor --repair' configures it; without an engine, 'fettle root repair /r'"
    ),
    ("it ended ('fettle jobs')", "it ended ('fettle --socket /s jobs')"),
    ("'fettle install --help' lists its options", "'fettle install --help' lists its options"),
    ("'fettle --help' and fettle jobs", "'fettle --help' and fettle jobs"),
    ("", ""),
  ])
  func `name the socket where it was named`(text: String, spelled: String) {
    let verbs: Set = ["doctor", "jobs", "install"]
    #expect(AddressedCommand.addingSocket(text, socket: "/s", verbs: verbs) == spelled)
    #expect(AddressedCommand.addingSocket(text, socket: nil, verbs: verbs) == text)
    #expect(AddressedCommand.addingSocket(text, socket: "/a'b", verbs: verbs) == text)
    #expect(AddressedCommand.addingSocket(spelled, socket: "/s", verbs: verbs) == spelled)
    let quoted = spelled.replacing("--socket /s ", with: "--socket \"/a b\\$\" ")
    #expect(AddressedCommand.addingSocket(text, socket: "/a b$", verbs: verbs) == quoted)
  }

  @Test(arguments: [
    (
      "leave out one of the packages named, or refresh the index with 'fettle root update /t/root'",
      "leave out one of the packages named, or start the try again, which fetches the index anew"
    ),
    (
      "the job's log has the package's own words; 'fettle doctor' says what to do",
      "the job's log has the package's own words"
    ),
    ("'fettle doctor --repair' mends what is half done, 'fettle retry 3' submits the rest", ""),
    ("'fettle theme list' names them", "'fettle theme list' names them"),
    ("complete its work with 'fettle root repair /t/root'", ""),
    ("enable it with 'dpkg --root=/t/root --add-architecture armhf', then go on", ""),
    ("free some space, or ask for fewer packages", "free some space, or ask for fewer packages"),
    (
      "see it work without them: 'fettle try --simulated demo'",
      "see it work without them: 'fettle try --simulated demo'"
    ),
  ])
  func `of a try are those that its engine and root can be reached by`(
    text: String, spelled: String
  ) {
    let verbs: Set = ["doctor", "retry"]
    #expect(TryAdvice.removingForeignCommands(text, verbs: verbs) == spelled)
  }

  @Test func `the socket is what was typed`() {
    #expect(AddressedCommand.socket(in: ["fettle", "--socket", "/s", "jobs"]) == "/s")
    #expect(AddressedCommand.socket(in: ["fettle", "jobs", "--socket=/s"]) == "/s")
    #expect(AddressedCommand.socket(in: ["fettle", "jobs", "--socket"]) == nil)
    #expect(AddressedCommand.socket(in: ["fettle", "jobs"]) == nil)
  }
}
