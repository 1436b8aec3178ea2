import Glibc
import InstallJobs
import JobClient
import JobEngine
import JobServer
import Support
import Testing

/// Connections of many users at once; needs root to be them.
@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `A crowd of users without rights` {
  private static let uid: UInt32 = 100_000

  /// Keeps connections of as many users open, each with half a line, as long as `body` runs, and opens
  /// others in the place of those that are closed.
  private func besieged(
    _ path: String, users: Int, half: String = #"{"jsonrpc":"2.0","id":0,"meth"#,
    _ body: () async throws -> Void
  ) async throws {
    let script = """
      use IO::Socket::UNIX; use IO::Select; $SIG{PIPE} = 'IGNORE'; $| = 1;
      my ($path, $first, $users, $half) = @ARGV; my %open; my $made = 0; my $told = 0;
      my $in = IO::Select->new(\\*STDIN);
      while (1) {
        for my $n (0 .. $users - 1) {
          next if $open{$n} && !(IO::Select->new($open{$n})->can_read(0));
          $> = $first + $n;
          my $s = IO::Socket::UNIX->new(Peer => $path);
          $> = 0;
          if ($s) { syswrite($s, $half); $open{$n} = $s; $made++ }
          last if $in->can_read(0);
        }
        if ($made >= $users && !$told) { $told = 1; print "$made\\n" }
        last if $in->can_read(0.001);
      }
      """
    let pipe = try #require(
      try RunningPerl(script, [path, "\(Self.uid)", "\(users)", half]))
    defer { pipe.end() }
    let count = await onOwnThread { pipe.line() }
    #expect((count.flatMap { Int($0) } ?? 0) >= users)
    try await body()
  }

  private func policy(everybodyMayLook: Bool) -> AccessPolicy {
    AccessPolicy(
      engineUID: 0, group: "fettle", everybodyMayLook: everybodyMayLook,
      isMember: { _, _ in false })
  }

  @Test(arguments: [false, true])
  func `root's status and abort are answered, whoever fills the seats`(everybodyMayLook: Bool)
    async throws
  {
    let folder = try #require(ScratchFolder.current).path
    #expect(unsafe chmod(folder, 0o755) == 0)
    var limits = ServerLimits.patient
    limits.connections = 60
    try await ServedEngine.run(
      limits: limits, policy: policy(everybodyMayLook: everybodyMayLook)
    ) { served in
      let first = try await served.connect()
      let job = try await EngineBackend(first).submit(JobRequest(.install, [Update("hello")]))
      await first.close()
      try await besieged(served.path, users: 300) {
        for _ in 0..<20 {
          let client = try await served.connect()
          _ = try await EngineBackend(client).status()
          _ = try await EngineBackend(client).requestAbort(of: job.id)
          await client.close()
        }
        #expect(served.server.connectionCount <= 60)
      }
      try await eventually("the crowd's seats are free") { served.server.connectionCount == 0 }
      // They are on record, whether one by one or counted; those that are counted when their minute is over.
      if !everybodyMayLook {
        try await eventually("all are on record", within: .seconds(150)) {
          await served.engine.acts.filter(\.isUnprivileged).reduce(0) { $0 + $1.count } >= 300
        }
      }
    }
  }

  @Test func `a user database that hangs is no matter of root's`() async throws {
    let folder = try #require(ScratchFolder.current).path
    #expect(unsafe chmod(folder, 0o755) == 0)
    let gate = Gate()
    defer { gate.open() }
    let policy = AccessPolicy(
      engineUID: 0, group: "fettle", everybodyMayLook: false,
      isMember: { _, _ in
        gate.wait()
        return false
      })
    try await ServedEngine.run(policy: policy) { served in
      try await besieged(served.path, users: 100) {
        for _ in 0..<5 {
          let client = try await served.connect()
          _ = try await EngineBackend(client).status()
          await client.close()
        }
      }
    }
  }

  @Test func `the memory of half lines is bounded before hello, and given back`() async throws {
    try await ServedEngine.run { served in
      let line = String(repeating: "x", count: ServerLimits().helloLine - 1)
      let sockets = await onOwnThread { [path = served.path] in
        (0..<40).compactMap { _ -> RawSocket? in
          let socket = RawSocket.connect(to: path)
          socket?.send(line)
          return socket
        }
      }
      try await eventually("all have arrived") {
        served.server.bufferedBytes >= sockets.count * (ServerLimits().helloLine - 1)
      }
      #expect(served.server.bufferedBytes <= sockets.count * 4 * ServerLimits().helloLine)
      for socket in sockets {
        await onOwnThread { _ = socket.send("xxxx") }
        #expect(await socket.ends(), "a line that is too long ends the connection")
      }
      try await eventually { served.server.bufferedBytes == 0 }
    }
  }

  @Test func `the memory of all connections of one user is bounded together`() async throws {
    var limits = ServerLimits.patient
    limits.bufferedBytes = 2 << 20
    try await ServedEngine.run(limits: limits) { served in
      var sockets: [RawSocket] = []
      for _ in 0..<8 { sockets.append(try await served.raw()) }
      let half = String(repeating: "x", count: 900_000)
      for socket in sockets { await onOwnThread { _ = socket.send(half) } }
      try await eventually("those are closed for whom there is no room") {
        served.server.connectionCount < 8
      }
      #expect(served.server.bufferedBytes <= limits.bufferedBytes)
      let client = try await served.connect()
      _ = try await EngineBackend(client).status()
      await client.close()
      for socket in sockets { socket.endSending() }
      try await eventually { served.server.bufferedBytes == 0 }
    }
  }
}

/// A program in Perl with pipes to its standard input and from its standard output.
private final class RunningPerl: Sendable {
  private let pid: pid_t
  private let input: Int32
  private let output: Int32

  init?(_ script: String, _ arguments: [String]) throws {
    var (inputs, outputs): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard unsafe pipe(&inputs) == 0, unsafe pipe(&outputs) == 0 else { return nil }
    for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
    let words = ["perl", "-e", script] + arguments
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var pid: pid_t = 0
    guard unsafe posix_spawnp(&pid, "perl", &actions, nil, &pointers, environ) == 0 else {
      return nil
    }
    close(inputs[0])
    close(outputs[1])
    (self.pid, input, output) = (pid, inputs[1], outputs[0])
  }

  /// The next line of the output; nil at its end.
  func line() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(output, &byte, 1) == 1 {
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Ends the input, which ends the program, and waits for that.
  func end() {
    close(input)
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    close(output)
  }
}
