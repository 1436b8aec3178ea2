/// A repository, its mirror, and private roots with an engine each.
///
/// Its folder stays until ``remove()``.
struct ProvingGround: Sendable {
  /// One root and the engine over it.
  struct Place: Sendable {
    let root: PrivateRoot
    let engine: RunningEngine
  }

  let places: [Place]
  private let mirror: PacedMirror
  private let workplace: Workplace
  let owner: RootOwner

  /// Builds the packages and makes so many roots; no engine runs yet.
  ///
  /// - Throws: ``CannotMeasure`` when a tool is missing or fails; nothing is left then.
  init(lanes: Int) async throws {
    let workplace = try Workplace()
    do {
      try await self.init(lanes: lanes, in: workplace)
    } catch {
      workplace.remove()
      throw error
    }
  }

  private init(lanes: Int, in workplace: Workplace) async throws {
    self.workplace = workplace
    owner = try RootOwner()
    let shelf = try await PackageShelf(PackageRecipe.all, in: workplace)
    mirror = try PacedMirror(shelf.path)
    let logs = try workplace.folder("logs")
    var places: [Place] = []
    try owner.take(workplace.path)
    for lane in 1...lanes {
      let home = try workplace.folder("root-\(lane)")
      try owner.take(home)
      let root = try await PrivateRoot(
        in: home, source: mirror.source, owner: owner, log: "\(logs)/tools-\(lane)")
      let engine = try RunningEngine(
        in: home, .privateRoot, owner: owner, log: "\(logs)/engine-\(lane)")
      places.append(Place(root: root, engine: engine))
    }
    self.places = places
  }

  /// Removes its folder; no engine may run any more.
  func remove() { workplace.remove() }
}

extension ProvingGround {
  /// An engine that plays a scenario; not started yet.
  ///
  /// - Throws: ``CannotMeasure`` when its folder cannot be made.
  func stage(playing scenario: String) throws(CannotMeasure) -> RunningEngine {
    let home = try workplace.folder("stage")
    let file = home + "/scenario.toml"
    try SmallFile.write(scenario, to: file)
    return try RunningEngine(
      in: home, .scenario(file), owner: owner, log: workplace.path + "/stage.log")
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
