import ArgumentParser
import Glibc
import PackageTools

/// Does the work of one job; started by the engine, not by people.
struct Work: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Do the work of one job folder.", shouldDisplay: false)

  @Argument(help: "The job's folder.")
  var folder: String

  func run() async throws {
    let status = await Worker(folder: JobFolder(path: folder)).run()
    throw ExitCode(status)
  }
}
