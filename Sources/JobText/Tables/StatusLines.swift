import Canvas
package import InstallJobs

/// The engine's status as text for `fettle status`.
package enum StatusLines: Sendable {
  /// - Parameters:
  ///   - status: The engine's status.
  ///   - now: The current time, for ages; nil prints times of day in UTC.
  /// - Returns: Sanitised lines without line ends.
  package static func lines(_ status: EngineStatus, now: Timestamp? = nil) -> [String] {
    let engine = status.engine
    let pause =
      status.queue.pause.map { QueueWords.state($0, now: now) }
      ?? (status.queue.paused ? "paused" : nil)
    var lines = [
      "engine:   pid \(engine.pid), version \(engine.version), since \(engine.startedAt)",
      "root:     \(engine.root) (\(engine.provider))",
      "queue:    \(status.queue.running) at work, \(status.queue.waitingWords)"
        + (pause.map { ", \($0)" } ?? ""),
    ]
    if let job = status.runningJob { lines.append("at work:  job \(job)") }
    if status.isRootUnknown == true {
      let reason = "not known: the disk of the root does not answer"
      lines += ["lock:     \(reason)", "restart:  \(reason)"]
      return lines.map(sanitize)
    }
    if let holder = status.lock {
      lines.append(
        "lock:     held by \(holder.command ?? "a process") (pid \(holder.pid))"
          + (status.runningJob.map { "; job \($0) waits, or will" } ?? "")
          + (holder.canYield ? "; 'fettle yield' asks it to stop" : ""))
    } else {
      let holder = status.runningJob.map { "held by job \($0), or free for it" } ?? "free"
      lines.append("lock:     " + holder)
    }
    let reasons =
      status.rebootReasons.isEmpty ? "" : " for \(status.rebootReasons.joined(separator: ", "))"
    lines.append("restart:  \(status.requiresReboot ? "needed\(reasons)" : "not needed")")
    return lines.map(sanitize)
  }

  /// A warning beside a list of jobs whose states may be out of date because the journal cannot be
  /// written.
  ///
  /// - Parameters:
  ///   - status: The engine's status.
  ///   - jobs: The jobs shown; a later event of theirs proves that the journal could be written
  ///     then.
  ///   - timeOffset: Seconds east of UTC for the time of day.
  /// - Returns: A sanitised line; nil if the journal can be written.
  package static func journalWarning(
    _ status: EngineStatus, of jobs: [JobSnapshot] = [], timeOffset: Int
  ) -> String? {
    guard let pause = status.queue.pause, pause.cause == .journal else { return nil }
    let recorded = jobs.flatMap { [$0.submittedAt, $0.startedAt, $0.endedAt].compactMap(\.self) }
    let time = Figures.time(max(pause.since, recorded.max() ?? pause.since), offset: timeOffset)
    return sanitize("states are as of \(time): \(pause.message)")
  }
}
