import InstallJobs

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

  /// Why a download failed.
  func downloadError() -> InstallationError {
    let texts = texts()
    let detail = texts.joined(separator: "\n")
    if texts.contains(where: { $0.contains("Hash Sum mismatch") }) {
      return InstallationError(
        .hashMismatch, "an archive is not the one that the index names", detail: detail,
        hint: "refresh the index and submit the job again")
    }
    if texts.contains(where: { $0.contains("enough free space") || $0.contains("No space left") }) {
      return InstallationError(
        .noSpace, "there is not enough space for the archives", detail: detail,
        hint: "free some space where the engine keeps its state")
    }
    return InstallationError(
      .downloadFailed, "the archives could not be fetched", class: .transient,
      detail: detail.isEmpty ? nil : detail, hint: "retry when their source answers")
  }

  /// Why apt did not begin to install.
  func refusal() -> InstallationError {
    let texts = texts()
    return InstallationError(
      .unresolvable, "apt refuses to carry the plan out",
      detail: texts.isEmpty ? nil : texts.joined(separator: "\n"),
      hint: "the job's log has apt's own words")
  }

  // What a package leaves behind may go on writing, so there is an end to the reading.
  private func texts() -> [String] {
    let end = RootFiles.trace(path)?.size ?? 0
    var log = GrowingFile(path, from: max(start, end - Self.limit))
    var texts: [String] = []
    for line in log.lines() where line.hasPrefix("E: ") && texts.count < 5 {
      texts.append(Sanitised.line(line.dropFirst(3), limit: 200))
    }
    return texts
  }
}
