import HostSystem
package import InstallJobs

/// The folder of one job: the wire between worker and engine, and the recording afterwards.
///
/// Everything the worker and its tools write is appended to regular files here, never to pipes:
/// dpkg dies with the reader of a status pipe, and a killed engine must not kill an install.
package struct JobFolder: Sendable, Hashable {
  /// The folder's absolute path.
  package let path: String

  package init(path: String) { self.path = path }

  /// The folder of job `id` below an engine's state folder.
  package init(of id: JobID, inState state: String) { path = "\(state)/jobs/\(id)" }

  /// The folders in a folder of jobs.
  package static func all(in jobs: String) -> [JobFolder] {
    RootFiles.names(in: jobs).map { JobFolder(path: "\(jobs)/\($0)") }
  }

  /// A file or folder of the job folder.
  package enum Entry: String, Sendable, CaseIterable {
    /// What the worker is to do (JSON), written before it starts.
    case work = "work.json"
    /// Request and plan (JSON), so that the journal can be rebuilt from the folders.
    case plan = "plan.json"
    /// Created with O_EXCL by the worker: a job's work is started once.
    case started
    /// Locked by the worker while it lives.
    case lock
    /// Standard output and standard error of the tools.
    case log
    /// apt's status descriptor.
    case status
    /// dpkg's status descriptor.
    case dpkgStatus = "dpkg-status"
    /// The worker's own reports: stages, the lock's holder.
    case stages
    /// One line for each call of dpkg, and each archive, that the gates let through.
    case calls
    /// Locked by the gate while it decides and by the engine while it asks for a stop.
    case gate
    /// Present while a stop is asked for.
    case stop
    /// Room on the disk for `stop`, set aside before the work begins; it becomes `stop` where no other
    /// is left.
    case stopRoom = "stop-room"
    /// Left by the gate when it held a call back.
    case stopped
    /// The order of the work, as apt's simulation printed it: under the lock, or for the plan.
    case sequence
    /// What apt must be about to do; there where `sequence` is the plan's.
    case foreseen
    /// Left by the gate at apt's intention when it is that one: without it no package is touched.
    case agreed
    /// Left by the gate at apt's intention when it is another one: then nothing was begun.
    case differs
    /// Where the unpacking is divided, so that what is unpacked is configured in between.
    case groups
    /// The script that stands between apt and dpkg.
    case gateScript = "dpkg-gate.sh"
    /// The script that looks at apt's intention before dpkg is called for the first time.
    case intentionGate = "intention-gate.sh"
    /// The folder of the script that stands in front of `dpkg-split`.
    case front
    /// That script.
    case archiveGate = "front/dpkg-split"
    /// How the work ended (JSON), written by atomic rename.
    case exit
    /// Left by the engine when the result stands although the worker has left no last word.
    case settled
    /// The archives of this job.
    case archives
    /// The names of those that another job had fetched, a line for each.
    case kept
    /// Locked by whatever fetches them: the job's own download waits for one that came before it.
    case fetching
    /// Locked by the engine until what it had fetched lies with the archives.
    case arriving
    /// apt's configuration for this job.
    case configuration = "apt.conf"
    /// apt's configuration while it fetches.
    case downloadConfiguration = "apt-download.conf"
  }

  /// The absolute path of an entry.
  package func path(_ entry: Entry) -> String { "\(path)/\(entry.rawValue)" }
}
