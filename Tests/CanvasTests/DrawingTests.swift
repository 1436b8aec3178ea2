import Canvas
import Testing

@Suite struct `Drawing` {
  private func canvas(_ columns: Int, _ rows: Int) -> Canvas {
    Canvas(size: Size(columns: columns, rows: rows))
  }

  @Test func `text is cut at the edges and the columns drawn are told`() {
    var canvas = canvas(5, 2)
    #expect(canvas.draw("hello world", at: Point(column: 1, row: 0)) == 4)
    #expect(canvas.draw("abc", at: Point(column: -2, row: 1)) == 3)
    #expect(canvas.draw("abc", at: Point(column: 0, row: 2)) == 0)
    #expect(canvas.draw("abc", at: Point(column: 0, row: -1)) == 0)
    #expect(canvas.draw("abc", at: Point(column: 9, row: 0)) == 0)
    #expect(canvas.draw("abcdef", at: Point(column: 3, row: 1), maxColumns: 1) == 1)
    #expect(canvas.text == " hell\nc  a\n")
  }

  @Test(arguments: [(-1, " 字"), (0, "漢字"), (1, " 漢"), (2, "  漢"), (3, ""), (4, "")])
  func `a wide character at the edge becomes a space`(column: Int, text: String) {
    var small = canvas(4, 1)
    small.draw("漢字", at: Point(column: column, row: 0))
    expectSound(small)
    #expect(small.text == text + "\n")
    var clipped = canvas(5, 1)
    clipped.fill(clipped.bounds, with: "x")
    clipped.draw(
      "漢字", at: Point(column: column, row: 0),
      clippedTo: Rect(column: 0, row: 0, columns: 4, rows: 1))
    expectSound(clipped)
    #expect(clipped[Point(column: 4, row: 0)].base == "x")
  }

  @Test func `overwriting half of a wide character blanks the other half`() {
    for column in 0..<4 {
      var canvas = canvas(4, 1)
      canvas.draw("漢字", at: Point(column: 0, row: 0))
      canvas.draw("x", at: Point(column: column, row: 0))
      expectSound(canvas)
      #expect(canvas.text == ["x 字\n", " x字\n", "漢x\n", "漢 x\n"][column])
    }
    var canvas = canvas(4, 1)
    canvas.draw("漢字", at: Point(column: 0, row: 0))
    canvas.draw("語", at: Point(column: 1, row: 0))
    expectSound(canvas)
    #expect(canvas.text == " 語\n")
  }

  @Test func `combining marks stay on their base`() {
    var canvas = canvas(3, 1)
    canvas.draw("e\u{301}x", at: Point(column: 0, row: 0))
    #expect(canvas[Point(column: 0, row: 0)].marks == ["\u{301}"])
    #expect(canvas[Point(column: 1, row: 0)].base == "x")
  }

  @Test func `a field is filled, aligned and cut`() {
    var canvas = canvas(8, 4)
    canvas.fill(canvas.bounds, with: "x")
    canvas.draw("ab", at: Point(column: 1, row: 0), columns: 6, alignment: .left)
    canvas.draw("ab", at: Point(column: 1, row: 1), columns: 6, alignment: .right)
    canvas.draw("ab", at: Point(column: 1, row: 2), columns: 6, alignment: .center)
    canvas.draw(
      "abcdefgh", at: Point(column: 1, row: 3), columns: 6, alignment: .left, marker: .tilde)
    #expect(canvas.text == "xab    x\nx    abx\nx  ab  x\nxabcde~x\n")
  }

  @Test(
    arguments: [
      ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("", 3, ""),
      ("漢字", 4, "漢字"), ("漢字", 3, "漢…"), ("漢字", 2, "…"), ("漢字漢", 4, "漢…"),
      ("ae\u{301}bc", 3, "ae\u{301}…"), ("abe\u{301}\u{302}c", 3, "ab…"),
    ])
  func `text that is too long ends in a marker`(text: String, columns: Int, shown: String) {
    #expect(truncated(text, to: columns) == shown)
  }

  @Test func `frames and rules follow the edge and are clipped`() {
    var canvas = canvas(14, 3)
    canvas.frame(Rect(column: 0, row: 0, columns: 14, rows: 3), title: "Abort")
    #expect(canvas.text == "┌─ Abort ────┐\n│            │\n└────────────┘\n")
    canvas.frame(
      Rect(column: 1, row: 0, columns: 12, rows: 3), title: "too long a title", lines: .ascii)
    #expect(canvas.text == "┌+- too l~ -+┐\n│|          |│\n└+----------+┘\n")
    canvas.rule(at: Point(column: -3, row: 1), columns: 5)
    #expect(canvas.text.split(separator: "\n")[1] == "──          |│")
    var small = self.canvas(3, 2)
    small.frame(Rect(column: -1, row: -1, columns: 3, rows: 3))
    #expect(small.text == " │\n─┘\n")
    small.frame(Rect(column: 0, row: 0, columns: 1, rows: 1))
    #expect(small.text == " │\n─┘\n")
  }

  @Test func `dimming leaves text and takes colour`() {
    var canvas = canvas(3, 1)
    canvas.draw("abc", at: Point(column: 0, row: 0), style: Style(foreground: .indexed(1)))
    canvas.dim(Rect(column: 1, row: 0, columns: 9, rows: 9))
    #expect(canvas.text == "abc\n")
    #expect(canvas.attributeLayer(letters: [Style(attributes: .dim): "d"]).rows == ["add"])
  }

  @Test func `the dump shows text, styles, legend and cursor`() {
    var canvas = canvas(4, 2)
    canvas.draw("ab", at: Point(column: 1, row: 0), style: Style(foreground: .indexed(32)))
    canvas.draw("c", at: Point(column: 0, row: 1), style: Style(attributes: [.bold, .reverse]))
    canvas.cursor = Point(column: 3, row: 1)
    #expect(
      canvas.dump() == """
        4x2
         ab
        c
        --
        .aa
        b
        --
        a 32
        b bold reverse
        cursor 3,1

        """)
  }
}
