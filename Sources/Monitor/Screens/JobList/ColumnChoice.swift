/// The columns of the job list and their order; columns without room are left out when drawing.
package struct ColumnChoice: Sendable, Hashable {
  /// A column or a group of columns, by its name in settings; in the standard order.
  package enum Column: String, Sendable, Hashable, CaseIterable {
    case job
    case what
    case phase
    /// The bar and the percentage.
    case done
    /// The speed; in the history the time of the end.
    case speed
    case time
    case by

    /// Whether the column cannot be hidden: number, packages and progress.
    package var isAlwaysShown: Bool { self == .job || self == .what || self == .done }
  }

  /// The columns shown, from the left; they always include the columns that cannot be hidden.
  package private(set) var shown: [Column]

  /// All columns in the standard order.
  package static let standard = ColumnChoice(Column.allCases)

  /// The given columns, each once; missing columns that cannot be hidden come first.
  package init(_ columns: [Column]) {
    var seen: Set<Column> = []
    shown = (Column.allCases.filter { $0.isAlwaysShown && !columns.contains($0) } + columns)
      .filter { seen.insert($0).inserted }
  }

  /// Parses the names of a settings file.
  ///
  /// - Parameter names: The names from the left.
  /// - Returns: The choice and no problem; for an unknown or repeated name the standard choice and
  ///   the problem, in one line.
  package static func parse(_ names: [String]) -> (choice: ColumnChoice, problem: String?) {
    for (index, name) in names.enumerated() {
      guard Column(rawValue: name) != nil else {
        let known = Column.allCases.map(\.rawValue).joined(separator: ", ")
        return (.standard, "no column '\(name)' (columns: \(known)); the usual ones are shown")
      }
      if names[..<index].contains(name) {
        return (.standard, "column '\(name)' is there twice; the usual ones are shown")
      }
    }
    return (ColumnChoice(names.compactMap(Column.init(rawValue:))), nil)
  }

  /// The hidden columns, in the standard order.
  package var hidden: [Column] { Column.allCases.filter { !shown.contains($0) } }

  /// Whether the position of a column differs from another choice, among the columns shown in both.
  func isMoved(_ column: Column, in other: ColumnChoice) -> Bool {
    let here = shown.filter { other.shown.contains($0) }
    return here.firstIndex(of: column)
      != other.shown.filter { shown.contains($0) }.firstIndex(of: column)
  }

  /// Hides a column, or shows it before the first shown column that follows it in the standard
  /// order; a column that cannot be hidden stays.
  package mutating func toggle(_ column: Column) {
    guard !column.isAlwaysShown else { return }
    if let index = shown.firstIndex(of: column) {
      shown.remove(at: index)
      return
    }
    let later = Column.allCases.drop { $0 != column }
    shown.insert(column, at: shown.firstIndex { later.contains($0) } ?? shown.count)
  }

  /// Moves a shown column by one position; returns false if there is no such position.
  package mutating func move(_ column: Column, by step: Int) -> Bool {
    guard let index = shown.firstIndex(of: column), shown.indices.contains(index + step) else {
      return false
    }
    shown.swapAt(index, index + step)
    return true
  }
}

extension ColumnChoice.Column {
  /// The heading of the column in the queue.
  var heading: String {
    switch self {
    case .job: JobColumn.job.title
    case .what: JobColumn.what.title
    case .phase: JobColumn.phase.title
    case .done: JobColumn.bar.title
    case .speed: JobColumn.speed.title
    case .time: JobColumn.tail.title
    case .by: JobColumn.by.title
    }
  }
}
