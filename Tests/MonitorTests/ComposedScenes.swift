import Canvas
import InstallJobs

@testable import Monitor

extension Scene {
  static let nginxRequest: JobRequest = {
    var options = InstallationOptions()
    options.clientName = "fettle"
    return JobRequest(.install, [Update("nginx")], options: options)
  }()

  static var nginxPlan: JobPlan {
    let steps = (nginx.plan ?? []).map(\.planned)
    var plan = JobPlan(
      requests: [JobPlan.Request(update: Update("nginx"), step: 3)], steps: steps,
      archives: Dictionary(
        uniqueKeysWithValues: steps.indices.map {
          ($0, PlannedArchive(fileName: "a", size: steps[$0].downloadSize, hash: nil, uri: ""))
        }))
    plan.installedSizeChange = 19_300_000
    return plan
  }

  /// The same with remarks of the package system, one of them long.
  static var warnedPlan: JobPlan {
    var plan = nginxPlan
    let names = (1...90).map { "libcounted\($0)" }.joined(separator: ", ")
    plan.warnings = [
      UpdateWarning(.held, "kept back because held: tzdata"),
      UpdateWarning(
        .onlyCounted,
        "left out because they only count as installed in /srv/root, their files are the host's: "
          + names),
    ]
    return plan
  }

  static func typed(_ text: String) -> [Key] { text.map { .character($0) } }

  static func composing(_ size: Size, _ text: String) -> MonitorState {
    var state = monitor(size: size)
    press([.character("i")] + typed(text), in: &state)
    return state
  }

  static var upgradable: [PlannedUpdate] {
    [
      planned("libc6", "2.36-9+u10", from: "2.36-9+u9", size: 2_700_000),
      planned("openssl", "3.0.16-1", from: "3.0.15-1"),
      planned("tzdata", "2025b-0", from: "2025a-0", size: 300_000),
    ]
  }

  /// The same with one for security and one that an upgrade of everything leaves.
  static var mixedUpgradable: [PlannedUpdate] {
    var updates = upgradable
    updates[1].isSecurity = true
    updates[2].keptBack = "held"
    return updates
  }

  /// The upgrade with the times of its packages: two done, one at work, overlapping downloads.
  static var timed: JobSnapshot {
    var job = upgrade
    let times: [[(UpdatePhase, Double)]] = [
      [
        (.downloading, 100), (.downloaded, 106), (.unpacking, 120), (.unpacked, 123),
        (.configuring, 130), (.done, 134),
      ],
      [
        (.downloading, 102), (.downloaded, 110), (.unpacking, 123), (.unpacked, 124),
        (.configuring, 134), (.done, 135),
      ],
      [(.downloading, 104), (.downloaded, 119), (.unpacking, 135)],
      [(.downloading, 106), (.downloaded, 112)],
      [(.downloading, 110), (.downloaded, 118)],
    ]
    for (step, entries) in times.enumerated() {
      for (phase, seconds) in entries {
        job.plan?[step].phaseTimes.record(phase, at: at(seconds))
      }
    }
    job.lastActivityAt = at(150)
    return job
  }
}

extension Screens {
  /// Screens on which something is chosen, typed or set.
  static let composed: [Case] = [
    Case(name: "queue-tree") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("t"), .down], in: &state)
      return state
    },
    Case(name: "queue-sorted") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("s"), .character("5")], in: &state)
      return state
    },
    Case(name: "sort-menu") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("s"), .down], in: &state)
      return state
    },
    Case(name: "filter-problem") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("\\")] + Scene.typed("colour:red"), in: &state)
      return state
    },
    Case(name: "command") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character(":")] + Scene.typed("sort sp"), in: &state)
      return state
    },
    Case(name: "compose") { Scene.composing($0, "") },
    Case(name: "compose-plan") { size in
      var state = Scene.composing(size, "nginx")
      Scene.press([.enter], in: &state)
      _ = state.update(.planned(Scene.nginxRequest, Scene.nginxPlan))
      return state
    },
    Case(name: "compose-warned") { size in
      var state = Scene.composing(size, "nginx")
      Scene.press([.enter], in: &state)
      _ = state.update(.planned(Scene.nginxRequest, Scene.warnedPlan))
      return state
    },
    Case(name: "compose-refused") { size in
      var state = Scene.composing(size, "nginx")
      Scene.press([.enter], in: &state)
      _ = state.update(
        .refused(
          Scene.nginxRequest,
          InstallationError(
            .notApplicable, "cannot install 'nginx': no such package in the index of /",
            class: .fatal, hint: "run 'fettle updates --refresh'")))
      return state
    },
    Case(name: "compose-picks") { size in
      var state = Scene.composing(size, "")
      Scene.press([.backTab, .right, .right], in: &state)
      _ = state.update(.upgradable(Scene.mixedUpgradable))
      Scene.press([.up, .up, .character(" ")], in: &state)
      return state
    },
    Case(name: "settings") { size in
      var state = MonitorState(size: size, themes: ["neutral", "dark", "mono"])
      _ = state.update(.link(.live))
      Scene.press(
        [.character(","), .right, .down, .down, .down, .character(" "), .up, .character("<")],
        in: &state)
      return state
    },
    Case(name: "timeline") { size in
      var state = Scene.monitor([Scene.timed], size: size)
      Scene.press([.character("5")], in: &state)
      return state
    },
    Case(name: "queue-columns") { size in
      var preferences = Preferences()
      preferences.columns = ColumnChoice([.by, .done, .time, .what])
      var state = MonitorState(size: size, preferences: preferences)
      _ = state.update(.snapshotBegin)
      _ = state.update(.snapshot(Scene.queue))
      _ = state.update(.snapshotEnd(seq: 40))
      return state
    },
    Case(name: "help-search") { size in
      var state = Scene.monitor(Scene.queue.filter { $0.state == .queued }, size: size)
      Scene.press(
        [.character("?"), .character("/")] + Scene.typed("log") + [.enter, .character("n")],
        in: &state)
      return state
    },
    Case(name: "log-errors") { size in
      let lines = (1...90).map { number in
        let what = number.isMultiple(of: 3) ? "W: " : number.isMultiple(of: 7) ? "E: " : ""
        return "\(what)line \(number) of what a package script prints\n"
      }
      var state = Scene.monitor([Scene.upgrade], size: size, log: lines.joined())
      Scene.press(
        [.character("3"), .character("o"), .character("/")] + Scene.typed("line 7") + [.enter]
          + [.character("n")], in: &state)
      return state
    },
    Case(name: "retry-many") { size in
      var state = Scene.monitor(size: size)
      Scene.press([.character("*"), .character("r")], in: &state)
      return state
    },
  ]
}
