import HostSystem
internal import InstallJobs
internal import Synchronization

/// The content of dpkg's database at one moment.
struct PackageDatabase: Sendable {
  /// One package of the database.
  struct Entry: Sendable, Hashable {
    var name: String
    var architecture: String
    var version: String
    /// dpkg's state word: `installed`, `config-files`, `half-configured`, ...
    var state: String
    var isHeld: Bool
    /// Whether only an installation from an archive repairs the package (measurement E16).
    var needsReinstall: Bool
    /// Whether the package is essential or protected, or important by apt's older field.
    var isEssential: Bool
    /// Installed size in KiB.
    var installedSize: Int64

    /// Whether files of the package other than configuration files are installed.
    var isPresent: Bool { state != "not-installed" && state != "config-files" }
    /// Whether the package is completely installed.
    var isWhole: Bool { state == "installed" && !needsReinstall }
    /// Whether dpkg was interrupted while it unpacked or removed the package: only unpacking
    /// repairs it.
    var isInterrupted: Bool { needsReinstall || state == "half-installed" }
  }

  let entries: [Entry]
  /// The architecture of the root's native packages.
  let nativeArchitecture: String
  private let byName: [String: [Entry]]

  /// Reads the database of a root.
  ///
  /// Needs no lock: dpkg replaces the status file atomically.
  ///
  /// - Parameters:
  ///   - root: The package root.
  ///   - expected: An expected database to read instead of the root's own; nil for the root's own.
  /// - Returns: The database.
  /// - Throws: `badRoot` when the database is missing or cannot be read; `busy` when the expected
  ///   one cannot be read.
  static func read(
    _ root: PackageRoot, expected: ExpectedDatabase? = nil
  ) async throws(InstallationError) -> PackageDatabase {
    // dpkg-query treats a missing database as an empty one.
    guard RootFiles.status(root.statusFile) != nil else {
      throw PackageRoot.unusable(
        root.path,
        RootFiles.isFolder(root.path) ? "\(root.statusFile) is missing" : "there is no such folder",
        hint: "bring it back as it was; nothing is changed until then")
    }
    let format =
      ["Package", "Architecture", "Version", "db:Status-Status", "db:Status-Want"]
      + ["db:Status-Eflag", "Essential", "Protected", "Important", "Installed-Size"]
    let run = try await Tool("/usr/bin/dpkg-query").run(
      [
        "--admindir=" + (expected?.folder ?? root.adminDirectory), "-W",
        "-f", format.map { "${" + $0 + "}" }.joined(separator: "\\t") + "\\n",
      ], environment: Tool.plain)
    // dpkg-query fails for an empty database, which is not an error here.
    let statusFile = expected?.statusFile ?? root.statusFile
    guard run.status == 0 || run.output.isEmpty && RootFiles.status(statusFile)?.size == 0
    else {
      let words = Sanitised.line(run.errors, limit: 200)
      // The error is in the copy, not in the root: it comes from the packages of the jobs ahead.
      if expected != nil {
        throw InstallationError(
          .busy, "what the jobs ahead will have done to \(root.path) cannot be foreseen: \(words)",
          class: .transient, hint: "ask again when they are over")
      }
      throw PackageRoot.unusable(
        root.path, "its package database cannot be read: \(words)",
        hint:
          "'cp \(root.adminDirectory)/status-old \(root.adminDirectory)/status' brings back what"
          + " it was before dpkg last wrote it")
    }
    return PackageDatabase(
      entries: try entries(listed: run.output, of: root),
      nativeArchitecture: try await readNativeArchitecture())
  }

  /// Reads dpkg-query's list of packages.
  ///
  /// - Throws: `badRoot` with the first line that is not understood: a package that is left out
  ///   would count as absent.
  static func entries(
    listed text: String, of root: PackageRoot
  ) throws(InstallationError) -> [Entry] {
    var entries: [Entry] = []
    var lines = text.split(separator: "\n")[...]
    while var line = lines.popFirst() {
      // The value of a package's field may have several lines, of which all but the first begin with
      // a space.
      while let next = lines.first, next.first == " " || next.first == "\t" {
        line = Substring(line + " " + next.drop { $0 == " " || $0 == "\t" })
        lines = lines.dropFirst()
      }
      guard let entry = Entry(line) else {
        throw PackageRoot.unusable(
          root.path,
          "its package database has an entry that is not understood: "
            + "'\(Sanitised.line(line, limit: 200))'",
          hint: "check \(root.statusFile)")
      }
      entries.append(entry)
    }
    return entries
  }

  /// Returns the architecture of native packages; dpkg has it built in, so it is read once.
  static func readNativeArchitecture() async throws(InstallationError) -> String {
    if let known = native.withLock({ $0 }) { return known }
    let run = try await Tool("/usr/bin/dpkg").run(
      ["--print-architecture"], environment: Tool.plain)
    let word = run.firstWord
    native.withLock { $0 = word.isEmpty ? nil : word }
    return word
  }

  private static let native = Mutex<String?>(nil)

  init(entries: [Entry], nativeArchitecture: String) {
    self.entries = entries
    self.nativeArchitecture = nativeArchitecture
    byName = Dictionary(grouping: entries) { $0.name }
  }

  /// Returns the entry of a package; without an architecture the native entry, or else the first
  /// one.
  func entry(_ name: String, _ architecture: String? = nil) -> Entry? {
    let found = byName[name] ?? []
    guard let architecture else {
      return found.first { isNative($0.architecture) } ?? found.first
    }
    return found.first { $0.architecture == architecture }
      ?? (architecture == nativeArchitecture || architecture == "all"
        ? found.first { isNative($0.architecture) } : nil)
  }

  func isNative(_ architecture: String) -> Bool {
    architecture == nativeArchitecture || architecture == "all"
  }
}

extension PackageDatabase.Entry {
  fileprivate init?(_ line: Substring) {
    let fields = line.split(separator: "\t", maxSplits: 9, omittingEmptySubsequences: false)
    guard fields.count == 10, !fields[0].isEmpty else { return nil }
    self.init(
      name: String(fields[0]), architecture: String(fields[1]), version: String(fields[2]),
      state: String(fields[3]), isHeld: fields[4] == "hold",
      needsReinstall: fields[5].contains("reinst"),
      isEssential: fields[6...8].contains("yes") || fields[0] == "apt",
      installedSize: SizeField.kibibytes(fields[9]))
  }
}

extension PackageRoot {
  /// dpkg's status file.
  var statusFile: String { path("var/lib/dpkg/status") }

  /// Whether a package only counts as installed: taken over from the host without its files.
  ///
  /// Such a package has an empty file list. A package whose unpacking was interrupted may have one
  /// too, so it is excluded.
  func isOnlyCounted(_ entry: PackageDatabase.Entry) -> Bool {
    guard kind == .privateRoot, entry.isPresent, !entry.isInterrupted else { return false }
    return ["", ":" + entry.architecture].contains { suffix in
      RootFiles.status(path("var/lib/dpkg/info/\(entry.name)\(suffix).list"))?.size == 0
    }
  }
}

extension Tool.Run {
  /// The output up to the first white space.
  var firstWord: String { String(output.prefix { !$0.isWhitespace }) }
}
