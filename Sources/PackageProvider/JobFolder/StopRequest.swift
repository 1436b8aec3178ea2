package import InstallJobs

/// What work is asked to stop for, and who asks.
package enum StopRequest: Sendable, Hashable, Codable {
  /// To stop for good.
  case abort(by: Requester)
  /// To stop and be resumed.
  case suspend(by: Requester)

  package var requester: Requester {
    switch self {
    case .abort(let requester), .suspend(let requester): requester
    }
  }
}

/// A request to stop that stands, as the work keeps it beside its answer.
///
/// The work outlives the engine that took the request; whatever that had no time or no room to
/// record is known from here.
package struct StopRecord: Sendable, Hashable, Codable {
  package var request: StopRequest
  /// When it was asked for.
  package var at: Timestamp

  package init(_ request: StopRequest, at: Timestamp) {
    self.request = request
    self.at = at
  }

  /// Whether it is kept instead of an earlier one: an abort ends what was only to be held, else the
  /// first one stays.
  package func replaces(of earlier: StopRecord?) -> Bool {
    guard let earlier else { return true }
    if case (.abort, .suspend) = (request, earlier.request) { return true }
    return false
  }
}

/// Whether work was asked to stop, as it has it itself.
package enum PendingStop: Sendable, Hashable {
  /// It goes on, or went on to its own end: nobody asked, or what was asked was taken back.
  case none
  /// It was asked, and this was the answer, also where it has stopped already; no record where it does
  /// not tell who asked.
  case asked(StopRecord?, StopAnswer)
  /// It is over or gone; what became of it is told otherwise.
  case over
}

extension StopRecord {
  /// Bytes of a line: enough for every number and a name of ``nameLength``, so that one record takes
  /// the place of another without room on the disk.
  private static let lineLength = 96
  private static let nameLength = 48

  /// The record as one line of the job folder's `stop`: no package has a name like it.
  package var line: String {
    let kind =
      switch request {
      case .abort: "abort"
      case .suspend: "suspend"
      }
    var name = ""
    for scalar in request.requester.user.unicodeScalars
    where scalar.value >= 0x20 && scalar.value != 0x7F {
      guard name.utf8.count + String(scalar).utf8.count <= Self.nameLength else { break }
      name.unicodeScalars.append(scalar)
    }
    let words = "# \(kind) \(request.requester.uid) \(at.milliseconds) \(name)"
    return words + String(repeating: " ", count: max(0, Self.lineLength - words.utf8.count))
  }

  /// Reads such a line; nil for any other.
  package init?(line: some StringProtocol) {
    // By bytes: a name may begin with what joins the blank before it to one character.
    let space = UInt8(ascii: " ")
    let words = String(line).utf8.split(separator: space, maxSplits: 4)
      .map { String(Substring($0)) }
    guard words.count == 5, words[0] == "#", let uid = UInt32(words[2]), let time = Int64(words[3])
    else { return nil }
    var name = words[4].utf8[...]
    while name.last == space { name.removeLast() }
    let requester = Requester(uid: uid, user: String(Substring(name)))
    at = Timestamp(milliseconds: time)
    switch words[1] {
    case "abort": request = .abort(by: requester)
    case "suspend": request = .suspend(by: requester)
    default: return nil
    }
  }
}
