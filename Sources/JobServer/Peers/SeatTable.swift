/// What a connection is counted as: whose it is decides which seats it can have.
package enum SeatClass: Sendable, Hashable, CaseIterable {
  /// Root, and the user who runs the engine.
  case owner
  /// A member of the group whose members may act.
  case member
  /// Somebody who may look and not act.
  case looker
  /// A user whose name and membership are being looked up.
  case unidentified
}

/// How many connections of one class there may be at the same time.
package struct SeatLimits: Sendable, Hashable {
  /// Connections of one origin.
  package var perOrigin: Int
  /// Connections of the whole class.
  package var total: Int
  /// Connections of one origin that have not said `hello`.
  package var silentPerOrigin: Int
  /// Connections of the whole class that have not said `hello`.
  package var silentTotal: Int

  package init(perOrigin: Int, total: Int, silentPerOrigin: Int, silentTotal: Int) {
    self.perOrigin = perOrigin
    self.total = total
    self.silentPerOrigin = silentPerOrigin
    self.silentTotal = silentTotal
  }
}

/// Who has a connection, and who can have one more: each class has seats of its own, so that no class
/// takes another one's.
///
/// A pure value; the server asks it before it serves a connection.
struct SeatTable: Sendable {
  private struct Seat {
    var seatClass: SeatClass
    var uid: UInt32
    var isSilent = true
  }

  private struct Origin: Hashable {
    var seatClass: SeatClass
    var number: UInt32
  }

  private struct Usage {
    var count = 0
    var silent = 0
  }

  private let limits: [SeatClass: SeatLimits]
  private var seats: [Int: Seat] = [:]
  private var origins: [Origin: Usage] = [:]
  private var classes: [SeatClass: Usage] = [:]
  private var lastNumber = 0

  /// - Parameter limits: The limits of each class; a class without an entry has no seats.
  init(limits: [SeatClass: SeatLimits]) { self.limits = limits }

  /// How many seats are taken.
  var count: Int { seats.count }

  /// How many seats of a class are taken.
  func count(of seatClass: SeatClass) -> Int { classes[seatClass]?.count ?? 0 }

  /// The users that are counted together: a uid by itself, and above 65,535 each 65,536 of them.
  ///
  /// An ordinary user may be given that many subordinate uids (`subuid(5)`), and none of them is
  /// another person. Acting users are known by name and always counted one by one.
  static func origin(of uid: UInt32, as seatClass: SeatClass) -> UInt32 {
    switch seatClass {
    case .owner, .member: uid
    case .looker, .unidentified: uid < 1 << 16 ? uid : 1 << 16 + uid >> 16
    }
  }

  /// Gives a new connection a seat.
  ///
  /// - Returns: The seat's number; nil where there is none for it.
  mutating func admit(_ uid: UInt32, as seatClass: SeatClass) -> Int? {
    guard hasRoom(for: uid, as: seatClass, isSilent: true) else { return nil }
    lastNumber += 1
    let seat = Seat(seatClass: seatClass, uid: uid)
    seats[lastNumber] = seat
    count(seat, 1)
    return lastNumber
  }

  /// Moves a connection to a seat of another class.
  ///
  /// - Returns: Whether there was one; otherwise the connection has no seat any more.
  mutating func move(_ number: Int, to seatClass: SeatClass) -> Bool {
    guard var seat = seats[number] else { return false }
    leave(number)
    guard hasRoom(for: seat.uid, as: seatClass, isSilent: seat.isSilent) else { return false }
    seat.seatClass = seatClass
    seats[number] = seat
    count(seat, 1)
    return true
  }

  /// Notes that a connection has said `hello`.
  mutating func greet(_ number: Int) {
    guard var seat = seats[number], seat.isSilent else { return }
    count(seat, -1)
    seat.isSilent = false
    seats[number] = seat
    count(seat, 1)
  }

  /// Frees the seat of a connection; does nothing where it has none.
  mutating func leave(_ number: Int) {
    guard let seat = seats.removeValue(forKey: number) else { return }
    count(seat, -1)
  }

  private func hasRoom(for uid: UInt32, as seatClass: SeatClass, isSilent: Bool) -> Bool {
    guard let limits = limits[seatClass] else { return false }
    let number = Self.origin(of: uid, as: seatClass)
    let own = origins[Origin(seatClass: seatClass, number: number)] ?? Usage()
    let all = classes[seatClass] ?? Usage()
    guard own.count < limits.perOrigin, all.count < limits.total else { return false }
    return !isSilent || (own.silent < limits.silentPerOrigin && all.silent < limits.silentTotal)
  }

  private mutating func count(_ seat: Seat, _ change: Int) {
    let number = Self.origin(of: seat.uid, as: seat.seatClass)
    let origin = Origin(seatClass: seat.seatClass, number: number)
    var usage = origins[origin] ?? Usage()
    usage.count += change
    if seat.isSilent { usage.silent += change }
    origins[origin] = usage.count > 0 ? usage : nil
    classes[seat.seatClass, default: Usage()].count += change
    if seat.isSilent { classes[seat.seatClass, default: Usage()].silent += change }
  }
}
