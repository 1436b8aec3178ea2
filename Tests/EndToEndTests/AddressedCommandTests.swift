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
    #expect(AddressedCommand.spelled(text, socket: "/s", verbs: verbs) == spelled)
    #expect(AddressedCommand.spelled(text, socket: nil, verbs: verbs) == text)
    #expect(AddressedCommand.spelled(text, socket: "/a'b", verbs: verbs) == text)
    #expect(AddressedCommand.spelled(spelled, socket: "/s", verbs: verbs) == spelled)
    let quoted = spelled.replacing("--socket /s ", with: "--socket \"/a b\\$\" ")
    #expect(AddressedCommand.spelled(text, socket: "/a b$", verbs: verbs) == quoted)
  }

  @Test func `the socket is what was typed`() {
    #expect(AddressedCommand.socket(in: ["fettle", "--socket", "/s", "jobs"]) == "/s")
    #expect(AddressedCommand.socket(in: ["fettle", "jobs", "--socket=/s"]) == "/s")
    #expect(AddressedCommand.socket(in: ["fettle", "jobs", "--socket"]) == nil)
    #expect(AddressedCommand.socket(in: ["fettle", "jobs"]) == nil)
  }
}
