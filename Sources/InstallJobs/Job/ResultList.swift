/// The results of a job's updates at one moment, in the order of the caller's updates.
///
/// The results are stored in chunks that successive lists share. A list in which one result changed
/// copies only one chunk, so progress of a job with many updates costs no more than that of a small
/// job.
struct ResultList: Sendable, Hashable {
  /// Number of results in a chunk.
  private static let pieceLength = 32

  /// The chunks, ordered by position in the job's snapshots.
  private(set) var pieces: [[UpdateResult]]
  /// The position of each index; nil if positions equal indices.
  private let positions: [Int]?
  /// The number of results.
  let count: Int

  /// - Parameters:
  ///   - updates: The updates of a snapshot.
  ///   - positions: The position in `updates` of each result, in range; nil for one result per
  ///     update.
  init(_ updates: [UpdateStatus], at positions: [Int]?) {
    pieces = stride(from: 0, to: updates.count, by: Self.pieceLength).map { start in
      updates[start..<min(start + Self.pieceLength, updates.count)].map(UpdateResult.init)
    }
    self.positions = positions
    count = positions?.count ?? updates.count
  }

  /// The result of the caller's update at an index in `0..<count`.
  subscript(index: Int) -> UpdateResult { self[position: positions?[index] ?? index] }

  /// All results, in order; creates a new array.
  var all: [UpdateResult] {
    positions.map { $0.map { self[position: $0] } } ?? Array(pieces.joined())
  }

  /// Sets the result at a position of the snapshots.
  mutating func set(_ result: UpdateResult, atPosition position: Int) {
    guard self[position: position] != result else { return }
    self[position: position] = result
  }

  private subscript(position position: Int) -> UpdateResult {
    get { pieces[position / Self.pieceLength][position % Self.pieceLength] }
    set { pieces[position / Self.pieceLength][position % Self.pieceLength] = newValue }
  }
}
