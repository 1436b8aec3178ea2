internal import InstallJobs

/// Rows of a snapshot for a client that announced the capability `rows`: the notification `rows`
/// with the parameters `[subscription, [row, …]]`, written without spaces and in this order.
enum RowsMessage {
  private static let opening = Array(
    #"{"jsonrpc":"\#(WireProtocol.framing)","method":"\#(method)","params":"#.utf8)
  /// What stands in `method`.
  static let method = "rows"

  /// The message that carries the rows.
  static func message(subscription: Int, _ jobs: [JobSnapshot]) throws -> [UInt8] {
    var writer = TupleWriter(after: opening)
    try writer.tuple { parameters in
      parameters.number(subscription)
      try parameters.list(jobs) { try $0.row($1) }
    }
    writer.close(with: "}".utf8)
    return writer.bytes
  }

  /// The rows in a message; nil when it is another message.
  ///
  /// - Throws: When a row cannot be read.
  static func read(_ message: [UInt8]) throws -> WireNotification? {
    guard message.starts(with: opening) else { return nil }
    var reader = TupleReader(message, from: opening.count)
    var subscription: Int?
    var jobs: [JobSnapshot] = []
    try reader.tuple { parameters in
      subscription = try parameters.integer()
      var previous: JobSnapshot?
      jobs =
        try parameters.list { rows in
          let job = try rows.row(after: previous)
          previous = job
          return job
        } ?? []
    }
    try reader.close(with: "}".utf8)
    guard let subscription else { throw reader.malformed }
    return .snapshot(subscription: subscription, jobs: jobs)
  }
}
