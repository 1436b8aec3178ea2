import InstallJobs
import Logging
import PackageProvider

// A machine that goes down ends every process, in the middle of a package if need be. So the job at
// work is held at its next safe point before that, durably, and the next engine resumes it. A hold of
// an operator is none of this: it stays, and wins where both are asked for.
extension Engine {
  /// Stops the job at work at its next safe point and begins no other, because the machine is shutting
  /// down.
  ///
  /// Where the job cannot stop any more it goes on to its end. Returns when no job is at work.
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

  /// Goes on with jobs and queue after a shutdown that was cancelled.
  package func cancelShutdown() async {
    guard isShuttingDown else { return }
    isShuttingDown = false
    if let id = queue.running, isHeldByShutdown(id) {
      do throws(InstallationError) {
        try await resume(id, by: settings.owner)
      } catch {
        // It works on to where it stops, and is resumed there.
        logger.notice("job \(id) goes on when it has stopped: \(error)")
      }
    }
    schedule()
  }

  /// Whether a shutdown of the machine holds a job, or will at its next safe point.
  func isHeldByShutdown(_ id: JobID) -> Bool {
    live[id]?.machine.hold?.by.isShutdown ?? false
  }

  /// Resumes a job that a shutdown has held, unless the machine is still shutting down.
  func resumeAfterShutdown(_ id: JobID) {
    guard !isShuttingDown, isHeldByShutdown(id), live[id]?.machine.state == .suspended else {
      return
    }
    do throws(InstallationError) {
      try feed(.resume, to: id)
    } catch {
      logger.error("cannot resume job \(id) after the shutdown: \(error)")
    }
  }

  /// Refuses to resume a job while the machine is shutting down.
  func refuseWhileShuttingDown(_ id: JobID) throws(InstallationError) {
    guard isShuttingDown else { return }
    throw InstallationError(
      .cannotResume, "job \(id) cannot go on: the machine is shutting down", class: .transient,
      hint: "what the shutdown holds goes on by itself after the next start")
  }

  private func untilNoJobWorks() async {
    while isAtWork {
      await withCheckedContinuation { shutdownWaiters.append($0) }
    }
  }

  /// Whether any job's tools may be running.
  private var isAtWork: Bool {
    guard let id = queue.running, let job = live[id] else { return false }
    return job.machine.state != .suspended || job.starting != nil
  }

  /// Wakes ``prepareForShutdown()`` where a job has changed its state.
  func noteForShutdown() {
    guard !shutdownWaiters.isEmpty, !isAtWork else { return }
    for waiter in shutdownWaiters { waiter.resume() }
    shutdownWaiters = []
  }
}
