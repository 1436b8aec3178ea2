import CProcess
import Glibc
import HostSystem
import InstallJobs
package import PackageProvider

/// The process that does one job's work: it runs the tools and outlives the engine.
///
/// The worker reads its order from the folder's `work.json` and appends its reports to the folder's
/// files. It has no access to engine, plan or journal. At SIGTERM it checks for a request to stop
/// and ends a download or a wait for the lock at once. During the installation SIGTERM has no
/// effect, because the gate decides then.
package struct Worker: Sendable {
  let folder: JobFolder

  /// Creates a worker for a job folder.
  package init(folder: JobFolder) { self.folder = folder }

  /// Does the work, once.
  ///
  /// Blocks its thread: this process does nothing else.
  ///
  /// - Returns: 0 when the work was done or stopped and `exit` says how; 1 when it could not start,
  ///   for example because another worker has started it.
  package func run() async -> Int32 {
    // No signal is sent before `started` exists, and after that SIGTERM must not have its default
    // action.
    let termination = termination_watch()
    guard termination >= 0, let identity = ProcessIdentity(of: getpid()) else { return 1 }
    guard folder.create(.started, value: identity) else { return 1 }
    // Files that tools create are readable for all users, whatever the engine's umask is; the
    // folder is not.
    umask(0o022)
    guard let lock = folder.open(.lock, O_RDWR | O_CREAT), file_lock(lock.number, 1) == 0 else {
      return 1
    }
    var end: WorkEnd
    if let order = folder.value(WorkOrder.self, of: .work) {
      end = WorkerRun(folder: folder, order: order, termination: termination).perform()
    } else {
      let error = InstallationError(.internal, "the job's order of work cannot be read")
      end = WorkEnd(exitStatus: -1, stoppedAtBoundary: false, error: error)
    }
    end.at = .now
    var isWritten = folder.write(end, to: .exit)
    if !isWritten {
      // The disk is full: the space reserved for this is released.
      ftruncate(lock.number, 0)
      isWritten = folder.write(end, to: .exit)
    }
    folder.remove(.stopRoom)
    return withExtendedLifetime(lock) { isWritten ? 0 : 1 }
  }
}
