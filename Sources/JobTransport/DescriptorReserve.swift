internal import Glibc
internal import Synchronization

/// One descriptor kept open so that a connection can still be accepted, and refused or served, when
/// the process has no other descriptor left.
final class DescriptorReserve: Sendable {
  private let number = Mutex<Int32>(-1)

  init() { restore() }

  deinit { release() }

  /// Opens the descriptor unless it is open; does nothing where none is left.
  func restore() {
    number.withLock { number in
      guard number < 0 else { return }
      number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
  }

  /// Closes the descriptor, whose number is free then.
  func release() {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = close(number)
      number = -1
    }
  }
}
