import ArgumentParser
import InstallJobs

private let packagesHelp = ArgumentHelp(
  "NAME, NAME=VERSION, NAME/RELEASE, NAME:ARCH, or a pattern: 'NAME*'.", valueName: "package")

/// Which packages an upgrade of everything upgrades.
struct UpgradeSelection: ParsableArguments {
  @Flag(help: "Only to versions of security updates.") var security = false
  @Option(
    help: ArgumentHelp(
      "Leave this package as it is; a pattern leaves all that match (can be repeated).",
      valueName: "package"))
  var exclude: [String] = []

  func apply(to planning: inout PlanningOptions) {
    planning.isSecurityOnly = security
    planning.excluded = exclude
  }
}

/// The command `fettle install`.
struct Install: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Install packages, or bring them to a version.",
    discussion: "A name with a slash, or ending in .deb, is a file: fettle install ./file.deb")

  @Argument(
    help: "NAME, NAME=VERSION, NAME/RELEASE, NAME:ARCH, a pattern ('NAME*'), or ./FILE.deb.")
  var package: [String]
  @Flag(
    help: "Install again what is there, and go back to an older version where NAME=VERSION is one.")
  var force = false
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(
      .install, package, isForced: force)
  }
}

/// The command `fettle remove`.
struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove packages, keep their configuration.")

  @Argument(help: packagesHelp) var package: [String]
  @Flag(help: "Remove configuration files, too.") var purge = false
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(
      purge ? .purge : .remove, package)
  }
}

/// The command `fettle purge`.
struct Purge: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove packages with their configuration.")

  @Argument(help: packagesHelp) var package: [String]
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(.purge, package)
  }
}

/// The command `fettle reinstall`.
struct Reinstall: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Unpack and configure installed packages again.")

  @Argument(help: packagesHelp) var package: [String]
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(.reinstall, package)
  }
}

/// The command `fettle upgrade`.
struct Upgrade: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring installed packages to the newest version; all of them when none is named.")

  @Argument(help: packagesHelp) var package: [String] = []
  @Option(
    name: .customLong("only"), parsing: .upToNextOption,
    help: ArgumentHelp("The same as naming the packages.", valueName: "package"))
  var only: [String] = []
  @OptionGroup var selection: UpgradeSelection
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(.upgrade, package + only) {
      selection.apply(to: &$0)
    }
  }
}

/// The command `fettle full-upgrade`.
struct FullUpgrade: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "full-upgrade",
    abstract: "Upgrade everything, and install and remove packages where that needs it.",
    aliases: ["dist-upgrade"])

  @OptionGroup var selection: UpgradeSelection
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(.upgrade, []) {
      $0.isFullUpgrade = true
      selection.apply(to: &$0)
    }
  }
}

/// The command `fettle autoremove`.
struct Autoremove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove what was installed automatically and nothing needs any more.",
    aliases: ["auto-remove"])

  @Flag(help: "Remove configuration files, too.") var purge = false
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    try await SubmitCommand(options: options, global: global).run(
      purge ? .purge : .remove, []
    ) { $0.removesUnneeded = true }
  }
}

/// The command `fettle plan`.
struct Plan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a command would do.",
    discussion: "fettle plan install hello, fettle plan upgrade, …: the same as --plan there.",
    subcommands: [])

  /// The operations that can be planned.
  enum Verb: String, ExpressibleByArgument, CaseIterable {
    case install
    case remove
    case purge
    case reinstall
    case upgrade
    case fullUpgrade = "full-upgrade"
  }

  @Argument(help: "install, remove, purge, reinstall, upgrade or full-upgrade.") var verb: Verb
  @Argument(help: packagesHelp) var package: [String] = []
  @OptionGroup var selection: UpgradeSelection
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if package.isEmpty, ![.upgrade, .fullUpgrade].contains(verb) {
      throw ValidationError("name at least one package")
    }
  }

  func run() async throws {
    var options = options
    options.planOnly = true
    let operation = verb == .fullUpgrade ? .upgrade : JobOperation(rawValue: verb.rawValue)
    try await SubmitCommand(options: options, global: global).run(operation ?? .install, package) {
      $0.isFullUpgrade = verb == .fullUpgrade
      selection.apply(to: &$0)
    }
  }
}
