import AptProvider
import Foundation
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `Planning repairs` {
  @Test func `a sound root needs no repair`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha").expectSuccess("alpha")
    #expect(try await repository.plan(.repair).steps.isEmpty)
    let named = try await repository.plan(.repair, "alpha")
    #expect(named.requests.first?.note == .alreadyInstalled)
    #expect(try await repository.refusal(.repair, "beta")?.code == .notApplicable)
  }

  @Test func `D21: what was only unpacked is configured`() async throws {
    let repository = try await PackageRepository()
    try await repository.dpkg("--unpack", repository.archive("alpha")).expectSuccess("dpkg")
    let (plan, work) = try await repository.perform(.repair)
    #expect(plan.summary == ["configure alpha 1.0"])
    #expect(plan.archives.isEmpty)
    #expect(work.status == 0, "\(work.output)")
    try await repository.dpkg("--configure", "-a").expectSuccess("dpkg")
    let found = try await repository.provider().verify(plan)
    #expect(found.findings.first?.isAsPlanned == true)
    #expect(found.audit.isEmpty)
  }

  @Test func `D21: a broken unpack is mended by its archive`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha=1.0", "beta").expectSuccess("alpha")
    try breakUnpack(of: "beta", in: repository)
    #expect(try await !repository.audit().isEmpty)
    let (plan, work) = try await repository.perform(.repair)
    #expect(plan.summary == ["reinstall beta 1.0"])
    #expect(plan.archives.count == 1)
    #expect(work.status == 0, "\(work.output)")
    #expect(try await repository.state(of: "beta") == "installed 1.0")
    #expect(try await repository.state(of: "alpha") == "installed 1.0")
    #expect(try await repository.audit().isEmpty)
  }

  @Test func `D21: a broken unpack without a list of files is no package of the host's`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.apt("install", "beta").expectSuccess("beta")
    try breakUnpack(of: "beta", in: repository)
    // dpkg was killed after it had begun to write the list.
    try TestFolder.write("", to: repository.root + "/var/lib/dpkg/info/beta.list")
    let (plan, work) = try await repository.perform(.repair)
    #expect(plan.summary == ["reinstall beta 1.0"])
    #expect(work.status == 0, "\(work.output)")
    #expect(try await repository.state(of: "beta") == "installed 1.0")
    #expect(try await repository.audit().isEmpty)
  }

  @Test func `what is half done is the reason why it cannot be installed again`() async throws {
    let repository = try await PackageRepository()
    try await repository.dpkg("--unpack", repository.archive("alpha")).expectSuccess("dpkg")
    let refusal = try #require(try await repository.refusal(.reinstall, "alpha"))
    #expect(refusal.message.hasPrefix("cannot install 'alpha' again: "))
    #expect(refusal.hint?.contains("doctor --repair") == true)
  }

  @Test func `a plan that earlier work has spoilt names what that left half done`() async throws {
    let repository = try await PackageRepository()
    let request = JobRequest(.install, [Update("beta")])
    let plan = try await repository.planner().plan(request)
    try await repository.dpkg("--unpack", repository.archive("alpha")).expectSuccess("dpkg")
    let thrown = await #expect(throws: InstallationError.self) {
      try await repository.planner().recheck(plan, for: request)
    }
    let error = try #require(thrown)
    #expect(error.code == .planOutOfDate && error.message.contains("alpha"))
    #expect(error.message.contains("apt would work on it, too"), "\(error)")
    #expect(error.hint?.contains("doctor --repair") == true)
  }

  @Test func `a plan says of what it completes first that nothing may be done where that fails`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.dpkg("--unpack", repository.archive("alpha")).expectSuccess("dpkg")
    let plan = try await repository.plan(.install, "delta")
    let warning = try #require(plan.warnings.first)
    #expect(warning.code == .unfinishedPackage)
    #expect(warning.message.contains("apt completes that first"), "\(warning)")
    #expect(warning.message.contains("'fettle doctor --repair'"))
  }

  @Test func `what an interrupted dpkg noted can be taken away, and nothing else is done`()
    async throws
  {
    let repository = try await PackageRepository()
    try await repository.dpkg("--unpack", repository.archive("beta")).expectSuccess("dpkg")
    let path = repository.root + "/var/lib/dpkg/status"
    let note = try #require(TestFolder.text(of: path))
    // Only noted: the file that apt reads does not have it.
    try TestFolder.write("", to: path)
    try TestFolder.write(note, to: repository.root + "/var/lib/dpkg/updates/0000")
    #expect(try await repository.plan(.purge, "beta").steps.map(\.action) == [.purge])
    #expect(try await repository.plan(.remove, "beta").steps.map(\.action) == [.remove])
    let refusal = try #require(try await repository.refusal(.purge, "alpha"))
    #expect(refusal.message.contains("in the middle of work on beta"))
    #expect(refusal.hint?.contains("'fettle purge beta' takes it away") == true)
  }

  @Test func `a database that has gone away is no empty one`() async throws {
    let repository = try await PackageRepository()
    let plan = try await repository.perform(.install, "alpha").plan
    let provider = try repository.provider()
    let folder = repository.root + "/var/lib/dpkg"
    try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
    for operation in [JobOperation.install, .remove] {
      let thrown = await #expect(throws: InstallationError.self) {
        try await provider.plan(JobRequest(operation, [Update("alpha")]))
      }
      #expect(thrown?.message.contains("is missing") == true)
    }
    let found = await provider.verify(plan)
    #expect(found.findings.map(\.state) == ["unknown"] && found.audit.contains("is missing"))
    #expect(await provider.checkup { nil }.first { $0.subject == .root }?.verdict == .fault)
    try FileManager.default.moveItem(atPath: folder + ".away", toPath: folder)
    #expect(await provider.verify(plan).findings.first?.isAsPlanned == true)
  }

  @Test func `A32: a broken unpack without its archive is an error`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "beta").expectSuccess("beta")
    try breakUnpack(of: "beta", in: repository)
    try await repository.publish([PackageFixture("alpha")])
    #expect(try await repository.refusal(.repair)?.code == .sourceUnavailable)
  }

  @Test func `D21: an interrupted journal must be repaired first, and is`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "alpha", "beta").expectSuccess("apt-get")
    let status = try #require(TestFolder.text(of: repository.root + "/var/lib/dpkg/status"))
    let stanza = try #require(
      status.split(separator: "\n\n").first { $0.hasPrefix("Package: alpha\n") })
    try TestFolder.write(
      String(stanza).replacing("install ok installed", with: "install ok half-configured") + "\n",
      to: repository.root + "/var/lib/dpkg/updates/0001")
    let error = try #require(try await repository.refusal(.install, "delta"))
    #expect(error.code == .unresolvable)
    #expect(error.update == "alpha")
    #expect(error.hint?.contains("fettle root repair \(repository.root)") == true)
    let plan = try await repository.plan(.repair)
    #expect(plan.summary == ["configure alpha 2.0"])
    try await repository.dpkg("--configure", "-a").expectSuccess("dpkg")
    #expect(try await repository.provider().verify(plan).findings.first?.isAsPlanned == true)
    #expect(try await repository.plan(.install, "delta").steps.count == 1)
  }

  // What TERM in the middle of an unpack leaves (measurement E7).
  private func breakUnpack(of name: String, in repository: PackageRepository) throws {
    let path = repository.root + "/var/lib/dpkg/status"
    let text = try #require(TestFolder.text(of: path))
    let broken = text.split(separator: "\n\n").map { stanza -> String in
      stanza.hasPrefix("Package: \(name)\n")
        ? String(stanza).replacing("install ok installed", with: "install reinstreq half-installed")
        : String(stanza)
    }
    try TestFolder.write(broken.joined(separator: "\n\n") + "\n", to: path)
  }
}

@Suite struct `Local archives` {
  @Test func `an archive is read, planned and installed with what it needs`() async throws {
    let repository = try await PackageRepository()
    let update = try await stored("app", in: repository)
    #expect(update.name == "app" && update.version == "1.0" && update.architecture == "all")
    let request = JobRequest(.install, [update])
    let plan = try await repository.planner().plan(request)
    #expect(plan.summary.sorted() == ["install app 1.0", "install lib 1.0"])
    let step = try #require(plan.requests.first?.step)
    #expect(plan.steps[step].name == "app")
    #expect(plan.steps[step].origin == "local file")
    #expect(plan.steps[step].downloadSize == 0)
    #expect(plan.archives[step] == nil)
    let work = try await repository.carryOut(plan, request)
    #expect(work.status == 0, "\(work.output)")
    #expect(try await repository.state(of: "app") == "installed 1.0")
    let again = try await repository.planner().plan(request)
    #expect(again.requests.first?.note == .alreadyInstalled)
  }

  @Test func `an archive that no index has is installed too`() async throws {
    let repository = try await PackageRepository()
    let update = try await stored("app", in: repository)
    try await repository.publish([PackageFixture("lib")])
    let request = JobRequest(.install, [update])
    let plan = try await repository.planner().plan(request)
    let work = try await repository.carryOut(plan, request)
    #expect(work.status == 0, "\(work.output)")
    #expect(try await repository.provider().verify(plan).findings.allSatisfy { $0.isAsPlanned })
  }

  @Test func `U40: damaged, missing and mistaken archives are refused`() async throws {
    let repository = try await PackageRepository()
    var update = try await stored("app", in: repository)
    update.name = "lib"
    let planner = try repository.planner()
    func code(_ update: Update) async -> InstallationError.Code? {
      do {
        _ = try await planner.plan(JobRequest(.install, [update]))
        return nil
      } catch { return error.code }
    }
    #expect(await code(update) == .badArchive)
    update.name = "app"
    update.archive?.sha256 = "../../etc/passwd"
    #expect(await code(update) == .badArchive)
    update.archive?.sha256 = String(repeating: "a", count: 64)
    #expect(await code(update) == .badArchive)
    let damaged = try await stored("large", in: repository, cutTo: 300_000)
    #expect(damaged == nil)
  }

  private func stored(_ name: String, in repository: PackageRepository) async throws -> Update {
    try #require(try await stored(name, in: repository, cutTo: nil))
  }

  // As the engine stores an upload, under its hash; nil when the archive is refused.
  private func stored(_ name: String, in repository: PackageRepository, cutTo length: Int?)
    async throws -> Update?
  {
    try TestFolder.makeFolder(repository.store)
    let temporary = repository.store + "/upload"
    let cut = length.map { "head -c \($0)" } ?? "cat"
    try await repository.run(
      ["/bin/sh", "-c", "\(cut) \"$1\" > \"$2\"", "sh"]
        + [repository.archive(name), temporary]
    ).expectSuccess("copy")
    let sum = try await repository.run(["/usr/bin/sha256sum", temporary])
    let archive = LocalArchive(
      fileName: "./\(name).deb", sha256: String(sum.output.prefix(64)), size: 0)
    let path = "\(repository.store)/\(archive.sha256).deb"
    try await repository.run(["/bin/mv", temporary, path]).expectSuccess("mv")
    do {
      return try await repository.provider().update(in: archive, at: path)
    } catch let error as InstallationError {
      #expect(error.code == .badArchive)
      #expect(error.hint?.isEmpty == false)
      return nil
    }
  }
}
