import CProcess
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// The process that holds a lock of the package database.
extension LockHolder {
  /// Creates the holder with its name and whether it can be asked to yield.
  init(process pid: Int32) {
    self.init(named: pid)
    canYield = Self.isUnattendedUpgrade(pid) && Self.catchesTermination(pid)
  }

  /// The job of which the process is the worker, and the engine's state folder, from its command
  /// line; nil for every other process.
  ///
  /// For messages only: any process may have such a command line.
  var workerJob: (number: Int, state: String)? {
    guard let line = RootFiles.text(of: "/proc/\(pid)/cmdline", limit: 8192) else { return nil }
    let words = line.split(separator: "\0")
    guard words.count == 3, words[1] == "work", words[2].hasPrefix("/"),
      words[0] == "/proc/self/exe" || Self.name(of: words[0]) == "fettled"
    else { return nil }
    let parts = words[2].split(separator: "/")
    guard parts.count > 2, parts[parts.count - 2] == "jobs" else { return nil }
    guard let number = Int(parts[parts.count - 1]) else { return nil }
    return (number, Sanitised.line("/" + parts.dropLast(2).joined(separator: "/"), limit: 200))
  }

  /// Whether a process is unattended-upgrades, the only front end that stops cleanly on request.
  ///
  /// At SIGTERM it ends after its present set of packages. With
  /// `Unattended-Upgrade::MinimalSteps "false"` that set is all of its work.
  ///
  /// Checks the program that the interpreter runs, not the process name, which any process can set.
  private static func isUnattendedUpgrade(_ pid: Int32) -> Bool {
    guard let line = RootFiles.text(of: "/proc/\(pid)/cmdline", limit: 4096) else { return false }
    let words = line.split(separator: "\0", omittingEmptySubsequences: false)
    // The script itself, or an interpreter whose first argument that is not an option is the
    // script.
    let program = words.first.map { name(of: $0) } ?? ""
    let script =
      program.hasPrefix("python") ? words.dropFirst().first { !$0.hasPrefix("-") } : words.first
    return script.map { ["unattended-upgrade", "unattended-upgrades"].contains(name(of: $0)) }
      ?? false
  }

  /// Whether a process has a handler for SIGTERM (`SigCgt` in proc(5)); without one the signal
  /// kills it.
  ///
  /// False when the process cannot be read.
  private static func catchesTermination(_ pid: Int32) -> Bool {
    let status = RootFiles.text(of: "/proc/\(pid)/status", limit: 16 << 10) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
    let mask = line.flatMap { $0.split(whereSeparator: \.isWhitespace).last }
      .flatMap { UInt64($0, radix: 16) }
    return (mask ?? 0) & 1 << UInt64(SIGTERM - 1) != 0
  }

  private static func name(of path: Substring) -> String {
    String(path.split(separator: "/").last ?? "")
  }

  /// Asks the process to end after its present set of packages.
  ///
  /// - Parameter path: The lock that the process holds; checked again after the process is opened,
  ///   so that its number cannot belong to another process.
  /// - Throws: `invalidState` where the process cannot be asked or no longer holds the lock;
  ///   `notPermitted`.
  func yield(_ path: String) throws(InstallationError) {
    let who = words
    if Self.isUnattendedUpgrade(pid), !Self.catchesTermination(pid) { throw wouldEnd(who) }
    guard canYield else {
      throw InstallationError(
        .invalidState, "\(who) holds the package lock and cannot be asked to yield", class: .fatal,
        detail: "only unattended-upgrades stops in order when it is asked to",
        hint: "jobs wait for it and begin by themselves when it ends")
    }
    guard let process = Descriptor(process_open(pid)), LockFile.holder(of: path) == pid,
      Self.isUnattendedUpgrade(pid)
    else {
      throw InstallationError(
        .invalidState, "\(who) does not hold the package lock any more", class: .transient)
    }
    // Checked last: until the process has set up its handler, SIGTERM would kill it during its
    // work.
    guard Self.catchesTermination(pid) else { throw wouldEnd(who) }
    guard process_signal(process.number, SIGTERM) == 0 else {
      let number = errno
      let reason = unsafe String(cString: strerror(number))
      throw InstallationError(
        number == EPERM ? .notPermitted : .invalidState,
        "\(who) cannot be asked to yield: \(reason)")
    }
  }

  private func wouldEnd(_ who: String) -> InstallationError {
    InstallationError(
      .invalidState, "\(who) holds the package lock and would be ended by it", class: .fatal,
      detail: "it does not catch SIGTERM, which asks it to yield",
      hint: "jobs wait for it and begin by themselves when it ends")
  }
}

extension PackageRoot {
  /// Asks the holder of the front ends' lock to yield.
  ///
  /// - Returns: The process that was asked.
  /// - Throws: `invalidState` where no process holds the lock; the errors of
  ///   ``LockHolder/yield(_:)``.
  func askHolderToYield() throws(InstallationError) -> LockHolder {
    guard let pid = LockFile.holder(of: frontendLock), pid > 0 else {
      throw InstallationError(
        .invalidState, "nobody else holds the package lock", class: .transient)
    }
    let holder = LockHolder(process: pid)
    try holder.yield(frontendLock)
    return holder
  }
}
