import Canvas
import InstallJobs
import Support
import Testing

@testable import Monitor

@Suite struct HeldOrders {
  static let over = JobEvent.Payload.completed(
    Keys.outcome(.succeeded, 100, Scene.upgrade.updates))
  static let begun = JobEvent.Payload.state(
    JobStateChange(.downloading, abortPreview: .accepted(stopsAfter: nil)))
  static let submitted = JobEvent.Payload.submitted(
    Scene.job(2000, [Scene.planned("jq")], priority: 90))

  static func order(_ state: MonitorState) -> [Int] { Arrangements.order(state) }

  /// What moves rows about: the first job ends, the last that waits begins, a new one comes first.
  static func stir(_ state: inout MonitorState) {
    _ = state.update(Scene.event(1042, over, at: 300))
    _ = state.update(Scene.event(1046, begun, at: 300))
    _ = state.update(Scene.event(2000, submitted, at: 300))
  }

  /// The order in which a monitor shows the jobs that was told the same without a hold.
  static func settled() -> [Int] {
    var state = Scene.monitor()
    stir(&state)
    return order(state)
  }

  @Test func `no row moves for 2 s after the selection was moved, then all go where they belong`() {
    // Nothing is promised, so that nothing else is woken for.
    var state = Scene.monitor(
      Scene.queue.map { job in
        var job = job
        job.etaSeconds = nil
        if !job.state.isFinal { job.abortPreview = .accepted(stopsAfter: nil) }
        if let stop = job.abort?.disposition.stopsAfter {
          job.abort?.disposition = .accepted(stopsAfter: stop)
        }
        return job
      })
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.down, .down], in: &state)
    let before = Self.order(state)
    #expect(state.nextMoment == nil)
    Self.stir(&state)
    #expect(Self.order(state) == before + [2000])
    #expect(Acknowledgements.row(state, 1042).contains("done"))
    #expect(Acknowledgements.row(state, 1046).contains("download"))
    #expect(state.nextMoment == Scene.at(202))
    _ = state.update(.clock(Scene.at(201.9)))
    #expect(Self.order(state) == before + [2000])
    _ = state.update(.clock(Scene.at(202)))
    #expect(Self.order(state) == Self.settled())
    #expect(state.selected == JobID(1044))
    #expect(state.nextMoment == nil)
  }

  @Test func `every move of the selection begins the 2 s anew, the work that is followed does not`()
  {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.down], in: &state)
    let before = Self.order(state)
    Self.stir(&state)
    _ = state.update(.clock(Scene.at(201.5)))
    Scene.press([.up], in: &state)
    _ = state.update(.clock(Scene.at(203)))
    #expect(Self.order(state) == before + [2000])
    _ = state.update(.clock(Scene.at(203.5)))
    #expect(Self.order(state) == Self.settled())
    var following = Scene.monitor()
    _ = following.update(.clock(Scene.at(200)))
    Self.stir(&following)
    #expect(following.selected == JobID(1043))
    #expect(Self.order(following) == Self.settled())
  }

  @Test func `no row moves while jobs are tagged, and that rows stand elsewhere is said`() {
    var state = Scene.monitor(size: Size(columns: 120, rows: 24))
    Scene.press([.character(" ")], in: &state)
    let before = Self.order(state)
    #expect(!Acknowledgements.detail(state).contains("order frozen"))
    Self.stir(&state)
    _ = state.update(.clock(Scene.at(900)))
    #expect(Self.order(state) == before + [2000])
    #expect(Acknowledgements.detail(state).contains("1 tagged, order frozen"))
    #expect(state.book.firstAtWork == JobID(1043))
    Scene.press([.character("u")], in: &state)
    #expect(Self.order(state) == Self.settled())
  }

  @Test func `what is cleaned up leaves, what changes stays, what is pressed is what was seen`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.down], in: &state)
    let before = Self.order(state)
    Self.stir(&state)
    _ = state.update(Scene.event(1042, .cleanedUp(by: Scene.ops)))
    _ = state.update(Scene.event(1037, .cleanedUp(by: Scene.ops)))
    #expect(Self.order(state) == before.filter { $0 != 1042 && $0 != 1037 } + [2000])
    Scene.press([.down], in: &state)
    #expect(state.selected == JobID(before[2]))
  }

  @Test func `a sorted list stands still too, and another order is taken at once`() {
    var state = Scene.monitor()
    Scene.press([.character(" "), .character("s"), .character("5")], in: &state)
    #expect(state.preferences.sort.key == .done)
    let before = Self.order(state)
    _ = state.update(Scene.event(1049, Lateness.tick(99.5, eta: nil)))
    #expect(Self.order(state) == before)
    Scene.press([.character("S")], in: &state)
    #expect(Self.order(state) != before)
    #expect(Self.order(state).suffix(2) == [1049, 1037])
    Scene.press([.character("\\")] + Scene.typed("state:failed") + [.enter], in: &state)
    #expect(Self.order(state) == [1038])
  }

  @Test func `a new connection leaves the rows where they are held`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.down], in: &state)
    let before = Self.order(state)
    Returns.connect(&state, Returns.changed)
    #expect(Self.order(state) == before.filter { $0 != 1035 } + [1060])
    _ = state.update(.clock(Scene.at(202)))
    #expect(Self.order(state) == Self.order(Scene.monitor(Returns.changed)))
  }

  @Test(arguments: JobSort.Key.allCases)
  func `held lists hold each job once, are found, and are let go as if never held`(
    _ key: JobSort.Key
  ) {
    var state = Scene.monitor()
    state.sort(by: JobSort(key, isDescending: true))
    var free = state
    Scene.press([.character(" ")], in: &state)
    var numbers = RepeatableNumbers(seed: 31)
    for _ in 0..<500 {
      let id = Int.random(in: 1035...1060, using: &numbers)
      let payload: JobEvent.Payload =
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: .submitted(Scene.job(id, [Scene.planned("new")], priority: id % 7))
        case 1: Self.begun
        case 2: Self.over
        case 3 where id != 1042: .cleanedUp(by: Scene.ops)
        default: Lateness.tick(Double(id % 100), eta: 3)
        }
      for kind in [Screen.Kind.queue, .history] {
        let order = state.book.list(kind).places.map(\.job)
        #expect(Set(order).count == order.count)
        for (index, job) in order.enumerated() {
          #expect(state.book.index(of: job, in: kind) == index)
        }
      }
      _ = state.update(Scene.event(id, payload))
      _ = free.update(Scene.event(id, payload))
      #expect(Set(Self.order(state)) == Set(Self.order(free)))
    }
    Scene.press([.character("u")], in: &state)
    #expect(Self.order(state) == Self.order(free))
  }

  @Test func `a frame and an event cost the same look-ups with 100,000 held rows as with 1,000`() {
    let costs = [1000, 100_000].map { count in
      let meter = JobStore.Meter()
      var state = Scene.monitor(Scale.many(count))
      _ = state.update(.clock(Scene.at(200)))
      Scene.press([.character(" "), .pageDown], in: &state)
      state.book.meter = meter
      _ = state.update(Scene.event(1, Self.over))
      _ = state.update(Scene.event(2, Self.begun))
      let events = meter.lookUps
      _ = state.render(state.size, Golden.looks[0].look)
      return [events, meter.lookUps - events]
    }
    #expect(costs[0] == costs[1])
    #expect(costs[1][0] < 40 && costs[1][1] < 60)
  }

  @Test func `in the tree a job that ends while its row is held leaves no bare row below`() {
    var state = Scene.monitor()
    Scene.press([.character("t"), .character(" ")], in: &state)
    let rows = { (state: MonitorState) in
      state.render(state.size, Golden.looks[0].look).text.split(separator: "\n")
    }
    let below = rows(state).count { $0.contains("└") }
    _ = state.update(Scene.event(1042, Self.over, at: 300))
    #expect(state.shownBook.isBehind(.queue))
    #expect(rows(state).count { $0.contains("└") } == below - 1)
  }

  @Test func `a held display keeps its order while ages of a filter are counted anew`() {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(9000)))
    var status = Scene.status
    status.time = Scene.at(9000)
    _ = state.update(.engine(status))
    state.setFilter("age>1m")
    Scene.press([.character(" ")], in: &state)
    Self.stir(&state)
    let before = Self.order(state)
    Scene.press([.character("z")], in: &state)
    #expect(Self.order(state) == before)
    _ = state.update(.clock(Scene.at(9100)))
    _ = state.update(Scene.event(1047, .log(offset: 0, text: ""), at: 9100))
    #expect(state.pausedStore?.filter.now == Scene.at(9100))
    #expect(Self.order(state) == before)
  }
}
