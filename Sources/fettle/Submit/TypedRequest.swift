import InstallJobs
import JobClient

/// A request made of what was typed.
struct TypedRequest {
  let operation: JobOperation
  let packages: [String]
  let options: SubmitOptions
  let global: GlobalOptions
  var isForced = false

  /// Makes the request and hands it over.
  ///
  /// - Throws: Whatever the engine refuses; an ``ExitStatus`` for the job's result.
  func run() async throws {
    // What is malformed needs no engine to be refused.
    let named = try packages.filter { !LocalFile.isPath($0) }.map { try Update(parsing: $0) }
    let files = packages.filter(LocalFile.isPath)
    if operation != .install, let file = files.first {
      throw InstallationError(
        .notApplicable, "cannot \(operation.rawValue) '\(file)': it is a file", class: .fatal,
        hint: "name the package")
    }
    let opened = try files.map { try LocalFile($0) }
    let session = try await global.connect()
    var updates: [Update] = []
    for file in opened { updates.append(try await file.upload(to: session)) }
    var installation = options.installation
    installation.isForced = isForced
    let request = try JobRequest(operation, named + updates, options: installation).validated()
    do {
      try await SubmitCommand(request: request, options: options, global: global).run(on: session)
    } catch var error as InstallationError {
      // The engine knows the archives' names, and not where they lie.
      for file in opened { error.hint = error.hint.map(file.located) }
      throw error
    }
  }
}
