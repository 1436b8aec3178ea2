import JobWire
import Testing

@Suite struct `Cutting a stream into lines` {
  @Test(arguments: [
    (["a\nb\n"], ["a", "b"]),
    (["a", "b\nc", "\n"], ["ab", "c"]),
    (["a\r\nb\r\n"], ["a", "b"]),
    (["\n\n\na\n\n"], ["a"]),
    (["abc"], []),
    (["\u{E4}\u{20AC}\n"], ["\u{E4}\u{20AC}"]),
    (["abcdefgh\n"], ["abcdefgh"]),
  ])
  func `lines come out whole, however the bytes arrive`(
    pieces: [String], lines: [String]
  ) throws {
    var splitter = LineSplitter(limit: 8)
    var found: [String] = []
    for piece in pieces {
      found += try splitter.append(Array(piece.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found == lines)

    var slow = LineSplitter(limit: 8)
    let single = try pieces.joined().utf8.flatMap { try slow.append([$0]) }
    #expect(single.map { String(decoding: $0, as: UTF8.self) } == lines)
  }

  @Test(arguments: [["123456789\n"], ["12345678", "9"], ["a\n123456789"], ["1234", "56789\n"]])
  func `a line over the limit is refused as soon as that is known`(pieces: [String]) {
    var splitter = LineSplitter(limit: 8)
    #expect(throws: LineSplitter.LineTooLong.self) {
      for piece in pieces { _ = try splitter.append(Array(piece.utf8)) }
    }
  }
}
