import Glibc
import JobServer
import Logging
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `A log that nobody reads` {
  @Test func `holds nobody up, and says later how much was dropped`() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let queue = LogQueue(descriptor: writing, limit: 10_000)
    let logger = Logger(label: "fettled") { QueuedLogHandler(label: $0, queue: queue) }
    // More than the pipe and the queue hold: who waited would never come back.
    await onOwnThread {
      for number in 0..<20_000 {
        logger.notice("line \(number)\u{1B}[2J", metadata: ["uid": "7\n8"])
      }
    }
    #expect(queue.droppedCount > 0)
    #expect(!queue.flush(milliseconds: 20))
    let text = await onOwnThread { () -> String in
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe read(reading, &chunk, chunk.count)
        guard count > 0 else { break }
        bytes += chunk.prefix(count)
        if String(decoding: bytes, as: UTF8.self).contains("messages dropped") { break }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    let lines = text.split(separator: "\n")
    #expect(lines.first?.hasSuffix("notice fettled: uid=7?8 line 0?[2J") == true)
    #expect(lines.contains { $0.hasSuffix(" messages dropped") })
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    #expect(queue.flush(milliseconds: 60_000))
  }
}
