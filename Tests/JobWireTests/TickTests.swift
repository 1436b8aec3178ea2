import InstallJobs
import JobWire
import Testing

@Suite struct `Progress of several jobs on the wire` {
  private let codec = WireCodec()

  private func read(_ line: [UInt8]) throws -> [JobEvent] {
    guard case .notification(.ticks(subscription: 3, let events)) = try codec.incoming(line) else {
      Issue.record("not the progress of subscription 3")
      return []
    }
    return events
  }

  private func read(_ parameters: String) throws -> [JobEvent] {
    try read(Array(#"{"jsonrpc":"2.0","method":"ticks","params":\#(parameters)}"#.utf8))
  }

  @Test(arguments: 0..<40)
  func `every field of any progress survives the line`(seed: UInt64) throws {
    var chance = Chance(seed)
    let events = (0..<8).map { _ in chance.tick() }
    let line = try codec.notification(.ticks(subscription: 3, events))
    #expect(!line.contains(0x0A))
    #expect(try read(line) == events)
  }

  @Test func `progress that says little is one short array`() throws {
    let tick = JobProgressTick(
      percentComplete: 12.5, currentUpdateIndex: 0, currentStepIndex: 3, downloadedBytes: 70,
      bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
      abortPreview: .accepted(stopsAfter: nil),
      steps: [.init(index: 3, percentComplete: 50, downloadedBytes: 0)])
    let event = JobEvent(
      seq: 9, at: Timestamp(milliseconds: 5), job: JobID(12), payload: .progress(tick))
    let line = try codec.notification(.ticks(subscription: 3, [event]))
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"ticks","params":"#
        + #"[3,[[9,5,12,12.5,0,3,70,null,null,null,null,[[3,50,0]]]]]}"#)
  }

  @Test func `what a newer engine adds is passed over`() throws {
    let events = try read(
      #"[3,[[9,5,12,1,0,3,70,1.5,2,6,["refused","finalStep","x"],"#
        + #"[[3,50,0,"new"]],"man-db",true,"moon","is far",1,"x",2.5,["levitate",5,6],{}]],7]"#)
    #expect(events.count == 1)
    guard case .progress(let tick)? = events.first?.payload else {
      Issue.record("no progress")
      return
    }
    #expect(tick.activity == "man-db")
    #expect(tick.isStalled && tick.stall == nil)
    #expect(tick.etaSpreadSeconds == 2.5 && tick.overdue == nil)
    #expect(tick.steps == [.init(index: 3, percentComplete: 50, downloadedBytes: 0)])
  }

  @Test(arguments: [
    "[null,[]]", "[3,[7]]", "[3,[[]]]", "[3,[[9,5,12]]]", "[3,[[9,5,12,1]]", "[3,[]]x", "{}",
    "[3,[[9,5,null,1]]]", "[3,[[9,5,12,1,0,0,0,null,null,null,null,[[]]]]]",
    #"[3,[[9,5,12,1,0,0,0,null,null,null,["maybe"]]]]"#, "[3,[[9,9223372036854775807,12,1]]]",
    "[3,[[9,-9223372036854775808,12,1]]]",
  ])
  func `progress that cannot be read is passed over, as the next repeats it`(
    parameters: String
  ) throws {
    let line = #"{"jsonrpc":"2.0","method":"ticks","params":\#(parameters)}"#
    guard case .notification(.unknown) = try codec.incoming(Array(line.utf8)) else {
      Issue.record("\(parameters) was read")
      return
    }
  }

  @Test func `what is not progress of a job is not written among it`() {
    let others: [JobEvent] = [
      JobEvent(
        seq: 1, at: Timestamp(milliseconds: 0), job: JobID(1),
        payload: .log(offset: 0, text: "x")),
      JobEvent(
        seq: 1, at: Timestamp(milliseconds: 0), job: nil,
        payload: .engine(EngineNotice(.started, "x"))),
    ]
    for event in others {
      #expect(throws: (any Error).self) {
        try codec.notification(.ticks(subscription: 3, [event]))
      }
    }
  }
}
