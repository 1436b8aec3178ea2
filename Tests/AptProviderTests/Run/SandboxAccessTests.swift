import Glibc
import PackageProvider
import Support
import Testing

@Suite(
  .enabled("needs root, and apt's own user") {
    let account = unsafe getpwnam("_apt")
    return unsafe geteuid() == 0 && account != nil
  })
struct `What apt's sandbox user may do with archives` {
  private func succeeds(_ user: String, _ command: String...) async throws -> Bool {
    let prefix = [
      "/usr/bin/setpriv", "--reuid", user, "--regid", "nogroup", "--clear-groups", "--",
    ]
    return try await ToolOutput.of(prefix + command).status == 0
  }

  @Test func `it may read an archive and pass through its folder, and nobody else may`()
    async throws
  {
    let scratch = try TestFolder()
    #expect(unsafe chmod(scratch.path, 0o711) == 0)
    let folder = scratch.path("archives")
    #expect(unsafe mkdir(folder, 0o755) == 0)
    let archive = folder + "/secret.deb"
    let file = unsafe open(archive, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    let place = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer {
      close(file)
      close(place)
    }
    #expect(try await succeeds("nobody", "/bin/cat", archive), "what is to be prevented")
    #expect(SandboxAccess.read.grant(on: file) && SandboxAccess.pass.grant(on: place))
    #expect(try await succeeds("_apt", "/bin/cat", archive))
    #expect(try await !succeeds("_apt", "/bin/ls", folder))
    #expect(try await !succeeds("_apt", "/usr/bin/touch", folder + "/other"))
    #expect(try await !succeeds("_apt", "/usr/bin/truncate", "-s0", archive))
    #expect(try await !succeeds("nobody", "/bin/cat", archive))
    // The folder keeps out who may read the files in it, as those that apt makes.
    #expect(unsafe chmod(archive, 0o644) == 0)
    #expect(try await !succeeds("nobody", "/bin/cat", archive))
  }
}
