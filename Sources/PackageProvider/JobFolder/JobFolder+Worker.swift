import CProcess
import Glibc
import HostSystem

/// The process that does the work of a job.
extension JobFolder {
  /// The number of the process that does the job's work; nil where none does.
  package var worker: Int32? {
    guard !has(.exit), let identity = value(ProcessIdentity.self, of: .started),
      ProcessIdentity(of: identity.pid) == identity
    else { return nil }
    return identity.pid
  }

  /// Whether the worker is gone without having said how the work ended, whatever it ran may go on.
  ///
  /// What the gate still holds back would stay unpacked: only the worker configures it.
  package var isWithoutWorker: Bool {
    guard let identity = value(ProcessIdentity.self, of: .started) else { return false }
    // In this order: its last file is written before it ends.
    return ProcessIdentity(of: identity.pid) != identity && !has(.exit)
  }

  /// Whether a worker lives that holds the folder's lock, whatever its other files say.
  package var isLockedByWorker: Bool {
    // Opened for reading: what is closed after writing would wake who watches the folder.
    guard let file = open(.lock, O_RDONLY) else { return false }
    return file_lock(file.number, 0) == EWOULDBLOCK
  }

  /// Whether its work was begun before the machine's last start.
  package var isOfEarlierBoot: Bool {
    guard let identity = value(ProcessIdentity.self, of: .started) else { return false }
    return identity.boot != ProcessIdentity.currentBoot
  }
}
