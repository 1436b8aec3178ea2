import InstallJobs
import JobWire
import Testing

@Suite struct `What happened to a package, on the wire` {
  private let codec: WireCodec

  init() {
    var codec = WireCodec()
    codec.writesUpdates = true
    self.codec = codec
  }

  private func read(_ line: [UInt8]) throws -> JobEvent? {
    guard case .notification(.event(subscription: 3, let event)) = try codec.incoming(line) else {
      return nil
    }
    return event
  }

  private func line(_ parameters: String) -> [UInt8] {
    Array(#"{"jsonrpc":"2.0","method":"update","params":\#(parameters)}"#.utf8)
  }

  @Test(arguments: 0..<100)
  func `every field survives the line`(seed: UInt64) throws {
    var chance = Chance(seed)
    let event = chance.updateEvent()
    let line = try codec.notification(.event(subscription: 3, event))
    #expect(line.starts(with: #"{"jsonrpc":"2.0","method":"update","params":[3,["#.utf8))
    #expect(!line.contains(0x0A))
    #expect(try read(line) == event)
  }

  @Test func `a package of which little is known is one short array`() throws {
    let status = UpdateStatus(
      PlannedUpdate(name: "hello", architecture: "amd64", action: .install, toVersion: "2.10-3"),
      phase: .unpacking, percentComplete: 40)
    let event = JobEvent(
      seq: 9, at: Timestamp(milliseconds: 5), job: JobID(12),
      payload: .update(index: 1, status: status), progressMark: .init(percentComplete: 12.5))
    let line = try codec.notification(.event(subscription: 3, event))
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"update","params":[3,[9,5,12,1,"#
        + #"["hello","amd64","install",null,"2.10-3",null,null,null,null,"unpacking",40],"#
        + "[12.5]]]}")
  }

  @Test func `what a newer engine adds is passed over`() throws {
    let event = try read(
      line(
        #"[3,[9,5,12,1,["a","all","remove",null,null,1,2,null,null,"configuring",1,null,3,"#
          + #"[["levitating",4],["configuring",5,"new"]],null,null,null,true,null,null,"new"],"#
          + #"[2,null,null,null,"new"],{"new":1}],[7]]"#))
    guard case .update(index: 1, let status)? = event?.payload else {
      Issue.record("no event of a package")
      return
    }
    #expect(status.phase == .configuring && status.planned.isSecurity)
    #expect(status.phaseTimes.entries.map(\.phase) == [.configuring])
    #expect(event?.progressMark == .init(percentComplete: 2))
  }

  @Test(arguments: [
    "[null,[9,5,12,1]]", "[3]", "[3,7]", "[3,[]]", "[3,[9,5,12,1]]", "[3,[9,5,12,1,[]]]", "{}",
    #"[3,[9,5,12,1,["a","all","levitate"]]]"#, #"[3,[9,5,12,1,["a","all","remove"]]"#,
    #"[3,[9,5,null,1,["a","all","remove"]]]"#, #"[3,[9,5,12,1,["a","all","remove"],[null]]]"#,
    #"[3,[9,9223372036854775807,12,1,["a","all","remove"]]]"#,
  ])
  func `what cannot be read is passed over, as an event of a newer engine is`(
    parameters: String
  ) throws {
    guard case .notification(.unknown) = try codec.incoming(line(parameters)) else {
      Issue.record("\(parameters) was read")
      return
    }
  }

  @Test func `what is told of anything else, and to anybody else, stays an object`() throws {
    var chance = Chance(1)
    let log = JobEvent(
      seq: 1, at: Timestamp(milliseconds: 0), job: JobID(1), payload: .log(offset: 0, text: "x"))
    for (codec, event) in [(codec, log), (WireCodec(), chance.updateEvent())] {
      let line = try codec.notification(.event(subscription: 3, event))
      #expect(String(decoding: line, as: UTF8.self).contains(#""method":"event""#))
    }
  }
}
