import Canvas
import InstallJobs
import JobText
import ThemeCatalog

extension Painter {
  /// Draws the compose screen: the fields, the upgrades to pick from, the plan.
  mutating func compose(_ draft: ComposeDraft, _ state: MonitorState, _ rect: Rect) {
    let columns = rect.size.columns
    let (margin, label) = (columns >= 60 ? 1 : 0, columns >= 60 ? 11 : 6)
    let fields = ComposeDraft.Field.allCases
    let layout = ComposeLayout(draft, rect)
    for field in fields.prefix(layout.fields.size.rows) {
      let row = layout.fields.row + field.rawValue
      let isHere = field == draft.field && draft.pick == nil
      put(isHere ? ">" : " ", 0, row, .text)
      put(name(of: field, isWide: columns >= 60), margin + 1, row, isHere ? .headerSorted : .header)
      value(of: field, draft, margin + 1 + label, row, to: columns)
    }
    if layout.picks.isShown { picks(draft, layout.picks) }
    if layout.plan.isShown { plan(draft, layout.plan) }
  }

  private func name(of field: ComposeDraft.Field, isWide: Bool) -> String {
    switch field {
    case .operation: "Do"
    case .packages: isWide ? "Packages" : "Pkgs"
    case .comment: isWide ? "Comment" : "Note"
    case .priority: isWide ? "Priority" : "Prio"
    }
  }

  private mutating func value(
    of field: ComposeDraft.Field, _ draft: ComposeDraft, _ column: Int, _ row: Int, to end: Int
  ) {
    let isHere = field == draft.field && draft.pick == nil
    switch field {
    case .operation:
      let word = isHere ? "< \(draft.operation.rawValue) >" : "  \(draft.operation.rawValue)"
      put(word, column, row, isHere ? .dialogFocus : .text, to: end)
    case .packages:
      let empty =
        switch draft.operation {
        case .upgrade: "all that can be upgraded"
        case .repair: "all that is half done"
        default: "names, as apt has them"
        }
      edit(draft.packages, isHere, empty: empty, column, row, to: end)
    case .comment: edit(draft.comment, isHere, empty: "why, for the history", column, row, to: end)
    case .priority: edit(draft.priority, isHere, empty: "0", column, row, to: end)
    }
  }

  /// Draws a text field, scrolled so that the cursor is visible.
  private mutating func edit(
    _ line: LineEdit, _ isHere: Bool, empty: String, _ column: Int, _ row: Int, to end: Int
  ) {
    guard end > column else { return }
    if line.text.isEmpty { put(empty, column, row, .textDim, to: end) }
    let window = line.window(columns: end - column)
    put(window.text, column, row, .filterText, to: end)
    if isHere { canvas.cursor = Point(column: min(column + window.cursor, end - 1), row: row) }
  }

  private mutating func picks(_ draft: ComposeDraft, _ rect: Rect) {
    rule(
      rect.row, parts: upgradesHeading(draft.candidates),
      right: "Space picks · \(draft.picks.count) picked")
    let rows = rect.size.rows - 1
    let top = min(max(0, (draft.pick ?? 0) - rows / 2), max(0, draft.candidates.count - rows))
    let shown = draft.candidates.indices.dropFirst(top).prefix(rows)
    for (offset, index) in shown.enumerated() {
      let (row, update) = (rect.row + 1 + offset, draft.candidates[index])
      let isPicked = draft.picks.contains(update.name)
      put(draft.pick == index ? ">" : " ", 0, row, .text)
      put(isPicked ? "[x]" : "[ ]", 2, row, isPicked ? .composeChosen : .textDim)
      // The heading explains the signs; the words are shown where there is room.
      if update.keptBack != nil {
        put("=", 5, row, .composeHeld)
      } else if update.isSecurity {
        put("!", 5, row, .composeSecurity)
      }
      planned(update, 6, row, isPicked ? .composeChosen : .text, to: rect.size.columns)
    }
  }

  /// The heading of the upgrades: `3 upgrades to pick from, 1 for security (!), 1 kept back (=)`.
  private func upgradesHeading(_ updates: [PlannedUpdate]) -> [LinePart] {
    let kept = updates.count { $0.keptBack != nil }
    let secure = updates.count { $0.keptBack == nil && $0.isSecurity }
    let count = Figures.count(updates.count, "upgrade")
    var parts = [LinePart(count + " to pick from", count, role: .header, weight: 90)]
    if secure > 0 {
      parts.append(
        LinePart("\(secure) for security (!)", role: .header, weight: 50, joint: ", "))
    }
    if kept > 0 {
      parts.append(LinePart("\(kept) kept back (=)", role: .header, weight: 40, joint: ", "))
    }
    return parts
  }

  private mutating func plan(_ draft: ComposeDraft, _ rect: Rect) {
    let columns = rect.size.columns
    let margin = columns >= 60 ? 1 : 0
    switch draft.planning {
    case .none:
      rule(rect.row, title: "plan")
      put("Enter shows what would be done", margin, rect.row + 1, .textDim, to: columns)
    case .requested:
      rule(rect.row, title: "plan")
      put("the plan is being made", margin, rect.row + 1, .textDim, to: columns)
    case .submitting:
      rule(rect.row, title: "plan")
      put("the job is submitted", margin, rect.row + 1, .textDim, to: columns)
    case .refused(let error):
      rule(rect.row, title: "refused", .titleAlert)
      var row = rect.row + 1
      for line in [error.message, error.hint ?? ""] where !line.isEmpty {
        for part in wrapped(line, columns: columns - margin) where row < rect.row + rect.size.rows {
          put(part, margin, row, .stateFailed, to: columns)
          row += 1
        }
      }
    case .planned(_, let plan): steps(of: plan, isOld: !draft.isReady, top: draft.planTop, rect)
    }
  }

  /// Draws a plan: its warnings, then its packages.
  private mutating func steps(of plan: JobPlan, isOld: Bool, top: Int, _ rect: Rect) {
    let columns = rect.size.columns
    let margin = columns >= 60 ? 1 : 0
    let sum = PlanSummary(plan)
    let rows = rect.size.rows - 1
    let lines = PlanLines(plan, columns: columns - margin - 1, rows: rows)
    let top = min(top, max(0, lines.count - rows))
    let below = max(0, lines.count - top - rows)
    var hints = isOld ? ["Enter plans anew"] : rows > 0 ? ["Enter submits"] : []
    if below > 0 || top > 0 { hints.insert("\(below) below, PgDn", at: 0) }
    let role: Role = isOld ? .textDim : sum.removed > 0 ? .planRemove : .header
    var title =
      isOld
      ? [LinePart("plan of what stood there before", "old plan", role: role, weight: 0)]
      : sum.phrases.enumerated().map { index, phrase in
        LinePart(
          index == 0 ? "plan: " + phrase : phrase, role: role, weight: 90 - index, joint: ", ")
      }
    if !isOld, !plan.warnings.isEmpty {
      let count = Figures.count(plan.warnings.count, "warning")
      title.append(LinePart(count, role: .stateWarn, weight: 89, joint: ", "))
    }
    rule(rect.row, parts: title, right: hints.joined(separator: " · "))
    for index in top..<max(top, min(lines.count, top + rows)) {
      let row = rect.row + 1 + index - top
      switch lines[index] {
      case .warning(let text):
        put(text, margin + 1, row, isOld ? .textDim : .stateWarn, to: columns)
      case .step(let step): planned(step, margin + 1, row, isOld ? .textDim : .text, to: columns)
      case .nothing:
        put("nothing is to be done: all is as wanted", margin, row, .textDim, to: columns)
      }
    }
  }

  private mutating func planned(
    _ update: PlannedUpdate, _ column: Int, _ row: Int, _ role: Role, to end: Int
  ) {
    let words = UpdateWords(UpdateStatus(update), isJobOver: false, isCurrent: false)
    let isWide = end >= 80
    let name = isWide ? 28 : max(8, end / 3)
    field(update.name, column, row, columns: min(name, max(0, end - column)), role)
    var next = column + name + 1
    guard next < end else { return }
    field(
      update.action.rawValue, next, row, columns: min(10, end - next),
      role == .textDim ? .textDim : update.action.role)
    next += 11
    let versions = isWide ? (end >= 110 ? 36 : 24) : max(0, end - next)
    guard next < end else { return }
    field(words.versions, next, row, columns: min(versions, end - next), .textDim)
    next += versions + 1
    guard next + 8 < end else { return }
    let size = update.downloadSize > 0 ? Figures.bytes(update.downloadSize) : ""
    field(size, next, row, columns: 8, .textDim, .right)
    var column = next + 10
    if let why = update.keptBack {
      put("kept back: " + why, column, row, .composeHeld, to: end)
      return
    }
    if update.isSecurity { column = put("security ", column, row, .composeSecurity, to: end) }
    let why = update.requested ? update.origin ?? "" : update.reasonUnasked
    put(why, column, row, .textDim, to: end)
  }
}

extension PlannedAction {
  /// The role by the effect on the machine.
  fileprivate var role: Role {
    switch self {
    case .install: .planAdd
    case .upgrade, .downgrade, .reinstall, .configure: .planChange
    case .remove, .purge: .planRemove
    }
  }
}

/// A plan in one line.
struct PlanSummary: Sendable, Hashable {
  /// Number of packages removed.
  let removed: Int
  /// The phrases, most important first: `removes 1 of 4 packages`, `6.3 MB to fetch`.
  let phrases: [String]

  /// The phrases as one sentence.
  var sentence: String { phrases.joined(separator: ", ") }

  init(_ plan: JobPlan) {
    removed = plan.steps.count { $0.action.removes }
    var parts = [Figures.count(plan.steps.count, "package")]
    if plan.downloadSize > 0 { parts.append("\(Figures.bytes(plan.downloadSize)) to fetch") }
    if plan.installedSizeChange > 0 {
      parts.append("\(Figures.bytes(plan.installedSizeChange)) on disk")
    } else if plan.installedSizeChange < 0 {
      parts.append("frees \(Figures.bytes(-max(plan.installedSizeChange, -.max)))")
    }
    if removed > 0 { parts[0] = "removes \(removed) of " + parts[0] }
    phrases = parts
  }
}
