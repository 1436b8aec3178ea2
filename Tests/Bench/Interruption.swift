internal import Dispatch
internal import Glibc

/// Calls a function when this process is asked to end, instead of ending at once.
final class Interruption: Sendable {
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// Heeds SIGINT and SIGTERM from now on.
  init(_ body: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "interruption")
    unsafe sources = [SIGINT, SIGTERM].map { number in
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: body)
      source.activate()
      return source
    }
  }

  /// Lets the signals end the process again.
  func end() {
    for source in unsafe sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
  }
}
