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
  ) {
    var splitter = LineSplitter(limit: 8)
    var found: [String] = []
    for piece in pieces {
      found += splitter.append(Array(piece.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(found == lines)

    var slow = LineSplitter(limit: 8)
    let single = pieces.joined().utf8.flatMap { slow.append([$0]) }
    #expect(single.map { String(decoding: $0, as: UTF8.self) } == lines)
  }

  @Test(arguments: [["123456789\n"], ["12345678", "9"], ["a\n123456789"], ["1234", "56789\n"]])
  func `a line over the limit is refused as soon as that is known`(pieces: [String]) {
    var splitter = LineSplitter(limit: 8)
    for piece in pieces { _ = splitter.append(Array(piece.utf8)) }
    #expect(splitter.overflow?.limit == 8)
    #expect(splitter.append([0x61, 0x0A]) == [])
  }

  @Test(arguments: [["a\nb\n123456789\nc\n"], ["a\nb", "\n12345", "6789", "\nc\n"]])
  func `the lines before one that is too long come, however the bytes arrive`(pieces: [String]) {
    var splitter = LineSplitter(limit: 8)
    let lines = pieces.flatMap { splitter.append(Array($0.utf8)) }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == ["a", "b"])
    #expect(splitter.overflow != nil)
  }
}
