import Synchronization

/// A value behind a lock, for what callbacks leave behind in tests.
package final class Locked<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  package init(_ value: Value) { state = Mutex(value) }

  /// The value as it is now.
  package var value: Value { state.withLock { $0 } }

  /// Changes the value.
  package func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
