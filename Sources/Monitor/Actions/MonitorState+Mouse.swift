import Canvas
import InstallJobs

extension MonitorState {
  /// Handles a mouse event.
  ///
  /// The mouse can do nothing that keys cannot do, and cannot answer questions.
  mutating func handle(_ mouse: MouseEvent) -> [Intent] {
    guard dialogue == nil, prompt == nil, help == nil, sortMenu == nil else { return [] }
    let layout = FrameLayout(self, size: size)
    guard !layout.isLine else { return [] }
    switch mouse.action {
    case .wheelUp: return perform(.moveUp)
    case .wheelDown: return perform(.moveDown)
    case .press(.left) where mouse.isDouble:
      guard layout.list.contains(mouse.cell), screen.isList else { return [] }
      return perform(.open)
    case .press(.left): return click(mouse.cell, layout)
    case .press(.middle), .press(.right): return []
    }
  }

  private mutating func click(_ point: Point, _ layout: FrameLayout) -> [Intent] {
    if layout.bar.contains(point) {
      let bar = FunctionBar(self, columns: layout.bar.size.columns)
      guard
        let action = bar.items.first(where: { $0.columns.contains(point.column) })?.action
      else { return [] }
      acknowledge()
      isByMouse = true
      defer { isByMouse = false }
      return invoke(action)
    }
    if layout.tabs.contains(point),
      let kind = TabLine(screen.kind).items.first(where: { $0.columns.contains(point.column) })?
        .kind
    {
      switchScreen(to: kind)
    } else if layout.header.contains(point), screen.isList {
      return sortColumn(at: point.column, layout)
    } else if layout.list.contains(point), screen.isList {
      isFollowing = false
      var moved = cursor
      _ = moved.select(
        row: point.row - layout.list.row, in: listBook.list(list), listRows,
        rows: layout.list.size.rows)
      cursor = moved
    } else if layout.list.contains(point), screen == .settings {
      let rows = layout.list.size.rows
      let row = point.row - layout.list.row + settings.top(rows: rows, preferences)
      guard SettingsPage.rows(preferences).indices.contains(row) else { return [] }
      settings.move(by: row - settings.index(preferences), preferences)
    }
    return []
  }

  private mutating func sortColumn(at column: Int, _ layout: FrameLayout) -> [Intent] {
    let tracks = JobColumn.arranged(self, columns: layout.list.size.columns)
    let track = tracks.first { $0.start <= column && column <= $0.start + $0.length }
    guard let key = track?.id.sortKey else { return [] }
    sort(by: SortMenu.order(key, after: preferences.sort))
    return [.keep(preferences)]
  }
}
