import HostSystem
package import InstallJobs
import PackageProvider

extension AptProvider {
  /// Sets a mark of installed packages with apt-mark; see ``PackageProvider/mark(_:_:)``.
  ///
  /// The package database decides whether the mark is set, not apt-mark's exit status.
  package func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {
    try packageRoot.checkRights()
    let entries = try await entries(of: updates, toSet: mark)
    if let holder = packageRoot.lockHolder {
      throw InstallationError(
        .busy, "cannot mark packages of \(root): \(holder.words) uses the package database",
        class: .transient, hint: "try again when that is over")
    }
    let tools = try AptTools(AptConfiguration(root: packageRoot), cache: cache, changesMarks: true)
    defer { tools.close() }
    let names = entries.map { AptCommand.qualified($0.name, $0.architecture) }
    let run = try await tools.run(
      "/usr/bin/apt-mark", [mark.rawValue, "--"] + names, to: "mark packages")
    let marked = try await self.entries(of: updates, toSet: mark)
    let automatic = try packageRoot.automaticPackages()
    let missed = marked.first { entry in
      let isAutomatic = automatic.contains(AptCommand.qualified(entry.name, entry.architecture))
      return switch mark {
      case .hold: !entry.isHeld
      case .unhold: entry.isHeld
      case .auto: !isAutomatic
      case .manual: isAutomatic
      }
    }
    guard let missed else { return }
    throw InstallationError(
      .notVerified, "'\(missed.name)' does not have the mark '\(mark.rawValue)' afterwards",
      update: missed.name, detail: run.complaints.joined(separator: "\n"),
      hint: run.complaints.first ?? "apt-mark ended with \(run.status)")
  }

  /// Returns the installed packages that updates name.
  ///
  /// - Throws: `notApplicable` for a package that is not installed.
  private func entries(
    of updates: [Update], toSet mark: PackageMark
  ) async throws(InstallationError) -> [PackageDatabase.Entry] {
    let database = try await PackageDatabase.read(packageRoot)
    var entries: [PackageDatabase.Entry] = []
    for update in updates {
      guard let entry = database.entry(update.name, update.architecture), entry.isPresent else {
        throw InstallationError(
          .notApplicable, "cannot \(mark.verb) '\(update)': it is not installed", class: .fatal,
          update: update.name, hint: "'fettle list --installed' lists what is")
      }
      entries.append(entry)
    }
    return entries
  }
}

extension PackageMark {
  /// The mark as a verb of a sentence.
  fileprivate var verb: String {
    switch self {
    case .hold, .unhold: rawValue
    case .auto, .manual: "mark as \(rawValue)"
    }
  }
}
