internal import Glibc

/// A package repository of fixtures with a fresh private root on it, in a folder of its own.
///
/// Everything belongs to ``TestUser`` and is removed with the value. apt and dpkg are the machine's
/// own; nothing outside the folder is touched.
package final class PackageRepository: Sendable {
  package let folder: TestFolder
  /// The native architecture, and one more that the root accepts when it was asked for.
  package let architecture: String
  package let foreignArchitecture: String

  /// The folder of archives and index.
  package var path: String { folder.path("repository") }
  /// The private root, marked as such.
  package var root: String { folder.path("root") }
  /// The configuration under which ``apt(_:)`` runs.
  package var configuration: String { folder.path("apt.conf") }

  /// Builds archives, index and root, and lets the root read the index.
  ///
  /// - Parameters:
  ///   - fixtures: The packages on offer; other architectures' ones are offered only with
  ///     `isMultiarch`.
  ///   - isMultiarch: Whether the root accepts the foreign architecture too.
  ///   - pause: Seconds that scripts of the slow standard fixtures take.
  /// - Throws: `FixtureError`, saying which tool failed.
  package init(
    _ fixtures: [PackageFixture]? = nil, isMultiarch: Bool = false, pause: Double = 0
  ) async throws {
    folder = try TestFolder()
    let native = try await ToolOutput.of(["/usr/bin/dpkg", "--print-architecture"])
    architecture = String(native.output.prefix { !$0.isWhitespace })
    foreignArchitecture = architecture == "i386" ? "amd64" : "i386"
    try makeRoot(isMultiarch: isMultiarch)
    try await publish(fixtures ?? PackageFixture.standard(pause: pause))
  }

  /// Replaces what the repository offers and lets the root read the new index.
  package func publish(_ fixtures: [PackageFixture]) async throws {
    try await write(fixtures, to: path)
    try await refresh()
  }

  /// Replaces what a release offers, a source of its own, and lets the root read the new index.
  ///
  /// - Parameters:
  ///   - fixtures: The packages of the release.
  ///   - suite: The release's suite; its codename has `test` in place of `stable`.
  /// - Throws: `FixtureError`, saying which tool failed.
  package func publish(_ fixtures: [PackageFixture], suite: String) async throws {
    let path = folder.path(suite)
    try await write(fixtures, to: path)
    let hash = try await ToolOutput.of(["/usr/bin/sha256sum", path + "/Packages"]).output.prefix(64)
    let size = try await ToolOutput.of(["/usr/bin/stat", "-c", "%s", path + "/Packages"]).output
    try TestFolder.write(
      """
      Origin: Tests
      Suite: \(suite)
      Codename: \(suite.replacing("stable", with: "test"))
      Date: Sat, 01 Jan 2022 00:00:00 UTC
      SHA256:
       \(hash) \(size.prefix { $0 != "\n" }) Packages

      """, to: path + "/Release")
    try TestFolder.write(
      "deb [trusted=yes] copy:\(path) ./\n", to: root + "/etc/apt/sources.list.d/\(suite).list")
    try await refresh()
  }

  private func write(_ fixtures: [PackageFixture], to path: String) async throws {
    TestFolder.remove(path)
    try TestFolder.makeFolder(path)
    var index = ""
    for fixture in fixtures {
      let architecture = resolved(fixture.architecture)
      let archive = try await FixtureArchives.shared.archive(
        of: fixture, architecture: architecture)
      let name = fixture.fileName(architecture: architecture)
      let target = path + "/" + name
      guard unsafe link(archive.path, target) == 0 else {
        throw FixtureError("cannot link \(target)")
      }
      let hash =
        fixture.hasWrongHash ? String(repeating: "0", count: 64) : archive.sha256
      index += archive.control + "Filename: ./\(name)\nSize: \(archive.size)\nSHA256: \(hash)\n\n"
    }
    try TestFolder.write(index, to: path + "/Packages")
  }

  /// Lets the root read the index as it now is.
  package func refresh() async throws {
    // The index is compared by its time of change, which has whole seconds in apt's eyes.
    for name in TestFolder.names(in: root + "/var/lib/apt/lists")
    where name.hasSuffix("Packages") || name.hasSuffix("Release") {
      TestFolder.remove(root + "/var/lib/apt/lists/" + name)
    }
    try await apt("update").expectSuccess("apt-get update")
  }

  /// The path of a fixture's archive in the repository.
  package func archive(_ name: String, _ version: String = "1.0", architecture: String = "all")
    -> String
  {
    "\(path)/\(name)_\(version)_\(resolved(architecture)).deb"
  }

  /// Runs `apt-get` on the root as the test user, without any part of the product.
  @discardableResult
  package func apt(_ arguments: String...) async throws -> ToolOutput {
    try await run(["/usr/bin/apt-get", "-q", "-y"] + arguments)
  }

  /// Runs `dpkg` on the root as the test user.
  @discardableResult
  package func dpkg(_ arguments: String...) async throws -> ToolOutput {
    try await run(["/usr/bin/dpkg"] + dpkgOptions + arguments)
  }

  /// Runs any program as the test user, under the root's configuration.
  package func run(_ command: [String]) async throws -> ToolOutput {
    var environment = ToolOutput.plain
    environment["APT_CONFIG"] = configuration
    return try await TestUser.run(command, environment: environment)
  }

  /// dpkg's state word and version of a package (`installed 1.0`), or `absent`.
  package func state(of name: String) async throws -> String {
    let answer = try await run([
      "/usr/bin/dpkg-query", "--admindir=\(root)/var/lib/dpkg", "-W",
      "-f", "${db:Status-Status} ${Version}", name,
    ])
    return answer.status == 0 ? answer.output : "absent"
  }

  /// What `dpkg --audit` says of the root; empty when all is well.
  package func audit() async throws -> String { try await dpkg("--audit").output }

  /// Cuts an archive in half, keeping its name.
  package func damage(_ archive: String) throws {
    guard let file = unsafe fopen(archive, "rb") else { throw FixtureError("no \(archive)") }
    var bytes = [UInt8](repeating: 0, count: 400)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, 400, file) }
    unsafe fclose(file)
    try TestFolder.write(Array(bytes.prefix(count / 2)), to: archive)
  }

  private var dpkgOptions: [String] {
    [
      "--root=\(root)", "--force-script-chrootless", "--force-not-root",
      "--log=\(root)/var/log/dpkg.log",
    ]
  }

  private func resolved(_ architecture: String) -> String {
    switch architecture {
    case "native": self.architecture
    case "foreign": foreignArchitecture
    default: architecture
    }
  }

  private func makeRoot(isMultiarch: Bool) throws {
    for name in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers",
      "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt",
      "etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d",
      "etc/apt/trusted.gpg.d", "run",
    ] {
      try TestFolder.makeFolder(root + "/" + name)
    }
    try TestFolder.write("", to: root + "/.fettle-root")
    try TestFolder.write("", to: root + "/var/lib/dpkg/status")
    if isMultiarch {
      let list = "\(architecture)\n\(foreignArchitecture)\n"
      try TestFolder.write(list, to: root + "/var/lib/dpkg/arch")
    }
    try TestFolder.write(
      "deb [trusted=yes] copy:\(path) ./\n", to: root + "/etc/apt/sources.list")
    let options = dpkgOptions.map { "DPkg::Options:: \"\($0)\";\n" }.joined()
    try TestFolder.write(
      """
      Dir "\(root)/";
      Dir::State::status "\(root)/var/lib/dpkg/status";
      Dir::Bin::dpkg "/usr/bin/dpkg";
      APT::Sandbox::User "root";
      DPkg::Use-Pty "0";
      Acquire::Languages "none";
      \(options)
      """, to: configuration)
  }
}
