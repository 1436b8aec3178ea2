import HostSystem
package import InstallJobs
import Logging
import PackageProvider

// The engine refreshes the package index itself, with its own rights and for its own root. Every
// client that may act may request it; nothing that a client sends becomes a path or a program.
extension Engine {
  /// Maximum duration of an index refresh, in seconds.
  static let refreshLimit = 600.0

  /// Refreshes the package index while no job is at work.
  ///
  /// Jobs wait for its end.
  ///
  /// A request during a refresh returns when that refresh is done.
  ///
  /// - Throws: `busy` while a job is at work, and when another process fetches the index;
  ///   `timedOut` after ``refreshLimit``; `downloadFailed` with the package system's message;
  ///   `notPermitted` when the engine lacks the rights.
  package func refresh(by requester: Requester) async throws(InstallationError) {
    if let refreshing { return try await refreshing.value.get() }
    if let job = queue.running {
      throw InstallationError(
        .busy, "cannot refresh the index of \(provider.root) while job \(job) works",
        class: .transient, hint: "try again when job \(job) is over")
    }
    logger.info("refreshing the index", metadata: ["user": "\(requester.user)"])
    let before = queue.pause
    queue.pause(QueuePause(.index, since: settings.now()))
    publishPause(since: before)
    let fetching = Task { await fetchIndex() }
    refreshing = fetching
    try await fetching.value.get()
  }

  private func fetchIndex() async -> Result<Void, InstallationError> {
    let (provider, threads, clock) = (provider, providerThreads, settings.clock)
    let result = await withTaskGroup(of: Result<Void, InstallationError>?.self) { race in
      race.addTask {
        do throws(InstallationError) {
          return .success(
            try await threads.run { () async throws(InstallationError) in
              try await provider.refreshIndex(proxy: nil, needsAll: true)
            })
        } catch {
          return .failure(error)
        }
      }
      race.addTask {
        try? await clock.sleep(for: .seconds(Self.refreshLimit))
        return nil
      }
      let first = await race.next() ?? nil
      race.cancelAll()
      return first
    }
    refreshing = nil
    let before = queue.pause
    queue.resume(.index)
    publishPause(since: before)
    schedule()
    return result
      ?? .failure(
        InstallationError(
          .timedOut,
          "cannot refresh the index of \(provider.root): it took more than"
            + " \(Int(Self.refreshLimit)) seconds", class: .transient,
          hint: "check the network and the sources"))
  }
}
