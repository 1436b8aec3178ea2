import Canvas
import InstallJobs
import Testing

@testable import Monitor

/// The whole table without a screen.
@Suite struct PlainWords {
  @Test func `every action is chosen by number and name, or said why not`() {
    var talk = PlainConversations.conversation()
    let menu = talk.handle(line: "").lines
    let help = talk.handle(line: "?").lines
    for action in ActionTable.standard.actions {
      switch PlainChoices.way(to: action.id) {
      case .chosen(let text):
        let number = PlainChoices.number(of: action.id)
        #expect(menu.contains("\(number ?? 0) \(text)"), "\(action.name)")
        #expect(PlainChoices.action(action.name, in: .standard) == action.id)
        #expect(PlainChoices.action("\(number ?? 0)", in: .standard) == action.id)
      case .needless(_, let reason):
        #expect(PlainChoices.number(of: action.id) == nil)
        #expect(
          help.contains { $0.hasPrefix("not here: ") && $0.hasSuffix(reason) }, "\(action.name)")
      }
    }
    #expect(Set(PlainChoices.all).count == PlainChoices.all.count)
  }

  @Test func `hold and release, pause and resume say what they do, however often`() {
    var talk = PlainConversations.conversation()
    #expect(talk.handle(line: "pause 1042").intents == [.pauseJob(JobID(1042))])
    #expect(talk.handle(line: "pause 1042").intents == [.pauseJob(JobID(1042))])
    #expect(talk.handle(line: "pause 1049").lines == ["pause: job 1049 is paused already"])
    #expect(talk.handle(line: "resume 1049").intents == [.resumeJob(JobID(1049))])
    #expect(talk.handle(line: "release").lines.last == "number of the job, or Enter for nothing:")
    #expect(talk.handle(line: "1049").intents == [.resumeJob(JobID(1049))])
    #expect(talk.handle(line: "hold").intents.isEmpty && talk.handle(line: "").intents.isEmpty)
    #expect(talk.handle(line: "pause-queue").intents == [.pauseQueue])
    var status = Scene.status
    (status.seq, status.queue.paused, status.queue.pause) = (41, true, Scene.pause)
    _ = talk.handle(.engine(status))
    let again = talk.handle(line: "pause-queue")
    #expect(again.intents.isEmpty)
    #expect(again.lines == ["the queue is paused already, by root since 12:02:00"])
    #expect(talk.handle(line: "resume-queue").intents == [.resumeQueue])
  }

  @Test func `what is said without a screen names no key and no name of the settings file`() {
    var talk = PlainConversations.conversation()
    let help = talk.handle(line: "?").lines.filter { $0.hasPrefix("not here: ") }
    for action in ActionTable.standard.actions where action.name.contains("-") {
      #expect(!help.contains { $0.contains(action.name) }, "\(action.name)")
    }
    var job = Scene.queue.first { $0.id == JobID(1038) } ?? Scene.upgrade
    job.repairs = [.finishConfiguration]
    talk = PlainConversations.conversation([job])
    let question = talk.handle(line: "clean-up \(job.id)").lines
    #expect(question.contains { $0.contains("'repair' mends") })
    #expect(!question.contains { $0.contains("!") })
    _ = talk.handle(line: "1")
    // A problem is told with what failed and what the tools said.
    let problems = talk.handle(line: "problems").lines
    #expect(problems.contains { $0.hasPrefix("  cpp-12: ") && $0.contains("exit status 3") })
  }

  @Test func `a name with the number behind it needs no menu`() {
    var talk = PlainConversations.conversation()
    #expect(talk.handle(line: "abort 1042").lines.first == "Abort job 1042?")
    #expect(talk.handle(line: "2").intents == [.requestAbort([JobID(1042)])])
    #expect(talk.handle(line: "log 1042").intents == [.fetchLog(JobID(1042), from: nil)])
    #expect(
      talk.handle(line: "hold-job 1042 1043").intents == [
        .pauseJob(JobID(1042)), .pauseJob(JobID(1043)),
      ])
    #expect(talk.handle(line: "abort 9").lines == ["there is no job '9'"])
    #expect(talk.handle(line: "dance").lines.first?.hasPrefix("there is no choice 'dance'") == true)
  }

  @Test func `an abort is followed by a clean up where the third answer is given`() {
    var talk = PlainConversations.conversation()
    #expect(
      talk.handle(line: "abort 1042").lines.last?.contains("3 abort, and clean up afterwards")
        == true
    )
    #expect(talk.handle(line: "3").intents == [.requestAbort([JobID(1042)])])
    let outcome = Keys.outcome(.aborted, 61, Scene.upgrade.updates)
    #expect(
      talk.handle(Scene.event(1042, .completed(outcome))).intents.contains(.cleanUp([JobID(1042)])))
    // No other question has a third answer.
    _ = talk.handle(line: "clean-up-finished")
    #expect(talk.handle(line: "3").intents.isEmpty)
  }

  @Test func `jobs are found, narrowed and sorted in lines`() {
    var talk = PlainConversations.conversation()
    #expect(talk.handle(line: "find").lines == ["words that jobs mention, or Enter for nothing:"])
    #expect(talk.handle(line: "nginx").lines.map { $0.hasPrefix("job 1043 ") } == [true])
    #expect(talk.handle(line: "find zzz").lines == ["no job mentions 'zzz'"])
    #expect(talk.handle(line: "filter state:failed").lines.map { $0.prefix(8) } == ["job 1038"])
    #expect(talk.handle(line: "show-queue").lines.count == 1)
    #expect(talk.handle(line: "filter nonsense:").lines.first?.hasPrefix("filter: ") == true)
    #expect(talk.handle(line: "filter all").lines.count == Scene.queue.count)
    let sorted = talk.handle(line: "sort job")
    #expect(sorted.lines.dropFirst().first?.hasPrefix("job 1050 ") == true)
    #expect(sorted.intents.count == 1)
    #expect(talk.handle(line: "sort job reverse").lines[1].hasPrefix("job 1035 "))
    #expect(talk.handle(line: "sort colour").lines == ["there is no order 'colour'"])
  }

  @Test func `problems, history and times are read`() throws {
    var talk = PlainConversations.conversation()
    let problems = talk.handle(line: "problems").lines
    #expect(problems.contains { $0.hasPrefix("job 1038") && $0.contains("fettle doctor") })
    #expect(problems.contains { $0.hasPrefix("job 1048") && $0.contains("main.cf") })
    #expect(talk.handle(line: "history").intents == [.fetchHistory(after: nil)])
    let past = talk.handle(.past(Scene.queue.filter { $0.state.isFinal }, isWhole: true)).lines
    #expect(past.first?.contains("JOB") == true && past.count == 6)
    #expect(talk.handle(.past([], isWhole: true)).lines.isEmpty)
    talk = PlainConversations.conversation([Scene.timed])
    let id = Scene.timed.id
    #expect(talk.handle(line: "timeline \(id)").intents == [.fetchPlan(id)])
    let times = talk.handle(.plan(id, try #require(Scene.timed.plan))).lines
    #expect(times.contains { $0.contains(": download ") && $0.contains(" from ") })
  }

  @Test func `a log is read as it grows, from the level that is wanted`() {
    var talk = PlainConversations.conversation()
    #expect(talk.handle(line: "follow 1042").intents == [.fetchLog(JobID(1042), from: nil)])
    func grow(_ text: String) -> [String] {
      talk.handle(Scene.event(1042, .log(offset: 0, text: text))).lines
    }
    #expect(grow("Unpacking one\nE: no\n") == ["Unpacking one", "E: no"])
    _ = talk.handle(line: "log-level")
    #expect(talk.handle(line: "log-level").lines == ["logs show errors only"])
    #expect(grow("Unpacking two\nE: nor\n") == ["E: nor"])
    _ = talk.handle(line: "follow")
    #expect(grow("E: never\n").isEmpty)
  }

  @Test func `settings that matter are changed and kept, and jobs can be kept quiet`() {
    var talk = PlainConversations.conversation()
    #expect(talk.handle(line: "settings").lines.contains { $0.hasPrefix("2 bell: on") })
    let changed = talk.handle(line: "2")
    #expect(changed.lines.first?.hasPrefix("2 bell: off") == true && changed.intents.count == 1)
    #expect(!talk.handle(Failures.fail(1042)).intents.contains(.ringBell))
    _ = talk.handle(line: "quiet")
    #expect(talk.handle(Failures.fail(1043)).lines.isEmpty)
    _ = talk.handle(line: "quiet")
    #expect(!talk.handle(Failures.fail(1044)).lines.isEmpty)
  }
}
