import Testing

@testable import JobServer

@Suite struct `Seats` {
  private static let limits: [SeatClass: SeatLimits] = [
    .owner: SeatLimits(perOrigin: 3, total: 6, silentPerOrigin: 3, silentTotal: 6),
    .member: SeatLimits(perOrigin: 3, total: 5, silentPerOrigin: 2, silentTotal: 3),
    .viewer: SeatLimits(perOrigin: 2, total: 3, silentPerOrigin: 1, silentTotal: 2),
    .unidentified: SeatLimits(perOrigin: 2, total: 3, silentPerOrigin: 2, silentTotal: 3),
  ]

  @Test(
    arguments: [
      // The class, who has come already, who comes, whether there is a seat.
      (.owner, [0, 0], 0, true), (.owner, [0, 0, 0], 0, false), (.owner, [0, 0, 0], 500, true),
      (.member, [7], 7, true), (.member, [7, 7], 7, false), (.member, [7, 7], 8, true),
      (.member, [7, 7, 8], 9, false),
      (.viewer, [7], 7, false), (.viewer, [7], 8, true), (.viewer, [7, 8], 9, false),
      // Subordinate uids of one person are one origin, known members are not.
      (.viewer, [100_000], 100_001, false), (.viewer, [100_000], 231_072, true),
      (.member, [100_000, 100_000], 100_001, true),
      (.unidentified, [100_000, 100_001], 100_002, false),
      (.unidentified, [100_000, 100_001], 7, true),
    ] as [(SeatClass, [UInt32], UInt32, Bool)])
  func `of one class are shared out by origin, those without hello apart`(
    seatClass: SeatClass, present: [UInt32], uid: UInt32, isWelcome: Bool
  ) {
    var table = SeatTable(limits: Self.limits)
    for uid in present { #expect(table.admit(uid, as: seatClass) != nil) }
    #expect((table.admit(uid, as: seatClass) != nil) == isWelcome)
    #expect(table.count == present.count + (isWelcome ? 1 : 0))
  }

  @Test func `of one class are never another one's`() {
    for full in SeatClass.allCases {
      var table = SeatTable(limits: Self.limits)
      for uid in 0..<100 as Range<UInt32> { _ = table.admit(uid, as: full) }
      #expect(table.admit(1000, as: full) == nil)
      for other in SeatClass.allCases where other != full {
        #expect(table.admit(1000, as: other) != nil, "\(full) takes from \(other)")
      }
    }
  }

  @Test func `are free for the next one after hello, up to the limit of all`() {
    var table = SeatTable(limits: Self.limits)
    for _ in 1...3 {
      let seat = table.admit(7, as: .member)
      #expect(seat != nil)
      if let seat { table.greet(seat) }
    }
    #expect(table.admit(7, as: .member) == nil)
  }

  @Test func `are left once, and moved to where there is room`() throws {
    var table = SeatTable(limits: Self.limits)
    let one = table.admit(7, as: .unidentified)
    let first = try #require(one)
    let two = table.admit(7, as: .unidentified)
    let second = try #require(two)
    #expect(table.move(first, to: .viewer) == true)
    #expect(table.count(of: .viewer) == 1 && table.count(of: .unidentified) == 1)
    let hasMoved = table.move(second, to: .viewer)
    #expect(!hasMoved, "two without hello are too many of one origin")
    #expect(table.count == 1)
    table.leave(second)
    table.leave(first)
    table.leave(first)
    #expect(table.count == 0)
    for seatClass in SeatClass.allCases { #expect(table.count(of: seatClass) == 0) }
  }

  @Test(arguments: [8, 30, 100, 650, 100_000])
  func `are no more in all than the process has room for`(connections: Int) {
    var limits = ServerLimits()
    limits.connections = connections
    let seats = limits.seats
    #expect(seats.values.allSatisfy { $0.total > 0 && $0.perOrigin > 0 && $0.silentTotal > 0 })
    guard connections >= 30 else { return }
    #expect(seats.values.reduce(0) { $0 + $1.total } <= connections)
  }
}

@Suite struct `Notices about peers` {
  @Test func `come once in a while for each kind and user, the others are counted`() throws {
    var limit = NoticeRateLimit()
    let begun = limit.begin(.refused, 7)
    let subject = try #require(begun)
    for _ in 0..<5 { #expect(limit.begin(.refused, 7) == nil) }
    #expect(limit.begin(.lineTooLong, 7) != nil)
    #expect(limit.begin(.refused, 8) != nil)
    #expect(limit.end(subject) == 5)
    #expect(limit.begin(.refused, 7) == nil, "a new window has begun with the count")
    #expect(limit.end(subject) == 1)
    #expect(limit.end(subject) == 0)
    #expect(limit.begin(.refused, 7) == subject)
  }

  @Test func `of a crowd are counted together`() {
    var limit = NoticeRateLimit()
    let begun = (0..<10_000 as Range<UInt32>).count { limit.begin(.refused, $0) != nil }
    #expect(begun == NoticeRateLimit.mostSubjects + 1)
  }
}
