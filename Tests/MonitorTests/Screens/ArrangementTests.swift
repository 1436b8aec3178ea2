import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Arrangements {
  static func order(_ state: MonitorState) -> [Int] {
    state.shownBook.list(state.list).places.map(\.job.rawValue)
  }

  @Test func `sorted lists stay sorted while jobs move, and the selection stays on its job`() {
    var state = Scene.monitor()
    Scene.press([.down, .down], in: &state)
    let selected = state.selected
    #expect(Scene.press([.character("s"), .character("5")], in: &state).count == 1)
    #expect(state.preferences.sort == JobSort(.done, isDescending: true))
    #expect(state.selected == selected)
    let percents = Self.order(state).map { id in
      state.book[JobID(id)]?.job.percentComplete ?? -1
    }
    #expect(percents == percents.sorted(by: >))
    let tick = JobProgressTick(
      percentComplete: 99, currentUpdateIndex: 0, currentStepIndex: 0, downloadedBytes: 0,
      bytesPerSecond: nil, etaSeconds: nil, lastActivityAt: nil, isStalled: false,
      abortPreview: .accepted(stopsAfter: nil), steps: [])
    _ = state.update(Scene.event(1042, .progress(tick)))
    #expect(Self.order(state).prefix(2) == [1037, 1042])
    #expect(state.selected == selected)
    Scene.press([.character("S")], in: &state)
    #expect(Self.order(state).last == 1037)
    // The same key again: the other way round; the first entry: the queue's own order.
    Scene.press([.character("s"), .character("1")], in: &state)
    #expect(Self.order(state) == Self.order(Scene.monitor()))
  }

  @Test(arguments: JobSort.Key.allCases)
  func `every order holds all jobs, both ways`(_ key: JobSort.Key) {
    for isDescending in [false, true] {
      var state = Scene.monitor()
      state.sort(by: JobSort(key, isDescending: isDescending))
      #expect(Set(Self.order(state)) == Set(Scene.queue.map(\.id.rawValue)))
      for job in Scene.queue {
        #expect(state.shownBook.index(of: job.id, in: .queue) != nil)
      }
      for job in Scene.queue where !job.state.isFinal {
        _ = state.update(
          Scene.event(job.id.rawValue, .completed(Keys.outcome(.failed, 10, job.updates))))
      }
      #expect(Set(Self.order(state)) == Set(Scene.queue.map(\.id.rawValue)))
      for job in Scene.queue {
        _ = state.update(Scene.event(job.id.rawValue, .cleanedUp(by: Scene.ops)))
      }
      #expect(Self.order(state).isEmpty)
    }
  }

  @Test func `in the tree the window follows jobs of one and of two rows`() {
    var state = Scene.monitor(size: Size(columns: 80, rows: 15))
    Scene.press([.character("t")], in: &state)
    for step in 0..<40 {
      Scene.press([step < 20 ? .down : .up], in: &state)
      let text = state.render(state.size, Golden.looks[0].look).text
      let selected = state.selected.map { "\($0)" } ?? ""
      let row = text.split(separator: "\n").first { $0.hasPrefix("> ") }
      #expect(row?.contains(selected) == true)
    }
    Scene.press([.character("t")], in: &state)
    #expect(!state.preferences.isTree)
  }

  @Test func `rows of a list are found both ways`() {
    for (jobs, doubled) in [(0, 0), (5, 0), (5, 2), (5, 5), (3, 9)] {
      let rows = ListRows(jobs: jobs, doubled: doubled)
      var seen = 0
      for index in 0..<jobs {
        #expect(rows.row(of: index) == seen)
        for line in 0..<rows.height(of: index) {
          #expect(rows.job(at: seen + line) == (index, line == 1))
        }
        seen += rows.height(of: index)
      }
      #expect(rows.count == seen)
    }
  }

  @Test func `the mouse selects, opens, sorts, and presses the function bar`() {
    var state = Scene.monitor(size: Size(columns: 120, rows: 40))
    func mouse(
      _ action: MouseEvent.Action, _ column: Int, _ row: Int, isDouble: Bool = false
    ) -> [Intent] {
      state.update(.mouse(MouseEvent(action, column: column, row: row, isDouble: isDouble)))
    }
    _ = mouse(.press(.left), 10, 6)
    #expect(state.selected == JobID(1044))
    _ = mouse(.wheelDown, 10, 6)
    #expect(state.selected == JobID(1045))
    #expect(mouse(.press(.left), 70, 3).contains(.keep(state.preferences)))
    #expect(state.preferences.sort.key == .done)
    let bar = FunctionBar(state, columns: 120)
    let abort = bar.items.first { $0.action?.id == .abort }
    _ = mouse(.press(.left), abort?.columns.lowerBound ?? 0, 39)
    #expect(state.dialogue != nil)
    // A question is answered by keys alone: a click on its button may have been meant for a row.
    for column in 0..<120 {
      for row in 0..<40 { #expect(mouse(.press(.left), column, row).isEmpty) }
    }
    #expect(state.dialogue != nil)
    Scene.press([.escape], in: &state)
    _ = mouse(.press(.left), 10, 6, isDouble: true)
    #expect(state.screen.kind == .job)
    _ = mouse(.press(.left), 500, 500)
  }

  @Test func `finding problems only leaves what failed`() {
    var state = Scene.monitor(Scene.queue.filter { $0.id == JobID(1039) })
    Scene.press([.enter, .character("t")], in: &state)
    let text = state.render(state.size, Golden.looks[0].look).text
    #expect(text.contains("cpp-12  ") && !text.contains(" gcc-12  "))
  }
}
