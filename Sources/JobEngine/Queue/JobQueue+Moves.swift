import InstallJobs

extension JobQueue {
  /// The priorities that jobs may have.
  static let priorities = -100...100

  /// The nearest priority that a job may have: what a damaged journal says may be any number.
  static func withinRange(_ priority: Int) -> Int {
    min(max(priority, priorities.lowerBound), priorities.upperBound)
  }

  /// The priority that brings a waiting job to a place.
  ///
  /// Jobs of the same priority stand by number, so the number decides whether that of the present
  /// first or last one will do.
  ///
  /// - Parameters:
  ///   - id: The job; one that does not wait keeps what it has.
  ///   - place: Where it is to go.
  /// - Returns: The priority, which may be the one that it has.
  /// - Throws: `invalidArgument` for a priority out of range; `invalidState` where none is left.
  func priority(bringing id: JobID, to place: QueueMove) throws(InstallationError) -> Int {
    let own = entries.first { $0.id == id }?.priority ?? 0
    let others = entries.lazy.filter { $0.id != id }
    switch place {
    case .priority(let priority):
      guard Self.priorities.contains(priority) else {
        throw InstallationError(
          .invalidArgument, "priority \(priority) is outside -100...100", class: .fatal,
          hint: "use a priority from -100 to 100")
      }
      return priority
    case .first:
      guard let first = others.first else { return own }
      let least = first.priority + (id < first.id ? 0 : 1)
      return try within(max(own, least), id, "before", first)
    case .last:
      guard let last = others.last else { return own }
      let most = last.priority - (id > last.id ? 0 : 1)
      return try within(min(own, most), id, "after", last)
    }
  }

  private func within(
    _ priority: Int, _ id: JobID, _ side: String, _ other: Entry
  ) throws(InstallationError) -> Int {
    guard !Self.priorities.contains(priority) else { return priority }
    let limit = priority > 0 ? "highest" : "lowest"
    throw InstallationError(
      .invalidState,
      "job \(id) cannot go \(side) job \(other.id), which has the \(limit) priority there is,"
        + " \(other.priority)", class: .fatal,
      hint: "give job \(other.id) another priority first")
  }

  /// Brings a waiting job to the place that a priority gives it.
  mutating func move(_ id: JobID, to priority: Int) {
    guard var entry = entries.first(where: { $0.id == id }) else { return }
    entry.priority = priority
    giveBack(entry)
  }
}
