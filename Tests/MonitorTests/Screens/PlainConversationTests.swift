import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct PlainConversations {
  static func conversation(
    _ jobs: [JobSnapshot] = Scene.queue, readOnlyReason: String? = nil
  ) -> PlainConversation {
    var conversation = PlainConversation(readOnlyReason: readOnlyReason)
    for event: MonitorEvent in [
      .link(.live), .snapshotBegin, .snapshot(jobs), .snapshotEnd(seq: 40),
    ] { _ = conversation.handle(event) }
    return conversation
  }

  @Test func `what can be done is chosen by number, and asked before it is done`() {
    var talk = Self.conversation()
    let menu = talk.handle(line: "").lines
    #expect(menu.contains { $0.hasPrefix("4 abort") } && menu.last?.hasSuffix(":") == true)
    let jobs = talk.handle(line: "4").lines
    #expect(jobs.contains { $0.contains("1042 upgrade libc6") })
    let question = talk.handle(line: "1042")
    #expect(question.intents == [.discardInput])
    #expect(question.lines.first == "Abort job 1042?")
    #expect(question.lines.contains { $0.contains("stops after linux-image") })
    #expect(
      question.lines.last
        == "1 keep running, 2 abort, 3 abort, and clean up afterwards while this monitor is open; number:"
    )
    #expect(talk.handle(line: "2").intents == [.requestAbort([JobID(1042)])])
    let answer = talk.handle(
      .abortAnswer(JobID(1042), .accepted(stopsAfter: "linux-image", etaSeconds: 7)))
    #expect(answer.lines == ["job 1042 stops after linux-image (about 7s)"])
  }

  @Test func `an abort that is not answered for 5 s is said once, and one is woken for it alone`() {
    var talk = Self.conversation()
    _ = talk.handle(.clock(Scene.at(200)))
    #expect(talk.nextMoment == nil)
    for words in ["", "4", "1042", "2"] { _ = talk.handle(line: words) }
    #expect(talk.nextMoment == Scene.at(205))
    #expect(talk.handle(.clock(Scene.at(204.9))).lines.isEmpty)
    #expect(
      talk.handle(.clock(Scene.at(205))).lines == [
        "the abort of job 1042 is not acknowledged: the engine has not answered for 5s"
      ])
    #expect(talk.nextMoment == nil)
    #expect(talk.handle(.clock(Scene.at(300))).lines.isEmpty)
    _ = talk.handle(.abortAnswer(JobID(1042), .accepted(stopsAfter: "linux-image")))
    for words in ["", "4", "1043", "2"] { _ = talk.handle(line: words) }
    _ = talk.handle(.abortAnswer(JobID(1043), .accepted(stopsAfter: nil)))
    #expect(talk.nextMoment == nil && talk.handle(.clock(Scene.at(400))).lines.isEmpty)
  }

  @Test(arguments: ["", "1", "yes", "22", "a", "\u{1b}"])
  func `anything but the number keeps the job running`(_ line: String) {
    var talk = Self.conversation()
    for words in ["", "4", "1042"] { _ = talk.handle(line: words) }
    #expect(talk.handle(line: line).intents.isEmpty)
    // And the question is gone: the number comes too late.
    #expect(talk.handle(line: "2").intents.isEmpty)
  }

  @Test func `a new job is submitted only after its plan`() {
    var talk = Self.conversation()
    for words in ["", "9", "1"] { _ = talk.handle(line: words) }
    #expect(talk.handle(line: "nginx").intents == [.plan(Scene.nginxRequest)])
    #expect(talk.handle(line: "2").intents.isEmpty)
    let lines = talk.handle(.planned(Scene.nginxRequest, Scene.nginxPlan)).lines
    #expect(lines.contains("plan: 4 packages, 6.4 MB to fetch, 19.3 MB on disk"))
    #expect(talk.handle(line: "2").intents == [.submit(Scene.nginxRequest)])
  }

  @Test func `who may only look is told why`() {
    var talk = Self.conversation(readOnlyReason: "read-only: started with --read-only")
    #expect(talk.handle(line: "").lines.contains { $0.contains("(not now: read-only") })
    #expect(talk.handle(line: "4").lines == ["not now: read-only: started with --read-only"])
  }

  @Test func `what comes into an open question stands before it, and the question comes again`() {
    var talk = Self.conversation()
    #expect(!talk.handle(Failures.fail(1042)).interruptsPrompt)
    let asked = talk.handle(.line("log")).lines.last
    #expect(asked == "number of the job, or Enter for nothing:")
    let news = talk.handle(Failures.fail(1043))
    #expect(news.interruptsPrompt && news.lines.count > 1 && news.lines.last == asked)
    #expect(!talk.handle(.clock(Scene.at(300))).interruptsPrompt)
    #expect(talk.handle(.line("1042")).intents == [.fetchLog(JobID(1042), from: nil)])
    #expect(!talk.handle(Failures.fail(1044)).interruptsPrompt)
  }

  @Test func `no line ever holds a control character`() {
    var job = Scene.upgrade
    job.options.comment = "evil\u{1b}[2J\u{7}"
    job.updates[0].planned.name = "na\u{9b}me\r"
    var talk = Self.conversation([job])
    var lines: [String] = []
    for words in ["", "1", "", "2", "1042", "", "4", "1042", "2", "zz\u{1b}[2J", "1\u{9b}"] {
      lines += talk.handle(line: words).lines
    }
    lines += talk.handle(.logChunk(job.id, offset: 0, text: "a\u{1b}[31mb\n")).lines
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }
}
