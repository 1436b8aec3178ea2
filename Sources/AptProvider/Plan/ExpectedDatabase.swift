internal import Glibc
import HostSystem
internal import InstallJobs
import PackageProvider

/// A copy of a root's package database as it will be after running or planned work.
///
/// The copy is a status file in a separate folder, for reading only: apt simulates against it, and
/// dpkg-query reads it. While a process holds the package lock, incomplete packages count as
/// configured, because they will be when the work ends.
struct ExpectedDatabase: Sendable, Hashable {
  /// The folder, with the layout of dpkg's own.
  let folder: String
  /// dpkg's status file in the folder.
  var statusFile: String { folder + "/status" }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - root: The package root.
  ///   - pending: The changes that jobs ahead in the queue will make.
  ///   - isAtWork: Whether a process holds the package lock.
  ///   - archiveStore: The folder of local archives.
  ///   - tools: apt's tools on the root's present database.
  ///   - folder: An existing empty folder; the caller removes it.
  /// - Throws: `internal` where the copy cannot be written; `badRoot` where the database cannot be
  ///   read; `unresolvable` and `badArchive` where index or archive cannot be read.
  init(
    of root: PackageRoot, after pending: PendingWork, isAtWork: Bool, archiveStore: String,
    tools: AptTools, in folder: String
  ) async throws(InstallationError) {
    self.folder = folder
    guard let text = root.statusText(withNotes: !isAtWork) else {
      throw PackageRoot.unusable(
        root.path, "its package database cannot be read", hint: "check \(root.statusFile)")
    }
    var status = StatusFile(
      text, nativeArchitecture: try await PackageDatabase.readNativeArchitecture())
    if isAtWork { status.markIncompleteAsConfigured() }
    let brought = pending.changes.filter { $0.step.action.unpacks }
    let indexed = try await Self.stanzas(of: brought, tools: tools)
    for change in pending.changes {
      let step = change.step
      switch step.action {
      case .remove: status.remove(step.name, step.architecture)
      case .purge: status.purge(step.name, step.architecture)
      case .configure: status.configure(step.name, step.architecture)
      case .install, .upgrade, .downgrade, .reinstall:
        if let digits = change.localArchive {
          status.install(try await Self.stanza(of: step, in: "\(archiveStore)/\(digits).deb"))
        } else if let stanza = indexed[Key(step)] {
          status.install(stanza)
        }
      // Packages that the index no longer has stay as they are; their job reports an error when it
      // starts.
      }
    }
    var isMade = ["updates", "info", "triggers"].allSatisfy {
      RootFiles.makeFolder("\(folder)/\($0)")
    }
    // Without this list, dpkg-query and apt would not accept packages of foreign architectures.
    let list = root.path("var/lib/dpkg/arch")
    if RootFiles.exists(list) {
      guard let architectures = RootFiles.text(of: list) else {
        throw PackageRoot.unusable(
          root.path, "its list of architectures cannot be read", hint: "check \(list)")
      }
      isMade = isMade && RootFiles.write(architectures, to: folder + "/arch")
    }
    guard isMade, RootFiles.write("1\n", to: folder + "/info/format"),
      RootFiles.write(status.text, to: folder + "/status")
    else {
      throw InstallationError(
        .internal, "cannot write the expected package database to \(folder)",
        hint: "check free space and $TMPDIR")
    }
  }

  /// Removes the folder of a copy, with the files that apt made in it.
  static func removeFolder(_ folder: String) {
    for inner in ["updates", "info", "triggers"] {
      RootFiles.removeFlatFolder("\(folder)/\(inner)")
    }
    RootFiles.removeFlatFolder(folder)
  }

  private struct Key: Hashable {
    var name: String?
    var version: String?
    var architecture: String?

    init(_ step: PlannedUpdate) {
      (name, version, architecture) = (step.name, step.toVersion, step.architecture)
    }

    init(_ stanza: StatusFile.Stanza) {
      (name, version) = (stanza["Package"].map { Update.packageName($0) }, stanza["Version"])
      architecture = stanza["Architecture"]
    }
  }

  /// Reads the control fields of packages that will be installed from the index.
  private static func stanzas(
    of changes: [PendingWork.Change], tools: AptTools
  ) async throws(InstallationError) -> [Key: StatusFile.Stanza] {
    let names = changes.filter { $0.localArchive == nil }.map { change in
      AptCommand.qualified(change.step.name, change.step.architecture)
        + (change.step.toVersion.map { "=" + $0 } ?? "")
    }
    guard !names.isEmpty else { return [:] }
    let stanzas = StatusFile(try await tools.readIndex(["show", "--"] + names).output).stanzas
    return Dictionary(stanzas.map { (Key($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Reads the control fields of a local archive.
  private static func stanza(
    of step: PlannedUpdate, in path: String
  ) async throws(InstallationError) -> StatusFile.Stanza {
    let run = try await Tool("/usr/bin/dpkg-deb").run(["-f", path], environment: Tool.plain)
    guard run.status == 0, let stanza = StatusFile(run.output).stanzas.first else {
      throw InstallationError(
        .badArchive,
        "the archive of \(step.name) that a job ahead installs cannot be read: "
          + Sanitised.line(run.errors, limit: 200),
        hint: "abort that job, or wait for its end")
    }
    return stanza
  }
}
