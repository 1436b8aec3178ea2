import CProcess
import Glibc
import HostSystem

/// The process that does the work of a job.
extension JobFolder {
  /// The process number of the running worker; nil when none runs.
  package var worker: Int32? {
    guard !has(.exit), let identity = value(ProcessIdentity.self, of: .started),
      ProcessIdentity(of: identity.pid) == identity
    else { return nil }
    return identity.pid
  }

  /// Whether the worker ended without writing an exit status; its child processes may still run.
  ///
  /// Packages that the gate holds back then stay unpacked, because only the worker configures them.
  package var isWithoutWorker: Bool {
    guard let identity = value(ProcessIdentity.self, of: .started) else { return false }
    // In this order: the worker writes `exit` before it ends.
    return ProcessIdentity(of: identity.pid) != identity && !has(.exit)
  }

  /// Whether a living worker holds the folder's lock, whatever the other files say.
  package var isLockedByWorker: Bool {
    // Opened for reading: closing a file opened for writing would wake the watchers of the folder.
    guard let file = open(.lock, O_RDONLY) else { return false }
    return file_lock(file.number, 0) == EWOULDBLOCK
  }

  /// Whether the work started before the machine's last boot.
  package var isOfEarlierBoot: Bool {
    guard let identity = value(ProcessIdentity.self, of: .started) else { return false }
    return identity.boot != ProcessIdentity.currentBoot
  }
}
