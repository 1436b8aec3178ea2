import HostSystem
import InstallJobs
import PackageProvider

/// What apt complains about in the log while one of its commands runs.
///
/// Its lines begin with `E: `; the words are English ones because the tools run with
/// `LC_ALL=C.UTF-8`. They only choose between errors that a person should tell apart.
struct Complaints {
  private let path: String
  private let start: Int64

  /// The most bytes that are looked at, from the end: apt says last why it gives up.
  private static let limit: Int64 = 1 << 20

  /// Begins at the log's present end.
  init(in folder: JobFolder) {
    path = folder.path(.log)
    start = RootFiles.trace(path)?.size ?? 0
  }

  /// Everything that apt has complained about in the log of a job.
  init(inAllOf folder: JobFolder) {
    path = folder.path(.log)
    start = 0
  }

  /// The packages whose archives apt could not fetch, as its messages name the files.
  private static func packages(in texts: [String]) -> [String] {
    var names: [String] = []
    for text in texts where text.contains("Failed to fetch ") {
      let words = text.split(separator: " ")
      guard let file = words.first(where: { $0.hasSuffix(".deb") })?.split(separator: "/").last,
        let part = file.split(separator: "_").first
      else { continue }
      let name = String(part).replacing("%2b", with: "+")
      if Update.isPackageName(name), !names.contains(name), names.count < 5 { names.append(name) }
    }
    return names
  }

  /// Why a download failed.
  func downloadError() -> InstallationError { Self.downloadError(texts()) }

  /// Why archives could not be fetched, by their file names at the source; nothing of those that apt says
  /// nothing about.
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
    func say(_ word: String) -> Bool { texts.contains { $0.contains(word) } }
    let anew =
      "fetch the index anew with 'fettle updates --refresh', then submit the job again"
    // A file of another size is not even hashed.
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
    if say("404  Not Found") {
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

  /// Why apt did not begin to install.
  func refusal() -> InstallationError {
    let texts = texts()
    return InstallationError(
      .unresolvable, "apt refuses to carry the plan out",
      detail: texts.isEmpty ? nil : texts.joined(separator: "\n"),
      hint: "the job's log has apt's own words")
  }

  /// Why dpkg broke off, where it says so of itself and not of a package; nil where it does not.
  ///
  /// Such an end is not in dpkg's status output: the disk is full, its database cannot be written.
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

  // What a package leaves behind may go on writing, so there is an end to the reading.
  private func lines() -> [String] {
    let end = RootFiles.trace(path)?.size ?? 0
    var log = GrowingFile(path, from: max(start, end - Self.limit))
    return log.lines().map { String($0) }
  }

  private func texts() -> [String] {
    lines().filter { $0.hasPrefix("E: ") }.prefix(5).map {
      Sanitised.line($0.dropFirst(3), limit: 200)
    }
  }
}
