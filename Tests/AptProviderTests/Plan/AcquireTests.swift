import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Fetching from a mirror` {
  @Test func `W7: a slow mirror shows bytes that grow, many times, for each archive`() async throws
  {
    let names = ["large", "larger"]
    let scene = try await WorkScene(
      names.map {
        PackageFixture($0, files: [.init("usr/share/\($0)/file", $0, size: 1 << 20)])
      })
    // A hundred pieces in two seconds.
    let server = try HeldServer(scene.repository.path, pace: 10_486)
    defer { server.close() }
    try await scene.use(server)
    let work = try await scene.job(.install, names)
    let observer = try scene.start(work)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    for (step, archive) in work.plan.archives {
      let bytes = observer.reports.compactMap { report -> Int64? in
        if case .downloaded(step, let bytes) = report { bytes } else { nil }
      }
      #expect(bytes == bytes.sorted())
      #expect(Set(bytes).count >= 8)
      #expect(bytes.last == archive.size)
    }
  }

  @Test func `a machine that moves during the download is noticed under the lock`()
    async throws
  {
    let scene = try await WorkScene([
      PackageFixture("alpha"),
      PackageFixture(
        "large", fields: ["Depends": "alpha"],
        files: [.init("usr/share/large/file", "large", size: 1 << 20)]),
    ])
    let server = try HeldServer(scene.repository.path)
    defer { server.close() }
    try await scene.use(server)
    let work = try await scene.job(.install, ["large"])
    let observer = try scene.start(work)
    #expect(await observer.until { if case .downloaded(_, 1...) = $0 { true } else { false } })
    let archive = scene.repository.archive("alpha")
    try await scene.repository.dpkg("--install", archive).expectSuccess("dpkg")
    server.release()
    #expect(await observer.end()?.error?.code == .planOutOfDate)
    #expect(try await scene.repository.state(of: "large") == "absent")
  }
}

extension WorkScene {
  /// Lets the root fetch from a server.
  func use(_ server: HeldServer) async throws {
    try TestFolder.write(
      "deb [trusted=yes] http://127.0.0.1:\(server.port) ./\n",
      to: root.path("etc/apt/sources.list"))
    try await repository.refresh()
  }
}
