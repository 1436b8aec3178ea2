import HostSystem
import InstallJobs

/// The parts of dpkg's message about a failure.
///
/// The text is English because the tools run with `LC_ALL=C.UTF-8`. A text of unknown form is
/// passed on sanitised.
struct DpkgFailure: Sendable, Hashable {
  /// `post-installation script, exit status 3`, or dpkg's own text.
  var detail: String
  /// The failed script, as `post-installation`; nil when no script failed.
  var script: String?
  private var leftUnconfigured = false

  /// dpkg's message about an archive that a stop held back, which is not a failure.
  static let heldBack = "subprocess dpkg-split returned error exit status 75"

  init(_ text: String) {
    detail = Sanitised.line(text)
    leftUnconfigured = text.hasSuffix("leaving unconfigured")
    guard let (head, tail) = Substring(text).split(at: " script subprocess ") else { return }
    let words = head.split(separator: " ")
    guard let kind = words.last, let outcome = Self.outcome(tail) else { return }
    script = Sanitised.line(kind, limit: 40)
    detail = "\(Sanitised.line(kind, limit: 40)) script, \(outcome)"
  }

  /// Returns the failed activity, as a verb.
  func activity(of action: PlannedAction) -> String {
    if action.removes { return "remove" }
    if leftUnconfigured || action == .configure { return "configure" }
    return script == "post-installation" ? "configure" : "unpack"
  }

  private static func outcome(_ text: Substring) -> String? {
    if let (_, status) = text.split(at: "returned error exit status ") {
      let number = status.prefix { ("0"..."9").contains($0) }
      return number.isEmpty ? nil : "exit status \(number)"
    }
    if let (_, signal) = text.split(at: "was killed by signal ") {
      return "killed by signal \(Sanitised.line(signal, limit: 40))"
    }
    return nil
  }
}
