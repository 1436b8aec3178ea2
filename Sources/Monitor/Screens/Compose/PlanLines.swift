import Canvas
import InstallJobs

/// A plan on the compose screen, line by line: the warnings, then the packages, removals first.
///
/// The warnings take a third of the window, or the rows that the packages leave free, so that the
/// packages stay visible. The remaining warning lines follow below the packages.
struct PlanLines: Sendable {
  /// One line of the plan.
  enum Line: Sendable, Hashable {
    /// A line of a warning, sanitised and at most as wide as the window.
    case warning(String)
    case step(PlannedUpdate)
    /// There is nothing to do.
    case nothing
  }

  /// Number of warning lines above the packages.
  private let above: Int
  private let warnings: [String]
  private let steps: [PlannedUpdate]

  /// - Parameters:
  ///   - plan: The plan.
  ///   - columns: Width of a line.
  ///   - rows: Number of lines visible at a time.
  init(_ plan: JobPlan, columns: Int, rows: Int) {
    steps = plan.steps.filter(\.action.removes) + plan.steps.filter { !$0.action.removes }
    let texts = plan.warnings.map { wrapped("warning: " + sanitize($0.message), columns: columns) }
    let lines = texts.flatMap(\.self)
    // Without packages the warnings push nothing away; without a free row they all follow below.
    let room = steps.isEmpty ? 0 : max(0, max(rows / 3, rows - steps.count))
    guard lines.count > room, room > 0 else {
      (warnings, above) = (lines, min(room, lines.count))
      return
    }
    // The last line above announces the remaining lines, which follow below from where they were
    // cut.
    let more = truncated(
      "\(lines.count - room + 1) more lines below the packages, PgDn", to: max(1, columns))
    warnings = lines.prefix(room - 1) + [more] + lines.dropFirst(room - 1)
    above = room
  }

  /// Number of lines.
  var count: Int { warnings.count + max(1, steps.count) }

  /// The largest first line that still fills a window of `rows` rows.
  func lastTop(rows: Int) -> Int { max(0, count - max(1, rows)) }

  /// The line at an index, from 0 up to ``count``.
  subscript(index: Int) -> Line {
    if index < above { return .warning(warnings[index]) }
    if steps.isEmpty { return index == 0 ? .nothing : .warning(warnings[index - 1]) }
    let step = index - above
    return step < steps.count ? .step(steps[step]) : .warning(warnings[index - steps.count])
  }
}
