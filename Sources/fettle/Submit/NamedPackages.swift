import InstallJobs

/// Packages as they are typed: names, and patterns that stand for all packages whose names match.
struct NamedPackages {
  private enum Argument {
    case update(Update)
    case pattern(String)
  }

  private let arguments: [Argument]

  /// Parses what was typed.
  ///
  /// - Throws: `notApplicable` for a text that names no package; the message tells apt's forms that
  ///   have another spelling here.
  init(_ texts: [String]) throws(InstallationError) {
    var arguments: [Argument] = []
    for text in texts {
      arguments.append(
        Self.isPattern(text) ? .pattern(text) : .update(try Self.update(text)))
    }
    self.arguments = arguments
  }

  /// Returns the updates, each pattern replaced by the packages that match it.
  ///
  /// - Parameters:
  ///   - operation: What is to be done: only an installation takes packages that are not installed.
  ///   - session: The session whose engine knows the packages.
  /// - Returns: The updates, in the order in which they were typed.
  /// - Throws: `notApplicable` for a pattern that nothing matches; `invalidArgument` for one that
  ///   matches too many packages.
  func updates(
    for operation: JobOperation, on session: UpdateSession
  ) async throws(InstallationError) -> [Update] {
    var updates: [Update] = []
    for argument in arguments {
      switch argument {
      case .update(let update): updates.append(update)
      case .pattern(let pattern):
        for name in try await Self.names(pattern, operation, session)
        where !updates.contains(where: { $0.name == name }) {
          updates.append(Update(name))
        }
      }
    }
    return updates
  }

  private static func names(
    _ pattern: String, _ operation: JobOperation, _ session: UpdateSession
  ) async throws(InstallationError) -> [String] {
    let limit = 1000
    let criteria = UpdateCriteria(
      names: [pattern], isInstalled: operation == .install || operation == .purge ? nil : true,
      limit: limit)
    let result = try await session.updates(matching: criteria)
    let found = result.updates.filter { operation == .install || $0.isPresent }
    guard result.updates.count < limit else {
      throw InstallationError(
        .invalidArgument, "'\(pattern)' matches \(limit) packages and more", class: .fatal,
        hint: "name fewer of them")
    }
    guard !found.isEmpty else {
      let what = operation == .install ? "package" : "installed package"
      throw InstallationError(
        .notApplicable, "cannot \(operation.rawValue) '\(pattern)': no \(what) matches",
        class: .fatal, hint: "'fettle list' takes the same pattern")
    }
    return Set(found.map(\.name)).sorted()
  }

  /// Whether a text is a pattern for names; a version may have a `*` of its own.
  static func isPattern(_ text: String) -> Bool {
    Glob.isPattern(text) && !text.contains("=")
  }

  /// Returns a pattern, or the name of a typed package.
  static func nameOrPattern(_ text: String) throws(InstallationError) -> String {
    isPattern(text) ? text : try Update(parsing: text).name
  }

  private static func update(_ text: String) throws(InstallationError) -> Update {
    let name = String(text.dropLast())
    switch text.last {
    case "-" where !name.isEmpty:
      // A package's name may end in a hyphen, but none of Debian's does.
      throw InstallationError(
        .notApplicable, "cannot use '\(text)': a job removes or installs, not both", class: .fatal,
        hint: "'fettle remove \(name)' is a job of its own")
    case "^" where !name.isEmpty:
      throw InstallationError(
        .notApplicable, "cannot use '\(text)': tasks are packages here", class: .fatal,
        hint: "'fettle search task-' lists them")
    default: return try Update(parsing: text)
    }
  }
}
