import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider

/// Starts the worker of a prepared job folder.
package struct WorkerLaunch: Sendable {
  let command: [String]
  /// Leads to this process's program file even after another file has replaced it on the disk.
  private static let thisProgram = "/proc/self/exe"

  /// Creates the launch of a worker.
  ///
  /// - Parameters:
  ///   - executable: The absolute path of `fettled`.
  ///   - prefix: A command in front of it that ends in an exec (`setpriv ...`), if any.
  package init(executable: String, prefix: [String] = []) {
    command = prefix + [executable, "work"]
  }

  /// Starts the worker and returns at once.
  ///
  /// The worker leads its own session and writes only into the folder, so it outlives this process.
  /// While this process lives, it waits for the worker's end, so that no zombie remains.
  ///
  /// - Parameters:
  ///   - folder: The prepared folder.
  ///   - plan: The frozen plan.
  ///   - satisfied: Steps that the package root satisfies already.
  ///   - root: The prefix of paths that dpkg names; empty where it works on `/`.
  /// - Returns: The run that follows the worker.
  /// - Throws: `internal` when it cannot be started.
  package func start(
    in folder: JobFolder, plan: JobPlan, satisfied: Set<Int> = [], root: String = ""
  ) throws(InstallationError) -> AptRun {
    var environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/"]
    // The library path of this program; the worker's tools get a separate environment.
    if let libraries = unsafe getenv("LD_LIBRARY_PATH") {
      environment["LD_LIBRARY_PATH"] = unsafe String(cString: libraries)
    }
    // Checked before anything is fetched.
    let foundArchives = folder.hasArchive(of: plan)
    // The output of the job's earlier work has been reported already.
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
