import Canvas
import ThemeCatalog

/// The menu of sort keys, shown over the screen.
struct SortMenu: Sendable, Hashable {
  /// The effect of a key in the menu.
  enum Answer: Sendable, Hashable {
    case none
    case leave
    case sort(JobSort)
  }

  static let keys = JobSort.Key.allCases
  private(set) var index: Int
  private let present: JobSort

  init(_ present: JobSort) {
    self.present = present
    index = Self.keys.firstIndex(of: present.key) ?? 0
  }

  /// The order for a key: descending for numbers, otherwise ascending; choosing the present key
  /// again reverses its order.
  static func order(_ key: JobSort.Key, after present: JobSort) -> JobSort {
    if key == present.key { return present.reversed }
    return JobSort(key, isDescending: [.job, .done, .speed, .ended].contains(key))
  }

  mutating func handle(_ key: Key) -> Answer {
    switch key {
    case .up, .character("k"): index = max(0, index - 1)
    case .down, .character("j"): index = min(Self.keys.count - 1, index + 1)
    case .home: index = 0
    case .end: index = Self.keys.count - 1
    case .enter, .right, .character(" "):
      return .sort(Self.order(Self.keys[index], after: present))
    case .character(let digit):
      guard let number = digit.wholeNumberValue, (1...Self.keys.count).contains(number) else {
        return .none
      }
      return .sort(Self.order(Self.keys[number - 1], after: present))
    case .escape, .left, .control("c"), .function(6): return .leave
    default: break
    }
    return .none
  }

  /// One line of the menu: `1 the queue's own order`; the present key also shows its direction.
  func line(_ number: Int) -> String {
    let key = Self.keys[number]
    let isPresent = key == present.key && key != .standard
    return "\(number + 1) \(key.word)" + (isPresent ? present.isDescending ? " ↓" : " ↑" : "")
  }
}

extension Painter {
  mutating func sortMenu(_ menu: SortMenu) {
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    let width = min(columns, 32)
    let height = min(rows, SortMenu.keys.count + 2)
    let box = Rect(
      column: (columns - width) / 2, row: max(0, (rows - height) / 2), columns: width, rows: height)
    canvas.fill(box, style: style(.dialogText))
    canvas.frame(
      box, style: style(.dialogFrame), title: "Sort by", titleStyle: style(.dialogFrame),
      lines: look.lines)
    let room = max(1, height - 2)
    let top = min(max(0, menu.index - room + 1), SortMenu.keys.count - room)
    for offset in 0..<room {
      let number = top + offset
      let isHere = number == menu.index
      put(isHere ? ">" : " ", box.origin.column + 1, box.row + 1 + offset, .dialogText)
      field(
        menu.line(number), box.origin.column + 3, box.row + 1 + offset, columns: width - 5,
        isHere ? .dialogFocus : .dialogText)
    }
  }
}

extension MonitorState {
  /// Handles a key in the sort menu.
  mutating func handleSortMenuKey(_ key: Key) -> [Intent] {
    guard var menu = sortMenu else { return [] }
    switch menu.handle(key) {
    case .none: sortMenu = menu
    case .leave: sortMenu = nil
    case .sort(let order):
      sortMenu = nil
      sort(by: order)
      return [.keep(preferences)]
    }
    return []
  }
}
