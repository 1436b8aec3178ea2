import HostSystem
import InstallJobs
import PackageProvider

/// apt's error messages in the log while one of its commands runs.
///
/// The lines start with `E: `. The messages are English because the tools run with
/// `LC_ALL=C.UTF-8`. They only select the error code and message that a user sees.
struct Complaints {
  private let path: String
  private let start: Int64

  /// Maximum number of bytes that are read, from the end: apt's last messages say why it gives up.
  private static let limit: Int64 = 1 << 20

  /// Starts at the log's present end.
  init(in folder: JobFolder) {
    path = folder.path(.log)
    start = RootFiles.status(path)?.size ?? 0
  }

  /// Covers all of apt's error messages in a job's log.
  init(inAllOf folder: JobFolder) {
    path = folder.path(.log)
    start = 0
  }

  /// The packages whose archives apt could not fetch, from the file names in its messages.
  private static func packages(in texts: [String]) -> [String] {
    var names: [String] = []
    for text in texts where text.contains("Failed to fetch ") {
      let words = text.split(separator: " ")
      guard let file = words.first(where: { $0.hasSuffix(".deb") })?.split(separator: "/").last,
        let part = file.split(separator: "_").first
      else { continue }
      let name = String(part).replacing("%2b", with: "+").replacing("%5f", with: "_")
      if Update.isPackageName(name), !names.contains(name), names.count < 5 { names.append(name) }
    }
    return names
  }

  /// Returns the error of a failed download.
  ///
  /// - Parameter isUpgradeOfEverything: Whether the job can be repeated without a package.
  /// - Returns: The error, with the next step.
  func downloadError(isUpgradeOfEverything: Bool) -> InstallationError {
    var error = Self.downloadError(texts())
    if isUpgradeOfEverything, error.class == .needsHuman, let name = error.update,
      let hint = error.hint
    {
      error.hint =
        hint + "; while the source lacks it, 'fettle upgrade --exclude \(name)' brings the rest"
    }
    return error
  }

  /// The download errors by the archives' file names at the source; archives without a message of
  /// apt are not included.
  func downloadErrors() -> [String: InstallationError] {
    var errors: [String: InstallationError] = [:]
    for line in lines() where line.hasPrefix("E: Failed to fetch ") {
      let text = Sanitised.line(line.dropFirst(3), limit: 200)
      let file = text.split(separator: " ").first { $0.hasSuffix(".deb") }?.split(separator: "/")
        .last
      if let file { errors[String(file)] = Self.downloadError([text]) }
    }
    return errors
  }

  private static func downloadError(_ texts: [String]) -> InstallationError {
    let detail = texts.joined(separator: "\n")
    let names = packages(in: texts)
    let archives =
      names.isEmpty ? "the archives" : "the archive of " + names.joined(separator: ", ")
    let update = names.count == 1 ? names.first : nil
    for reason in RefusalReason.all where texts.contains(where: { $0.contains(reason.text) }) {
      return InstallationError(
        reason.code, reason.message, class: .needsHuman, update: update, detail: detail,
        hint: reason.hint)
    }
    func say(_ word: String) -> Bool { texts.contains { $0.contains(word) } }
    let anew =
      "fetch the index anew with 'fettle updates --refresh', then submit the job again"
    // apt does not compute the hash of a file with the wrong size.
    if say("Hash Sum mismatch") || say("unexpected size") {
      return InstallationError(
        .hashMismatch, "\(archives): not what the index names", update: update, detail: detail,
        hint: anew)
    }
    if say("enough free space") || say("No space left") {
      return InstallationError(
        .noSpace, "there is not enough space for the archives", detail: detail,
        hint: "free some space where the engine keeps its state")
    }
    // apt prints the status of the answer and then the words of the server, which are its own.
    if say("  404  ") || say("  410  ") {
      return InstallationError(
        .downloadFailed, "\(archives): no longer where the index names it", update: update,
        detail: detail, hint: anew)
    }
    if say("Redirection loop") {
      return InstallationError(
        .downloadFailed, "\(archives): the source leads in a circle", update: update,
        detail: detail, hint: "correct the package sources (sources.list)")
    }
    return InstallationError(
      .downloadFailed, "\(archives) could not be fetched", class: .transient, update: update,
      detail: detail.isEmpty ? nil : detail, hint: "submit the job again when their source answers")
  }

  /// The error for an apt that did not start to install.
  func refusal() -> InstallationError {
    let texts = texts()
    let detail = texts.isEmpty ? nil : texts.joined(separator: "\n")
    for reason in RefusalReason.all where texts.contains(where: { $0.contains(reason.text) }) {
      return InstallationError(
        reason.code, reason.message, class: .needsHuman, detail: detail, hint: reason.hint)
    }
    let words = texts.first.map { ": " + $0 } ?? ""
    return InstallationError(
      .unresolvable, "apt refuses to carry the plan out\(words)", detail: detail,
      hint: "the job's log has all of apt's words")
  }

  /// The error of a hook that failed after dpkg had done its work; nil where none did.
  func hookFailure() -> InstallationError? {
    let marker = "Problem executing scripts "
    let texts = texts()
    guard let text = texts.first(where: { $0.hasPrefix(marker) }) else { return nil }
    let name = text.dropFirst(marker.count).prefix { $0 != " " }
    return InstallationError(
      .hookFailed, "a hook of apt on this machine failed after the work (\(name))",
      class: .needsHuman, detail: texts.joined(separator: "\n"),
      hint: "the job's log has the hook's words; the hook is in apt.conf.d")
  }

  /// The error for a dpkg that aborted because of itself and not of a package; nil where it did
  /// not.
  ///
  /// dpkg's status output does not report such an end: the disk is full, or the database cannot be
  /// written.
  func breakdown() -> InstallationError? {
    let lines = self.lines()
    guard let index = lines.lastIndex(where: { $0.hasPrefix("dpkg: unrecoverable fatal error") })
    else { return nil }
    let words = lines[index...].prefix(2).map { Sanitised.line($0, limit: 200) }
      .joined(separator: " ")
    let isFull = lines[index...].contains { $0.contains("No space left on device") }
    return InstallationError(
      isFull ? .noSpace : .packageFailed,
      isFull ? "dpkg broke off: there is no space left on its disk" : "dpkg broke off",
      detail: words,
      hint: (isFull ? "free some space, then " : "")
        + "'fettle doctor' says what is left half done, and what mends it")
  }

  // A process left by a package's script may keep writing, so reading ends at the present length.
  private func lines() -> [String] {
    let end = RootFiles.status(path)?.size ?? 0
    var log = GrowingFile(path, from: max(start, end - Self.limit))
    return log.lines().map { String($0) }
  }

  private func texts() -> [String] {
    lines().filter { $0.hasPrefix("E: ") }.prefix(5).map {
      Sanitised.line($0.dropFirst(3), limit: 200)
    }
  }
}
