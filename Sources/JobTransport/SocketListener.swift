internal import Glibc
package import InstallJobs

/// The users that may connect to a socket.
///
/// Their rights are decided after the connect.
package enum SocketAccess: Sendable, Hashable {
  /// The owner and root: mode 0600 in a folder of mode 0700.
  case owner
  /// All users of the machine: mode 0666 in a folder of mode 0755.
  case everybody

  var socketMode: mode_t { self == .owner ? 0o600 : 0o666 }
  var folderMode: mode_t { self == .owner ? 0o700 : 0o755 }
}

/// The backlog of the listener.
///
/// It is large because a client that finds it full has to retry and may be overtaken each time.
private let waitingConnections: Int32 = 4096

/// A Unix socket that accepts connections at a path.
package final class SocketListener: Sendable {
  /// The path of the socket.
  package let path: String
  private let descriptor: StreamSocket
  private let identity: Identity
  private let reserve = DescriptorReserve()

  private struct Identity: Hashable {
    var device: dev_t
    var inode: ino_t
  }

  private init(path: String, descriptor: StreamSocket, identity: Identity) {
    self.path = path
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Listens at `path`.
  ///
  /// Creates the folder of the socket, but not the folders above it. A stale socket, at which no
  /// process listens, is replaced. The mode is set before the socket listens, so an unauthorised
  /// user cannot connect at any moment.
  ///
  /// - Throws: `busy` if another process listens at the path; `invalidArgument` if the path is too
  ///   long or not a socket, or its folder cannot be used.
  package static func listen(at path: String, access: SocketAccess = .owner)
    async throws(InstallationError) -> SocketListener
  {
    guard path.utf8.count <= longestSocketPath, path.utf8.count > 0 else {
      throw cannot(path, "a socket's path has at most \(longestSocketPath) bytes")
    }
    try makeFolder(of: path, access)
    // The lock prevents two engines that start at once from both removing the old socket.
    let lock = unsafe Glibc.open(path + ".lock", O_CREAT | O_CLOEXEC | O_RDWR | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw cannot(path, explain(errno)) }
    defer { _ = Glibc.close(lock) }
    guard Glibc.lockf(lock, F_TLOCK, 0) == 0 else { throw usedError(path) }
    defer { _ = unsafe Glibc.unlink(path + ".lock") }

    try await removeStale(path)
    let descriptor: StreamSocket
    do {
      descriptor = try await StreamSocket.make()
    } catch {
      throw cannot(path, "no socket can be made: \(error)")
    }
    var code: Int32 = 0
    let bound = unsafe withUnixAddress(path) { address, length in
      let status = unsafe Glibc.bind(descriptor.number, address, length)
      code = errno
      return status
    }
    guard bound == 0 else {
      throw code == EADDRINUSE ? usedError(path) : cannot(path, explain(code))
    }
    guard unsafe Glibc.chmod(path, access.socketMode) == 0,
      Glibc.listen(descriptor.number, waitingConnections) == 0,
      let identity = identity(of: path)
    else {
      let reason = explain(errno)
      _ = unsafe Glibc.unlink(path)
      throw cannot(path, reason)
    }
    return SocketListener(path: path, descriptor: descriptor, identity: identity)
  }

  /// The next connection.
  ///
  /// - Throws: `CancellationError`, or a system error after which the listener is unusable.
  package func accept() async throws -> LineConnection {
    while true {
      if let connection = try await acceptPeer().connection() { return connection }
    }
  }

  /// The next peer, without the buffers of a connection.
  ///
  /// - Throws: As ``accept()``.
  package func acceptPeer() async throws -> AcceptedPeer {
    while true {
      let (number, pool) = try await descriptor.accept(with: reserve)
      if let accepted = AcceptedPeer(number, pool: pool) { return accepted }
    }
  }

  /// Connects to the listener and disconnects at once.
  ///
  /// - Returns: Whether the connection was made. The listener then accepts it like any other.
  package func touch() -> Bool {
    let probe = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { return false }
    defer { _ = Glibc.close(probe) }
    return unsafe withUnixAddress(path) { unsafe Glibc.connect(probe, $0, $1) } == 0
  }

  /// Stops listening, and removes the socket file unless it belongs to another listener.
  package func close() {
    if Self.identity(of: path) == identity { _ = unsafe Glibc.unlink(path) }
    descriptor.shutDown()
  }

  private static func identity(of path: String) -> Identity? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return Identity(device: status.st_dev, inode: status.st_ino)
  }

  private static func makeFolder(of path: String, _ access: SocketAccess)
    throws(InstallationError)
  {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    if unsafe Glibc.mkdir(folder, access.folderMode) == 0 {
      // The umask must not restrict a folder for all users.
      _ = unsafe Glibc.chmod(folder, access.folderMode)
      return
    }
    guard errno == EEXIST else { throw cannot(path, "folder '\(folder)': \(explain(errno))") }
  }

  private static func removeStale(_ path: String) async throws(InstallationError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw cannot(path, explain(errno)) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw cannot(path, "something else than a socket is there")
    }
    let probe = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { throw cannot(path, explain(errno)) }
    defer { _ = Glibc.close(probe) }
    var code: Int32 = 0
    let answered = unsafe withUnixAddress(path) { address, length in
      let status = unsafe Glibc.connect(probe, address, length)
      code = errno
      return status
    }
    guard answered != 0, code == ECONNREFUSED || code == ENOENT else {
      if answered == 0 || code == EAGAIN { throw usedError(path) }
      throw cannot(path, explain(code))
    }
    if code == ECONNREFUSED, unsafe Glibc.unlink(path) != 0, errno != ENOENT {
      throw cannot(path, explain(errno))
    }
  }

  private static func usedError(_ path: String) -> InstallationError {
    InstallationError(
      .busy, "an engine already listens at '\(path)'", class: .needsHuman,
      hint: "use that one, or stop it first")
  }

  private static func cannot(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .invalidArgument, "cannot listen at '\(path)': \(reason)", class: .needsHuman,
      hint: "choose another socket with --socket PATH")
  }
}
