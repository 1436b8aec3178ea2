import CProcess
import Glibc
import HostSystem
import InstallJobs
package import PackageProvider

/// The process that does one job's work: it runs the tools and outlives the engine.
///
/// What it has to do stands in the folder's `work.json`, what it does is appended to the folder's
/// files. It knows nothing of engine, plan or journal. SIGTERM makes it look whether a stop was
/// asked for: a download or a wait for the lock then ends at once; during the installation nothing
/// happens, because there the gate decides.
package struct Worker: Sendable {
  let folder: JobFolder

  /// A worker for a job folder.
  package init(folder: JobFolder) { self.folder = folder }

  /// Does the work, once.
  ///
  /// Blocks its thread: nothing else happens in this process.
  ///
  /// - Returns: 0 when the work was done or stopped and `exit` says how; 1 when it could not begin,
  ///   for example because another worker has begun it.
  package func run() async -> Int32 {
    // Before `started` exists nobody sends a signal, and afterwards none may find the default action.
    let termination = termination_watch()
    guard termination >= 0, let identity = ProcessIdentity(of: getpid()) else { return 1 }
    guard folder.create(.started, value: identity) else { return 1 }
    // What tools make is for everybody, whatever the engine was started with; the folder is not.
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
      // The disk is full: the room that was set aside for this is given back.
      ftruncate(lock.number, 0)
      isWritten = folder.write(end, to: .exit)
    }
    folder.remove(.stopRoom)
    return withExtendedLifetime(lock) { isWritten ? 0 : 1 }
  }
}
