/// Which of the updates asked for each step of a plan serves, looked up without a walk over all.
///
/// Made of the list of their steps when it is first asked: few jobs of a long list ever move. It
/// follows from that list, so two of them never tell values apart.
struct StepPositions: Sendable, Hashable {
  private struct Entry: Sendable {
    var step: Int
    var position: Int
  }

  /// By step, then by position, without updates that no step serves; nil before it is made.
  private var entries: [Entry]?

  /// Nothing was asked yet.
  init() {}

  /// Finds the updates that a step serves.
  ///
  /// - Parameters:
  ///   - step: Its index in the plan.
  ///   - steps: For each update the index of its step; the same list every time.
  /// - Returns: Their positions, in order.
  mutating func positions(of step: Int, in steps: [Int?]) -> [Int] {
    let entries = made(of: steps)
    return entries[Self.lowerBound(step, entries)...].prefix { $0.step == step }.map(\.position)
  }

  /// The update that a step is done for: the first one that it serves, else that of the next step
  /// which serves any, else that of the last; nil where no step serves any.
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
    // Mostly they were asked for in the order of work.
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
