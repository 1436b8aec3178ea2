public import ArgumentParser
public import InstallJobs

extension WhenBusy: ExpressibleByArgument {
  /// The values of the option.
  public static var allValueStrings: [String] { ["queue", "fail"] }
}

extension ConffilePolicy: ExpressibleByArgument {
  /// The values of the option that are implemented.
  public static var allValueStrings: [String] { ["keep", "new"] }
}

extension JobID {
  /// Parses a job number, at least 1.
  ///
  /// - Throws: `ValidationError` that names the command which lists the numbers.
  static func typed(_ text: String) throws -> JobID {
    guard let number = Int(text), number > 0 else {
      throw ValidationError("a job is named by its number, as 'fettle jobs --all' lists them")
    }
    return JobID(number)
  }
}

/// Options of the commands that submit a job.
struct SubmitOptions: ParsableArguments {
  @Flag(
    name: [.customShort("d"), .customLong("download-only")],
    help: """
      Fetch and check the archives, change no package (install, reinstall, upgrade); later jobs take \
      them from there, until 'fettle cleanup JOB'.
      """)
  var downloadOnly = false

  @Flag(
    name: [.customShort("y"), .customLong("yes"), .customLong("assume-yes")],
    help: "Ask nothing, as in a script: what needs consent is refused.")
  var yes = false

  @Flag(
    name: [.customLong("allow-removals")],
    help: "Consent to the removal of packages that are not named.")
  var allowRemovals = false

  @Flag(
    name: [.customLong("allow-downgrades"), .customLong("allow-downgrade")],
    help: "Consent to older versions of installed packages.")
  var allowDowngrades = false

  @Flag(
    name: [.customLong("autoremove"), .customLong("auto-remove")],
    help: "Remove what was installed automatically and nothing needs any more, too.")
  var autoremove = false

  @Flag(inversion: .prefixedNo, help: "Install recommended packages, or leave them out.")
  var installRecommends: Bool?

  @Option(
    name: [.customShort("t"), .customLong("target-release")],
    help: ArgumentHelp("Prefer the versions of this release.", valueName: "release"))
  var release: String?

  @Flag(
    name: [
      .customLong("plan"), .customShort("s"), .customLong("simulate"), .customLong("dry-run"),
    ],
    help: "Show what would be done, submit nothing.")
  var planOnly = false

  @Flag(help: "Print progress lines until the end and exit with the job's result.")
  var follow = false

  @Flag(help: "Wait silently for the end and exit with the job's result.")
  var wait = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: ArgumentHelp("Why it is done; kept with the job.", valueName: "text"))
  var comment: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("-100 to 100, higher goes first.", valueName: "number"))
  var priority = 0

  @Option(
    help: ArgumentHelp("Start only after this job has ended.", valueName: "job"),
    transform: JobID.typed)
  var after: JobID?

  @Option(
    help: ArgumentHelp("Do not start before this time (\(TypedTime.form)).", valueName: "time"),
    transform: TypedTime.exact)
  var notBefore: Timestamp?

  @Option(
    help: ArgumentHelp("Ask for an abort at this time (\(TypedTime.form)).", valueName: "time"),
    transform: TypedTime.exact)
  var stopBy: Timestamp?

  @Option(
    help: ArgumentHelp(
      "Submitting again with the same text gives the same job.", valueName: "text"))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "keep or new: which side of a changed file wins (keep).", valueName: "policy"))
  var conffiles: ConffilePolicy?

  @Option(help: ArgumentHelp("queue or fail while another job works.", valueName: "policy"))
  var whenBusy = WhenBusy.queue

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Wait at most so long for a foreign process's package lock (for ever).",
      valueName: "seconds"))
  var lockTimeout: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Let an abort wait at most about so long for packages that are configured together; "
        + "0 has each configured by itself (2).",
      valueName: "seconds"))
  var stopWithin: Double?

  func validate() throws {
    if let stopWithin, !(0...600).contains(stopWithin) {
      throw ValidationError("--stop-within must be from 0 to 600")
    }
    if let lockTimeout, !(0...1e9).contains(lockTimeout) {
      throw ValidationError("--lock-timeout must be from 0 to 1000000000")
    }
    guard (-100...100).contains(priority) else {
      throw ValidationError("--priority must be from -100 to 100")
    }
    guard conffiles != .ask else {
      throw ValidationError("--conffiles ask is not there yet: use keep or new")
    }
  }

  /// Opens a session with the engine, which outlives a restart of it if the job is to be followed.
  ///
  /// - Throws: The errors of ``GlobalOptions/connect(isReadOnly:reconnectingFor:)``.
  func connect(_ global: GlobalOptions) async throws(InstallationError) -> UpdateSession {
    try await global.connect(
      reconnectingFor: follow || wait ? GlobalOptions.restartLimit : .zero)
  }

  /// The options as the engine expects them.
  var installation: InstallationOptions { applied(to: InstallationOptions()) }

  /// Returns `others` with these options applied; an option about how the work is done keeps its
  /// value in `others` unless it was typed.
  func applied(to others: InstallationOptions) -> InstallationOptions {
    var options = others
    options.clientName = "fettle"
    options.comment = comment ?? options.comment
    options.priority = priority
    options.isDownloadOnly = downloadOnly || options.isDownloadOnly
    options.whenBusy = whenBusy
    options.token = token
    options.after = after
    options.earliestStart = notBefore
    options.latestStop = stopBy
    options.lockSeconds = lockTimeout ?? options.lockSeconds
    options.stopSeconds = stopWithin ?? options.stopSeconds
    options.conffiles = conffiles ?? options.conffiles
    options.planning.allowsRemovals = allowRemovals || options.planning.allowsRemovals
    options.planning.allowsDowngrades = allowDowngrades || options.planning.allowsDowngrades
    options.planning.removesUnneeded = autoremove || options.planning.removesUnneeded
    options.planning.installsRecommended =
      installRecommends ?? options.planning.installsRecommended
    options.planning.release = release ?? options.planning.release
    return options
  }
}
