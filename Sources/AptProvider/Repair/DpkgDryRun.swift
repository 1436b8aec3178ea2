internal import Glibc
import HostSystem
internal import InstallJobs

/// An attempt to unpack an empty package without changing anything (`dpkg --no-act`).
///
/// dpkg reads the file lists of all packages, the diversions and the overrides first, and gives up
/// where one of them cannot be read; nothing else reads them all.
struct DpkgDryRun: Sendable {
  private let root: PackageRoot

  init(in root: PackageRoot) { self.root = root }

  /// The finding about a dpkg that could not work; nil if it could.
  ///
  /// - Throws: The errors of ``Tool/run(_:environment:to:limits:)``; `internal` if the empty package
  ///   cannot be made.
  var finding: Checkup.Finding? {
    get async throws(InstallationError) {
      guard let folder = RootFiles.makeScratchFolder() else { throw noPackage }
      defer { Self.remove(folder) }
      let control = """
        Package: fettle-dry-run
        Version: 1
        Architecture: all
        Maintainer: Fettle <root@localhost>
        Description: empty

        """
      guard unsafe mkdir(folder + "/tree", 0o755) == 0,
        unsafe mkdir(folder + "/tree/DEBIAN", 0o755) == 0,
        RootFiles.write(control, to: folder + "/tree/DEBIAN/control")
      else { throw noPackage }
      let archive = folder + "/empty.deb"
      let build = try await Tool("/usr/bin/dpkg-deb").run(
        ["--root-owner-group", "--build", folder + "/tree", archive], environment: Tool.plain)
      guard build.status == 0 else { throw noPackage }
      let run = try await Tool("/usr/bin/dpkg").run(
        root.dpkgOptions + ["--log=/dev/null", "--no-act", "--unpack", archive],
        environment: Tool.plain)
      guard run.status != 0 else { return nil }
      return finding(about: run)
    }
  }

  private var noPackage: InstallationError {
    InstallationError(
      .internal, "cannot make an empty package for a dry run of dpkg",
      hint: "check free space and $TMPDIR")
  }

  private func finding(about run: Tool.Run) -> Checkup.Finding {
    let lines = run.errors.split(separator: "\n")
    let first = lines.firstIndex { $0.hasPrefix("dpkg: ") } ?? 0
    // dpkg says in the line behind these what it met.
    let isHead = lines.indices.contains(first) && lines[first].hasSuffix("aborting:")
    let said = lines.dropFirst(isHead ? first + 1 : first).first ?? ""
    let words = Sanitised.line(
      said.trimmingPrefix("dpkg: error: ").drop { $0 == " " }, limit: 200)
    let reason = words.isEmpty ? "it ends with \(run.status)" : words
    return Checkup.Finding(
      .packages, .fault, "dpkg cannot work: \(reason)", hint: hint(for: reason))
  }

  /// The next step for a reason that dpkg gave (dpkg 1.21 and 1.22).
  private func hint(for reason: String) -> String {
    let names = reason.split(separator: "'", omittingEmptySubsequences: false)
    if reason.contains("files list file for package"), names.count > 1,
      let package = try? Update(parsing: String(names[1]))
    {
      let lists = [package.name, package.description].map {
        "\(root.adminDirectory)/info/\($0).list"
      }
      let list = lists.first(where: RootFiles.exists) ?? lists[0]
      return "remove the damaged list with 'rm \(list)', then 'fettle reinstall \(package)' writes"
        + " it anew"
    }
    let overrides = root.adminDirectory + "/statoverride"
    if reason.contains("statoverride file"), names.count > 1,
      let path = overridden(by: String(names[1]), in: overrides)
    {
      return "add that user or group, or take the override away with"
        + " 'dpkg-statoverride --admindir=\(root.adminDirectory) --remove \(path)'"
    }
    return "correct the file that dpkg names below \(root.adminDirectory)"
  }

  /// The path of the first override for an owner: `OWNER GROUP MODE PATH` in each line.
  private func overridden(by owner: String, in file: String) -> String? {
    for line in (RootFiles.text(of: file) ?? "").split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3)
      guard words.count == 4, words[0] == owner || words[1] == owner else { continue }
      return Sanitised.line(words[3], limit: 200)
    }
    return nil
  }

  private static func remove(_ folder: String) {
    RootFiles.removeFlatFolder(folder + "/tree/DEBIAN")
    RootFiles.removeFlatFolder(folder + "/tree")
    RootFiles.removeFlatFolder(folder)
  }
}
