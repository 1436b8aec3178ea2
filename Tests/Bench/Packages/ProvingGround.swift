internal import Glibc

/// A repository, its mirror, and private roots with an engine each.
///
/// Its folder stays until ``remove()``.
struct ProvingGround: Sendable {
  /// One root and the engine over it.
  struct Place: Sendable {
    let root: PrivateRoot
    let engine: RunningEngine
    /// The disk that both lie on; nil where they lie on the machine's.
    var disk: BlockDisk?
  }

  let places: [Place]
  private let mirror: PacedMirror
  private let workplace: Workplace
  private let memory: MemoryDisk?
  let owner: RootOwner

  /// Builds the packages and makes so many roots; no engine runs yet.
  ///
  /// - Parameters:
  ///   - lanes: How many roots.
  ///   - onDisks: Whether each has a disk of its own, which only root can make.
  ///   - work: What the engines work on, and who starts them.
  /// - Throws: ``CannotMeasure`` when a tool is missing or fails; nothing is left then.
  init(
    lanes: Int, onDisks: Bool = false, _ work: RunningEngine.Ground = .privateRoot
  ) async throws {
    let workplace = try Workplace()
    var memory: MemoryDisk?
    var disks: [BlockDisk] = []
    do {
      if onDisks { memory = try await MemoryDisk(on: workplace.folder("memory"), megabytes: 1_500) }
      for lane in 1...lanes {
        guard let memory else { continue }
        disks.append(
          try await BlockDisk(
            image: "\(memory.path)/disk-\(lane)", on: workplace.folder("root-\(lane)"),
            commit: [1, 5, 30][lane % 3]))
      }
      try await self.init(lanes: lanes, in: workplace, memory, disks, work)
    } catch {
      for disk in disks { disk.remove() }
      memory?.remove()
      workplace.remove()
      throw error
    }
  }

  private init(
    lanes: Int, in workplace: Workplace, _ memory: MemoryDisk?, _ disks: [BlockDisk],
    _ work: RunningEngine.Ground
  ) async throws {
    self.workplace = workplace
    self.memory = memory
    owner = try RootOwner()
    let shelf = try await PackageShelf(PackageRecipe.all, in: workplace)
    mirror = try PacedMirror(shelf.path)
    let logs = try workplace.folder("logs")
    var places: [Place] = []
    try owner.give(workplace.path)
    for lane in 1...lanes {
      let home = try workplace.folder("root-\(lane)")
      try owner.give(home)
      let root = try await PrivateRoot(
        in: home, source: mirror.source, owner: owner, log: "\(logs)/tools-\(lane)")
      let engine = try RunningEngine(
        in: home, work, owner: owner, log: "\(logs)/engine-\(lane)")
      let disk = disks.isEmpty ? nil : disks[lane - 1]
      places.append(Place(root: root, engine: engine, disk: disk))
    }
    self.places = places
  }

  /// Removes its folder; no engine may run any more.
  func remove() {
    for place in places { place.disk?.remove() }
    memory?.remove()
    // What could not be unmounted is left, and nothing below it is removed.
    if !workplace.hasMounts { workplace.remove() }
  }
}

extension ProvingGround {
  /// An engine that plays a scenario; not started yet.
  ///
  /// - Throws: ``CannotMeasure`` when its folder cannot be made.
  func stage(playing scenario: String) throws(CannotMeasure) -> RunningEngine {
    let (home, file) = try writeScenario(scenario)
    return try RunningEngine(
      in: home, .scenario(file), owner: owner, log: workplace.path + "/stage.log")
  }

  /// The same for an engine that the owner of the roots starts, and where everybody may look.
  ///
  /// - Throws: As ``stage(playing:)``.
  func publicStage(playing scenario: String) throws(CannotMeasure) -> RunningEngine {
    let (home, file) = try writeScenario(scenario)
    for path in [home, file] { try owner.give(path) }
    let engine = try RunningEngine(
      in: home, .scenarioOfUser(file), owner: owner, log: workplace.path + "/stage.log")
    try openSocketToEverybody(of: engine)
    return engine
  }

  private func writeScenario(_ text: String) throws(CannotMeasure) -> (home: String, file: String) {
    let home = try workplace.folder("stage")
    let file = home + "/scenario.toml"
    try SmallFile.write(text, to: file)
    return (home, file)
  }

  /// Does something on all places at once.
  ///
  /// - Parameters:
  ///   - say: Takes what the places tell meanwhile.
  ///   - body: What is done on the place with this index, and where it tells of it.
  /// - Returns: What came of each, in no order.
  /// - Throws: What the first that fails throws, once all have ended.
  func onAllPlaces<Value: Sendable>(
    saying say: @Sendable (String) -> Void,
    _ body:
      @escaping @Sendable (Int, Place, @escaping @Sendable (String) -> Void) async throws -> Value
  ) async throws -> [Value] {
    let (messages, teller) = AsyncStream.makeStream(of: String.self)
    let places = places
    let work = Task {
      defer { teller.finish() }
      return try await withThrowingTaskGroup(of: Value.self) { group in
        for (index, place) in places.enumerated() {
          group.addTask { try await body(index, place) { teller.yield($0) } }
        }
        var values: [Value] = []
        for try await value in group { values.append(value) }
        return values
      }
    }
    return try await withTaskCancellationHandler {
      for await message in messages { say(message) }
      return try await work.value
    } onCancel: {
      work.cancel()
    }
  }
}

extension ProvingGround {
  /// Lets every user reach the socket of an engine that is started afterwards, and look there.
  ///
  /// - Throws: ``CannotMeasure`` when the settings cannot be written.
  func openSocketToEverybody(of engine: RunningEngine) throws(CannotMeasure) {
    unsafe chmod(workplace.path, 0o711)
    unsafe chmod(engine.home, 0o711)
    let folder = engine.home + "/fettle"
    guard unsafe mkdir(folder, 0o755) == 0 else { throw CannotMeasure("cannot make '\(folder)'") }
    try SmallFile.write("[engine]\neverybodyMayLook = true\n", to: folder + "/config.toml")
    try owner.give(folder)
    try owner.give(folder + "/config.toml")
  }
}
