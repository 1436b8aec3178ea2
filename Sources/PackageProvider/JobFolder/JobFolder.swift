import HostSystem
package import InstallJobs

/// The folder of one job: the channel between worker and engine, and later the job's recording.
///
/// The worker and its tools append everything to regular files here and use no pipes. dpkg dies
/// when the reader of a status pipe ends, and a killed engine must not kill an installation.
package struct JobFolder: Sendable, Hashable {
  /// The folder's absolute path.
  package let path: String

  package init(path: String) { self.path = path }

  /// The folder of job `id` below an engine's state folder.
  package init(of id: JobID, inState state: String) { path = "\(state)/jobs/\(id)" }

  /// Returns all job folders in a folder.
  package static func all(in jobs: String) -> [JobFolder] {
    RootFiles.names(in: jobs).map { JobFolder(path: "\(jobs)/\($0)") }
  }

  /// A file or folder of the job folder.
  package enum Entry: String, Sendable, CaseIterable {
    /// The worker's order (JSON), written before the worker starts.
    case work = "work.json"
    /// Request and plan (JSON), from which the journal can be rebuilt.
    case plan = "plan.json"
    /// Created by the worker, and only once: a second worker of the job refuses to start.
    case started
    /// Locked by the worker while it lives.
    case lock
    /// Standard output and standard error of the tools.
    case log
    /// apt's status descriptor.
    case status
    /// dpkg's status descriptor.
    case dpkgStatus = "dpkg-status"
    /// The worker's reports: stages and the holder of the package lock.
    case stages
    /// One line for each call of dpkg, and for each archive, that the gates let through.
    case calls
    /// Locked by the gate while it decides, and by the engine while it writes a request to stop.
    case gate
    /// The pending request to stop, with its answer.
    case stop
    /// Disk space reserved for `stop` before the work starts. On a full disk this file is renamed
    /// to `stop`.
    case stopRoom = "stop-room"
    /// Written by the gate when it held a call back.
    case stopped
    /// The order of the work as apt's simulation printed it, when planning or under the package
    /// lock.
    case sequence
    /// The operations that apt must announce, present where `sequence` is the plan's.
    case foreseen
    /// Written by the intention gate when apt's announced operations equal `foreseen`; without this
    /// file the gate lets no call of dpkg through.
    case agreed
    /// Written by the intention gate when apt's announced operations differ; no package is changed
    /// then.
    case differs
    /// The groups of archives that are unpacked together and then configured.
    case groups
    /// The script that apt calls instead of dpkg.
    case gateScript = "dpkg-gate.sh"
    /// The script that checks apt's announced operations before the first call of dpkg.
    case intentionGate = "intention-gate.sh"
    /// The folder of the script that dpkg calls instead of `dpkg-split`.
    case front
    /// The script that dpkg calls instead of `dpkg-split`.
    case archiveGate = "front/dpkg-split"
    /// How the work ended (JSON), written by atomic rename.
    case exit
    /// Written by the engine when the job's result is final although the worker wrote no exit
    /// status.
    case settled
    /// The archives of this job.
    case archives
    /// The names of the archives that another job had fetched, one per line.
    case kept
    /// Locked by each process that fetches these archives; the job's own download waits for earlier
    /// ones.
    case fetching
    /// Locked by the engine until the archives that it fetched ahead are in `archives`.
    case arriving
    /// apt's configuration for this job.
    case configuration = "apt.conf"
    /// apt's configuration for downloads.
    case downloadConfiguration = "apt-download.conf"
  }

  /// The absolute path of an entry.
  package func path(_ entry: Entry) -> String { "\(path)/\(entry.rawValue)" }
}
