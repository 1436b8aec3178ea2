internal import FoundationEssentials
internal import Glibc

/// A real ssh server on the loopback interface, and how OpenSSH's client reaches it.
///
/// Root only, and only root is let in, with a key made for this server. The server sees an account
/// file of its own, in a mount namespace: its root's home is in `folder`, and nothing of the
/// machine's accounts is read or changed. Ended with the value; links that are open go on.
package final class SecureShell: Sendable {
  private let server: ChildProgram
  private let workplace: Workplace
  private let folder: String
  private let port: UInt16

  private static let programs = [
    "/usr/sbin/dropbear", "/usr/bin/dropbearkey", "/usr/bin/ssh", "/usr/bin/ssh-keygen",
  ]

  /// Whether the machine has what this needs, and this is root that may mount.
  package static func isAvailable() async -> Bool {
    guard geteuid() == 0, programs.allSatisfy({ unsafe access($0, X_OK) == 0 }),
      let workplace = try? Workplace()
    else { return false }
    defer { workplace.remove() }
    let mount = "mount --bind /etc/passwd /etc/passwd"
    return
      (try? await ChildProgram.run(
        ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", mount], environment: environment,
        log: workplace.path + "/log")) != nil
  }

  /// Starts a server and waits until it listens.
  ///
  /// - Throws: ``CannotMeasure`` when it does not start.
  package convenience init() async throws {
    let workplace = try Workplace()
    do {
      try await self.init(in: workplace)
    } catch {
      workplace.remove()
      throw error
    }
  }

  private init(in workplace: Workplace) async throws {
    self.workplace = workplace
    folder = workplace.path
    for path in [folder + "/home", folder + "/home/.ssh"] {
      guard unsafe mkdir(path, 0o700) == 0 else { throw CannotMeasure("cannot make '\(path)'") }
    }
    let log = folder + "/tools.log"
    _ = try await ChildProgram.run(
      ["/usr/bin/dropbearkey", "-t", "ed25519", "-f", folder + "/host-key"],
      environment: Self.environment, log: log)
    _ = try await ChildProgram.run(
      ["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder + "/key"],
      environment: Self.environment, log: log)
    let key = SmallFile.text(folder + "/key.pub") ?? ""
    try SmallFile.write(key, to: folder + "/home/.ssh/authorized_keys")
    try SmallFile.write("root:x:0:0::\(folder)/home:/bin/sh\n", to: folder + "/passwd")
    port = try Loopback.unusedPort()
    server = try ChildProgram(
      [
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
        #"mount --bind "$1/passwd" /etc/passwd && exec dropbear -F -E -m -s -r "$1/host-key" -P "$1/pid" -p "$2""#,
        "sh", folder, "127.0.0.1:\(port)",
      ], environment: Self.environment, log: folder + "/server.log")
    try await waitUntilItListens()
  }

  deinit { workplace.remove() }

  private func waitUntilItListens() async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while !Loopback.isListening(port) {
      guard server.status == nil, ContinuousClock.now < deadline else {
        throw CannotMeasure("the ssh server does not start: \(server.output.suffix(500))")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    // Somebody else may have taken the port in between.
    guard server.status == nil else {
      throw CannotMeasure("the ssh server has ended: \(server.output.suffix(500))")
    }
  }

  /// A command that runs another at the other end of a link of its own, with a terminal.
  ///
  /// - Parameters:
  ///   - words: The executable's absolute path and its arguments.
  ///   - variables: What is added to its environment there.
  /// - Returns: The absolute path of the client and its arguments.
  package func command(_ words: [String], variables: [String: String] = [:]) -> [String] {
    let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let quoted = (["exec", "env"] + settings + words).map(Self.quoted).joined(separator: " ")
    return [
      "/usr/bin/ssh", "-F", "none", "-i", folder + "/key", "-p", "\(port)", "-tt",
      "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes",
      "-o", "StrictHostKeyChecking=accept-new", "-o", "LogLevel=ERROR",
      "-o", "UserKnownHostsFile=\(folder)/known-hosts", "root@127.0.0.1", quoted,
    ]
  }

  /// Kills with SIGKILL the server's end of all its links.
  ///
  /// - Returns: How many there were.
  @discardableResult
  package func cutLinks() -> Int {
    ProcessTable.all().count {
      $0.parent == server.process && Glibc.kill($0.process, SIGKILL) == 0
    }
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }

  private static let environment = [
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent",
  ]
}
