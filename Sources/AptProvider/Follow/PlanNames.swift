package import InstallJobs

/// Finds the step of a plan for a package or archive that a tool names.
package struct PlanNames: Sendable {
  private var steps: [String: [(step: Int, architecture: String)]] = [:]
  private var archives: [String: Int] = [:]
  private let native: String

  /// Creates the names of a plan.
  ///
  /// - Parameters:
  ///   - plan: The frozen plan.
  ///   - native: The root's architecture, which dpkg omits from names.
  package init(_ plan: JobPlan, native: String = PlanNames.machine) {
    self.native = native
    for (index, step) in plan.steps.enumerated() {
      steps[step.name, default: []].append((index, step.architecture))
    }
    for (index, archive) in plan.archives { archives[archive.fileName] = index }
    for row in plan.requests {
      // Local archives are stored under their hash.
      guard let local = row.update.archive, let step = row.step else { continue }
      archives[local.sha256 + ".deb"] = step
    }
  }

  /// The architecture for which this program was built, in Debian's spelling.
  package static var machine: String {
    #if arch(arm64)
    "arm64"
    #elseif arch(x86_64)
    "amd64"
    #else
    ""
    #endif
  }

  /// Returns the step that works on a package; nil when the plan has none.
  package func step(of package: DpkgPackageName) -> Int? {
    guard let candidates = steps[package.name] else { return nil }
    guard let architecture = package.architecture else {
      let own = candidates.first { $0.architecture == native || $0.architecture == "all" }
      return (own ?? (native.isEmpty ? candidates.first : nil))?.step
    }
    let exact = candidates.first { $0.architecture == architecture }
    // apt names packages with architecture `all` as native packages; dpkg does the opposite.
    let alike: Set<String> = ["all", native]
    return
      (exact
      ?? candidates.first {
        alike.contains($0.architecture) && alike.contains(architecture)
      })?.step
  }

  /// Returns the step whose archive has a path, as an error of dpkg names it.
  ///
  /// apt passes more than five archives as links `7-name_version_arch.deb`, with the colon of an
  /// epoch written as `%3a`.
  package func step(ofArchive path: some StringProtocol) -> Int? {
    let slash = path.lastIndex(of: "/")
    let base = slash.map { String(path[path.index(after: $0)...]) } ?? String(path)
    if let step = archives[base] { return step }
    var name = Substring(base)
    let digits = name.prefix { ("0"..."9").contains($0) }
    if !digits.isEmpty, name.dropFirst(digits.count).first == "-" {
      name = name.dropFirst(digits.count + 1)
      if let step = archives[String(name)] { return step }
    }
    guard name.hasSuffix(".deb") else { return nil }
    let fields = name.dropLast(4).split(separator: "_")
    guard let first = fields.first else { return nil }
    let architecture = fields.count > 2 ? fields.last.map(String.init) : nil
    let package = first.replacing("%5f", with: "_")
    return step(of: DpkgPackageName(String(package), architecture: architecture))
  }

  /// Returns the step for a word that is a package name or an archive name.
  package func step(named word: some StringProtocol) -> Int? {
    if word.hasSuffix(".deb") || word.contains("/") { return step(ofArchive: word) }
    return DpkgPackageName(Substring(word)).flatMap { step(of: $0) }
  }
}

extension PlannedUpdate {
  /// The name that apt gives the archive in its folder; the colon of an epoch is written as `%3a`, an
  /// underscore of the package's name as `%5f`.
  ///
  /// apt copies a local file there under this name, whatever the file's own name is, and passes the
  /// copy to dpkg, because jobs make apt copy archives of `file:` sources (`AptConfiguration`;
  /// measured with apt 2.6).
  var archiveName: String {
    let name = name.replacing("_", with: "%5f")
    return "\(name)_\((toVersion ?? "").replacing(":", with: "%3a"))_\(architecture).deb"
  }
}
