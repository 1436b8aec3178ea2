internal import Glibc

/// How much one peer may take.
package struct ServerLimits: Sendable, Hashable {
  /// Connections of all users at the same time.
  ///
  /// What the process may have open is needed for jobs, too, which must go on whoever connects.
  package var connections = Self.roomForConnections
  /// Connections of one user at the same time.
  package var connectionsPerUser = 64
  /// Requests of one connection that are being worked on; more are not read until one is answered.
  package var outstandingRequests = 32
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

  package init() {}

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
