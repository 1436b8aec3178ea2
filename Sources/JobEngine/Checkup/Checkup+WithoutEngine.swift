import Glibc
import HostSystem
package import InstallJobs
import JobJournal
package import PackageProvider

extension Checkup {
  /// Checks a package root and an engine's state folder without an engine; changes nothing.
  ///
  /// - Parameters:
  ///   - provider: The package system of the root.
  ///   - rootFindings: Findings about the root that need no engine.
  ///   - stateFolder: The state folder's absolute path.
  /// - Returns: The checkup, without findings about an engine that may answer at a socket.
  package static func withoutEngine(
    _ provider: any PackageProvider, rootFindings: [Finding], stateFolder: String
  ) -> Checkup {
    var findings = rootFindings
    do throws(UntrustedPath) {
      try TrustedPath.requireForRoot(stateFolder)
    } catch {
      findings.append(
        Finding(
          .journal, .fault, "root does not read the state folder \(stateFolder): \(error)",
          hint: "run this as the user who owns the folder, or name another one with --state"))
      return Checkup(root: provider.root, findings: findings)
    }
    findings.append(.space(at: stateFolder, for: "archives and journal"))
    let (journal, open) = journal(in: stateFolder)
    findings.append(journal)
    if let finding = state(in: stateFolder) { findings.append(finding) }
    let subject = StateSubject(of: provider, in: stateFolder)
    if open > 0, let noted = try? subject.readStored(), noted != subject.words {
      findings.append(Finding(.engine, .fault, subject.refusal(of: noted, jobs: open)))
    }
    return Checkup(root: provider.root, findings: findings)
  }

  /// Why an engine of this user could not keep its state in a folder; nil when it could, and when
  /// the folder belongs to another user's engine.
  static func state(in folder: String) -> Finding? {
    var (place, record) = (folder, stat())
    while unsafe lstat(place, &record) != 0, errno == ENOENT, place != "/",
      let slash = place.lastIndex(of: "/")
    {
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
    let isAnothers =
      unsafe stat(folder, &record) == 0 && record.st_uid != geteuid()
      && (unsafe access(folder + "/journal.sqlite", F_OK) == 0 || errno == EACCES)
    guard !isAnothers else { return nil }
    var reason = unsafe access(place, W_OK | X_OK) == 0 ? 0 : errno
    if reason == 0, unsafe stat(place, &record) == 0, record.st_mode & S_IFMT != S_IFDIR {
      reason = ENOTDIR
    }
    var culprit = ""
    let own = [
      "journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.sqlite-last", "jobs",
    ]
    for name in own where reason == 0 {
      guard unsafe access("\(folder)/\(name)", W_OK) != 0, errno != ENOENT else { continue }
      (reason, culprit) = (errno, "\(name): ")
    }
    guard reason != 0 else { return nil }
    let words = unsafe String(cString: strerror(reason))
    return Finding(
      .journal, .fault, "no engine can keep its state in \(folder): \(culprit)\(words)",
      hint: "make it writable for the engine's user, or name another folder with --state")
  }

  /// The finding about the journal, and the number of open jobs as far as known.
  private static func journal(in stateFolder: String) -> (finding: Finding, open: Int) {
    let path = stateFolder + "/journal.sqlite"
    // The journal of another user's engine is not readable.
    let reason = unsafe access(path, R_OK) == 0 ? 0 : errno
    guard reason != EACCES else {
      let finding = Finding(
        .journal, .unknown, "the journal \(path) may not be read by you",
        hint: "ask an engine, or as the user who runs it")
      return (finding, 0)
    }
    do throws(InstallationError) {
      if let open = try Journal.inspect(at: path) {
        return (Finding(.journal, .sound, "the journal \(path) is sound"), open)
      }
    } catch {
      return (Finding(.journal, .fault, error), 0)
    }
    let folders = JobRecording.all(inState: stateFolder, after: 0)
    let open = folders.count { $0.isBegun && !$0.isOver }
    guard !folders.isEmpty else {
      return (Finding(.journal, .sound, "there is no journal in \(stateFolder) yet"), 0)
    }
    let count = folders.count == 1 ? "1 job folder is" : "\(folders.count) job folders are"
    let finding = Finding(
      .journal, .fault, "the journal \(path) is gone, with the queue; \(count) there",
      hint: "put it back; without it the next engine follows the jobs that work, and begins with an"
        + " empty queue and history")
    return (finding, open)
  }
}
