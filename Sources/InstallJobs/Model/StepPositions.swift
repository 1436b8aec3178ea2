/// Finds the updates that a step of a plan serves, by binary search.
///
/// The index is built on first use, because few jobs of a long list ever make progress. It is
/// derived from the list of steps, so all values compare equal and do not affect the equality of
/// snapshots.
struct StepPositions: Sendable, Hashable {
  private struct Entry: Sendable {
    var step: Int
    var position: Int
  }

  /// Sorted by step, then by position, without updates that no step serves; nil before first use.
  private var entries: [Entry]?

  /// Creates an index that is not built yet.
  init() {}

  /// Returns the updates that a step serves.
  ///
  /// - Parameters:
  ///   - step: The index of the step in the plan.
  ///   - steps: The index of the step of each update; the same list in every call.
  /// - Returns: The positions of the updates, in ascending order.
  mutating func positions(of step: Int, in steps: [Int?]) -> [Int] {
    let entries = made(of: steps)
    return entries[Self.lowerBound(step, entries)...].prefix { $0.step == step }.map(\.position)
  }

  /// Returns the update that a step is done for.
  ///
  /// This is the first update that the step serves, else the first update of the next step that
  /// serves any, else that of the last such step; nil if no step serves an update.
  mutating func position(servedBy step: Int, in steps: [Int?]) -> Int? {
    let entries = made(of: steps)
    let index = Self.lowerBound(step, entries)
    if index < entries.endIndex { return entries[index].position }
    return entries.last.map { entries[Self.lowerBound($0.step, entries)].position }
  }

  private mutating func made(of steps: [Int?]) -> [Entry] {
    if let entries { return entries }
    let all = steps.enumerated().compactMap { position, step in
      step.map { Entry(step: $0, position: position) }
    }
    // Usually the updates were requested in the order of work.
    let isSorted = zip(all, all.dropFirst()).allSatisfy { $0.step <= $1.step }
    let sorted =
      isSorted ? all : all.sorted { ($0.step, $0.position) < ($1.step, $1.position) }
    entries = sorted
    return sorted
  }

  private static func lowerBound(_ step: Int, _ entries: [Entry]) -> Int {
    var (low, high) = (entries.startIndex, entries.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].step < step { low = middle + 1 } else { high = middle }
    }
    return low
  }

  static func == (left: StepPositions, right: StepPositions) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
