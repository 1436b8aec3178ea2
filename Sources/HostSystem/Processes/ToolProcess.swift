import CProcess
import Glibc

/// A started program in its own process group or session.
package struct ToolProcess: Sendable {
  /// The process number, and the number of its process group.
  package let pid: Int32
  /// A process descriptor, readable when the program has ended.
  package let descriptor: Descriptor

  /// Starts a program with standard input closed and its output going to open files.
  ///
  /// Nil when the program could not be started, or could not be watched and was therefore killed.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path, then its arguments.
  ///   - environment: The whole environment.
  ///   - output: The file for standard output.
  ///   - errors: The file for standard error; nil for `output`.
  ///   - leadsSession: Whether the program gets its own session, so that it outlives the session of
  ///     this process.
  ///   - name: The name in the list of processes; nil for the path.
  package init?(
    _ arguments: [String], environment: [String: String], output: Descriptor,
    errors: Descriptor? = nil, leadsSession: Bool = false, name: String? = nil
  ) {
    guard let path = arguments.first else { return nil }
    let list = [name ?? path] + arguments.dropFirst()
    let pid = unsafe Self.withStrings(list) { list in
      unsafe Self.withStrings(environment.map { "\($0.key)=\($0.value)" }.sorted()) { values in
        unsafe process_start(
          path, list, values, output.number, (errors ?? output).number, leadsSession ? 1 : 0)
      }
    }
    guard pid > 0 else { return nil }
    // The number of a child that was not reaped is not reused, so this opens the right process.
    guard let descriptor = Descriptor(process_open(pid)) else {
      kill(-pid, SIGKILL)
      _ = process_reap(pid)
      return nil
    }
    self.pid = pid
    self.descriptor = descriptor
  }

  /// Waits for the program's end and reaps it.
  ///
  /// - Returns: The exit status, 128 + n for signal n.
  package func reap() -> Int32 { process_reap(pid) }

  /// Reaps the program when it ends, so that it leaves no zombie; blocks no thread.
  ///
  /// - Parameter body: Called after the program was reaped.
  package func reapInBackground(_ body: @escaping @Sendable () -> Void = {}) {
    @Sendable func reapNow() {
      _ = reap()
      body()
    }
    // Cannot be cancelled, since the program may live as long as its job.
    if ProcessExitMonitor.shared?.add(descriptor, reapNow) != nil { return }
    Task { [descriptor] in
      while !descriptor.hasEnded { try? await Task.sleep(for: .seconds(1)) }
      reapNow()
    }
  }

  /// Time-out for the end of a killed program, in milliseconds.
  ///
  /// A program that waits for a disk ends only when the disk answers.
  static let killTimeout: Int32 = 2_000

  /// Kills the program, if it still runs, and all processes of its group.
  package func killAndReap() {
    // A reaped program is no longer a child; another process may have its number.
    guard process_is_child(pid) == 1 else { return }
    signalGroup(SIGKILL)
    if wait_readable(descriptor.number, -1, -1, Self.killTimeout) != 0 { _ = reap() }
  }

  /// Sends a signal to the program's process group.
  package func signalGroup(_ signal: Int32) { kill(-pid, signal) }

  private static func withStrings<Value>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Value
  ) -> Value {
    var pointers = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { while let pointer = unsafe pointers.popLast() { unsafe free(pointer) } }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}
