internal import InstallJobs
internal import JobWire

/// What the jobs of a snapshot cost on the wire, without socket: processor time of one thread.
struct RowCost: Sendable {
  /// The engine's share.
  var encoding: Duration
  /// The client's share.
  var decoding: Duration
  var bytes: Int

  /// Jobs in one message, as an engine sends them.
  private static let chunk = 64

  /// Writes and reads `jobs` once.
  ///
  /// - Parameters:
  ///   - jobs: Without plans.
  ///   - asRows: As arrays, which a client announces; else as objects.
  /// - Throws: ``CannotMeasure`` when what is read is not what was written.
  init(of jobs: [JobSnapshot], asRows: Bool) throws {
    var codec = WireCodec()
    codec.writesRows = asRows
    let chunks = stride(from: 0, to: jobs.count, by: Self.chunk).map { start in
      Array(jobs[start..<min(start + Self.chunk, jobs.count)])
    }
    let start = ThreadClock.now
    let lines = try chunks.map { try codec.notification(.snapshot(subscription: 1, jobs: $0)) }
    let written = ThreadClock.now
    let read = try lines.map { try codec.incoming($0) }
    let end = ThreadClock.now
    encoding = written - start
    decoding = end - written
    bytes = lines.reduce(0) { $0 + $1.count + 1 }
    for (chunk, incoming) in zip(chunks, read) {
      guard case .notification(.snapshot(_, chunk)) = incoming else {
        throw CannotMeasure("what was read from the wire is not what was written")
      }
    }
  }
}
