import InstallJobs
import JobClient

/// A request built from the command line.
struct TypedRequest {
  let operation: JobOperation
  let packages: [String]
  let options: SubmitOptions
  let global: GlobalOptions
  var isForced = false

  /// Builds the request and submits or plans it.
  ///
  /// - Throws: The engine's error; an ``ExitStatus`` for the job's result.
  func run() async throws {
    // Malformed arguments are refused before connecting.
    let named = try packages.filter { !LocalFile.isPath($0) }.map { try Update(parsing: $0) }
    let files = packages.filter(LocalFile.isPath)
    if operation != .install, let file = files.first {
      throw InstallationError(
        .notApplicable, "cannot \(operation.rawValue) '\(file)': it is a file", class: .fatal,
        hint: "name the package")
    }
    let opened = try files.map { try LocalFile($0) }
    let session = try await options.connect(global)
    var updates: [Update] = []
    for file in opened { updates.append(try await file.upload(to: session)) }
    var installation = options.installation
    installation.isForced = isForced
    let request = try JobRequest(operation, named + updates, options: installation).validated()
    do {
      try await SubmitCommand(request: request, options: options, global: global).run(on: session)
    } catch var error as InstallationError {
      // The engine knows only the archives' file names, so its hints get the typed paths here.
      for file in opened { error.hint = error.hint.map(file.located) }
      throw error
    }
  }
}
