import Canvas
import InstallJobs

@testable import Monitor

extension Screens {
  /// Screens that count on by the clock.
  static let timed: [Case] = [
    Case(name: "abort-unanswered") { size in
      var state = Acknowledgements.asked(size)
      _ = state.update(.clock(Scene.at(207)))
      return state
    },
    Case(name: "abort-unanswered-job") { size in
      var state = Acknowledgements.asked(size)
      Scene.press([.enter], in: &state)
      _ = state.update(.clock(Scene.at(203)))
      return state
    },
    Case(name: "job-stopping") { size in
      var job = Scene.upgrade
      job.state = .stopping
      job.abort = Acknowledgements.record
      var state = Scene.monitor([job], size: size)
      _ = state.update(.clock(Scene.at(210)))
      _ = state.update(Scene.event(1042, .log(offset: 0, text: ""), at: 210))
      _ = state.update(.clock(Scene.at(218)))
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-aborted") { size in
      var job = Scene.ended(
        Scene.job(1036, [Scene.planned("tree"), Scene.planned("sl")]), .aborted, percent: 31,
        results: [.succeeded, .notStarted], took: 140)
      job.abort = Acknowledgements.record
      var state = Scene.monitor([job], size: size)
      Scene.press([.character("4"), .enter], in: &state)
      return state
    },
    Case(name: "queue-returned") { size in
      var state = Scene.monitor(size: size)
      _ = state.update(.clock(Scene.at(300)))
      Returns.connect(&state, Returns.changed)
      return state
    },
    Case(name: "queue-order-held") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character(" ")], in: &state)
      HeldOrders.stir(&state)
      return state
    },
    Case(name: "queue-foreseen") { size in
      var state = Forecasts.monitor(size)
      Scene.press([.down], in: &state)
      return state
    },
    Case(name: "job-spread") { size in
      var state = Forecasts.monitor(size)
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "job-overdue") { size in
      var state = Forecasts.monitor(size)
      let overdue = OverdueStage(
        .unpack, of: "linux-image-6.1.0-31-amd64", usualSeconds: 12, since: Scene.at(100))
      _ = state.update(
        Scene.event(1042, Forecasts.tick(62, eta: 30, overdue: overdue), at: 165))
      Scene.press([.enter], in: &state)
      return state
    },
    Case(name: "queue-late") { size in
      var state = Lateness.promised(size)
      _ = state.update(.clock(Scene.at(315)))
      return state
    },
  ]
}
