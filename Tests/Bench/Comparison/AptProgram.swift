/// `apt-get install` as people call it, on a private root.
struct AptProgram: Sendable {
  /// Its name and version as figures name it.
  let title: String
  private let log: String
  private static let path = "/usr/bin/apt-get"

  /// Asks for its version.
  ///
  /// - Throws: ``CannotMeasure`` when it is not there.
  init(on ground: ComparisonGround) async throws {
    log = ground.log("apt-get")
    let answer = try await ChildProgram.run(
      [Self.path, "--version"], environment: PrivateRoot.environment, log: log)
    let version = InstalledProgram.version(in: answer.replacing("\n", with: " "))
    title = (["apt-get"] + [version].compactMap(\.self)).joined(separator: " ")
  }

  /// Installs packages.
  ///
  /// - Parameters:
  ///   - names: What is asked for.
  ///   - options: What stands before `install`.
  ///   - root: Where.
  /// - Returns: Seconds.
  /// - Throws: ``CannotMeasure`` when it fails.
  func install(
    _ names: [String], options: [String] = [], on root: PrivateRoot
  ) async throws -> Double {
    try await Stopwatch.time { [try start(names, options: options, on: root)] }
  }

  /// Starts an install.
  ///
  /// - Parameters:
  ///   - names: What is asked for.
  ///   - options: What stands before `install`.
  ///   - statusFile: Where its lines for programs (`APT::Status-Fd`) are appended; nil for none.
  ///   - root: Where.
  /// - Returns: The running program.
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  func start(
    _ names: [String], options: [String] = [], statusFile: String? = nil, on root: PrivateRoot
  ) throws(CannotMeasure) -> ChildProgram {
    let words = [Self.path, "-q", "-y"] + options + ["install"] + names
    guard let statusFile else { return try root.start(words, log: log) }
    // A descriptor that apt inherits; the file is the owner's, whose folder it lies in.
    let shell = ["/bin/sh", "-c", #"exec 9>>"$1"; shift; exec "$@""#, "sh", statusFile]
    return try root.start(
      shell + words.prefix(3) + ["-o", "APT::Status-Fd=9"] + words.dropFirst(3), log: log)
  }
}

/// nala, as far as it can work on a private root at all.
enum NalaProgram: Sendable {
  /// Tries it on a fresh root.
  ///
  /// - Returns: What a reader is told of it, in a few words.
  /// - Throws: ``CannotMeasure`` when there can be no root; `CancellationError`.
  static func judge(on ground: ComparisonGround, _ names: Set<String>) async throws -> String {
    guard let program = InstalledProgram("nala", environment: PrivateRoot.environment) else {
      return "nala is not installed: not compared"
    }
    return try await ground.onFreshRoot { root in
      let log = ground.log("nala")
      do {
        let words = [program.path, "install", "-y", InstallRecipes.wanted]
        let seconds = try await Stopwatch.time { [try root.start(words, log: log)] }
        try await ComparisonGround.check(root, holds: names, after: program.title)
        return "\(program.title) took \(FigureTable.text(seconds)) s, once"
      } catch is CannotMeasure {
        let last = (SmallFile.text(log) ?? "").split(separator: "\n").last.map(String.init) ?? ""
        return "\(program.title) cannot work on a private root (\(ScreenText(last.utf8).text)): "
          + "not compared"
      }
    }
  }
}
