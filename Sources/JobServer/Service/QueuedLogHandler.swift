internal import Glibc
import HostSystem
package import Logging

/// Writes log messages as lines to a ``LogQueue``, so that a slow reader of the log blocks no
/// thread.
package struct QueuedLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:]
  package var logLevel = Logger.Level.notice
  private let label: String
  private let queue: LogQueue

  /// - Parameters:
  ///   - label: The text after time and level in each line.
  ///   - queue: The queue for the lines.
  package init(label: String, queue: LogQueue) {
    self.label = label
    self.queue = queue
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    // Peers may have chosen parts of the text.
    let line = "\(Self.time()) \(event.level) \(label):\(values) \(event.message)"
    queue.add(Sanitised.line(line, limit: 2000, replacement: "?"))
  }

  private static func time() -> String {
    var now = Glibc.time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&now, &parts)
    var buffer = [CChar](repeating: 0, count: 40)
    let count = unsafe strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S%z", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
