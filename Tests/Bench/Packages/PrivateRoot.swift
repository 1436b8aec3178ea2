internal import Glibc

/// A private package root that a section made for itself, and the machine's own tools on it.
struct PrivateRoot: ProvingRoot {
  /// Its absolute path.
  let path: String
  private let owner: RootOwner
  private let log: String
  private let configuration: String

  /// Makes an empty root with one source and lets it read that source's index.
  ///
  /// - Parameters:
  ///   - home: A folder of the owner's.
  ///   - source: The line of `sources.list`.
  ///   - owner: Whose it is.
  ///   - log: A file for what tools print.
  /// - Throws: ``CannotMeasure`` when it cannot be made.
  init(in home: String, source: String, owner: RootOwner, log: String) async throws {
    path = home + "/root"
    configuration = home + "/apt.conf"
    self.owner = owner
    self.log = log
    var made: Set<String> = []
    for folder in Self.folders {
      var part = home
      for word in ["root"] + folder.split(separator: "/").map(String.init) {
        part += "/" + word
        guard made.insert(part).inserted else { continue }
        guard unsafe mkdir(part, 0o755) == 0 else {
          throw CannotMeasure("cannot make the folder '\(part)'")
        }
        try owner.give(part)
      }
    }
    try write("", "root/.fettle-root", in: home)
    try write("", "root/var/lib/dpkg/status", in: home)
    try write("", "root/" + PackageRecipe.traceName, in: home)
    try write(source + "\n", "root/etc/apt/sources.list", in: home)
    let options = dpkgOptions.map { "DPkg::Options:: \"\($0)\";\n" }.joined()
    try write(
      """
      Dir "\(path)/";
      Dir::State::status "\(path)/var/lib/dpkg/status";
      Dir::Bin::dpkg "/usr/bin/dpkg";
      APT::Sandbox::User "root";
      DPkg::Use-Pty "0";
      Acquire::Languages "none";
      \(options)
      """, "apt.conf", in: home)
    _ = try await run(["/usr/bin/apt-get", "-q", "update"])
  }

  /// A root whose folder was copied with all in it.
  init(copyOf root: PrivateRoot, in home: String) {
    path = home + "/root"
    owner = root.owner
    log = root.log
    configuration = root.configuration
  }

  // MARK: What the machine's tools say

  var offered: [String] { PackageRecipe.all.map(\.name) }

  func installed() async throws -> InstalledPackages {
    InstalledPackages(
      printed: try await run([
        "/usr/bin/dpkg-query", "--admindir=\(path)/var/lib/dpkg", "-W",
        "-f", InstalledPackages.format,
      ]))
  }

  func audit() async throws -> String {
    try await run(["/usr/bin/dpkg"] + dpkgOptions + ["--audit"])
  }

  /// Takes packages away again, without the product.
  ///
  /// - Throws: ``CannotMeasure`` when dpkg fails.
  func purge(_ names: Set<String>) async throws {
    guard !names.isEmpty else { return }
    _ = try await run(["/usr/bin/dpkg"] + dpkgOptions + ["--purge"] + names.sorted())
  }

  var configurations: [String: Int] {
    PackageRecipe.configurations(in: SmallFile.text("\(path)/\(PackageRecipe.traceName)") ?? "")
  }

  // MARK: Running tools

  /// The environment of the machine's tools.
  static let environment = [
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/",
    "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
  ]

  private static let folders = [
    "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers",
    "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt",
    "etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d",
    "etc/apt/trusted.gpg.d", "run", "tmp",
  ]

  private var dpkgOptions: [String] {
    [
      "--root=\(path)", "--force-script-chrootless", "--force-not-root",
      "--log=\(path)/var/log/dpkg.log",
    ]
  }

  private func run(_ words: [String]) async throws -> String {
    try await ChildProgram.run(owner.prefix + words, environment: settings, log: log)
  }

  private var settings: [String: String] {
    Self.environment.merging(["APT_CONFIG": configuration]) { $1 }
  }

  /// Starts one of the machine's tools with the root's settings, as its owner.
  ///
  /// - Parameters:
  ///   - words: The executable's absolute path, then its arguments.
  ///   - log: A file for its output.
  /// - Returns: The running tool.
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  func start(_ words: [String], log: String) throws(CannotMeasure) -> ChildProgram {
    try ChildProgram(owner.prefix + words, environment: settings, log: log)
  }

  /// Frees the archives that apt has fetched.
  ///
  /// - Throws: ``CannotMeasure`` when it fails.
  func dropArchives() async throws { _ = try await run(["/usr/bin/apt-get", "clean"]) }

  private func write(_ text: String, _ name: String, in home: String) throws(CannotMeasure) {
    try SmallFile.write(text, to: "\(home)/\(name)")
    try owner.give("\(home)/\(name)")
  }
}
