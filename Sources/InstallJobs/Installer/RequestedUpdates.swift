/// The updates of a job in the caller's order, and where each of them stands in the job's snapshots.
///
/// The engine keeps an update that was named twice once (row L5), and names what an upgrade of everything
/// upgrades; indices and results that a caller sees always belong to these updates.
struct RequestedUpdates: Sendable, Hashable {
  /// What was asked for, doubled updates included; what is upgraded, where nothing was named.
  let updates: [Update]
  /// Positions in the snapshot; nil where they are the same.
  private let positions: [Int]?
  /// For each position the index of the first update that stands there; nil where they are the same.
  private let firstIndices: [Int]?

  /// - Parameters:
  ///   - request: What was asked for.
  ///   - snapshot: The job.
  init(_ request: [Update], of snapshot: JobSnapshot) {
    var distinct: [Update: Int] = [:]
    var firstIndices: [Int] = []
    let positions = request.enumerated().map { index, update in
      let position = distinct[update] ?? distinct.count
      if position == firstIndices.count { firstIndices.append(index) }
      distinct[update] = position
      return position
    }
    guard !request.isEmpty, distinct.count == snapshot.updates.count else {
      updates = snapshot.updates.map { status in
        let architecture = status.planned.architecture
        return Update(status.planned.name, architecture: architecture.isEmpty ? nil : architecture)
      }
      self.positions = nil
      self.firstIndices = nil
      return
    }
    updates = request
    let isSame = request.count == distinct.count
    self.positions = isSame ? nil : positions
    self.firstIndices = isSame ? nil : firstIndices
  }

  /// One result for each of the updates, in their order.
  func results(in snapshot: JobSnapshot) -> ResultList {
    // A peer may send fewer updates than at first: the remaining ones keep their indices.
    ResultList(
      snapshot.updates, at: positions?.prefix { snapshot.updates.indices.contains($0) }.map(\.self))
  }

  /// The index of the first update that stands at a position of the snapshot; nil where none does.
  func index(of position: Int?) -> Int? {
    guard let position else { return nil }
    guard let firstIndices else { return updates.indices.contains(position) ? position : nil }
    return firstIndices.indices.contains(position) ? firstIndices[position] : nil
  }
}
