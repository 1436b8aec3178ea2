import Support
import Testing

@testable import AptProvider

@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `A changed copy of dpkg's status file` {
  private struct Kind: Sendable, Hashable {
    var architecture: String
    var multiArch: String
  }

  /// One package's way from one instance to another.
  private struct Case: Sendable {
    var old: Kind
    var new: Kind
    var isRemovedBefore = false
  }

  private static let kinds: [Kind] = [
    Kind(architecture: "all", multiArch: "no"), Kind(architecture: "all", multiArch: "foreign"),
    Kind(architecture: "native", multiArch: "no"),
    Kind(architecture: "native", multiArch: "same"),
    Kind(architecture: "foreign", multiArch: "no"),
    Kind(architecture: "foreign", multiArch: "same"),
  ]

  private static let cases: [Case] = {
    var cases: [Case] = []
    for old in kinds {
      for new in kinds {
        cases.append(Case(old: old, new: new, isRemovedBefore: true))
        // dpkg does not configure two instances of different versions.
        let areTwo = old.multiArch == "same" && new.multiArch == "same" && old != new
        if !areTwo { cases.append(Case(old: old, new: new)) }
      }
    }
    return cases
  }()

  private static func fixture(
    _ index: Int, _ version: String, _ kind: Kind
  ) -> PackageFixture {
    PackageFixture(
      "sw\(index)", version, architecture: kind.architecture,
      fields: ["Multi-Arch": kind.multiArch], scripts: [.postrm: "true"])
  }

  @Test func `has what dpkg has after each change of architecture`() async throws {
    let fixtures = Self.cases.enumerated().flatMap { index, it in
      [Self.fixture(index, "1.0", it.old), Self.fixture(index, "2.0", it.new)]
    }
    let repository = try await PackageRepository(fixtures, isMultiarch: true)
    let cases = Array(Self.cases.enumerated())
    let removed = cases.filter(\.element.isRemovedBefore).map { number, it in
      let isForeign = it.old.architecture == "foreign"
      return "sw\(number)" + (isForeign ? ":" + repository.foreignArchitecture : "")
    }
    let old = cases.map { repository.archive("sw\($0)", architecture: $1.old.architecture) }
    let new = cases.map { repository.archive("sw\($0)", "2.0", architecture: $1.new.architecture) }
    func dpkg(_ action: String, _ arguments: [String]) async throws {
      let options = ["--root=\(repository.root)", "--force-script-chrootless", "--force-not-root"]
      try await repository.run(
        ["/usr/bin/dpkg"] + options + ["--log=/dev/null", action] + arguments
      ).expectSuccess("dpkg \(action)")
    }
    try await dpkg("--install", old)
    try await dpkg("--remove", removed)
    let database = repository.root + "/var/lib/dpkg/status"
    var status = StatusFile(
      try #require(TestFolder.text(of: database)), nativeArchitecture: repository.architecture)
    for archive in new {
      let fields = try await ToolOutput.of(["/usr/bin/dpkg-deb", "-f", archive]).output
      status.install(try #require(StatusFile(fields).stanzas.first))
    }
    try await dpkg("--install", new)
    let found = StatusFile(try #require(TestFolder.text(of: database)))
    #expect(instances(status) == instances(found))
  }

  private func instances(_ status: StatusFile) -> [String] {
    status.stanzas.map { stanza in
      ["Package", "Architecture", "Version", "Status"].map { stanza[$0] ?? "" }
        .joined(separator: " ")
    }.sorted()
  }

  @Test func `keeps a hold, and finds an instance by its architecture`() {
    var status = StatusFile(
      """
      Package: lib
      Status: hold ok half-configured
      Architecture: amd64
      Multi-Arch: same
      Version: 1

      Package: lib
      Status: install ok installed
      Architecture: i386
      multi-arch: same
      Version: 1
      """, nativeArchitecture: "amd64")
    status.configure("lib", "all")
    status.remove("lib", "i386")
    #expect(
      instances(status)
        == ["lib amd64 1 hold ok installed", "lib i386 1 deinstall ok config-files"])
    status.purge("lib", "i386")
    // Nothing of that architecture is left.
    status.purge("lib", "i386")
    status.install(
      StatusFile("Package: lib\nVersion: 2\nArchitecture: all\nTriggers-Pending: /x\n y\n")
        .stanzas[0])
    #expect(instances(status) == ["lib all 2 hold ok installed"])
    #expect(!status.text.contains("/x") && !status.text.contains(" y\n"))
  }
}
