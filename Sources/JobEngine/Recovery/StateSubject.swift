internal import Glibc
import HostSystem
package import InstallJobs
internal import JobJournal
internal import Logging
package import PackageProvider

/// The package system and root that an engine's state folder belongs to.
///
/// Jobs that were planned for one package root must never run on another, whichever state folder a
/// user names.
package struct StateSubject: Sendable, Hashable {
  /// The provider's name, followed by the package root if it has one; the content of the file.
  package let words: String
  /// The path of the file in the state folder.
  package let file: String

  /// Creates the subject of a provider and a state folder.
  ///
  /// Only apt has a root: scenarios are replayed from the start each time, so their states cannot
  /// be confused.
  package init(of provider: any PackageProvider, in stateFolder: String) {
    self.init(provider.name == "apt" ? "apt \(provider.root)" : provider.name, in: stateFolder)
  }

  init(_ words: String, in stateFolder: String) {
    self.words = words
    file = stateFolder + "/subject"
  }

  /// Reads the subject stored in the state folder; nil when there is none.
  ///
  /// - Throws: `notPermitted` when the file cannot be read.
  package func readStored() throws(InstallationError) -> String? {
    guard let opened = Descriptor(opening: file, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return nil }
      throw unusable("read", errno)
    }
    guard let bytes = opened.read(limit: Int(PATH_MAX) + 64) else { throw unusable("read", errno) }
    let line = bytes.prefix { $0 != 0x0A && $0 != 0 }
    // A power failure may leave an empty file, which counts as none.
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// Stores the subject, replacing the previous one.
  ///
  /// - Throws: `notPermitted` when the file cannot be written.
  package func store() throws(InstallationError) {
    guard RootFiles.replace(file, with: Array((words + "\n").utf8)) else {
      throw unusable("write", errno)
    }
  }

  /// The error for a state folder with open jobs of another subject.
  ///
  /// - Parameters:
  ///   - other: The subject stored in the folder.
  ///   - jobs: Number of its jobs that are not over.
  /// - Returns: The error, whose hint names the two remedies.
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
  /// Assigns the state folder to this engine's package root.
  ///
  /// To be called before ``start()``; the journal's lock keeps other engines away meanwhile. A
  /// folder of another root is reassigned if none of its jobs is open.
  ///
  /// - Throws: `invalidArgument` when jobs of another root are open; `journal`; `notPermitted`.
  package func claimState() throws(InstallationError) {
    let subject = StateSubject(of: provider, in: settings.stateFolder)
    let noted = try subject.readStored()
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
    try subject.store()
  }
}
