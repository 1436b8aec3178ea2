package import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension MonitorState {
  /// Draws the present screen.
  ///
  /// - Parameters:
  ///   - size: The terminal's size; any size is valid.
  ///   - look: Theme and character set.
  /// - Returns: A canvas of exactly that size.
  package func render(_ size: Size, _ look: DrawStyle) -> Canvas {
    var painter = Painter(size: size, look: look)
    painter.isStale = !link.isLive && replay == nil
    painter.hasPercent = replay?.isPercentKnown ?? true
    let layout = FrameLayout(self, size: size)
    guard !layout.isLine else {
      let line = oneLines.first { $0.count <= size.columns } ?? oneLines.last ?? ""
      painter.put(line, 0, 0, .text, to: size.columns)
      return painter.canvas
    }
    if let help {
      painter.help(HelpPage(self, size: size), help)
      return painter.canvas
    }
    if let replay {
      painter.replayTitle(replay, self, layout)
    } else {
      painter.titleLine(self, layout)
    }
    painter.tabs(self, layout.tabs)
    switch screen {
    case .queue, .history:
      painter.overallLine(self, layout.overall)
      painter.jobList(self, layout)
      painter.detail(self, layout)
    case .job(let id): painter.jobScreen(self, id, layout)
    case .timeline(let id): painter.timeline(self, id, layout)
    case .compose: painter.compose(draft, self, layout.list)
    case .settings: painter.settings(self, layout.list)
    case .log: break
    }
    painter.log(self, layout)
    painter.messageLine(self, layout)
    painter.functionBar(self, layout.bar)
    if let sortMenu { painter.sortMenu(sortMenu) }
    if let dialogue { painter.question(dialogue, self) }
    return painter.canvas
  }

  /// The variants of a question for a window of a single line, longest first.
  private static func questions(_ verb: String, _ ids: [JobID]) -> [String] {
    // A bare number would be read as a job number.
    let what = ids.count == 1 ? "job \(ids[0])" : "\(ids.count) jobs"
    return ["\(verb) \(what)? Esc", "\(what)? Esc", "Esc"]
  }

  /// The variants of the only line of a tiny window, longest first: `2 run 1 fail, q quits`.
  private var oneLines: [String] {
    if let dialogue {
      switch dialogue {
      case .abort(let question, _): return Self.questions("abort", question.ids)
      case .retry(let question, _): return Self.questions("retry", question.ids)
      case .cleanUp(let question, _): return Self.questions("clean", question.ids)
      }
    }
    if let replay { return ["REPLAY of job \(replay.job)", "REPLAY \(replay.job)", "REPLAY"] }
    let tally = shownBook.tally
    let run = tally[.running] + tally[.stopping] + tally[.abortAsked] + tally[.asking]
    let failed = tally[.failed] + tally[.interrupted]
    let paused = queuePauseWords.map { $0.short.lowercased() }
    let text = "\(run) run \(failed) fail" + (paused.map { " \($0)" } ?? "")
    guard link.isLive else { return ["no engine, q quits", "no engine", "lost"] }
    let least = "\(run)r \(failed)f" + (paused == nil ? "" : " P")
    return [text + ", q quits", text + " q quit", text, least]
  }
}
