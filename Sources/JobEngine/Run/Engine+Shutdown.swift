import InstallJobs
import Logging
import PackageProvider

// A machine that shuts down ends every process, even in the middle of a package. Before that, the
// working job is paused durably at its next safe point, and the next engine resumes it. A pause by
// a user is separate: it stays, and it has precedence over the pause by a shutdown.
extension Engine {
  /// Pauses the working job at its next safe point and starts no other job, because the machine is
  /// shutting down.
  ///
  /// A job that can no longer stop continues to its end. Returns when no job is at work.
  package func prepareForShutdown() async {
    isShuttingDown = true
    if let id = queue.running, let job = live[id], job.machine.state != .suspended {
      logger.notice(
        "the machine is shutting down: it waits for the next safe point of the job at work",
        metadata: ["job": "\(id)"])
      do throws(InstallationError) {
        try await suspend(id, by: .shutdown(uid: settings.owner.uid))
      } catch {
        logger.notice("job \(id) goes on to its end: \(error)")
      }
    }
    await untilNoJobWorks()
  }

  /// Resumes jobs and queue after a cancelled shutdown.
  package func cancelShutdown() async {
    guard isShuttingDown else { return }
    isShuttingDown = false
    if let id = queue.running, isPausedByShutdown(id) {
      do throws(InstallationError) {
        try await resume(id, by: settings.owner)
      } catch {
        // The job continues to its stopping point and is resumed there.
        logger.notice("job \(id) goes on when it has stopped: \(error)")
      }
    }
    schedule()
  }

  /// Whether a shutdown has paused a job, or will at the job's next safe point.
  func isPausedByShutdown(_ id: JobID) -> Bool {
    live[id]?.machine.pause?.by.isShutdown ?? false
  }

  /// Resumes a job that a shutdown has paused, unless the machine is still shutting down.
  func resumeAfterShutdown(_ id: JobID) {
    guard !isShuttingDown, isPausedByShutdown(id), live[id]?.machine.state == .suspended else {
      return
    }
    do throws(InstallationError) {
      try dispatch(.resume, to: id)
    } catch {
      logger.error("cannot resume job \(id) after the shutdown: \(error)")
    }
  }

  /// Refuses to resume a job while the machine is shutting down.
  func refuseWhileShuttingDown(_ id: JobID) throws(InstallationError) {
    guard isShuttingDown else { return }
    throw InstallationError(
      .cannotResume, "job \(id) cannot be resumed: the machine is shutting down", class: .transient,
      hint: "what the shutdown paused resumes by itself after the next start")
  }

  private func untilNoJobWorks() async {
    while isAtWork {
      await withCheckedContinuation { shutdownWaiters.append($0) }
    }
  }

  /// Whether tools of a job may be running.
  private var isAtWork: Bool {
    guard let id = queue.running, let job = live[id] else { return false }
    return job.machine.state != .suspended || job.starting != nil
  }

  /// Resumes ``prepareForShutdown()`` when no job is at work any more.
  func notifyShutdownWaiters() {
    guard !shutdownWaiters.isEmpty, !isAtWork else { return }
    for waiter in shutdownWaiters { waiter.resume() }
    shutdownWaiters = []
  }
}
