internal import Canvas
internal import FoundationEssentials
internal import Glibc

/// One call of `fettle-bench`: runs sections one after the other and prints their figures.
package struct BenchRun: Sendable {
  private let words: [String]
  private let effort: Effort
  private let isJSON: Bool
  private let seed: UInt64?

  /// The names of the sections that measure, all of which `all` runs, and of those that prove
  /// promises.
  package static let sections = (
    measuring: SectionCatalog.figures.map { $0.name },
    proving: SectionCatalog.proofs.map { $0.name }
  )

  /// A run of the sections that `words` name; without a seed, what is left to chance differs.
  package init(_ words: [String], isQuick: Bool, isJSON: Bool, seed: UInt64? = nil) {
    self.words = words
    self.seed = seed
    effort = isQuick ? .quick : .full
    self.isJSON = isJSON
  }

  /// Measures and prints; SIGINT and SIGTERM end it after what was prepared is removed.
  ///
  /// - Returns: The exit status: 0 when every section could measure, whatever the figures say, 1
  ///   when one could not, 64 when the words name no section.
  package func run() async -> Int32 {
    let sections: [any Section.Type]
    do {
      sections = try SectionCatalog.named(words)
    } catch {
      Self.report("\(error)")
      return 64
    }
    #if DEBUG
    Self.report("this is a debug build: its times and memory are not to be published")
    #endif
    let measuring = Task { await measure(sections) }
    let interruption = Interruption { measuring.cancel() }
    defer { interruption.end() }
    let (figures, isWhole) = await measuring.value
    print(figures)
    return isWhole ? 0 : 1
  }

  private func measure(_ sections: [any Section.Type]) async -> ([Figure], isWhole: Bool) {
    var figures: [Figure] = []
    var isWhole = true
    for section in sections {
      let name = section.name
      do {
        try Task.checkCancellation()
        let part = seed.map { section.init(seed: $0) } ?? section.init()
        figures += try await part.measure(effort) { Self.report("\(name): \($0)") }
      } catch {
        isWhole = false
        if error is CancellationError {
          Self.report("\(name): interrupted")
          break
        }
        Self.report("cannot measure \(name): \(error)")
      }
    }
    return (figures, isWhole)
  }

  private func print(_ figures: [Figure]) {
    if isJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(figures) else { return }
      Self.write(String(decoding: data, as: UTF8.self) + "\n", to: STDOUT_FILENO)
    } else {
      for line in FigureTable(figures: figures).lines { Self.write(line + "\n", to: STDOUT_FILENO) }
    }
  }

  private static func report(_ text: String) {
    write("fettle-bench: \(sanitize(text))\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
