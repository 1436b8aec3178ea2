internal import InstallJobs

/// A status change of one package for a client that announced the capability `updates`: the
/// notification `update` with the parameters `[subscription, [seq, at, job, index, update, …]]`,
/// written without spaces and in this order.
///
/// Besides progress, these events are nearly all of the traffic of an install. As JSON objects,
/// decoding them would cost a client more than all of its processing of them.
enum UpdateMessage {
  private static let envelope = TupleEnvelope(method)
  /// The value of `method`.
  static let method = "update"

  /// The message with the event; nil for an event that has no array form.
  static func message(subscription: Int, _ event: JobEvent) throws -> [UInt8]? {
    var update = UpdateEvent(event)
    guard update != nil else { return nil }
    return try envelope.message(subscription: subscription) { try $0.tuple(&update) }
  }

  /// The event in a message; nil for a message of another method.
  ///
  /// A message that cannot be read is treated as an unknown event: a newer engine may use other
  /// words.
  static func read(_ message: [UInt8]) -> WireNotification? {
    var update: UpdateEvent?
    do {
      let subscription = try envelope.read(message) { try $0.tuple(&update) }
      guard let subscription else { return nil }
      return (update?.event).map { .event(subscription: subscription, $0) } ?? .unknown
    } catch {
      return .unknown
    }
  }
}
