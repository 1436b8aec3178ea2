import Canvas
import Testing

@Suite struct `Layout` {
  private let tracks = [
    Track("job", 4), Track("what", 18, minimum: 4, maximum: .max, shrinks: 2),
    Track("by", 6, leaves: 0), Track("speed", 6, leaves: 1),
    Track("bar", 10, minimum: 6, maximum: 30, shrinks: 1),
  ]

  @Test(
    arguments: [
      (48, ["job", "what", "by", "speed", "bar"], 18, 10),
      (47, ["job", "what", "speed", "bar"], 21, 13),
      (41, ["job", "what", "speed", "bar"], 18, 10),
      (34, ["job", "what", "bar"], 18, 10), (32, ["job", "what", "bar"], 18, 8),
      (30, ["job", "what", "bar"], 18, 6), (29, ["job", "what", "bar"], 17, 6),
      (120, ["job", "what", "by", "speed", "bar"], 70, 30),
    ])
  func `columns leave in their order, then the bar shrinks, then the text`(
    width: Int, ids: [String], what: Int, bar: Int
  ) {
    let placed = arrange(tracks, in: width, gap: 1)
    #expect(placed.map(\.id) == ids)
    #expect(placed.first { $0.id == "what" }?.length == what)
    #expect(placed.first { $0.id == "bar" }?.length == bar)
  }

  @Test func `nothing overlaps and nothing lies outside at any width`() {
    for width in -2...200 {
      var end = 0
      for (index, track) in arrange(tracks, in: width, gap: 1).enumerated() {
        #expect(track.start == end + (index == 0 ? 0 : 1))
        #expect(track.length > 0)
        end = track.start + track.length
      }
      #expect(end <= max(0, width))
    }
  }

  @Test func `rectangles meet, and have rows`() {
    let rect = Rect(column: 0, row: 0, columns: 10, rows: 4)
    #expect(
      rect.intersection(Rect(column: 8, row: -2, columns: 9, rows: 4))
        == Rect(column: 8, row: 0, columns: 2, rows: 2))
    #expect(rect.intersection(Rect(column: 20, row: 0, columns: 3, rows: 3)).isEmpty)
    #expect(rect.row(3).size.rows == 1)
    #expect(rect.row(4).isEmpty)
  }
}
