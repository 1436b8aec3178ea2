/// The class that a connection is counted in.
///
/// Each class has its own number of seats.
package enum SeatClass: Sendable, Hashable, CaseIterable {
  /// Root, and the user who runs the engine.
  case owner
  /// A member of the group with the right to act.
  case member
  /// A view-only user.
  case viewer
  /// A user whose name and group membership are being looked up.
  case unidentified
}

/// Limits on the simultaneous connections of one class.
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

/// The open connections, counted by class and by origin.
///
/// Each class has its own seats, so no class can use up the seats of another. A pure value; the
/// server checks it before it serves a connection.
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

  /// Number of seats in use.
  var count: Int { seats.count }

  /// Number of seats of a class in use.
  func count(of seatClass: SeatClass) -> Int { classes[seatClass]?.count ?? 0 }

  /// The number under which a user's connections are counted.
  ///
  /// For view-only and unidentified users, each block of 65,536 uids from 65,536 on is one origin;
  /// all other uids count alone. An ordinary user may own a block of 65,536 subordinate uids
  /// (`subuid(5)`), which belong to the same person. Users who may act are known by name and always
  /// counted by uid.
  static func origin(of uid: UInt32, as seatClass: SeatClass) -> UInt32 {
    switch seatClass {
    case .owner, .member: uid
    case .viewer, .unidentified: uid < 1 << 16 ? uid : 1 << 16 + uid >> 16
    }
  }

  /// Assigns a seat to a new connection.
  ///
  /// - Returns: The seat's number; nil if the class or the origin has no free seat.
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
  /// - Returns: False if there was no free seat. The connection then has lost its old seat too.
  mutating func move(_ number: Int, to seatClass: SeatClass) -> Bool {
    guard var seat = seats[number] else { return false }
    leave(number)
    guard hasRoom(for: seat.uid, as: seatClass, isSilent: seat.isSilent) else { return false }
    seat.seatClass = seatClass
    seats[number] = seat
    count(seat, 1)
    return true
  }

  /// Marks a connection as greeted: it has sent `hello`.
  mutating func greet(_ number: Int) {
    guard var seat = seats[number], seat.isSilent else { return }
    count(seat, -1)
    seat.isSilent = false
    seats[number] = seat
    count(seat, 1)
  }

  /// Frees the seat of a connection, if it has one.
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
