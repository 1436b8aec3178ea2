package import InstallJobs

/// A request to stop the work of a job, with its requester.
package enum StopRequest: Sendable, Hashable, Codable {
  /// Stops the job for good.
  case abort(by: Requester)
  /// Pauses the job, to be resumed later.
  case suspend(by: Requester)

  package var requester: Requester {
    switch self {
    case .abort(let requester), .suspend(let requester): requester
    }
  }
}

/// A pending request to stop, as stored in the job folder beside its answer.
///
/// The work outlives the engine that received the request. A later engine reads from here what the
/// journal does not have.
package struct StopRecord: Sendable, Hashable, Codable {
  package var request: StopRequest
  /// The time of the request.
  package var at: Timestamp

  package init(_ request: StopRequest, at: Timestamp) {
    self.request = request
    self.at = at
  }

  /// Whether this request replaces an earlier one: an abort replaces a pause; otherwise the first
  /// request stays.
  package func replaces(_ earlier: StopRecord?) -> Bool {
    guard let earlier else { return true }
    if case (.abort, .suspend) = (request, earlier.request) { return true }
    return false
  }
}

/// Whether the work has a request to stop, according to its job folder.
package enum PendingStop: Sendable, Hashable {
  /// No request is pending: none was made, it was cancelled, or the work ended without stopping for
  /// it.
  case none
  /// A request was made and answered, also where the work has stopped already; the record is nil
  /// where the file does not name the requester.
  case requested(StopRecord?, StopAnswer)
  /// The work has ended or is gone; other reports say how.
  case over
}

extension StopRecord {
  /// Bytes of a record line.
  ///
  /// The length is enough for all numbers and for a name of ``nameLength``. All records have this
  /// length, so that one can overwrite another on a full disk.
  private static let lineLength = 96
  private static let nameLength = 48

  /// The record as one line of the job folder's `stop`.
  ///
  /// No package name has this form.
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

  /// Parses such a line; nil for any other line.
  package init?(line: some StringProtocol) {
    // Splits bytes, not characters: the first scalar of a name may combine with the blank before
    // it.
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
