import HostSystem
package import InstallJobs
import Logging
import PackageProvider

// The package index is fetched by the engine, with its rights and for its root: whoever may act may
// have it done, and nothing that a peer says becomes a path or a program.
extension Engine {
  /// The longest that the index is fetched, in seconds.
  static let refreshLimit = 600.0

  /// Fetches the package index anew while no job works; jobs whose turn comes meanwhile wait for it.
  ///
  /// Asked for again while it is under way, it answers when that one is done.
  ///
  /// - Throws: `busy` while a job works, and when another process fetches the index; `timedOut` after
  ///   ``refreshLimit``; `downloadFailed` with the package system's own words; `notPermitted` where
  ///   the engine itself may not.
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
