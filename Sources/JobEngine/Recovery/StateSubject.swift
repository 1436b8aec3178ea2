internal import Glibc
import HostSystem
package import InstallJobs
internal import JobJournal
internal import Logging
package import PackageProvider

/// What an engine's state folder holds the state of: jobs that were planned for one package root must
/// never be carried out on another, whatever folder somebody names.
package struct StateSubject: Sendable, Hashable {
  /// The provider's name, and behind it the package root where it has one; a line of the file.
  package let words: String
  /// The file in the state folder that says so.
  package let file: String

  /// The subject that the engine of a provider has, in a state folder.
  ///
  /// A scenario is played anew each time, and has nothing that could be mistaken for another's.
  package init(of provider: any PackageProvider, in stateFolder: String) {
    self.init(provider.name == "apt" ? "apt \(provider.root)" : provider.name, in: stateFolder)
  }

  init(_ words: String, in stateFolder: String) {
    self.words = words
    file = stateFolder + "/subject"
  }

  /// What the state folder was noted for; nil where nothing was.
  ///
  /// - Throws: `notPermitted` where that cannot be read.
  package func noted() throws(InstallationError) -> String? {
    let opened = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else {
      if errno == ENOENT { return nil }
      throw unusable("read", errno)
    }
    defer { close(opened) }
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 64)
    let count = unsafe read(opened, &bytes, bytes.count)
    guard count >= 0 else { throw unusable("read", errno) }
    let line = bytes[..<count].prefix { $0 != 0x0A && $0 != 0 }
    // One that was made and not filled when the machine lost its power says nothing.
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// Notes it, in place of what was noted before.
  ///
  /// - Throws: `notPermitted` where nothing can be written there.
  package func note() throws(InstallationError) {
    let draft = file + ".new"
    unsafe unlink(draft)
    let made = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else { throw unusable("write", errno) }
    defer { close(made) }
    let content = Array((words + "\n").utf8)
    guard unsafe write(made, content, content.count) == content.count, fsync(made) == 0,
      unsafe rename(draft, file) == 0
    else { throw unusable("write", errno) }
  }

  /// What is said where jobs of another subject are open.
  ///
  /// - Parameters:
  ///   - other: What the folder was noted for.
  ///   - jobs: How many of its jobs are not over.
  /// - Returns: The refusal, with the two ways out.
  package func refusal(of other: String, jobs: Int) -> InstallationError {
    let known = Sanitised.line(other, limit: 300)
    let count = jobs == 1 ? "a job" : "\(jobs) jobs"
    return InstallationError(
      .invalidArgument,
      "the state beside \(file) has \(count) of '\(known)' open: no engine for '\(words)' can take it",
      class: .fatal,
      hint: "name another folder with --state; if that root was moved here, write '\(words)' into"
        + " \(file)")
  }

  private func unusable(_ verb: String, _ reason: Int32) -> InstallationError {
    InstallationError(
      .notPermitted, "cannot \(verb) \(file): \(unsafe String(cString: strerror(reason)))",
      class: .fatal, hint: "put that right, or name another folder with --state")
  }
}

extension Engine {
  /// Takes the state folder for this engine's package root.
  ///
  /// To be called before ``start()``; the journal's lock keeps other engines off meanwhile. A folder
  /// that was another root's is taken over where none of its jobs is open.
  ///
  /// - Throws: `invalidArgument` where jobs of another root are open; `journal`; `notPermitted`.
  package func claimState() throws(InstallationError) {
    let subject = StateSubject(of: provider, in: settings.stateFolder)
    let noted = try subject.noted()
    guard noted != subject.words else { return }
    if let noted {
      let last = try journal.lastJob()
      let strays = JobRecording.all(inState: settings.stateFolder, after: last.rawValue)
        .count { $0.isBegun && !$0.isOver }
      let open = try journal.liveJobs(withPlans: false).count + strays
      guard open == 0 else { throw subject.refusal(of: noted, jobs: open) }
      let known = Sanitised.line(noted, limit: 300)
      logger.notice(
        """
        \(settings.stateFolder) was the state of '\(known)', of which no job is open; it is that of \
        '\(subject.words)' from now on
        """)
    }
    try subject.note()
  }
}
