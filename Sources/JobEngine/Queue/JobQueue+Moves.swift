import InstallJobs

extension JobQueue {
  /// The range of valid priorities.
  static let priorities = -100...100

  /// Returns the valid priority that is nearest to `priority`, because a damaged journal may
  /// contain any number.
  static func withinRange(_ priority: Int) -> Int {
    min(max(priority, priorities.lowerBound), priorities.upperBound)
  }

  /// The priority that moves a waiting job to a place.
  ///
  /// Jobs of the same priority are ordered by id, so the id decides whether the priority of the
  /// present first or last job is enough.
  ///
  /// - Parameters:
  ///   - id: The job; a job that does not wait keeps its place.
  ///   - place: The new place.
  /// - Returns: The priority; it may equal the present one.
  /// - Throws: `invalidArgument` for a priority out of range; `invalidState` when no valid priority
  ///   leads to the place.
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

  /// Changes the priority of a waiting job and moves it to its new place.
  mutating func move(_ id: JobID, to priority: Int) {
    guard var entry = entries.first(where: { $0.id == id }) else { return }
    entry.priority = priority
    reinsert(entry)
  }
}
