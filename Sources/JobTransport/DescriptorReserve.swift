internal import Glibc
internal import Synchronization

/// A spare descriptor.
///
/// It lets the process accept, and refuse or serve, a connection when no other descriptor is free.
final class DescriptorReserve: Sendable {
  private let number = Mutex<Int32>(-1)

  init() { restore() }

  deinit { release() }

  /// Opens the spare descriptor if it is closed and a descriptor is free.
  func restore() {
    number.withLock { number in
      guard number < 0 else { return }
      number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
  }

  /// Closes the spare descriptor, so that its number is free.
  func release() {
    number.withLock { number in
      guard number >= 0 else { return }
      _ = close(number)
      number = -1
    }
  }
}
