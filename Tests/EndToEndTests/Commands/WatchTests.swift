import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Watching` {
  @Test func `two clients see the same durable events, gap-free from any number`() async throws {
    let engine = try await EngineUnderTest()
    let live = try engine.follow("watch", "--json")
    let all = try engine.follow("watch", "--json", "--from", "0")
    // Both are there when the first event of the engine itself has come to one of them.
    try await all.until("the engine's start") { !$0.isEmpty }
    try await eventually("two watchers", within: .seconds(240)) {
      try await engine.connections() >= 2
    }
    try await engine.fettle("install", "alpha", "bad", "app", "--wait")
    try await engine.fettle("cleanup", "1")
    for watch in [live, all] {
      try await watch.until("the clean-up") { lines in
        try lines.contains { try JSONValue($0)["type"] == "cleanedUp" }
      }
    }
    let whole = try all.lines.map { try JSONValue($0) }.filter(\.isDurable)
    expectGapFree(whole)
    #expect(whole.first?["seq"] == 1)
    #expect(try await engine.events() == whole)
    let seen = try live.lines.map { try JSONValue($0) }.filter(\.isDurable)
    let first = try #require(seen.first?["seq"]?.double)
    #expect(seen == whole.filter { ($0["seq"]?.double ?? 0) >= first })
    let middle = whole.count / 2
    #expect(try await engine.events(after: middle) == Array(whole.dropFirst(middle)))
  }

  @Test func `asked to, it leaves when its jobs are over, with their result`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("install", "bad", "--wait")
    let good = try await engine.fettle("watch", "1", "--until-end")
    #expect(good.status == 0 && good.output.contains("job 1 succeeded"))
    let both = try await engine.fettle("watch", "1", "2", "--until-end")
    #expect(both.status == 1 && both.output.contains("job 2 failed"), "\(both)")
    for arguments in [["--until-end"], ["1", "--until-end", "--json"], ["9", "--until-end"]] {
      let refused = try await engine.fettle(["watch"] + arguments)
      #expect(refused.status == 64, "\(refused)")
    }
  }

  @Test func `each event has number, time, job and one of the contract's types`() async throws {
    let engine = try await EngineUnderTest()
    let watch = try engine.follow("watch", "--json", "--from", "0")
    try await engine.fettle("install", "alpha", "--wait")
    try await engine.fettle("cleanup", "1")
    try await watch.until("the clean-up") { lines in
      try lines.contains { try JSONValue($0)["type"] == "cleanedUp" }
    }
    let types: Set<String> = [
      "submitted", "state", "progress", "update", "question", "answered", "abortRequested",
      "abortWithdrawn", "log", "completed", "cleanedUp", "engine",
    ]
    var last = 0.0
    for line in watch.lines {
      let event = try JSONValue(line)
      let seq = try #require(event["seq"]?.double)
      #expect(event.isDurable ? seq == last + 1 : seq == last, "\(line)")
      last = seq
      #expect(types.contains(event["type"]?.string ?? ""), "\(line)")
      #expect(event["at"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z/) != nil)
      let isOfEngine = event["type"] == "engine"
      #expect(event["job"] == (isOfEngine ? JSONValue.null : 1), "\(line)")
    }
    let order = try watch.lines.map { try JSONValue($0) }.filter { $0["job"] == 1 }
      .compactMap { $0["type"]?.string }
    #expect(order.first == "submitted")
    #expect(Array(order.suffix(2)) == ["completed", "cleanedUp"])
  }

  @Test func `a watch of one job is silent about the others`() async throws {
    let engine = try await EngineUnderTest()
    try await engine.fettle("install", "alpha", "--wait")
    let watch = try engine.follow("watch", "2", "--json", "--from", "0")
    try await engine.fettle("install", "beta", "--wait")
    try await watch.until("the end of job 2") { lines in
      try lines.contains { try JSONValue($0)["type"] == "completed" }
    }
    #expect(try watch.lines.allSatisfy { try JSONValue($0)["job"] != 1 })
  }

  @Test func `a number beyond the last event is an error, 64`() async throws {
    let engine = try await EngineUnderTest([])
    for number in ["99999", "-1"] {
      let answer = try await engine.fettle("watch", "--json", "--from=\(number)")
      #expect(answer.status == 64, "\(number): \(answer)")
    }
    let far = try await engine.fettle("watch", "--from", "99999")
    #expect(far.status == 64)
    #expect(far.errors.contains("99999"))
    #expect(far.errors.split(separator: "\n").count == 1)
  }

  @Test func `without a terminal the monitor prints lines`() async throws {
    let engine = try await EngineUnderTest()
    let monitors = [
      try engine.follow(), try engine.follow("monitor", "--plain"), try engine.follow("--plain"),
    ]
    try await engine.fettle("install", "delta", "--wait")
    for lines in monitors {
      try await lines.until("the end of the job") { $0.contains { $0.contains("job 1 succeeded") } }
      lines.signal(SIGINT)
      #expect(try await lines.status() == 130)
      #expect(lines.errors.isEmpty)
    }
  }

  @Test func `Ctrl-C in watch is 130; an engine that goes is 5`() async throws {
    let engine = try await EngineUnderTest([])
    let left = try engine.follow("watch", "--json", "--from", "0")
    try await left.until("the engine's start") { !$0.isEmpty }
    left.signal(SIGINT)
    #expect(try await left.status() == 130)
    let stayed = try engine.follow("watch", "--json", "--from", "0")
    try await stayed.until("the engine's start") { !$0.isEmpty }
    try await engine.kill()
    #expect(try await stayed.status() == 5)
  }

  @Test func `the lines of --follow have state, step, per cent and package in a fixed order`()
    async throws
  {
    let engine = try await EngineUnderTest()
    let answer = try await engine.fettle("install", "app", "--follow")
    #expect(answer.status == 0)
    let lines = answer.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "job 1")
    let fields = lines.dropFirst().dropLast()
    #expect(!fields.isEmpty)
    for line in fields {
      #expect(
        line.wholeMatch(of: /\d\d:\d\d:\d\d job=1 state=\w+ .*pct=\d+.*/) != nil, "\(line)")
    }
    #expect(fields.last?.contains("state=completed result=succeeded pct=100") == true)
    #expect(lines.last?.hasPrefix("job 1 ") == true)
  }
}

extension EngineUnderTest {
  /// How many connections the engine's socket has.
  func connections() async throws -> Int {
    let table = TestFolder.text(of: "/proc/net/unix") ?? ""
    return table.split(separator: "\n").count { $0.hasSuffix(" " + socket) } - 1
  }
}
