internal import HostSystem
package import InstallJobs

extension Scenario {
  /// Parses a scenario from TOML.
  ///
  /// - Parameters:
  ///   - text: The file's text.
  ///   - file: Its name or path, for errors.
  /// - Throws: `invalidArgument` with file, line, key and the allowed values.
  package init(parsing text: String, file: String) throws(InstallationError) {
    let top = try ScenarioTable(text: text, file: file)
    try top.rejectUnknownKeys([
      "name", "summary", "seed", "bytesPerSecond", "parallelDownloads", "tickSeconds",
      "survivesRestart", "lock", "defaults", "package", "job",
    ])
    let base = file.split(separator: "/").last.map(String.init) ?? file
    let fallback = base.hasSuffix(".toml") ? String(base.dropLast(5)) : base
    self.init(name: try top.string("name") ?? fallback, packages: [])
    guard !name.isEmpty, ScenarioSource.printable(name) == name else {
      throw top.refusal("name", "must be printable text of 1 to 200 characters")
    }
    summary = try top.string("summary") ?? ""
    seed = UInt64(try top.integer("seed", in: 0...Int.max) ?? 1)
    bytesPerSecond =
      Double(try top.integer("bytesPerSecond", in: 1...1_000_000_000_000) ?? 4_000_000)
    parallelDownloads = try top.integer("parallelDownloads", in: 1...64) ?? 1
    tick = try top.seconds("tickSeconds") ?? 0.1
    guard tick >= 0.001 else { throw top.refusal("tickSeconds", "must be at least 0.001") }
    survivesRestart = try top.boolean("survivesRestart") ?? true
    if let table = try top.table("lock") { lock = try Lock(table) }
    let defaults = try SimulatedPackage.defaults(try top.table("defaults"))
    var seen = Set<[String]>()
    for table in try top.tables("package") {
      let package = try SimulatedPackage(table, defaults: defaults)
      guard seen.insert([package.name, package.architecture, package.version]).inserted else {
        throw table.refusal("name", "\(package.name) \(package.version) is there twice")
      }
      packages.append(package)
    }
    guard !packages.isEmpty else {
      throw top.source.refusal(
        at: [], "the scenario has no package", hint: "add a [[package]] with name and version")
    }
    let names = Set(packages.map(\.name))
    for (package, table) in zip(packages, try top.tables("package")) {
      guard let missing = package.dependencies.first(where: { !names.contains($0) }) else {
        continue
      }
      throw table.refusal(
        "dependencies", "no package is named '\(ScenarioSource.printable(missing))'")
    }
    for table in try top.tables("job") { jobs.append(try Job(table, names: names)) }
  }

  /// Reads a scenario from a file.
  ///
  /// - Throws: `invalidArgument` if the file cannot be read, is larger than 4 MiB, or has errors.
  package static func load(path: String) throws(InstallationError) -> Scenario {
    guard let bytes = RootFiles.bytes(of: path, limit: (4 << 20) + 1) else {
      throw InstallationError(
        .invalidArgument, "cannot read the scenario '\(ScenarioSource.printable(path))'",
        class: .fatal,
        hint: "name a TOML file or one of \(builtInNames.joined(separator: ", "))")
    }
    guard bytes.count <= 4 << 20, let text = String(validating: bytes, as: UTF8.self) else {
      throw InstallationError(
        .invalidArgument,
        "\(ScenarioSource.printable(path)): not a text file in UTF-8 of at most 4 MiB",
        class: .fatal, hint: "name a TOML file")
    }
    return try Scenario(parsing: text, file: path)
  }
}

extension Scenario.Lock {
  fileprivate init(_ table: ScenarioTable) throws(InstallationError) {
    try table.rejectUnknownKeys(["holder", "pid", "seconds", "everyJob"])
    self.init(
      LockHolder(
        pid: Int32(try table.integer("pid", in: 1...4_194_304) ?? 4711),
        command: ScenarioSource.printable(try table.string("holder") ?? "apt-get")),
      seconds: try table.seconds("seconds") ?? 5,
      everyJob: try table.boolean("everyJob") ?? false)
  }
}

extension Scenario.Job {
  fileprivate init(_ table: ScenarioTable, names: Set<String>) throws(InstallationError) {
    try table.rejectUnknownKeys(["operation", "packages", "comment", "priority", "at"])
    let operation = try table.enumeration("operation", JobOperation.self) ?? .install
    var updates: [Update] = []
    for text in try table.strings("packages") ?? [] {
      let update: Update
      do { update = try Update(parsing: text) } catch {
        throw table.refusal("packages", error.message)
      }
      guard names.contains(update.name) else {
        throw table.refusal("packages", "no package is named '\(update.name)'")
      }
      updates.append(update)
    }
    var options = InstallationOptions()
    options.comment = try table.string("comment")
    options.priority = try table.integer("priority", in: -100...100) ?? 0
    options.clientName = "scenario"
    let request = JobRequest(operation, updates, options: options)
    do { _ = try request.validated() } catch { throw table.refusal("packages", error.message) }
    self.init(request, at: try table.seconds("at") ?? 0)
  }
}

extension SimulatedPackage {
  private static let durationKeys = ["download", "unpack", "configure", "remove"]

  fileprivate static func defaults(
    _ table: ScenarioTable?
  ) throws(InstallationError) -> SimulatedPackage {
    var package = SimulatedPackage("default")
    guard let table else { return package }
    try table.rejectUnknownKeys(durationKeys + ["size", "installedSize", "architecture", "origin"])
    try package.readCommon(table)
    return package
  }

  private mutating func readCommon(_ table: ScenarioTable) throws(InstallationError) {
    download = try table.span("download") ?? download
    unpack = try table.span("unpack") ?? unpack
    configure = try table.span("configure") ?? configure
    remove = try table.span("remove") ?? remove
    let sizes = 0...1_000_000_000_000
    size = try table.integer("size", in: sizes).map(Int64.init) ?? size
    installedSize = try table.integer("installedSize", in: sizes).map(Int64.init) ?? installedSize
    architecture = try table.string("architecture") ?? architecture
    origin = ScenarioSource.printable(try table.string("origin") ?? origin)
  }

  fileprivate init(
    _ table: ScenarioTable, defaults: SimulatedPackage
  ) throws(InstallationError) {
    try table.rejectUnknownKeys(
      [
        "name", "version", "architecture", "size", "installedSize", "dependencies", "conflicts",
        "origin", "installed", "essential", "exclusive", "held",
      ] + Self.durationKeys + [
        "fails", "stall", "flood", "trigger", "question", "crash", "reboot", "regresses",
      ])
    self = defaults
    name = try table.requiredString("name")
    guard Update.isPackageName(name) else {
      throw table.refusal("name", "not a package name (lower case letters, digits, + - . _ only)")
    }
    version = try table.string("version") ?? "1.0"
    installed = try table.string("installed")
    for (key, value) in [("version", version), ("installed", installed ?? version)] {
      guard Update.isVersion(value) else { throw table.refusal(key, "not a version number") }
    }
    try readCommon(table)
    dependencies = try table.strings("dependencies") ?? []
    conflicts = try table.strings("conflicts") ?? []
    isEssential = try table.boolean("essential") ?? false
    isExclusive = try table.boolean("exclusive") ?? false
    isHeld = try table.boolean("held") ?? false
    crash = try table.enumeration("crash", Scenario.Stage.self)
    requiresReboot = try table.boolean("reboot") ?? false
    regresses = try table.boolean("regresses") ?? false
    if let inner = try table.table("fails") { failure = try Self.failure(inner) }
    if let inner = try table.table("stall") {
      try inner.rejectUnknownKeys(["at", "seconds"])
      stall = Scenario.Stall(
        try inner.enumeration("at", Scenario.Stage.self) ?? .configure,
        seconds: try inner.seconds("seconds") ?? 60)
    }
    if let inner = try table.table("flood") {
      try inner.rejectUnknownKeys(["at", "reports", "seconds"])
      flood = Scenario.Flood(
        try inner.enumeration("at", Scenario.Stage.self) ?? .configure,
        reports: try inner.integer("reports", in: 1...1_000_000) ?? 1000,
        seconds: try inner.seconds("seconds") ?? 0.1)
    }
    if let inner = try table.table("trigger") {
      try inner.rejectUnknownKeys(["package", "seconds"])
      trigger = Scenario.Trigger(
        try inner.requiredString("package"), seconds: try inner.span("seconds") ?? 1)
    }
    if let inner = try table.table("question") {
      try inner.rejectUnknownKeys(["text", "default"])
      question = Scenario.Question(
        ScenarioSource.printable(try inner.requiredString("text")),
        default: try inner.string("default"))
    }
  }

  private static func failure(
    _ table: ScenarioTable
  ) throws(InstallationError) -> Scenario.Failure {
    try table.rejectUnknownKeys(["at", "exitStatus", "code", "message", "times", "goesOn"])
    let stage = try table.enumeration("at", Scenario.Stage.self) ?? .configure
    let codes: [InstallationError.Code] = [
      .packageFailed, .downloadFailed, .hashMismatch, .sourceUnavailable, .noSpace, .badArchive,
    ]
    let text = try table.string("code")
    let code = codes.first { $0.rawValue == text }
    if text != nil, code == nil {
      throw table.refusal(
        "code", "must be one of \(codes.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))")
    }
    return Scenario.Failure(
      stage, exitStatus: Int32(try table.integer("exitStatus", in: 1...255) ?? 1), code: code,
      message: try table.string("message").map(ScenarioSource.printable),
      times: try table.integer("times", in: 1...1000),
      goesOn: try table.boolean("goesOn") ?? false)
  }
}
