import Canvas

/// The regions of the compose screen.
///
/// In a small window, a plan that can be submitted takes the rows of the fields, so that it is
/// visible before it is submitted.
struct ComposeLayout: Sendable, Hashable {
  /// The rows of the fields; empty if the plan takes all rows.
  private(set) var fields: Rect
  /// The list to pick from; empty if there is none.
  private(set) var picks: Rect
  /// The plan with its heading.
  private(set) var plan: Rect

  init(_ draft: ComposeDraft, _ rect: Rect) {
    func part(_ row: Int, _ rows: Int) -> Rect {
      Rect(column: rect.origin.column, row: row, columns: rect.size.columns, rows: max(0, rows))
    }
    let count = ComposeDraft.Field.allCases.count
    guard rect.size.rows >= count + 3 || !draft.isReady else {
      fields = part(rect.row, 0)
      picks = fields
      plan = rect
      return
    }
    fields = part(rect.row, min(count, rect.size.rows))
    let bottom = rect.row + rect.size.rows
    var top = rect.row + count
    picks = part(top, 0)
    if draft.isPicking, bottom - top > 4 {
      picks = part(top, min((bottom - top) / 2, draft.candidates.count + 1))
      top += picks.size.rows
    }
    plan = part(top, bottom - top)
  }

  /// Number of plan lines visible at a time.
  var planRows: Int { max(0, plan.size.rows - 1) }

  /// Columns to the left of the plan lines.
  var planMargin: Int { plan.size.columns >= 60 ? 2 : 1 }

  /// Width of a plan line.
  var planColumns: Int { max(0, plan.size.columns - planMargin) }
}
