import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

/// What a search finds in a real index and a real package database.
@Suite struct `A search with apt` {
  private func repository(_ fixtures: PackageFixture...) async throws -> PackageRepository {
    try await PackageRepository(fixtures)
  }

  private let alpha = PackageFixture(
    "alpha", "2.0",
    fields: [
      "Section": "net", "Homepage": "https://alpha.example.org/", "X-Fixture": "kept as it is",
      "Replaces": "old-alpha (<< 2), older-alpha",
      "Description": "the first letter\n Written by c++ people.\n .\n Second part",
    ])

  private func search(
    _ criteria: UpdateCriteria, in repository: PackageRepository
  ) async throws -> UpdateSearchResult {
    try await repository.provider().search(criteria, keptIn: repository.folder.path("state"))
  }

  private func details(
    _ name: String, in repository: PackageRepository
  ) async throws -> UpdateDetails {
    let result = try await search(UpdateCriteria(names: [name]), in: repository)
    #expect(result.warnings.isEmpty)
    #expect(result.updates.count == 1)
    return try #require(result.updates.first)
  }

  @Test func `U1, U3, U4, U5, U17, U36, U38, U41: tells what the package says of itself`()
    async throws
  {
    let repository = try await repository(alpha)
    let found = try await details("alpha", in: repository)
    #expect(found.id == "alpha:all=2.0")
    #expect(found.update == Update("alpha", version: "2.0", architecture: "all"))
    #expect(found.title == "the first letter")
    #expect(found.description == "Written by c++ people.\n\nSecond part")
    #expect(found.homepage == "https://alpha.example.org/")
    #expect(found.section == "net")
    #expect(found.otherFields["X-Fixture"] == "kept as it is")
    let index = try #require(TestFolder.text(of: repository.path + "/Packages"))
    func number(_ field: String) -> Int64? {
      index.split(separator: "\n").first { $0.hasPrefix("\(field): ") }
        .flatMap { Int64($0.dropFirst(field.count + 2)) }
    }
    #expect(found.downloadSize == number("Size"))
    #expect(found.installedSize == number("Installed-Size").map { $0 * 1024 })
    #expect(found.isCandidate)
    #expect(!found.isPresent)
  }

  @Test func `U2: versions of one package come newest first, by dpkg's rules`() async throws {
    let versions = ["1.0~rc1", "1.10", "1.0", "1:0.1", "1.9"]
    let repository = try await PackageRepository(versions.map { PackageFixture("alpha", $0) })
    let found = try await search(
      UpdateCriteria(names: ["alpha"], includesAllVersions: true), in: repository
    ).updates
    #expect(found.map(\.version) == ["1:0.1", "1.10", "1.9", "1.0", "1.0~rc1"])
    #expect(found.map(\.isCandidate) == [true, false, false, false, false])
  }

  @Test func `U6: an archive counts as downloaded only as the index has it`() async throws {
    let repository = try await repository(alpha)
    #expect(try await details("alpha", in: repository).presence.isDownloaded == false)
    let archive = repository.archive("alpha", "2.0")
    let cached = repository.root + "/var/cache/apt/archives/alpha_2.0_all.deb"
    try await repository.run(["/bin/cp", archive, cached]).expectSuccess("cp")
    #expect(try await details("alpha", in: repository).presence.isDownloaded)
    // The last byte, so that the size stays.
    try await repository.run([
      "/bin/sh", "-c", "head -c -1 \"$0\" > \"$1\" && printf X >> \"$1\"", archive, cached,
    ]).expectSuccess("damage")
    #expect(try await details("alpha", in: repository).presence.isDownloaded == false)
  }

  @Test func `U6: an archive that a job keeps counts as downloaded`() async throws {
    let repository = try await repository(alpha)
    let kept = repository.folder.path("state/jobs/7/archives")
    try TestFolder.makeFolder(kept)
    try await repository.run(
      ["/bin/cp", repository.archive("alpha", "2.0"), kept + "/alpha_2.0_all.deb"]
    ).expectSuccess("cp")
    #expect(try await details("alpha", in: repository).presence.isDownloaded)
  }

  @Test func `U7, U8: installed is this version, present is anything of the package`()
    async throws
  {
    let conf = PackageFixture(
      "conf", "1.0", files: [.init("etc/conf.conf", "a\n")], conffiles: ["/etc/conf.conf"])
    let repository = try await repository(conf)
    try await repository.apt("install", "conf").expectSuccess("install")
    var found = try await details("conf", in: repository)
    #expect(found.isInstalled)
    #expect(found.isPresent)
    #expect(!found.isUpgrade)
    try await repository.publish([
      PackageFixture(
        "conf", "2.0", files: [.init("etc/conf.conf", "a\n")], conffiles: ["/etc/conf.conf"])
    ])
    found = try await details("conf", in: repository)
    #expect(found.version == "2.0")
    #expect(found.presence.installedVersion == "1.0")
    #expect(!found.isInstalled)
    #expect(found.isUpgrade)
    try await repository.apt("remove", "conf").expectSuccess("remove")
    found = try await details("conf", in: repository)
    #expect(!found.isInstalled)
    #expect(found.presence.installedVersion == nil)
    #expect(found.isPresent, "its configuration is left")
    try await repository.apt("purge", "conf").expectSuccess("purge")
    #expect(try await !details("conf", in: repository).isPresent)
  }

  @Test func `U8: each architecture of a package stands for itself`() async throws {
    let repository = try await PackageRepository(
      ["native", "foreign"].map {
        PackageFixture("multi", architecture: $0, fields: ["Multi-Arch": "same"])
      }, isMultiarch: true)
    let foreign = repository.foreignArchitecture
    try await repository.apt("install", "multi:\(foreign)").expectSuccess("install")
    let found = try await search(UpdateCriteria(names: ["multi"]), in: repository).updates
    #expect(
      Set(found.map(\.architecture)) == [repository.architecture, foreign])
    for details in found { #expect(details.isInstalled == (details.architecture == foreign)) }
  }

  @Test func `U9: what the machine cannot do without is not to be removed`() async throws {
    let repository = try await repository(
      PackageFixture("ess", fields: ["Essential": "yes"]), PackageFixture("delta"))
    try await repository.apt("install", "ess", "delta").expectSuccess("install")
    #expect(try await !details("ess", in: repository).isUninstallable)
    #expect(try await details("delta", in: repository).isUninstallable)
  }

  @Test func `U12: a hold is told`() async throws {
    let repository = try await repository(alpha)
    try await repository.apt("install", "alpha").expectSuccess("install")
    #expect(try await !details("alpha", in: repository).presence.isHeld)
    try await repository.run([
      "/bin/sh", "-c", "echo alpha hold | dpkg --root=\"$0\" --set-selections", repository.root,
    ]).expectSuccess("hold")
    #expect(try await details("alpha", in: repository).presence.isHeld)
  }

  @Test func `U35: names what it takes files over from`() async throws {
    let repository = try await repository(alpha)
    #expect(
      try await details("alpha", in: repository).replaces == ["old-alpha", "older-alpha"])
  }

  @Test func `U43, U44: tells versions that are not final, and languages`() async throws {
    let repository = try await repository(
      PackageFixture("alpha", "1.0~rc1"), PackageFixture("backported", "1.0~deb12u1"),
      PackageFixture("alpha-l10n-de"))
    #expect(try await details("alpha", in: repository).isPrerelease)
    #expect(try await !details("backported", in: repository).isPrerelease)
    #expect(try await details("alpha-l10n-de", in: repository).languages == ["de"])
    #expect(try await details("alpha", in: repository).languages.isEmpty)
  }

  // MARK: Criteria (row S8)

  @Test(arguments: [
    ("it's", ["beta"]), ("<html>", ["beta"]), ("html", ["beta"]), ("[a-z]", ["beta"]),
    ("^x\\$", ["beta"]), ("c++ people", ["alpha"]), ("C++", ["alpha"]), ("c+", ["alpha", "beta"]),
    ("c+ people", ["alpha"]),
    (".*", []), ("^alpha$", []), ("first nothing", []), ("  ", ["alpha", "beta", "delta"]),
  ])
  func `S8: words are words, and all of them must stand there`(
    text: String, names: [String]
  ) async throws {
    let repository = try await repository(
      alpha, PackageFixture("delta"),
      PackageFixture("beta", fields: ["Description": "made with c+, it's <html> [a-z] ^x\\$"]))
    let found = try await search(UpdateCriteria(text: text), in: repository)
    #expect(found.updates.map(\.name) == names)
    #expect(found.warnings.isEmpty)
  }

  @Test func `S8: each criterion narrows the answer`() async throws {
    let repository = try await repository(
      alpha, PackageFixture("beta", "1.0", fields: ["Section": "libs"]), PackageFixture("delta"))
    try await repository.apt("install", "beta", "delta").expectSuccess("install")
    try await repository.publish([
      alpha, PackageFixture("beta", "2.0", fields: ["Section": "libs"]), PackageFixture("delta"),
    ])
    func names(_ criteria: UpdateCriteria) async throws -> [String] {
      try await search(criteria, in: repository).updates.map { "\($0.name)=\($0.version)" }
    }
    #expect(try await names(UpdateCriteria()) == ["alpha=2.0", "beta=2.0", "delta=1.0"])
    #expect(try await names(UpdateCriteria(isInstalled: true)) == ["beta=1.0", "delta=1.0"])
    #expect(try await names(UpdateCriteria(isInstalled: false)) == ["alpha=2.0", "beta=2.0"])
    #expect(try await names(UpdateCriteria(isUpgrade: true)) == ["beta=2.0"])
    #expect(try await names(UpdateCriteria(section: "net")) == ["alpha=2.0"])
    #expect(try await names(UpdateCriteria(names: ["beta", "nothing"])) == ["beta=2.0"])
    #expect(try await names(UpdateCriteria(text: "letter", names: ["beta"])).isEmpty)
    #expect(
      try await names(UpdateCriteria(names: ["beta"], includesAllVersions: true))
        == ["beta=2.0", "beta=1.0"])
    #expect(try await names(UpdateCriteria(isSecurity: true)).isEmpty)
  }

  @Test func `U26: an archive of security updates is told by its name`() async throws {
    let repository = try await repository(PackageFixture("alpha", "1.0"))
    let security = repository.folder.path("debian-security")
    try await repository.run(["/bin/cp", "-r", repository.path, security]).expectSuccess("cp")
    let sources = repository.root + "/etc/apt/sources.list"
    try TestFolder.write("deb [trusted=yes] copy:\(security) ./\n", to: sources)
    try await repository.refresh()
    let found = try await search(UpdateCriteria(isSecurity: true), in: repository).updates
    #expect(found.map(\.name) == ["alpha"])
  }

  @Test func `S8: an answer that is not whole says so`() async throws {
    let repository = try await repository(alpha, PackageFixture("beta"), PackageFixture("delta"))
    let result = try await search(UpdateCriteria(limit: 2), in: repository)
    #expect(result.updates.map(\.name) == ["alpha", "beta"])
    #expect(result.warnings.map(\.code) == [.tooManyMatches])
    #expect(result.warnings.map(\.context) == [.incompleteSearch])
    #expect(try await search(UpdateCriteria(limit: 3), in: repository).warnings.isEmpty)
  }

  // MARK: Warnings

  @Test func `V1, V2, V3, V4: a source that was not fetched is one warning, and the rest is found`()
    async throws
  {
    let repository = try await repository(alpha)
    let sources = repository.root + "/etc/apt/sources.list"
    let known = try #require(TestFolder.text(of: sources))
    let missing = (1...2).map { "deb [trusted=yes] http://user:secret@127.0.0.1:9/\($0) x main" }
    try TestFolder.write(known + missing.joined(separator: "\n") + "\n", to: sources)
    let result = try await search(UpdateCriteria(), in: repository)
    #expect(result.updates.map(\.name) == ["alpha"])
    #expect(result.warnings.map(\.code) == [.missingIndex, .missingIndex])
    #expect(result.warnings.map(\.context) == [.incompleteSearch, .incompleteSearch])
    #expect(
      result.warnings.map(\.message)
        == [1, 2].map {
          "the index of http://127.0.0.1:9/\($0) x main is not there: what it has was not looked at"
        })
    try TestFolder.write(known + missing[0] + "\n", to: sources)
    #expect(
      try await search(UpdateCriteria(), in: repository).warnings
        == Array(result.warnings.prefix(1)))
  }

  @Test func `V1, V3: a record that cannot be read is left out with a warning`() async throws {
    let repository = try await repository(alpha, PackageFixture("omega"))
    let index = repository.path + "/Packages"
    let known = try #require(TestFolder.text(of: index))
    try TestFolder.write(
      known.replacing("Package: omega\nVersion: 1.0", with: "Package: omega\nVersion: 1_0"),
      to: index)
    try await repository.refresh()
    let result = try await search(UpdateCriteria(), in: repository)
    #expect(result.updates.map(\.name) == ["alpha"])
    #expect(result.warnings.map(\.code) == [.unreadableRecord])
    #expect(result.warnings.first?.context == .incompleteSearch)
    #expect(
      result.warnings.first?.message
        == "records of the index cannot be read and are left out: 1, the first of 'omega'")
  }

  @Test func `V1: a record that runs into the next one is left out with a warning`() async throws {
    let repository = try await repository(
      alpha, PackageFixture("omega", fields: ["X-Last": "x\r"]), PackageFixture("zeta"))
    let index = repository.path + "/Packages"
    let known = try #require(TestFolder.text(of: index))
    // apt prints no empty line behind it where it is the last line of its record.
    var omega = known.split(separator: "\n\n").map(String.init)
    let place = try #require(omega.firstIndex { $0.hasPrefix("Package: omega") })
    omega[place] = omega[place].replacing("X-Last: x\r\n", with: "") + "\nX-Last: x\r"
    try TestFolder.write(omega.joined(separator: "\n\n") + "\n\n", to: index)
    try await repository.refresh()
    let result = try await search(UpdateCriteria(), in: repository)
    #expect(result.updates.map(\.name).first == "alpha")
    #expect(result.warnings.map(\.code) == [.unreadableRecord])
    #expect(result.warnings.first?.message.contains("'omega'") == true)
  }

  @Test func `of packages that it replaces there are as many as people read`() async throws {
    let many = (0..<20_000).map { "old\($0)" }.joined(separator: ", ")
    let repository = try await repository(PackageFixture("alpha", fields: ["Replaces": many]))
    #expect(try await details("alpha", in: repository).replaces.count == 1000)
  }

  @Test func `V1: without any source a search says that it looked nowhere`() async throws {
    let repository = try await repository(alpha)
    try TestFolder.write("", to: repository.root + "/etc/apt/sources.list")
    let result = try await search(UpdateCriteria(), in: repository)
    #expect(result.updates.isEmpty)
    #expect(result.warnings.map(\.code) == [.missingIndex])
  }

  @Test func `sources that cannot be read are an error, not an empty answer`() async throws {
    let repository = try await repository(alpha)
    try TestFolder.write("deb nonsense\n", to: repository.root + "/etc/apt/sources.list")
    let provider = try repository.provider()
    let error = await #expect(throws: InstallationError.self) {
      try await provider.search(UpdateCriteria(), keptIn: repository.folder.path("state"))
    }
    #expect(error?.message.contains("sources.list") == true)
  }
}
