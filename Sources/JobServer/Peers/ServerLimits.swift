internal import Glibc

/// How much one peer may take.
package struct ServerLimits: Sendable, Hashable {
  /// Connections of all users at the same time, of which each class has its own share.
  ///
  /// What the process may have open is needed for jobs, too, which must go on whoever connects.
  package var connections = Self.roomForConnections
  /// Connections at the same time of one user who may act.
  package var connectionsPerUser = 64
  /// Requests of one connection that are being worked on; more are not read until one is answered.
  package var outstandingRequests = 32
  /// The same for a connection that may only look.
  package var outstandingLooks = 4
  /// Requests of one connection that wait for a plan and change nothing; more are refused, so that
  /// what comes behind them is read.
  package var outstandingLookups = 32
  /// The same for a connection that may only look.
  package var outstandingLookupsOfLooker = 4
  /// Bytes of answers of one connection that wait to be taken; no request is read beyond that.
  package var waitingReplyBytes = 1 << 20
  /// Subscriptions of one connection.
  package var subscriptions = 16
  /// Lines of one connection that are no requests, before it is closed.
  package var malformedLines = 100
  /// How long a connection may stay without `hello`, in seconds.
  package var helloSeconds = 10.0
  /// How long the last answers may take once a peer has stopped sending, in seconds.
  package var flushSeconds = 10.0
  /// Bytes of a line before `hello`.
  package var helloLine = 4 << 10
  /// Bytes of a line from a connection that may only look.
  package var lookLine = 256 << 10
  /// Bytes that all connections of one user who may act keep in memory: what they have sent and what
  /// they have not read.
  package var bufferedBytes = 96 << 20
  /// The same for one origin that may only look.
  package var lookBufferedBytes = 16 << 20
  /// The same for all who may only look.
  package var allLookBufferedBytes = 64 << 20

  package init() {}

  /// The seats of each class.
  ///
  /// Root and the user of the engine have ``connectionsPerUser`` each beside all others. Who may
  /// only look has an eighth, and who is being looked up has a few for a moment.
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
      .looker: SeatLimits(
        perOrigin: min(8, lookers), total: lookers, silentPerOrigin: min(4, lookers),
        silentTotal: max(2, lookers / 2)),
      .unidentified: SeatLimits(
        perOrigin: min(4, unidentified), total: unidentified, silentPerOrigin: min(4, unidentified),
        silentTotal: unidentified),
    ]
  }

  /// Two thirds of the descriptors that the process may have, less what an idle engine needs: planning
  /// takes some twenty at a time, and those who are turned away have one for a moment, too.
  private static var roomForConnections: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 512
    }
    return max(8, Int(clamping: min(limit.rlim_cur, 1 << 20)) * 2 / 3 - 32)
  }
}
