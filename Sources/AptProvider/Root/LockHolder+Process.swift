import CProcess
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// The process behind a lock of the package database.
extension LockHolder {
  /// A process by its number, with its name and whether it can be asked to yield.
  init(process pid: Int32) {
    self.init(named: pid)
    canYield = Self.isUnattendedUpgrade(pid) && Self.catchesTermination(pid)
  }

  /// The job that the process is a worker of, and its engine's state folder, by its command line; nil
  /// for every other process.
  ///
  /// Good for words only: any process may have such a command line.
  var ownJob: (number: Int, state: String)? {
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

  /// Whether a process is unattended-upgrades, the one front end that stops in order when it is
  /// asked to.
  ///
  /// At SIGTERM it ends after the set of packages that it is at. With
  /// `Unattended-Upgrade::MinimalSteps "false"` that is everything it has to do.
  ///
  /// Told by the program that the interpreter runs, not by the name, which any process may give
  /// itself.
  private static func isUnattendedUpgrade(_ pid: Int32) -> Bool {
    guard let line = RootFiles.text(of: "/proc/\(pid)/cmdline", limit: 4096) else { return false }
    let words = line.split(separator: "\0", omittingEmptySubsequences: false)
    // The script itself, or an interpreter with the script as its first argument that is no option.
    let program = words.first.map { name(of: $0) } ?? ""
    let script =
      program.hasPrefix("python") ? words.dropFirst().first { !$0.hasPrefix("-") } : words.first
    return script.map { ["unattended-upgrade", "unattended-upgrades"].contains(name(of: $0)) }
      ?? false
  }

  /// Whether a process has a handler for SIGTERM, which would end it otherwise (`SigCgt` in proc(5)).
  ///
  /// What cannot be read counts as no.
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

  /// Asks the process to end after the set of packages that it is at.
  ///
  /// - Parameter path: The lock that it holds, which is looked at again once the process cannot be
  ///   taken for another any more.
  /// - Throws: `invalidState` where it cannot be asked, or does not hold the lock any more;
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
    // Looked at last: until it has set up its handler, SIGTERM would kill it in the middle of its work.
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
  /// Asks whoever holds the front ends' lock to yield.
  ///
  /// - Returns: Who was asked.
  /// - Throws: `invalidState` where nobody holds it, and as ``LockHolder/yield(_:)``.
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
