internal import InstallJobs

/// Rows of a snapshot for a client that announced the capability `rows`: the notification `rows`
/// with the parameters `[subscription, [row, …]]`, written without spaces and in this order.
enum RowsMessage {
  private static let envelope = TupleEnvelope(method)
  /// The value of `method`.
  static let method = "rows"

  /// The message that carries the rows.
  static func message(subscription: Int, _ jobs: [JobSnapshot]) throws -> [UInt8] {
    var jobs = jobs
    return try envelope.message(subscription: subscription) { try $0.list(&jobs) }
  }

  /// The rows in a message; nil for a message of another method.
  ///
  /// - Throws: An error if a row cannot be read.
  static func read(_ message: [UInt8]) throws -> WireNotification? {
    var jobs: [JobSnapshot] = []
    let subscription = try envelope.read(message) { try $0.list(&jobs) }
    return subscription.map { .snapshot(subscription: $0, jobs: jobs) }
  }
}
