import Glibc
import HostSystem
package import InstallJobs

/// The state of a job as its folder records it, for use without a journal.
package struct JobRecording: Sendable {
  package let id: JobID
  /// Request and plan; nil where `plan.json` is missing or has an unknown format.
  package let recorded: RecordedJob?
  /// When `plan.json` was written, shortly before the work started.
  package let recordedAt: Timestamp?
  /// Whether a worker has started.
  package let isBegun: Bool
  /// Whether the worker wrote its exit status, or an engine recorded the result without it.
  package let isOver: Bool

  /// Reads the jobs whose folders are in an engine's state folder and belong to this user.
  ///
  /// Symbolic links and folders of other users are left out.
  ///
  /// - Parameters:
  ///   - state: The state folder.
  ///   - last: Only jobs with a higher number are read.
  /// - Returns: The jobs, sorted by number.
  package static func all(inState state: String, after last: Int) -> [JobRecording] {
    RootFiles.names(in: state + "/jobs").compactMap { name -> JobRecording? in
      guard let number = Int(name), number > last, String(number) == name else { return nil }
      let folder = JobFolder(of: JobID(number), inState: state)
      var record = stat()
      guard unsafe lstat(folder.path, &record) == 0, record.st_mode & S_IFMT == S_IFDIR,
        record.st_uid == geteuid()
      else { return nil }
      return JobRecording(
        id: JobID(number), recorded: folder.value(RecordedJob.self, of: .plan),
        recordedAt: RootFiles.status(folder.path(.plan)).map {
          Timestamp(milliseconds: $0.modified / 1_000_000)
        }, isBegun: folder.has(.started), isOver: folder.has(.exit) || folder.has(.settled))
    }.sorted { $0.id < $1.id }
  }
}

extension JobFolder {
  /// Records that the job has ended although its worker wrote no exit status.
  ///
  /// An engine that rebuilds its journal from the folders then does not follow the work again.
  package func markEnded() {
    guard has(.started), !has(.exit) else { return }
    remove(.stopRoom)
    _ = create(.settled, "")
  }
}
