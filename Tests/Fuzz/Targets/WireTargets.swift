import InstallJobs
import JobWire

/// Lines that clients send.
struct RequestLineTarget: FuzzTarget {
  static let name = "request"

  var seeds: [[UInt8]] { WireLines.requests.map { Array($0.utf8) } }
  var tokens: [String] { WireLines.words }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let codec = WireCodec()
    let incoming = codec.request(input)
    switch incoming.body {
    case .failure(let fault):
      guard (try? codec.reply(incoming.id, fault)) != nil else {
        throw BrokenPromise("a fault cannot be answered")
      }
      try hold(fault.message.utf8.count < 4_096, "a fault is too long")
    case .success(let request):
      let id = incoming.id ?? .number(1)
      guard let written = try? codec.request(OutgoingRequest(id: id, request)) else {
        throw BrokenPromise("a request that was read cannot be written")
      }
      let again = codec.request(written)
      var same = incoming
      (same.id, same.isNotification) = (id, false)
      try hold(again == same, "a request written again is another")
      try checkValidity(request)
    }
  }

  /// What the engine takes for valid reads back from how it is stored and shown.
  private func checkValidity(_ request: any WireRequest) throws(BrokenPromise) {
    guard let request = request as? SubmitRequest,
      let valid = try? request.parameters.request.validated()
    else { return }
    for update in valid.updates {
      let again = try? Update(parsing: update.description)
      try hold(
        again?.name == update.name && again?.version == update.version
          && again?.architecture == update.architecture,
        "an update that is valid means another one when it is written")
    }
  }
}

/// Messages that engines send.
struct MessageTarget: FuzzTarget {
  static let name = "message"

  var seeds: [[UInt8]] { WireLines.messages }
  var tokens: [String] { WireLines.words }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let codec = WireCodec()
    guard let incoming = try? codec.incoming(input) else { return }
    switch incoming {
    case .reply: break
    case .notification(.unknown): break
    case .notification(let notification):
      guard let written = try? codec.notification(notification),
        case .notification(let again)? = try? codec.incoming(written)
      else { throw BrokenPromise("a notification that was read cannot be written and read") }
      // What is not a number is never equal to itself.
      guard !String(decoding: written, as: UTF8.self).contains("\"nan\"") else { return }
      try hold(again == notification, "a notification written again is another")
      try checkParts(of: written)
    }
  }

  /// A message that is cut into lines is the message again when they are joined.
  private func checkParts(of message: [UInt8]) throws(BrokenPromise) {
    let codec = WireCodec(limit: 300)
    guard let lines = try? codec.lines(of: message) else {
      throw BrokenPromise("a message cannot be cut into lines")
    }
    guard lines.count > 1 else { return }
    var joined: [UInt8] = []
    for (index, line) in lines.enumerated() {
      try hold(line.count <= 301 && line.last == 0x0A, "a part is longer than a line may be")
      guard case .notification(.part(let text, let last))? = try? codec.incoming(line.dropLast())
      else { throw BrokenPromise("a part cannot be read") }
      try hold(last == (index == lines.count - 1), "another part than the last one is the last")
      joined += Array(text.utf8)
    }
    try hold(joined == message, "the parts joined are another message")
  }
}

/// The cutting of a stream into lines.
struct SplitterTarget: FuzzTarget {
  static let name = "lines"
  private static let limit = 12

  var seeds: [[UInt8]] {
    ["a\nbb\r\n\nccc", "0123456789ab\n", "0123456789abc\n"].map { Array($0.utf8) }
  }
  var tokens: [String] { ["\n", "\r\n", "\r", "a", "0123456789ab", "0123456789abc", "\n\n"] }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let whole = Self.read([input])
    var random = FuzzRandom(seed: input.reduce(7) { $0 &* 31 &+ UInt64($1) })
    var pieces: [[UInt8]] = []
    var rest = input[...]
    while !rest.isEmpty {
      let count = 1 + random.below(min(rest.count, 20))
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let split = Self.read(pieces)
    try hold(split == whole, "lines depend on how the bytes arrive")
    try hold(
      whole.lines.allSatisfy { !$0.isEmpty && $0.count <= Self.limit && !$0.contains(0x0A) },
      "a line is empty, too long or two lines")
  }

  private struct Reading: Equatable {
    var lines: [[UInt8]] = []
    var isTooLong = false
  }

  private static func read(_ pieces: [[UInt8]]) -> Reading {
    var splitter = LineSplitter(limit: limit)
    var reading = Reading()
    for piece in pieces {
      reading.lines += splitter.append(piece)
    }
    reading.isTooLong = splitter.overflow != nil
    return reading
  }
}
