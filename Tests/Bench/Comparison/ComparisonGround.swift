internal import Glibc

/// A repository behind a mirror, and fresh roots on which the machine's tools and ours do the same.
///
/// Its folder stays until ``remove()``.
struct ComparisonGround: Sendable {
  /// Bytes of each package's archive.
  let sizes: [String: Int]
  let owner: RootOwner
  private let workplace: Workplace
  private let mirror: PacedMirror
  private let logs: String

  /// Builds the packages.
  ///
  /// - Throws: ``CannotMeasure`` when a tool is missing or fails; nothing is left then.
  init(_ recipes: [PackageRecipe], pace: PacedMirror.Pace) async throws {
    let workplace = try Workplace()
    do {
      owner = try RootOwner()
      let shelf = try await PackageShelf(recipes, in: workplace)
      sizes = shelf.sizes
      mirror = try PacedMirror(shelf.path, pace: pace)
      logs = try workplace.folder("logs")
      try owner.give(workplace.path)
      self.workplace = workplace
    } catch {
      workplace.remove()
      throw error
    }
  }

  /// Does something on a fresh root, which has read the index and holds no package.
  ///
  /// - Parameters:
  ///   - name: The folder that is made for it; one for each of those that are there at a time.
  ///   - body: What is done.
  /// - Returns: What came of it.
  /// - Throws: What `body` throws; ``CannotMeasure`` when there can be no root. The root is gone then.
  func onFreshRoot<Value>(
    in name: String = "root", _ body: (PrivateRoot) async throws -> Value
  ) async throws -> Value {
    let home = try workplace.folder(name)
    defer { workplace.removeFolder(name) }
    try owner.give(home)
    let root = try await PrivateRoot(
      in: home, source: mirror.source, owner: owner, log: logs + "/tools")
    return try await body(root)
  }

  /// Does something with an engine on a fresh root; what it has begun ends with it.
  ///
  /// - Throws: What `body` throws; ``CannotMeasure`` when no engine comes up.
  func onFreshEngine<Value>(
    _ body: (EngineUnderTest) async throws -> Value
  ) async throws -> Value {
    try await onFreshRoot(in: "engine") { root in
      let home = workplace.path + "/engine"
      let engine = try RunningEngine(
        in: home, .privateRoot, owner: owner, log: logs + "/engine")
      do {
        let value = try await body(
          EngineUnderTest(
            root: root, engine: engine, connection: try await engine.start(),
            environment: try workplace.environment(home: "client"), log: logs + "/client"))
        await engine.stop()
        return value
      } catch {
        _ = await engine.kill()
        engine.endWork()
        throw error
      }
    }
  }

  /// A file for what a program prints.
  func log(_ name: String) -> String { logs + "/" + name }

  /// Removes its folder; no engine may run any more.
  func remove() { workplace.remove() }

  /// Confirms that a root holds exactly these packages, whole and without a word of `dpkg --audit`.
  ///
  /// - Throws: ``CannotMeasure`` when it does not: what was timed was not the work.
  static func check(_ root: PrivateRoot, holds names: Set<String>, after who: String) async throws {
    let whole = try await root.installed().whole
    guard whole == names else {
      let missing = names.symmetricDifference(whole).sorted().prefix(3).joined(separator: ", ")
      throw CannotMeasure(
        "after \(who) \(whole.count) packages are installed and not \(names.count): \(missing)")
    }
    let audit = try await root.audit()
    guard audit.isEmpty else { throw CannotMeasure("after \(who) dpkg --audit says \(audit)") }
  }
}
