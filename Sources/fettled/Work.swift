import AptProvider
import ArgumentParser
import Glibc
import HostSystem
import InstallJobs
import JobServer
import PackageProvider

/// The command `fettled work`: the worker of one job, started by the engine.
struct Work: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Do the work of one job folder.", shouldDisplay: false)

  @Argument(help: "The job's folder.")
  var folder: String

  func run() async throws {
    // The job folder decides which programs run, and with which configuration.
    try Trust.require(AbsolutePath.of(folder), as: "the job folder")
    let status = await Worker(folder: JobFolder(path: folder)).run()
    throw ExitCode(status)
  }
}
