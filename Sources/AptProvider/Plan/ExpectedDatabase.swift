internal import Glibc
import HostSystem
internal import InstallJobs
import PackageProvider

/// A copy of a root's package database as it will be after work that is under way or planned.
///
/// Only a status file in a folder of its own, for tools that look: apt simulates against it, and
/// dpkg-query reads it. While somebody holds the package lock, packages in half a state are taken for
/// what they will be when that is over: configured.
struct ExpectedDatabase: Sendable, Hashable {
  /// The folder, laid out as dpkg's own.
  let folder: String
  /// dpkg's status file in it.
  var statusFile: String { folder + "/status" }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - pending: What will be done.
  ///   - isAtWork: Whether somebody holds the package lock.
  ///   - archiveStore: Where local archives lie.
  ///   - tools: apt's tools on the root as it is now.
  ///   - folder: An existing empty folder, removed by whoever made it.
  /// - Throws: `internal` where the copy cannot be written; `badRoot` where the database cannot be
  ///   read; `unresolvable` and `badArchive` where index or archive cannot.
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
    if isAtWork { status.completeHalfStates() }
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
      // What the index does not have any more stays as it is: the job's turn tells what became of it.
      }
    }
    var isMade = ["updates", "info", "triggers"].allSatisfy {
      RootFiles.makeFolder("\(folder)/\($0)")
    }
    // Without the list, packages of other architectures would be none.
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

  /// Removes a folder that held such a copy, and what apt made in it.
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
      (name, version) = (stanza["Package"], stanza["Version"])
      architecture = stanza["Architecture"]
    }
  }

  /// The control fields of what will be installed from the index.
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

  /// The control fields of an archive that a caller brought.
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
