import Glibc
import HostSystem
package import InstallJobs

/// What a job's folder says of the job, without any journal.
package struct JobRecording: Sendable {
  package let id: JobID
  /// Request and plan; nil where the folder does not have them, or not in a form that is known.
  package let recorded: RecordedJob?
  /// When request and plan were written, shortly before the work began.
  package let recordedAt: Timestamp?
  /// Whether a worker has begun.
  package let isBegun: Bool
  /// Whether the worker has left its last word, or an engine has told the result without one.
  package let isOver: Bool

  /// The jobs whose folders lie below an engine's state folder and belong to this user.
  ///
  /// Links and what others have put there are passed over.
  ///
  /// - Parameters:
  ///   - state: The state folder.
  ///   - last: Only jobs with a higher number are looked at.
  /// - Returns: The jobs by number.
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
        recordedAt: RootFiles.trace(folder.path(.plan)).map {
          Timestamp(milliseconds: $0.modified / 1_000_000)
        }, isBegun: folder.has(.started), isOver: folder.has(.exit) || folder.has(.settled))
    }.sorted { $0.id < $1.id }
  }
}

extension JobFolder {
  /// Notes that the job is over, where its worker could not: whoever finds the folder without a
  /// journal must not take it for work to be followed.
  package func markSettled() {
    guard has(.started), !has(.exit) else { return }
    remove(.stopRoom)
    _ = create(.settled, "")
  }
}
