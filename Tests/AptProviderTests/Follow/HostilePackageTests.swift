import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Packages that misbehave` {
  @Test func `scripts get none of the job's descriptors, and a plain environment`() async throws {
    let look = """
      ls -l /proc/$$/fd > "$DPKG_ROOT/descriptors"
      env > "$DPKG_ROOT/environment"
      umask > "$DPKG_ROOT/umask"
      """
    let scene = try await WorkScene([PackageFixture("curious", scripts: [.postinst: look])])
    let work = try await scene.job(.install, ["curious"])
    #expect(try await scene.start(work).end()?.exitStatus == 0)
    let descriptors = try #require(TestFolder.text(of: scene.root.path("descriptors")))
    let targets = descriptors.split(separator: "\n").compactMap { line in
      line.split(separator: " -> ").dropFirst().last.map(String.init)
    }
    #expect(!targets.isEmpty)
    let own = targets.filter { $0.hasPrefix(work.folder.path) }
    #expect(Set(own) == [work.folder.path(.log)])
    #expect(!targets.contains { $0.hasPrefix(scene.root.path("var/lib/dpkg/lock")) })
    let environment = try #require(TestFolder.text(of: scene.root.path("environment")))
    #expect(environment.contains("DEBIAN_FRONTEND=noninteractive"))
    #expect(!environment.contains("FETTLE_"))
    #expect(TestFolder.text(of: scene.root.path("umask")) == "0022\n")
  }

  @Test func `what looks after services is told to list them and to restart none`()
    async throws
  {
    let look = "echo \"$NEEDRESTART_MODE\" > \"$DPKG_ROOT/mode\""
    let scene = try await WorkScene([PackageFixture("curious", scripts: [.postinst: look])])
    let work = try await scene.job(.install, ["curious"])
    #expect(try await scene.start(work).end()?.exitStatus == 0)
    let mode = try #require(TestFolder.text(of: scene.root.path("mode")))
    #expect(mode.split(whereSeparator: \.isWhitespace).first == "l", "\(mode)")
  }

  @Test func `a service that a package leaves behind holds nothing up, however loud`()
    async throws
  {
    let service = """
      setsid sh -c 'while [ -e "$0/var" ] && [ ! -e "$0/quiet" ]; do echo noise; done' \
        "$DPKG_ROOT" &
      """
    let scene = try await WorkScene([
      PackageFixture("loud", scripts: [.postinst: service]), PackageFixture("zeta"),
    ])
    let work = try await scene.job(.install, ["loud", "zeta"])
    let observer = try scene.start(work)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    try TestFolder.write("", to: scene.root.path("quiet"))
    #expect(observer.phases(of: "zeta").last == .done)
    #expect(try await scene.repository.audit().isEmpty)
  }

  @Test func `a script that prints 50 MB and fails is reported like any other`() async throws {
    let flood = """
      head -c 25000000 /dev/zero | tr '\\0' x
      yes 'E: no' | head -c 25000000
      exit 3
      """
    let scene = try await WorkScene([PackageFixture("flood", scripts: [.postinst: flood])])
    let work = try await scene.job(.install, ["flood"])
    let observer = try scene.start(work)
    #expect(await observer.end()?.exitStatus == 100)
    #expect(observer.failures["flood"]?.detail == "post-installation script, exit status 3")
    #expect(TestFolder.size(of: work.folder.path(.log)) > 50_000_000)
  }

  @Test func `a script that closes its descriptors is done like any other`() async throws {
    let scene = try await WorkScene([
      PackageFixture("mute", scripts: [.postinst: "exec 0<&- 1>&- 2>&- 3>&- 4>&-"])
    ])
    let observer = try scene.start(try await scene.job(.install, ["mute"]))
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(observer.phases(of: "mute").last == .done)
  }

  @Test(arguments: [JobFolder.Entry.log, .stages, .dpkgStatus, .lock, .archives])
  func `a link that was planted in the job folder is not followed`(entry: JobFolder.Entry)
    async throws
  {
    let scene = try await WorkScene([PackageFixture("delta")])
    var work = try await scene.job(.install, ["delta"])
    work.folder = JobFolder(path: scene.repository.folder.path("state/jobs/2"))
    let target = scene.repository.folder.path("target")
    try TestFolder.makeFolder(work.folder.path)
    if entry == .archives { try TestFolder.makeFolder(target) }
    let isPlanted = unsafe symlink(target, work.folder.path(entry)) == 0
    #expect(isPlanted)
    try TestFolder.handAll(work.folder.path, to: geteuid())
    let error = #expect(throws: InstallationError.self) {
      try JobPreparation(of: work, on: scene.root).write()
    }
    #expect(error?.hint != nil)
    #expect(TestFolder.exists(target) == (entry == .archives))
    if entry == .archives { #expect(TestFolder.names(in: target).isEmpty) }
  }

  @Test func `a long unpacking shows how far it is, and only forwards`() async throws {
    var long = PackageFixture(
      "long", files: [.init("usr/share/long/file", "long", size: 48_000_000, isText: true)])
    long.compression = ["-Zxz", "-z0"]
    let scene = try await WorkScene([long])
    let observer = try scene.start(try await scene.job(.install, ["long"]))
    #expect(await observer.end()?.exitStatus == 0)
    let shares = observer.reports.compactMap { report -> Double? in
      if case .fraction(0, let share) = report { share } else { nil }
    }
    #expect(shares.count >= 2)
    #expect(shares.allSatisfy { $0 > 0 && $0 < 1 })
    #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 })
  }
}
