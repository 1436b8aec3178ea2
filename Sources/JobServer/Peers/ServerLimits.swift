internal import Glibc

/// Limits on the resources that peers may use.
package struct ServerLimits: Sendable, Hashable {
  /// Simultaneous connections of all users.
  ///
  /// Each class of seats has a share of them. Jobs need descriptors too, so connections must not
  /// use all that the process may open.
  package var connections = Self.roomForConnections
  /// Simultaneous connections of one user who may act.
  package var connectionsPerUser = 64
  /// Outstanding requests of one connection; at the limit, no further request is read.
  package var outstandingRequests = 32
  /// Outstanding requests of one view-only connection.
  package var outstandingViewerRequests = 4
  /// Outstanding lookups of one connection (requests that wait for a plan and change nothing).
  ///
  /// Further lookups are refused, so that later requests are still read.
  package var outstandingLookups = 32
  /// Outstanding lookups of one view-only connection.
  package var outstandingViewerLookups = 4
  /// Bytes of unread replies of one connection; at the limit, no further request is read.
  package var waitingReplyBytes = 1 << 20
  /// Simultaneous subscriptions of one connection.
  package var subscriptions = 16
  /// Malformed lines of one connection before it is closed.
  package var malformedLines = 100
  /// Time for the client to send `hello`, in seconds.
  package var helloSeconds = 10.0
  /// Time to send the last replies after the peer has stopped sending, in seconds.
  package var flushSeconds = 10.0
  /// Largest line before `hello`, in bytes.
  package var helloLine = 4 << 10
  /// Largest line of a view-only connection, in bytes.
  package var viewerLine = 256 << 10
  /// Largest number of bytes buffered for all connections of one user who may act: incomplete lines
  /// and unread replies.
  package var bufferedBytes = 96 << 20
  /// Largest number of bytes buffered for all view-only connections of one origin.
  package var viewerBufferedBytes = 16 << 20
  /// Largest number of bytes buffered for all view-only connections together.
  package var allViewersBufferedBytes = 64 << 20

  package init() {}

  /// The seats of each class.
  ///
  /// Root and the user of the engine have ``connectionsPerUser`` seats each, separate from all
  /// others. View-only users have an eighth of ``connections``, at most 64. Users whose account is
  /// being looked up have an eighth, at most 32.
  package var seats: [SeatClass: SeatLimits] {
    let perUser = min(connectionsPerUser, max(3, connections / 4))
    let lookers = min(64, max(2, connections / 8))
    let unidentified = min(32, max(2, connections / 8))
    let members = max(2, connections - 2 * perUser - lookers - unidentified)
    return [
      .owner: SeatLimits(
        perOrigin: perUser, total: 2 * perUser, silentPerOrigin: perUser, silentTotal: 2 * perUser),
      .member: SeatLimits(
        perOrigin: perUser, total: members, silentPerOrigin: min(16, perUser),
        silentTotal: max(2, members / 2)),
      .viewer: SeatLimits(
        perOrigin: min(8, lookers), total: lookers, silentPerOrigin: min(4, lookers),
        silentTotal: max(2, lookers / 2)),
      .unidentified: SeatLimits(
        perOrigin: min(4, unidentified), total: unidentified, silentPerOrigin: min(4, unidentified),
        silentTotal: unidentified),
    ]
  }

  /// Two thirds of the process's descriptor limit, minus the 32 that an idle engine needs.
  ///
  /// Planning takes about twenty descriptors at a time, and each refused connection takes one for a
  /// moment. At least 8; 512 if the limit is unknown.
  private static var roomForConnections: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 512
    }
    return max(8, Int(clamping: min(limit.rlim_cur, 1 << 20)) * 2 / 3 - 32)
  }
}
