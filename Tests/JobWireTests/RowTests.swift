import InstallJobs
import JobWire
import Testing

@Suite struct `The jobs of a snapshot on the wire` {
  private let objects = WireCodec()
  private let rows: WireCodec = {
    var codec = WireCodec()
    codec.writesRows = true
    return codec
  }()

  private func read(_ line: [UInt8]) throws -> [JobSnapshot] {
    guard case .notification(.snapshot(subscription: 3, let jobs)) = try objects.incoming(line)
    else {
      Issue.record("not the jobs of subscription 3")
      return []
    }
    return jobs
  }

  private func read(_ text: String) throws -> [JobSnapshot] { try read(Array(text.utf8)) }

  @Test(arguments: 0..<40)
  func `every field of any job survives the line in both forms`(seed: UInt64) throws {
    var chance = Chance(seed)
    let jobs = (0..<8).map { _ in chance.job() }
    for codec in [objects, rows] {
      let line = try codec.notification(.snapshot(subscription: 3, jobs: jobs))
      #expect(!line.contains(0x0A))
      #expect(try read(line) == jobs)
    }
  }

  @Test func `a job that waits and says little is one short array`() throws {
    let jobs = [Self.waiting, Self.waiting]
    let line = try rows.notification(.snapshot(subscription: 3, jobs: jobs))
    let row =
      #"[12,"install","queued",1000,"ops","unknown","apt",5,"#
      + #"[["hello","amd64","install",null,"2.10-3",100,2048,"Debian:bookworm/main",true]],"#
      + #"[0],1,0]"#
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"jsonrpc":"2.0","method":"rows","params":[3,[\#(row),\#(row)]]}"#)
  }

  @Test func `what a newer engine adds is passed over, what it leaves out has its default`() throws
  {
    let line =
      #"{"jsonrpc":"2.0","method":"rows","params":[3,[[12,"install","queued",1000,"ops","#
      + #" "unknown" , "apt",5,[["hello","amd64","install",null,"2.10-3",100,2048,"#
      + #""Debian:bookworm\/main",true,null,null,null,null,[["pending",7],["levitating",8]],"#
      + #"null,null,null,null,null,null,{"new":["]",{}]}]],[0],1,null,null,null,null,null,null,null,null,null,"#
      + #"null,null,null,null,null,null,null,{"new":1},null,null,null,null,null,["levitate",5,6],"#
      + #""\u00e9\ud83d\udc0d",[[1]],-1.5]],7]}"#
    var job = Self.waiting
    job.updates[0].phaseTimes.record(.pending, at: Timestamp(milliseconds: 7))
    #expect(try read(line) == [job])
  }

  @Test(arguments: ["0", "-1", "null"])
  func `a row without a job's number is refused`(number: String) throws {
    let line = try rows.notification(.snapshot(subscription: 3, jobs: [Self.waiting]))
    let text = String(decoding: line, as: UTF8.self)
    let altered = text.replacing("[[12,", with: "[[\(number),")
    #expect(altered != text)
    #expect(throws: (any Error).self) { try objects.incoming(Array(altered.utf8)) }
  }

  @Test(arguments: ["3[]", "3,[],", "3,[,]", "3,,[]", ",3,[]", "3,[[12] [13]]"])
  func `an array whose commas are wrong is no array`(parameters: String) {
    let line = #"{"jsonrpc":"2.0","method":"rows","params":[\#(parameters)]}"#
    #expect(throws: (any Error).self) { try objects.incoming(Array(line.utf8)) }
  }

  @Test func `the full form that older engines write is read, with and without nulls`() throws {
    let full =
      #"{"jsonrpc":"2.0","method":"snapshot","params":{"subscription":3,"jobs":[{"id":12,"#
      + #""operation":"install","state":"queued","resultCode":0,"requestedBy":{"uid":1000,"#
      + #""user":"ops"},"clientName":"unknown","comment":null,"provider":"apt","#
      + #""submittedAt":"1970-01-01T00:00:00.005Z","startedAt":null,"percentComplete":0,"#
      + #""abort":null,"abortPreview":{"disposition":"accepted","stopsAfter":null},"error":null,"#
      + #""rebootRequired":false,"rebootReasons":[],"downloadedBytes":0,"totalDownloadBytes":0,"#
      + #""updates":[{"name":"hello","architecture":"amd64","action":"install","#
      + #""fromVersion":null,"toVersion":"2.10-3","downloadSize":100,"installedSize":2048,"#
      + #""origin":"Debian:bookworm/main","requested":true,"phase":"pending","#
      + #""percentComplete":0,"resultCode":0,"error":null}],"updateSteps":[0],"planCount":1}]}}"#
    #expect(try read(full) == [Self.waiting])
  }

  @Test(arguments: [
    #"[3,[[12"#, #"[3,[12]]"#, #"[3,["x"]]"#, #"[3,[[]]]"#, #"[3,[null]]"#, #"[null,[]]"#,
    #"["3",[]]"#, #"[3,[]"#, #"[3,[]]x"#, #"{}"#, #"7"#, "", #"[3,[[12,"explode"]]]"#,
    #"[3,[[12,"install","queued",-1,"ops","c","apt",5]]]"#,
    #"[3,[[12,"install","queued",1,"ops\q","c","apt",5]]]"#,
    #"[3,[[12,"install","queued",1,"\ud83d","c","apt",5]]]"#,
    #"[3,[[99999999999999999999,"install","queued",1,"ops","c","apt",5]]]"#,
    #"[3,[[12,"install","queued",1,"ops","c","apt",5,[["hello"]]]]]"#,
    #"[3,[[12,"install","queued",1,"ops","c","apt",5,[],[],0,0,["maybe"]]]]"#,
  ])
  func `rows that cannot be read are an error, not a shorter list`(parameters: String) {
    let line = #"{"jsonrpc":"2.0","method":"rows","params":\#(parameters)}"#
    #expect(throws: (any Error).self) { try read(line) }
  }

  @Test func `a line of rows that is cut anywhere is an error`() throws {
    var chance = Chance(1)
    let jobs = (0..<3).map { _ in chance.job() }
    let line = try rows.notification(.snapshot(subscription: 3, jobs: jobs))
    for length in 0..<line.count {
      #expect(throws: (any Error).self) { try objects.incoming(Array(line.prefix(length))) }
    }
  }

  @Test func `rows in another order of the envelope are an error, not passed over`() {
    #expect(throws: (any Error).self) {
      try read(#"{"method":"rows","params":[3,[]],"jsonrpc":"2.0"}"#)
    }
  }

  static let waiting: JobSnapshot = {
    let step = PlannedUpdate(
      name: "hello", architecture: "amd64", action: .install, toVersion: "2.10-3",
      downloadSize: 100, installedSize: 2048, origin: "Debian:bookworm/main", requested: true)
    return JobSnapshot(
      id: JobID(12), request: JobRequest(.install, [Update("hello")]),
      plan: JobPlan(
        requests: [JobPlan.Request(update: Update("hello"), step: 0)], steps: [step]),
      requestedBy: Requester(uid: 1000, user: "ops"), provider: "apt",
      submittedAt: Timestamp(milliseconds: 5)
    ).withoutPlan
  }()
}
