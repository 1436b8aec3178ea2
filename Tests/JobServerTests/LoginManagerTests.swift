import Testing

@testable import JobServer
@testable import PackageProvider

@Suite struct `Announcements of the login manager` {
  private static func line(member: String, data: String) -> String {
    #"{"type":"signal","endian":"l","flags":1,"version":1,"cookie":89,"sender":":1.2","#
      + #""path":"/org/freedesktop/login1","interface":"org.freedesktop.login1.Manager","#
      + #""member":"\#(member)","payload":{"type":"b","data":[\#(data)]}}"#
  }

  @Test func `a shutdown, and one that was cancelled`() {
    #expect(
      LoginManager.announcement(in: Self.line(member: "PrepareForShutdown", data: "true")) == true)
    #expect(
      LoginManager.announcement(in: Self.line(member: "PrepareForShutdown", data: "false"))
        == false)
  }

  @Test(arguments: [
    "", "{", "Monitoring bus message stream.", line(member: "PrepareForSleep", data: "true"),
  ])
  func `everything else announces nothing`(line: String) {
    #expect(LoginManager.announcement(in: line) == nil)
  }
}
