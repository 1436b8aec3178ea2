import InstallJobs
import JobText
import Testing

@Suite struct `A checkup in lines` {
  private static func summary(_ findings: Checkup.Finding...) -> String? {
    CheckupLines.lines(Checkup(root: "/", findings: findings)).last
  }

  private static let rights = Checkup.Finding(.rights, .attention, "not yours")
  private static let sound = Checkup.Finding(.journal, .sound, "sound")
  private static let fault = Checkup.Finding(.journal, .fault, "damaged")

  @Test func `ends with what it comes to, for whoever asks`() {
    #expect(Self.summary(Self.sound) == "/: nothing stands in the way of a job")
    #expect(
      Self.summary(Self.sound, Self.rights)
        == "/: nothing is wrong, but no job here is yours to ask for; 1 thing to know")
    #expect(
      Self.summary(Self.rights, Self.fault) == "/: 1 thing to put right first; 1 thing to know")
  }
}
