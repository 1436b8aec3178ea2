import CProcess
import Glibc

/// A program that was started here, in a process group or session of its own.
package struct ToolProcess: Sendable {
  package let pid: Int32
  /// Readable when the program has ended.
  package let descriptor: Descriptor

  /// Starts a program with standard input closed and its output going to open files; nil when it
  /// could not be started, or could not be watched and was therefore ended.
  ///
  /// - Parameters:
  ///   - arguments: The program's absolute path, then its arguments.
  ///   - environment: The whole environment.
  ///   - output: Where standard output goes.
  ///   - errors: Where standard error goes; nil for the same place.
  ///   - leadsSession: Whether it gets a session of its own, so that it outlives this process's one.
  ///   - name: What it is called in the list of processes; nil for its path.
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
    // A child that was not waited for keeps its number, so this cannot be another process.
    guard let descriptor = Descriptor(process_open(pid)) else {
      kill(-pid, SIGKILL)
      _ = process_reap(pid)
      return nil
    }
    self.pid = pid
    self.descriptor = descriptor
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit status, 128 + n for signal n.
  package func reap() -> Int32 { process_reap(pid) }

  /// Reaps the program as soon as it has ended, so that it leaves no zombie; no thread waits for it.
  ///
  /// - Parameter body: Called then.
  package func reapInBackground(_ body: @escaping @Sendable () -> Void = {}) {
    @Sendable func reapNow() {
      _ = reap()
      body()
    }
    // The program may live for as long as its job, and nobody cancels this.
    if ProcessExitMonitor.shared?.add(descriptor, reapNow) != nil { return }
    Task { [descriptor] in
      while !descriptor.hasEnded { try? await Task.sleep(for: .seconds(1)) }
      reapNow()
    }
  }

  /// How long a program that was killed is waited for, in milliseconds.
  ///
  /// One that waits for a disk ends only when the disk answers.
  static let killTimeout: Int32 = 2_000

  /// Ends the program, if it still runs, with all that it started.
  package func abandon() {
    // What was reaped already is no child any more; its number may be another's by now.
    guard process_is_child(pid) == 1 else { return }
    signalGroup(SIGKILL)
    if wait_readable(descriptor.number, -1, -1, Self.killTimeout) != 0 { _ = reap() }
  }

  /// Sends a signal to the program and what it started, all of them in one process group.
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
