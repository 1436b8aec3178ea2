/// The updates of a job in the caller's order, with their positions in the job's snapshots.
///
/// The engine removes duplicate updates (row L5), and an upgrade of everything gets its updates
/// from the plan. All indices and results that a caller sees refer to these updates.
struct RequestedUpdates: Sendable, Hashable {
  /// The requested updates including duplicates; the upgraded packages if the request named none.
  let updates: [Update]
  /// The position in the snapshot of each update; nil if positions equal indices.
  private let positions: [Int]?
  /// For each position, the index of its first update; nil if positions equal indices.
  private let firstIndices: [Int]?

  /// - Parameters:
  ///   - request: The requested updates.
  ///   - snapshot: A snapshot of the job.
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

  /// Returns one result for each update, in order.
  func results(in snapshot: JobSnapshot) -> ResultList {
    // A peer may send fewer updates than before: the remaining updates keep their indices.
    ResultList(
      snapshot.updates, at: positions?.prefix { snapshot.updates.indices.contains($0) }.map(\.self))
  }

  /// Returns the index of the first update at a position of the snapshot; nil if there is none.
  func index(of position: Int?) -> Int? {
    guard let position else { return nil }
    guard let firstIndices else { return updates.indices.contains(position) ? position : nil }
    return firstIndices.indices.contains(position) ? firstIndices[position] : nil
  }
}
