import Glibc
import InstallJobs
import JobTransport
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Listening at a socket` {
  private func path(_ name: String = "run/engine.sock") throws -> String {
    try #require(ScratchFolder.current).path(name)
  }

  private func mode(of path: String) -> mode_t? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test(arguments: [
    (SocketAccess.owner, mode_t(0o600), mode_t(0o700)),
    (SocketAccess.everybody, mode_t(0o666), mode_t(0o755)),
  ])
  func `A40: socket and folder have the mode that the access says`(
    access: SocketAccess, socket: mode_t, folder: mode_t
  ) async throws {
    let path = try path()
    let listener = try await SocketListener.listen(at: path, access: access)
    #expect(mode(of: path) == socket)
    #expect(mode(of: String(path.dropLast("/engine.sock".count))) == folder)
    listener.close()
    #expect(mode(of: path) == nil)
    #expect(mode(of: path + ".lock") == nil)
  }

  @Test func `a socket that somebody listens at is not replaced`() async throws {
    let path = try path("engine.sock")
    let other = try #require(RawSocket.listen(at: path))
    let error = await #expect(throws: InstallationError.self) {
      try await SocketListener.listen(at: path)
    }
    #expect(error?.code == .busy)
    #expect(RawSocket.connect(to: path) != nil)
    #expect(other.accept() != nil)
  }

  @Test func `a socket that nobody listens at is replaced`() async throws {
    let path = try path("engine.sock")
    do { _ = try #require(RawSocket.listen(at: path)) }
    #expect(RawSocket.connect(to: path) == nil)
    let listener = try await SocketListener.listen(at: path)
    #expect(RawSocket.connect(to: path) != nil)
    listener.close()
  }

  @Test func `what is not a socket is left alone`() async throws {
    let folder = try #require(ScratchFolder.current)
    let file = try folder.write("precious", to: "engine.sock")
    let error = await #expect(throws: InstallationError.self) {
      try await SocketListener.listen(at: file)
    }
    #expect(error?.code == .invalidArgument)
    #expect(try folder.read("engine.sock") == "precious")
  }

  @Test func `a path that does not fit is refused instead of being cut`() async throws {
    let long = try path(String(repeating: "x", count: 120))
    let listening = await #expect(throws: InstallationError.self) {
      try await SocketListener.listen(at: long)
    }
    #expect(listening?.code == .invalidArgument)
    let connecting = await #expect(throws: InstallationError.self) {
      try await LineConnection.connect(to: long)
    }
    #expect(connecting?.code == .engineUnreachable)
  }

  @Test func `a listener that was replaced leaves the new socket alone`() async throws {
    let path = try path("engine.sock")
    let old = try await SocketListener.listen(at: path)
    #expect(unsafe unlink(path) == 0)
    let new = try await SocketListener.listen(at: path)
    old.close()
    #expect(mode(of: path) == 0o600)
    new.close()
  }
}
