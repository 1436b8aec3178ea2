import HostSystem
internal import InstallJobs

/// Configuration files beside which a package's new version lies that a job did not install.
struct ConffileFinding: Sendable {
  /// The paths of the new versions, as seen from outside the root.
  let others: [String]

  /// Suffixes under which dpkg and ucf store a new version beside the present one.
  private static let endings = [".dpkg-dist", ".dpkg-new", ".ucf-dist"]

  /// Finds the files of a root's packages.
  ///
  /// - Parameter root: The package root.
  /// - Throws: `internal` when dpkg-query fails or ucf's registry cannot be read.
  init(in root: PackageRoot) async throws(InstallationError) {
    let run = try await Tool("/usr/bin/dpkg-query").run(
      ["--admindir=" + root.adminDirectory, "-W", "-f", "${Conffiles}\\n"],
      environment: Tool.plain)
    guard run.status == 0 else {
      throw InstallationError(
        .internal, "dpkg-query cannot list the configuration files of \(root.path)",
        detail: Sanitised.line(run.errors), hint: "check the folder \(root.adminDirectory)")
    }
    // The form is ` /etc/x HASH`, perhaps with one more word; a path may contain blanks.
    let ofPackages = run.lines.compactMap { line -> String? in
      guard line.hasPrefix(" /") else { return nil }
      let words = line.split(separator: " ")
      guard let hash = words.dropFirst().first(where: Self.isHash) else { return nil }
      return String(
        line[..<hash.startIndex].drop { $0 == " " }.trimmingSuffix(while: { $0 == " " }))
    }
    // The form is `PACKAGE PATH`: files that scripts manage with ucf.
    let file = root.path("var/lib/ucf/registry")
    let registry = RootFiles.exists(file) ? RootFiles.text(of: file, limit: 1 << 24) : ""
    guard let registry else {
      throw InstallationError(
        .internal, "cannot read \(file), which names configuration files",
        hint: "check its owner and mode")
    }
    let registered = registry.split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
    var others: [String] = []
    for path in Set(ofPackages + registered).sorted() {
      for ending in Self.endings
      where RootFiles.exists(root.path(String((path + ending).dropFirst()))) {
        others.append(root.prefix + path + ending)
      }
    }
    self.others = others
  }

  private static func isHash(_ word: Substring) -> Bool {
    word == "newconffile"
      || word.utf8.count == 32
        && word.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
  }

  /// The finding; nil where no new version was left beside a file.
  var finding: Checkup.Finding? {
    guard let first = others.first else { return nil }
    let shown = others.prefix(5).map { Sanitised.line($0, limit: 400) }.joined(separator: ", ")
    let more = others.count > 5 ? " and \(others.count - 5) more" : ""
    let is1 = others.count == 1
    let present = Sanitised.line(
      first.prefix(upTo: first.lastIndex(of: ".") ?? first.endIndex), limit: 400)
    return Checkup.Finding(
      .conffiles, .attention,
      "\(others.count) configuration file\(is1 ? " has" : "s have") a newer version of the package"
        + " beside \(is1 ? "it" : "them"): \(shown)\(more)",
      hint:
        "compare them ('diff \(present) \(Sanitised.line(first, limit: 400))'), then take over what"
        + " is needed and remove the new one")
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}
