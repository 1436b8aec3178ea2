import ArgumentParser
import InstallJobs
import JobClient
import JobText

/// The command `fettle update`.
struct UpdateIndex: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Fetch the package index of all sources anew.")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await global.connect().refreshIndex()
    Report.line("the package index is up to date; 'fettle updates' lists what could be upgraded")
  }
}

/// The command `fettle search`.
struct Search: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Packages whose name or description has all the words.")

  @Argument(help: ArgumentHelp("Words, in any order.", valueName: "word")) var word: [String]
  @OptionGroup var output: PackageOutput
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let criteria = UpdateCriteria(text: word.joined(separator: " "), limit: output.limit)
    let result = try await global.connect().updates(matching: criteria)
    try output.write(result, PackageText.list, none: "no package matches")
  }
}

/// The command `fettle list`.
struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Packages of the index; with --installed or --upgradable only these.")

  @Argument(help: ArgumentHelp("Only these packages.", valueName: "package"))
  var package: [String] = []
  @Flag(help: "Only installed packages.") var installed = false
  @Flag(help: "Only packages with a newer version.") var upgradable = false
  @OptionGroup var output: PackageOutput
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let criteria = UpdateCriteria(
      names: try package.map(NamedPackages.nameOrPattern),
      isInstalled: installed ? true : nil, isUpgrade: upgradable ? true : nil,
      limit: output.limit)
    let result = try await global.connect().updates(matching: criteria)
    try output.write(result, PackageText.list, none: "no package matches")
  }
}

/// The command `fettle info`.
struct Info: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "All that is known about packages.")

  @Argument(help: ArgumentHelp("Names of packages.", valueName: "package")) var package: [String]
  @Flag(help: "All versions, not only the candidate.") var allVersions = false
  @OptionGroup var output: PackageOutput
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let names = try package.map(NamedPackages.nameOrPattern)
    let criteria = UpdateCriteria(
      names: names, includesAllVersions: allVersions, limit: output.limit)
    let result = try await global.connect().updates(matching: criteria)
    try output.requireAll(names, in: result)
    try output.write(
      result,
      { updates in
        updates.enumerated().flatMap { index, update in
          (index == 0 ? [] : [""]) + PackageText.details(update)
        }
      }, none: "no package matches")
  }
}

/// The command `fettle policy`.
struct Policy: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The versions of packages and where they come from.")

  @Argument(help: ArgumentHelp("Names of packages.", valueName: "package")) var package: [String]
  @OptionGroup var output: PackageOutput
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let names = try package.map(NamedPackages.nameOrPattern)
    let criteria = UpdateCriteria(names: names, includesAllVersions: true, limit: output.limit)
    let result = try await global.connect().updates(matching: criteria)
    try output.requireAll(names, in: result)
    try output.write(
      result,
      { updates in
        let byName = Dictionary(grouping: updates, by: \.name)
        return byName.keys.sorted().flatMap { PackageText.policy(byName[$0] ?? []) }
      }, none: "no package matches")
  }
}

/// The command `fettle hold`.
struct Hold: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keep packages at their version: upgrades of everything leave them.")

  @OptionGroup var marking: Marking

  func run() async throws { try await marking.set(.hold) }
}

/// The command `fettle unhold`.
struct Unhold: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Let packages be upgraded again.")

  @OptionGroup var marking: Marking

  func run() async throws { try await marking.set(.unhold) }
}

/// The command `fettle mark`.
struct Mark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Mark packages as installed automatically, or as wanted.",
    discussion:
      "What is marked as automatic is removed by 'fettle autoremove' when nothing needs it.")

  /// The marks of the command.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case auto
    case manual
  }

  @Argument(help: "auto or manual.") var kind: Kind
  @OptionGroup var marking: Marking

  func run() async throws { try await marking.set(kind == .auto ? .auto : .manual) }
}

/// Arguments of the commands that mark packages.
struct Marking: ParsableArguments {
  @Argument(help: ArgumentHelp("NAME or NAME:ARCH.", valueName: "package")) var package: [String]
  @OptionGroup var global: GlobalOptions

  /// Sets a mark and reports it.
  func set(_ mark: PackageMark) async throws {
    let updates = try package.map { try Update(parsing: $0) }
    if let update = updates.first(where: { $0.version != nil }) {
      throw InstallationError(
        .invalidArgument, "cannot mark '\(update)': a mark is for a package, not for a version",
        class: .fatal, hint: "name \(update.name) without a version")
    }
    try await global.connect().mark(mark, updates)
    let names = updates.map(\.description).joined(separator: ", ")
    let words =
      switch mark {
      case .hold: "held"
      case .unhold: "no longer held"
      case .auto: "marked as automatic"
      case .manual: "marked as manual"
      }
    Report.line("\(names): \(words)")
  }
}

/// Options and output of the commands about packages.
struct PackageOutput: ParsableArguments {
  @Flag(help: "Print JSON.") var json = false
  @Option(help: ArgumentHelp("At most so many packages, 1 to 1000.", valueName: "number"))
  var limit = 1000

  func validate() throws {
    guard (1...1000).contains(limit) else {
      throw ValidationError("--limit must be from 1 to 1000")
    }
  }

  /// Throws `notApplicable` for the first name that the result lacks.
  func requireAll(
    _ names: [String], in result: UpdateSearchResult
  ) throws(InstallationError) {
    let found = Set(result.updates.map(\.name))
    guard
      let missing = names.first(where: { name in
        !found.contains { $0 == name || Glob.isPattern(name) && Glob.matches($0, name) }
      })
    else { return }
    throw InstallationError(
      .notApplicable, "there is no package '\(missing)' in the index", class: .fatal,
      update: missing, hint: "'fettle search' finds names; 'fettle update' fetches the index anew")
  }

  /// Prints a result, and its warnings on standard error.
  func write(
    _ result: UpdateSearchResult, _ lines: ([UpdateDetails]) -> [String], none: String
  ) throws {
    if json {
      try Report.json(result)
    } else {
      Report.lines(result.updates.isEmpty ? [none] : lines(result.updates))
      for warning in result.warnings { Report.note("warning: \(warning)") }
    }
  }
}
