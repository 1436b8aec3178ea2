import Glibc
import InstallJobs
import JobClient

/// The whole life of a job: session, plan, begin, progress, pause, resume, abort, result, clean up, retry,
/// history.
///
/// `JobLife SOCKET PACKAGE…` works on the engine that listens at SOCKET.
@main
struct JobLife {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let socket = arguments.first, arguments.count > 1 else {
      print("usage: JobLife SOCKET PACKAGE…")
      exit(64)
    }
    do {
      try await live(arguments.dropFirst().map { Update($0) }, at: socket)
    } catch {
      print("\(error.message)\(error.hint.map { " (\($0))" } ?? "")")
      exit(1)
    }
  }

  private static func live(
    _ updates: [Update], at socket: String
  ) async throws(InstallationError) {
    let session = try await UpdateSession.connect(to: socket, clientName: "job-life")
    let installer = try session.makeInstaller()

    // What it would do, before anything is submitted.
    let plan = try await session.plan(JobRequest(.install, updates))
    print("plan: \(plan.steps.count) packages, \(plan.downloadSize) bytes to fetch")

    // An abort takes effect between two packages; what is installed stays.
    let aborted = try await installer.beginInstallation(of: updates)
    print("abort: \(try await aborted.requestAbort())")
    let partial = try await aborted.result
    print("result: \(partial.code)")
    try await aborted.cleanUp(within: .seconds(60))

    // What is left is done by a job of its own; callbacks tell how far it is.
    var options = InstallationOptions()
    options.clientName = "job-life"
    options.comment = "the rest of job \(aborted.id)"
    options.stopWithin = .seconds(2)
    let job = try await installer.beginInstallation(
      of: updates, options: options, userInfo: "mine",
      onProgress: { job, progress in
        let name = progress.currentItem ?? "-"
        print("job \(job.id): \(progress.state) \(name) \(progress.overallFraction)")
      },
      onCompletion: { job in print("job \(job.id) is over: \(await job.isCompleted)") })
    let result = try await job.result(within: .seconds(600))
    for update in result.updateResults {
      print("\(update.name): \(update.code)\(update.detail.map { " (\($0))" } ?? "")")
    }
    if result.code != .succeeded, result.code != .aborted {
      let retry = try await installer.beginRetry(of: job.id)
      print("retry: \(try await retry.result.code)")
      try await retry.cleanUp()
    }
    for try await line in session.logLines(of: job.id).prefix(5) { print("log: \(line)") }
    try await job.cleanUp()

    for past in try await session.history(limit: 5) {
      print("history: job \(past.id) \(past.resultCode) \(past.options.comment ?? "")")
    }
    await session.close()
  }
}
