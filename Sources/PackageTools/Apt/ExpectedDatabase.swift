internal import Glibc
internal import InstallJobs

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
  ///   read.
  init(
    of root: PackageRoot, after pending: PendingWork, isAtWork: Bool, archiveStore: String,
    tools: AptTools, in folder: String
  ) async throws(InstallationError) {
    self.folder = folder
    guard let text = root.statusText(withNotes: !isAtWork) else {
      throw PackageRoot.unusable(
        root.path, "its package database cannot be read", hint: "check \(root.statusFile)")
    }
    var status = StatusFile(text)
    if isAtWork { status.completeHalfStates() }
    let brought = pending.changes.filter { $0.step.action.unpacks }
    let stanzas = try await Self.stanzas(of: brought, archiveStore: archiveStore, tools: tools)
    for change in pending.changes {
      let step = change.step
      switch step.action {
      case .remove: status.remove(step.name, step.architecture)
      case .purge: status.purge(step.name, step.architecture)
      case .configure: status.configure(step.name, step.architecture)
      case .install, .upgrade, .downgrade, .reinstall:
        // What the index does not have any more stays as it is: the job's turn tells what became of it.
        if let stanza = stanzas[Key(step)] {
          status.install(step.name, step.architecture, stanza)
        }
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
    var name: String
    var version: String?

    init(_ step: PlannedUpdate) { (name, version) = (step.name, step.toVersion) }
    init(name: String, version: String?) { (self.name, self.version) = (name, version) }
  }

  /// The control fields of what will be installed: from the index, or from the archive that a caller
  /// brought.
  private static func stanzas(
    of changes: [PendingWork.Change], archiveStore: String, tools: AptTools
  ) async throws(InstallationError) -> [Key: StatusFile.Stanza] {
    var found: [Key: StatusFile.Stanza] = [:]
    let indexed = changes.filter { $0.localArchive == nil }.map { change in
      AptCommand.qualified(change.step.name, change.step.architecture)
        + (change.step.toVersion.map { "=" + $0 } ?? "")
    }
    var texts: [String] = []
    if !indexed.isEmpty {
      texts.append(try await tools.run("/usr/bin/apt-cache", ["show", "--"] + indexed).output)
    }
    for change in changes {
      guard let digits = change.localArchive else { continue }
      let path = "\(archiveStore)/\(digits).deb"
      texts.append(
        try await Tool("/usr/bin/dpkg-deb").run(["-f", path], environment: Tool.plain).output)
    }
    for text in texts {
      for stanza in StatusFile(text).stanzas {
        let key = Key(name: stanza["Package"] ?? "", version: stanza["Version"])
        if found[key] == nil { found[key] = stanza }
      }
    }
    return found
  }
}
