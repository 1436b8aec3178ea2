import Canvas
import InstallJobs
import Testing
import ThemeCatalog

@testable import Monitor

@Suite struct Screens {
  /// A scene: what has happened before the screen is drawn.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (Size) -> MonitorState

    var testDescription: String { name }
  }

  static let cases = standing + composed + timed + queueing + replayed

  /// Screens that show what there is.
  private static let standing: [Case] = [
    Case(name: "queue") { Scene.monitor(size: $0) },
    Case(name: "queue-rates") { size in
      var state = Scene.monitor(size: size)
      for (index, rate) in [2.0, 3, 5, 8, 8.1, 6, 2, 4].enumerated() {
        let seconds = Double(index) * 5 + (index > 5 ? 15 : 0)
        _ = state.update(
          Scene.event(
            1043,
            .progress(
              JobProgressTick(
                percentComplete: 20 + Double(index), currentUpdateIndex: 0, currentStepIndex: 2,
                downloadedBytes: 2_000_000, bytesPerSecond: rate * 1_000_000, etaSeconds: 90,
                lastActivityAt: nil, isStalled: false, abortPreview: .accepted(stopsAfter: nil),
                steps: [])), at: 200 + seconds))
      }
      return state
    },
    Case(name: "queue-install") { size in
      let jobs = [Scene.upgrade] + Scene.queue.filter { $0.state == .queued }
      return Scene.monitor(jobs, size: size)
    },
    Case(name: "queue-simulated") { size in
      var jobs = Scene.queue
      for index in jobs.indices { jobs[index].provider = "simulated" }
      var state = Scene.monitor(jobs, size: size)
      var status = Scene.status
      status.engine.provider = "simulated"
      status.engine.root = "demo"
      _ = state.update(.engine(status))
      return state
    },
    Case(name: "queue-empty") { Scene.monitor([], size: $0) },
    Case(name: "queue-lock") { size in
      Scene.monitor(Scene.queue.filter { $0.state == .waitingForLock }, size: size)
    },
    Case(name: "queue-connecting") { MonitorState(size: $0) },
    Case(name: "queue-stale") { size in
      var state = Scene.monitor(size: size)
      _ = state.update(.link(.stale(seconds: 12)))
      return state
    },
    Case(name: "queue-lost") { size in
      var state = Scene.monitor(size: size)
      _ = state.update(.link(.lost(retryIn: 3)))
      return state
    },
    Case(name: "queue-version") { size in
      var state = Scene.monitor(size: size)
      _ = state.update(.link(.refused(.otherVersion, retryIn: 3)))
      return state
    },
    Case(name: "queue-ended") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("/")] + "gcc-12".map { .character($0) } + [.enter], in: &state)
      Scene.answer(&state, Scene.queue, log: "")
      return state
    },
    Case(name: "queue-filter") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("\\")] + "by:cron".map { .character($0) }, in: &state)
      return state
    },
    Case(name: "queue-tags") { size in
      var state = Scene.monitor(size: size, readOnlyReason: "read-only: started with --read-only")
      Scene.press([.character(" "), .character(" "), .character("z"), .character("x")], in: &state)
      return state
    },
    Case(name: "job-download") { size in
      var state = Scene.monitor([Scene.nginx], size: size)
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-install") { size in
      var state = Scene.monitor([Scene.upgrade], size: size)
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-large") { size in
      let steps = (0..<60).map { Scene.planned("package-\($0)", isRequested: $0 == 59) }
      var job = Scene.running(Scene.job(7, steps), .installing, percent: 34, step: 20)
      job.plan?[20].phase = .configuring
      job.plan?[20].percentComplete = 80
      job.abortPreview = .accepted(stopsAfter: "package-20")
      var state = Scene.monitor([job], size: size)
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-failed") { size in
      var state = Scene.monitor(Scene.queue.filter { $0.id == JobID(1039) }, size: size)
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-removal") { size in
      var job = Scene.running(
        Scene.job(
          8, [Scene.planned("old", nil, from: "1.0", size: 0, action: .remove)], operation: .remove),
        .installing, percent: 10)
      job.plan?[0].phase = .removing
      job.abortPreview = .refused(reason: .finalStep("old"))
      job.isStalled = true
      var state = Scene.monitor([job], size: size)
      Scene.press([.enter], in: &state)
      for _ in 0..<5 { _ = state.update(.tick) }
      return state
    },
    Case(name: "log") { size in
      let lines = (1...100).map { "line \($0) of what a package script prints\n" }.joined()
      var state = Scene.monitor([Scene.upgrade], size: size, log: lines)
      Scene.press([.character("3"), .up, .up], in: &state)
      return state
    },
    Case(name: "history") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("4")], in: &state)
      Scene.answer(&state, Scene.queue, log: "")
      return state
    },
    Case(name: "help") { size in
      var state = Scene.monitor(size: size, readOnlyReason: "read-only: started with --read-only")
      Scene.press([.character("?")], in: &state)
      return state
    },
    Case(name: "abort-one") { size in
      var state = Scene.monitor([Scene.upgrade], size: size)
      Scene.press([.character("x")], in: &state)
      return state
    },
    Case(name: "abort-three") { size in
      let jobs = Scene.queue.filter { [1042, 1043, 1047].contains($0.id.rawValue) }
      var state = Scene.monitor(jobs, size: size)
      Scene.press([.character("*"), .character("x"), .tab], in: &state)
      return state
    },
    Case(name: "abort-many") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("*"), .character("x")], in: &state)
      return state
    },
    Case(name: "clean-up") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("C")], in: &state)
      return state
    },
    Case(name: "refused") { size in
      var job = Scene.upgrade
      job.abortPreview = .refused(reason: .finalStep("old-kernel"))
      var state = Scene.monitor([job], size: size)
      Scene.press([.character("x")], in: &state)
      return state
    },
  ]

  @Test(arguments: cases)
  func `C22: each screen looks as it is kept, at every size`(_ scene: Case) throws {
    try Golden.check(scene.name, look: "256", sizes: Golden.sizes) { size, look in
      scene.make(size).render(size, look)
    }
  }

  @Test(arguments: cases, ["truecolor", "16", "mono", "ascii"])
  func `each screen looks as it is kept with fewer colours and characters`(
    _ scene: Case, _ look: String
  ) throws {
    let sizes = Array(Golden.sizes[0...3])
    try Golden.check(scene.name, look: look, sizes: sizes) { size, look in
      scene.make(size).render(size, look)
    }
  }

  @Test(arguments: cases)
  func `any size draws a canvas of that size`(_ scene: Case) {
    let look = Golden.looks[0].look
    for columns in [0, 1, 19, 20, 36, 40, 60, 79, 110, 200] {
      for rows in [0, 1, 4, 5, 8, 9, 10, 16, 30, 34, 60] {
        let size = Size(columns: columns, rows: rows)
        #expect(scene.make(size).render(size, look).size == size)
      }
    }
  }

  @Test(arguments: cases)
  func `the ASCII look has nothing but ASCII`(_ scene: Case) {
    for size in Golden.sizes {
      let canvas = scene.make(size).render(size, Golden.looks[4].look)
      #expect(canvas.cells.allSatisfy { $0.base.isASCII && $0.marks.isEmpty })
    }
  }
}
