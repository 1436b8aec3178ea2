import Canvas
import InstallJobs

/// A plan on the compose screen, line by line: what the package system remarks on it, then its
/// packages, what is removed first.
///
/// Remarks take a third of the window, or what the packages leave of it, so that they push no plan
/// out of sight; the lines that do not fit there stand below the packages.
struct PlanLines: Sendable {
  /// One line of it.
  enum Line: Sendable, Hashable {
    /// A line of a remark, sanitised and short enough for the window.
    case warning(String)
    case step(PlannedUpdate)
    /// That there is nothing to do.
    case nothing
  }

  /// How many lines of remarks stand above the packages.
  private let above: Int
  private let warnings: [String]
  private let steps: [PlannedUpdate]

  /// - Parameters:
  ///   - plan: What would be done.
  ///   - columns: The room for a line.
  ///   - rows: The lines that can be seen at a time.
  init(_ plan: JobPlan, columns: Int, rows: Int) {
    steps = plan.steps.filter(\.action.removes) + plan.steps.filter { !$0.action.removes }
    let texts = plan.warnings.map { wrapped("warning: " + sanitize($0.message), columns: columns) }
    let lines = texts.flatMap(\.self)
    // Without a package there is nothing to push away; without a row to give, all stands below.
    let room = steps.isEmpty ? 0 : max(0, max(rows / 3, rows - steps.count))
    guard lines.count > room, room > 0 else {
      (warnings, above) = (lines, min(room, lines.count))
      return
    }
    // The line in place of what does not fit says so; what stands below begins where it was cut.
    let more = truncated(
      "\(lines.count - room + 1) more lines below the packages, PgDn", to: max(1, columns))
    warnings = lines.prefix(room - 1) + [more] + lines.dropFirst(room - 1)
    above = room
  }

  /// How many lines there are.
  var count: Int { warnings.count + max(1, steps.count) }

  /// The last first line that still fills a window of so many rows.
  func lastTop(rows: Int) -> Int { max(0, count - max(1, rows)) }

  /// A line, from 0 up to ``count``.
  subscript(index: Int) -> Line {
    if index < above { return .warning(warnings[index]) }
    if steps.isEmpty { return index == 0 ? .nothing : .warning(warnings[index - 1]) }
    let step = index - above
    return step < steps.count ? .step(steps[step]) : .warning(warnings[index - steps.count])
  }
}
