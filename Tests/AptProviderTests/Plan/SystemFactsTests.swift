import InstallJobs
import PackageProvider
import Support
import Testing

@testable import AptProvider

@Suite struct `What apt and a root's system tell of themselves` {
  @Test func `S4, S6, S10: versions, what is half done, and when the index came`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let provider = try repository.provider()
    var facts = try await provider.systemFacts()
    for tool in ["apt", "dpkg"] {
      let said = try await ToolOutput.of(["/usr/bin/\(tool)", "--version"]).output
      let version = try #require(facts.toolVersions[tool])
      #expect(
        said.split { " ()\n.".contains($0) && $0 != "." }.contains {
          $0 == version || $0 == version + "."
        })
    }
    #expect(facts.unfinishedPackages == [])
    #expect(facts.lastRefreshedAt != nil)
    try await repository.run(
      [
        "/usr/bin/dpkg", "--unpack", "--root=\(repository.root)", "--force-not-root",
        "--force-script-chrootless", repository.archive("alpha"),
      ]
    ).expectSuccess("unpack")
    facts = try await provider.systemFacts()
    #expect(facts.unfinishedPackages == ["alpha"])
  }

  @Test(.timeLimit(.minutes(10)), .endsOrAborts)
  func `S6: while another process works nothing is said of what is half done`() async throws {
    let repository = try await PackageRepository([.held("slow")])
    let provider = try repository.provider()
    async let work = repository.apt("install", "slow")
    try await eventually("the script") { TestFolder.exists(repository.root + "/at-slow") }
    #expect(try await provider.systemFacts().unfinishedPackages == nil)
    try TestFolder.write("", to: repository.root + "/go-slow")
    try await work.expectSuccess("apt-get")
    #expect(try await provider.systemFacts().unfinishedPackages == [])
  }

  @Test func `S10: a root that never fetched an index has no time for it`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    for name in TestFolder.names(in: repository.root + "/var/lib/apt/lists") {
      TestFolder.remove(repository.root + "/var/lib/apt/lists/" + name)
    }
    #expect(try await repository.provider().systemFacts().lastRefreshedAt == nil)
  }

  @Test func `S2: the system's name and its maker's link are read as a shell reads them`() {
    let release = OSRelease(
      parsing: """
        # A comment
        PRETTY_NAME="Some \\"Linux\\" 12"
        SUPPORT_URL='https://help.example.org/?a=b'
        ID=some
        EMPTY=
        nonsense
        """)
    #expect(release["PRETTY_NAME"] == "Some \"Linux\" 12")
    #expect(release["SUPPORT_URL"] == "https://help.example.org/?a=b")
    #expect(release["ID"] == "some")
    #expect(release["EMPTY"] == nil)
    #expect(release["HOME_URL"] == nil)
    #expect(
      OSRelease(parsing: "PRETTY_NAME=\"a\u{1B}[2Jb\"")["PRETTY_NAME"]?.contains("\u{1B}") == false)
  }
}
