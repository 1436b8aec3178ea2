import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

@Suite struct Filters {
  static let now = Scene.at(400)

  static func jobs(_ text: String) -> [Int] {
    let filter = JobFilter(text, now: now)
    return Scene.queue.filter { filter.matches(JobStore.Entry(job: $0)) }.map(\.id.rawValue)
      .sorted()
  }

  @Test(arguments: [
    ("state:failed", [1038]),
    ("state:failed,aborted", [1036, 1038]),
    ("state:running user:OPS", [1042, 1043, 1050]),
    ("user:cron op:install", [1035, 1037, 1038, 1039, 1046, 1047]),
    ("by:ci", [1044, 1045]), ("op:up", [1042]), ("state:with", [1039]),
    ("pkg:nginx*", [1043]),
    ("pkg:*sql*", [1044, 1045]),
    ("pkg:nginx -state:running", []),
    ("-user:cron !state:running state:queued", []),
    ("job:104", []),
    ("job:104*", [1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049]),
    ("done>80 done<100", [1039, 1044, 1050]),
    ("took>1m", [1035, 1037, 1038, 1039]),
    ("took<1m", [1036]),
    ("redis", [1046, 1047]),
    // The group of `fettle jobs --state waiting`; a job that waits for an answer is none of it.
    ("state:waiting", [1045, 1046, 1047, 1049]), ("waiting", [1045, 1046, 1047, 1049]),
    ("state:waitingForLock", [1045]), ("state:waitingfor", [1045, 1048]),
    (
      "state:",
      [
        1035, 1036, 1037, 1038, 1039, 1042, 1043, 1044, 1045, 1046, 1047, 1048, 1049, 1050,
      ]
    ),
  ])
  func `terms narrow the list, all of them must hold`(_ text: String, _ found: [Int]) {
    #expect(Self.jobs(text) == found)
    #expect(JobFilter(text).problem == nil)
  }

  @Test func `an operation is found by its exact word`() {
    let again = JobStore.Entry(
      job: Scene.job(7, [Scene.planned("a")], operation: .reinstall))
    #expect(!JobFilter("op:install").matches(again))
    #expect(JobFilter("op:rei").matches(again))
    #expect(JobFilter("op:*install").matches(again))
    for word in JobMark.allCases.map(\.countWord) + JobState.allCases.map(\.rawValue) {
      #expect(JobFilter("state:" + word.split(separator: " ")[0]).problem == nil)
    }
  }

  @Test func `ages count from the present time`() {
    // Job n was submitted n seconds after noon.
    let entry = JobStore.Entry(job: Scene.job(100, [Scene.planned("a")]))
    let later = Scene.at(100 + 601)
    #expect(JobFilter("age>10m", now: later).matches(entry))
    #expect(!JobFilter("age>11m", now: later).matches(entry))
    #expect(JobFilter("age<1h", now: later).matches(entry))
    #expect(!JobFilter("-age<1h", now: later).matches(entry))
  }

  @Test(arguments: [
    ("colour:red", "no field 'colour'"), ("age>soon", "age takes 30s"),
    ("state>5", "state is not a figure"), ("age:5", "age is compared"), ("done>x", "per cent"),
    ("op:nope", "no operation 'nope': install"), ("op:re", "may be reinstall, remove, repair"),
    ("state:nope", "no state 'nope': "), ("state:failed,nope", "no state 'nope': "),
  ])
  func `what cannot be read is said in words and narrows nothing`(_ text: String, _ words: String) {
    let filter = JobFilter(text)
    #expect(filter.problem?.contains(words) == true)
    #expect(filter.isEmpty)
  }

  @Test func `a long pattern against a long name ends at once`() {
    let name = String(repeating: "a", count: 20_000)
    #expect(!Glob.matches(Substring(name), Substring(String(repeating: "a*", count: 200) + "b")))
    #expect(Glob.matches(Substring(name), "a*a"))
    #expect(!Glob.matches("", "a*"))
    #expect(Glob.matches("", "*"))
  }

  @Test func `a narrowed list follows jobs that come and change`() {
    var state = Scene.monitor()
    Scene.press([.character("\\")] + Scene.typed("state:queued") + [.enter], in: &state)
    #expect(state.shownBook.list(.queue).places.map(\.job.rawValue) == [1047, 1046])
    _ = state.update(
      Scene.event(2000, .submitted(Scene.job(2000, [Scene.planned("jq")], priority: 9))))
    #expect(state.shownBook.list(.queue).places.map(\.job.rawValue) == [2000, 1047, 1046])
    let begun = JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil))
    _ = state.update(Scene.event(1047, .state(begun)))
    #expect(state.shownBook.list(.queue).places.map(\.job.rawValue) == [2000, 1046])
  }
}
