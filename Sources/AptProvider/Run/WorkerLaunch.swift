import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider

/// Starts the worker of a prepared job folder.
package struct WorkerLaunch: Sendable {
  let command: [String]
  /// Leads to the file of this process even where another one has taken its place on the disk.
  private static let thisProgram = "/proc/self/exe"

  /// The launch of a worker.
  ///
  /// - Parameters:
  ///   - executable: The absolute path of `fettled`.
  ///   - prefix: A command in front of it that becomes it (`setpriv ...`), if any.
  package init(executable: String, prefix: [String] = []) {
    command = prefix + [executable, "work"]
  }

  /// Starts the worker and returns at once.
  ///
  /// It leads a session of its own and writes only into the folder: whatever becomes of this
  /// process, it goes on. Until then it is waited for here, so that it leaves no zombie.
  ///
  /// - Parameters:
  ///   - folder: The prepared folder.
  ///   - plan: The frozen plan.
  ///   - satisfied: Steps that the machine satisfies already.
  ///   - root: What stands before paths that dpkg names; empty where it works on `/`.
  /// - Returns: The run that follows the worker.
  /// - Throws: `internal` when it cannot be started.
  package func start(
    in folder: JobFolder, plan: JobPlan, satisfied: Set<Int> = [], root: String = ""
  ) throws(InstallationError) -> AptRun {
    var environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"]
    // Where this very program found its libraries; the worker's tools get an environment of their own.
    if let libraries = unsafe getenv("LD_LIBRARY_PATH") {
      environment["LD_LIBRARY_PATH"] = unsafe String(cString: libraries)
    }
    // Looked at before anything is fetched.
    let foundArchives = folder.hasArchive(of: plan)
    // Earlier work of the job has been reported.
    let offsets = FolderReader.lengths(in: folder)
    guard let log = folder.open(.log, O_WRONLY | O_APPEND | O_CREAT),
      let process = ToolProcess(
        command + [folder.path], environment: environment, output: log, leadsSession: true,
        name: command.first == Self.thisProgram ? "fettled" : nil)
    else {
      throw InstallationError(
        .internal, "cannot start the worker \(command.joined(separator: " "))",
        hint: "check the installation of fettled")
    }
    process.reapInBackground()
    return AptRun(
      folder: folder, plan: plan, from: offsets, worker: process.descriptor,
      foundArchives: foundArchives, satisfiedSteps: satisfied, root: root)
  }
}
