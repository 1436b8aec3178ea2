import InstallJobs

/// The total load before each job of the queue; a change or a lookup does not read all jobs.
///
/// The queue is divided into blocks of at most 256 jobs. Each block stores the load of its own jobs
/// and that of all blocks before it. A lookup adds the latter and some jobs of one block.
struct QueueOutlook: Sendable {
  fileprivate struct Item: Sendable {
    var rank: Int64
    var id: Int
    var load: QueueLoad

    func isBefore(_ rank: Int64, _ id: Int) -> Bool { (self.rank, self.id) < (rank, id) }
  }

  fileprivate struct Block: Sendable {
    // The jobs of the block; never empty.
    var items: [Item]
    private(set) var sum = QueueLoad()
    /// The load of all blocks before this one.
    var before = QueueLoad()

    init(_ items: [Item]) {
      self.items = items
      add()
    }

    mutating func add() {
      sum = items.reduce(QueueLoad()) { $0.followed(by: $1.load) }
    }
  }

  private static let mostItems = 256
  private var blocks: [Block] = []

  init() {}

  /// The outlook of some jobs, in any order.
  init(_ jobs: [(place: JobOrder.Place, load: QueueLoad)]) {
    let items = jobs.map { Item(rank: $0.place.rank, id: $0.place.id, load: $0.load) }
      .sorted { $0.isBefore($1.rank, $1.id) }
    let length = Self.mostItems / 2
    for start in stride(from: 0, to: items.count, by: length) {
      blocks.append(Block(Array(items[start..<min(items.count, start + length)])))
    }
    addUp(from: 0)
  }

  /// Updates the sums before each block, starting at a changed block.
  private mutating func addUp(from block: Int) {
    var sum = block > 0 ? blocks[block - 1].before.followed(by: blocks[block - 1].sum) : QueueLoad()
    for index in blocks.indices.dropFirst(block) {
      blocks[index].before = sum
      sum = sum.followed(by: blocks[index].sum)
    }
  }

  /// Adds a job, or updates its load.
  mutating func set(_ load: QueueLoad, at place: JobOrder.Place) {
    let item = Item(rank: place.rank, id: place.id, load: load)
    guard !blocks.isEmpty else {
      blocks = [Block([item])]
      return
    }
    let (block, index) = position(of: place)
    if blocks[block].contains(place, at: index) {
      guard blocks[block].items[index].load != load else { return }
      blocks[block].items[index] = item
    } else {
      blocks[block].items.insert(item, at: index)
    }
    defer { addUp(from: block) }
    guard blocks[block].items.count > Self.mostItems else { return blocks[block].add() }
    let items = Array(blocks[block].items)
    let middle = items.count / 2
    blocks.replaceSubrange(
      block...block,
      with: [Block(Array(items[..<middle])), Block(Array(items[middle...]))])
  }

  /// Removes a job; no effect if it is unknown.
  mutating func remove(_ place: JobOrder.Place) {
    guard !blocks.isEmpty else { return }
    let (block, index) = position(of: place)
    guard blocks[block].contains(place, at: index) else { return }
    blocks[block].items.remove(at: index)
    if blocks[block].items.isEmpty { blocks.remove(at: block) } else { blocks[block].add() }
    addUp(from: block)
  }

  /// The load of the whole queue.
  var load: QueueLoad { blocks.last.map { $0.before.followed(by: $0.sum) } ?? QueueLoad() }

  /// The load before a place in the queue, whether or not a job is there.
  func load(before place: JobOrder.Place) -> QueueLoad {
    guard !blocks.isEmpty else { return QueueLoad() }
    let (block, index) = position(of: place)
    let items = blocks[block].items
    return items[..<index].reduce(blocks[block].before) { $0.followed(by: $1.load) }
  }

  /// The block for a place, and the first index in the block that is not less than the place.
  private func position(of place: JobOrder.Place) -> (block: Int, index: Int) {
    var (low, high) = (0, blocks.count - 1)
    while low < high {
      let middle = (low + high) / 2
      let isBehind = blocks[middle].items.last?.isBefore(place.rank, place.id) ?? true
      if isBehind { low = middle + 1 } else { high = middle }
    }
    let items = blocks[low].items
    var (first, end) = (items.startIndex, items.endIndex)
    while first < end {
      let middle = (first + end) / 2
      if items[middle].isBefore(place.rank, place.id) { first = middle + 1 } else { end = middle }
    }
    return (low, first)
  }
}

extension QueueOutlook.Block {
  fileprivate func contains(_ place: JobOrder.Place, at index: Int) -> Bool {
    items.indices.contains(index) && items[index].rank == place.rank && items[index].id == place.id
  }
}
