/// The results of a job's updates at one moment, in the order of the caller's updates.
///
/// Kept in pieces that lists of different moments share: a list that differs in one result has one piece
/// of its own, so that the progress of a job with many updates costs no more than that of a small one.
struct ResultList: Sendable, Hashable {
  /// Results in a piece.
  private static let pieceLength = 32

  /// By position in the job's snapshots.
  private(set) var pieces: [[UpdateResult]]
  /// The position of each index; nil where they are the same.
  private let positions: [Int]?
  /// How many results there are.
  let count: Int

  /// - Parameters:
  ///   - updates: The updates of a snapshot.
  ///   - positions: For each result its position in `updates`, in range; nil for one result of each.
  init(_ updates: [UpdateStatus], at positions: [Int]?) {
    pieces = stride(from: 0, to: updates.count, by: Self.pieceLength).map { start in
      updates[start..<min(start + Self.pieceLength, updates.count)].map(UpdateResult.init)
    }
    self.positions = positions
    count = positions?.count ?? updates.count
  }

  /// The result of the update at an index of the caller's, in `0..<count`.
  subscript(index: Int) -> UpdateResult { self[position: positions?[index] ?? index] }

  /// All results, in order; makes a new array.
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
