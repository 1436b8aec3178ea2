package import InstallJobs

/// Which step of a plan is meant where a tool names a package or an archive.
package struct PlanNames: Sendable {
  private var steps: [String: [(step: Int, architecture: String)]] = [:]
  private var archives: [String: Int] = [:]
  private let native: String

  /// The names of a plan.
  ///
  /// - Parameters:
  ///   - plan: The frozen plan.
  ///   - native: The root's architecture, which dpkg does not write down.
  package init(_ plan: JobPlan, native: String = PlanNames.machine) {
    self.native = native
    for (index, step) in plan.steps.enumerated() {
      steps[step.name, default: []].append((index, step.architecture))
    }
    for (index, archive) in plan.archives { archives[archive.fileName] = index }
    for row in plan.requests {
      // Local archives lie in the store under their hash.
      guard let local = row.update.archive, let step = row.step else { continue }
      archives[local.sha256 + ".deb"] = step
    }
  }

  /// The architecture this program was built for, in Debian's spelling.
  package static var machine: String {
    #if arch(arm64)
    "arm64"
    #elseif arch(x86_64)
    "amd64"
    #else
    ""
    #endif
  }

  /// The step that works on a package; nil when the plan has none.
  package func step(of package: DpkgPackageName) -> Int? {
    guard let candidates = steps[package.name] else { return nil }
    guard let architecture = package.architecture else {
      let own = candidates.first { $0.architecture == native || $0.architecture == "all" }
      return (own ?? (native.isEmpty ? candidates.first : nil))?.step
    }
    let exact = candidates.first { $0.architecture == architecture }
    // apt writes packages for all architectures as native ones, dpkg the other way round.
    let alike: Set<String> = ["all", native]
    return
      (exact
      ?? candidates.first {
        alike.contains($0.architecture) && alike.contains(architecture)
      })?.step
  }

  /// The step whose archive lies at a path, as an error of dpkg names it.
  ///
  /// apt hands over more than five archives as links `7-name_version_arch.deb`, with the colon of an
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
    return step(of: DpkgPackageName(String(first), architecture: architecture))
  }

  /// The step meant by a word that is a package's name or the name of an archive.
  package func step(named word: some StringProtocol) -> Int? {
    if word.hasSuffix(".deb") || word.contains("/") { return step(ofArchive: word) }
    return DpkgPackageName(Substring(word)).flatMap { step(of: $0) }
  }
}

extension PlannedUpdate {
  /// The name that apt gives the archive in its folder: colons of epochs are quoted.
  ///
  /// A local file, whatever its own name is, is copied there under this one and handed to dpkg from
  /// there, because jobs have apt copy what `file:` names (`AptConfiguration`; measured with apt 2.6).
  var archiveName: String {
    "\(name)_\((toVersion ?? "").replacing(":", with: "%3a"))_\(architecture).deb"
  }
}
