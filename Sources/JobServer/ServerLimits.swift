/// How much one peer may take.
package struct ServerLimits: Sendable, Hashable {
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
}
