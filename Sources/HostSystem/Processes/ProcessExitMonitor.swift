import CProcess
import Glibc
import Synchronization

/// Calls functions when processes end; one thread waits for all of them.
///
/// A process descriptor must not be the descriptor of a Dispatch source. After its process has been
/// reaped, the kernel reports a hang-up on it; libdispatch answers by ending the source, and where
/// the source is being cancelled at that moment it ends it a second time and with it the program
/// ("Source finalized twice"; once in some 10,000 starts on Linux 6.18). Each registration has a
/// descriptor of its own, which is closed only after the kernel has forgotten it.
final class ProcessExitMonitor: Sendable {
  /// The shared monitor of this process; nil when the kernel gave no descriptor or thread for it.
  package static var shared: ProcessExitMonitor? {
    instance.withLock { instance in
      if instance == nil { instance = ProcessExitMonitor() }
      return instance
    }
  }

  private static let instance = Mutex<ProcessExitMonitor?>(nil)

  private struct Entry: Sendable {
    var process: Descriptor
    var body: @Sendable () -> Void
  }

  private struct State {
    var lastNumber: UInt64 = 0
    var entries: [UInt64: Entry] = [:]
  }

  private let set: Descriptor
  private let state = Mutex(State())

  private init?() {
    guard let set = Descriptor(exit_set_open()) else { return nil }
    self.set = set
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self)
    let status = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let monitor = unsafe Unmanaged<ProcessExitMonitor>.fromOpaque(context).takeRetainedValue()
        monitor.run()
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      unsafe context.release()
      return nil
    }
    pthread_detach(thread)
  }

  /// Calls a function when a process has ended; at once if it has ended already.
  ///
  /// - Parameters:
  ///   - process: The process; the descriptor may be closed after this call.
  ///   - body: Called on the monitor's thread, at most once. It must not block.
  /// - Returns: The number for ``cancel(_:)``; nil when the kernel gave no descriptor, and then
  ///   `body` is never called.
  package func add(_ process: Descriptor, _ body: @escaping @Sendable () -> Void) -> UInt64? {
    guard let own = Descriptor(fcntl(process.number, F_DUPFD_CLOEXEC, 3)) else { return nil }
    return state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      guard exit_set_add(set.number, own.number, number) == 0 else { return nil }
      state.entries[number] = Entry(process: own, body: body)
      return number
    }
  }

  /// Removes a registration; a call that has begun continues.
  package func cancel(_ number: UInt64) { _ = remove(number) }

  /// Number of watched processes.
  package var count: Int { state.withLock { $0.entries.count } }

  private func remove(_ number: UInt64) -> Entry? {
    state.withLock { state in
      guard let entry = state.entries.removeValue(forKey: number) else { return nil }
      exit_set_remove(set.number, entry.process.number)
      return entry
    }
  }

  private func run() {
    var numbers = [UInt64](repeating: 0, count: 64)
    while true {
      let count = unsafe numbers.withUnsafeMutableBufferPointer { buffer in
        unsafe exit_set_wait(set.number, buffer.baseAddress, Int32(buffer.count))
      }
      precondition(count >= 0, "the set of process descriptors is open")
      for number in numbers.prefix(Int(count)) { remove(number)?.body() }
    }
  }
}

/// A registered call at the end of a process, cancelled when this value is released.
package final class ProcessExitNotification: Sendable {
  private let state: Mutex<(number: UInt64?, retry: Task<Void, Never>?)>

  /// Calls a function when a process has ended.
  ///
  /// When the kernel gives no descriptor, the process is polled once a second instead.
  package init(of process: Descriptor, _ body: @escaping @Sendable () -> Void) {
    if let number = ProcessExitMonitor.shared?.add(process, body) {
      state = Mutex((number, nil))
      return
    }
    let retry = Task {
      while !process.hasEnded {
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      }
      body()
    }
    state = Mutex((nil, retry))
  }

  deinit {
    state.withLock { state in
      if let number = state.number { ProcessExitMonitor.shared?.cancel(number) }
      state.retry?.cancel()
    }
  }
}

extension Descriptor {
  /// Whether the process behind this descriptor has ended.
  package var hasEnded: Bool { wait_readable(number, -1, -1, 0) != 0 }
}
