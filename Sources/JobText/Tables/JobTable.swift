import Canvas
package import InstallJobs

/// Jobs as aligned text for `fettle jobs`, `fettle history`, `fettle show` and the clipboard.
///
/// The text is sanitised, and ASCII unless package texts or user input contain other characters.
package enum JobTable: Sendable {
  /// One line for each job below a line of headings; `no jobs` if there are none.
  ///
  /// If the queue is paused, a last line says why no further job begins.
  ///
  /// - Parameters:
  ///   - jobs: In the order to print them.
  ///   - now: The current time, for the age of a pause and the lateness of a job; nil prints the
  ///     time of day of the pause, and no lateness.
  ///   - timeOffset: Seconds east of UTC for the times.
  /// - Returns: Lines without line ends or trailing spaces.
  package static func jobs(
    _ jobs: [JobSnapshot], now: Timestamp? = nil, timeOffset: Int = 0
  ) -> [String] {
    guard !jobs.isEmpty else { return ["no jobs"] }
    let rows = jobs.map { job in
      var words = JobWords(job)
      (words.now, words.time) = (now, now)
      let start = words.times.flatMap { $0.start >= 1 ? $0.start : nil }
      let place = queuePlace(of: job).map { place in
        place + (start.map { ", starts in ~" + Figures.forecast($0) } ?? "")
      }
      let ownStart = words.mark == .queued ? words.ownStart(offset: timeOffset) : nil
      let state = place ?? holder(job) ?? ownStart.map { "not " + $0 } ?? words.phase
      return [
        "\(job.id)", state, words.shortShare, words.speed, words.tail,
        job.requestedBy.user, simulated(job) + words.requestedPackages,
      ]
    }
    let reason = jobs.lazy.compactMap(\.waitingFor).first { $0.cause != nil }
    let pause = reason.map {
      QueueWords.sentence($0, offset: timeOffset, now: now) + ": no further job begins"
    }
    return table(
      ["JOB", "STATE", "DONE", "SPEED", "ETA/TOOK", "BY", "WHAT"], rows, right: [0, 2, 3, 4])
      + [pause].compactMap(\.self).map(sanitize)
  }

  /// The queue position of a job that waits for its turn, with `paused` if the queue is; nil for
  /// other jobs, and for jobs that wait for a reason of their own.
  private static func queuePlace(of job: JobSnapshot) -> String? {
    guard job.hasPlaceInQueue, let place = job.queuePosition else { return nil }
    let text = place == 1 ? "next in the queue" : ordinal(place) + " in the queue"
    return job.waitingFor?.cause == nil ? text : text + ", paused"
  }

  /// An ordinal number: `1st`, `22nd`.
  static func ordinal(_ place: Int) -> String {
    let ending =
      switch (place % 10, place % 100) {
      case (1, let rest) where rest != 11: "st"
      case (2, let rest) where rest != 12: "nd"
      case (3, let rest) where rest != 13: "rd"
      default: "th"
      }
    return "\(place)\(ending)"
  }

  /// Ended jobs, one line for each below a line of headings; `no jobs` if there are none.
  ///
  /// - Parameters:
  ///   - jobs: In the order to print them.
  ///   - timeOffset: Seconds east of UTC for the times.
  /// - Returns: Lines without line ends or trailing spaces.
  package static func history(_ jobs: [JobSnapshot], timeOffset: Int = 0) -> [String] {
    guard !jobs.isEmpty else { return ["no jobs"] }
    let rows = jobs.map { job in
      let words = JobWords(job)
      return [
        "\(job.id)", job.workOverAt.map { Figures.day($0, offset: timeOffset) } ?? "",
        JobEnding(job)?.word ?? words.phase, words.tail, job.requestedBy.user,
        simulated(job) + words.requestedPackages,
      ]
    }
    return table(["JOB", "ENDED", "RESULT", "TOOK", "BY", "WHAT"], rows, right: [0, 3])
  }

  /// One job: its packages, its status, and a line for each package of its plan.
  ///
  /// - Parameters:
  ///   - job: The job; without a plan the requested packages are listed.
  ///   - timeOffset: Seconds east of UTC for the times.
  ///   - now: The current time, for the age of the last sign of life; nil leaves the age out.
  /// - Returns: Lines without line ends.
  package static func job(
    _ job: JobSnapshot, timeOffset: Int = 0, now: Timestamp? = nil
  ) -> [String] {
    var words = JobWords(job, queuePlace: job.queuePosition)
    words.now = now
    words.time = now
    var lines = ["job \(job.id): " + simulated(job) + words.requestedPackages]
    func fact(_ name: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append(padded("  \(name):", to: 13) + " " + value)
    }
    let state = queuePlace(of: job) ?? words.phase
    fact("state", state + (words.step.map { ", package \($0)" } ?? ""))
    fact("done", words.share)
    if !job.state.isFinal {
      fact("eta", job.state == .queued ? words.times.plainWords : words.plainTail)
    }
    fact("result", words.ending)
    fact("error", job.error.map { $0.description })
    fact("detail", job.error?.detail)
    if !job.state.isFinal, let last = job.lastActivityAt {
      let age = now.map { $0.seconds(since: last) }.flatMap { $0 >= 0 ? $0.rounded(.down) : nil }
      let ago = age.map { ", \(Figures.duration($0)) ago" } ?? ""
      fact("last sign", Figures.time(last, offset: timeOffset) + ago)
    }
    fact("waits", job.state.isFinal ? nil : words.waitReason(offset: timeOffset))
    let course = AbortCourse(job)?.sentence(offset: timeOffset)
    let stop = course == nil ? nil : job.abort.map { words.stopSentence($0.disposition) }
    fact("abort", job.state.isFinal ? course : stop ?? words.safePoint(offset: timeOffset))
    fact("request", job.state.isFinal ? nil : course)
    fact("asked by", job.requestedBy.user + " with " + job.options.clientName)
    fact("comment", job.options.comment)
    fact("submitted", Figures.date(job.submittedAt, offset: timeOffset))
    fact("started", job.startedAt.map { Figures.date($0, offset: timeOffset) })
    let late = job.foundLateSeconds.map { ", found \(Figures.duration($0)) later" } ?? ""
    fact("ended", job.workOverAt.map { Figures.date($0, offset: timeOffset) + late })
    fact(
      "unseen",
      job.interruptedSeconds.map { "for \(Figures.duration($0)), until it was found" })
    // Archives fetched before the job's turn are reported in words; they are no progress of the
    // job.
    if job.totalDownloadBytes > 0, words.prefetchActivity == nil {
      fact("fetched", Figures.bytes(job.downloadedBytes, of: job.totalDownloadBytes))
    }
    fact("restart", job.requiresReboot ? "needed" : nil)
    fact("cleaned up", job.isCleanedUp ? "yes" : nil)
    let steps = job.plan ?? job.updates
    let rows = steps.map { status in
      let update = UpdateWords(status, isJobOver: job.state.isFinal, isCurrent: false)
      return [
        status.name, status.planned.architecture, ascii(update.versions), update.stage,
        update.share ?? "-", update.remark,
      ]
    }
    guard !rows.isEmpty else { return lines.map(sanitize) }
    return lines.map(sanitize) + [""]
      + table(["PACKAGE", "ARCH", "VERSION", "STAGE", "DONE", ""], rows, right: [4])
  }

  /// The result of pausing a job: who paused it, or when it will pause.
  package static func pause(of job: JobSnapshot) -> String {
    sanitize(job.waitingFor.flatMap { $0.isJobPause ? $0.message : nil } ?? "will pause")
  }

  /// A job in one line: number, packages, state.
  package static func line(of job: JobSnapshot) -> String {
    let words = JobWords(job)
    return sanitize(
      "\(job.id) \(words.packages) \(words.phase) \(words.share)")
  }

  /// The lock holder for which a job waits.
  private static func holder(_ job: JobSnapshot) -> String? {
    guard job.state == .waitingForLock, let holder = job.waitingFor?.holder else { return nil }
    return "waits for \(holder.command ?? "a process") (pid \(holder.pid))"
  }

  private static func simulated(_ job: JobSnapshot) -> String {
    job.provider.isSimulated ? "[simulated] " : ""
  }

  private static func ascii(_ text: String) -> String {
    String(text.map { $0 == "→" ? ">" : $0 })
  }

  /// Aligned lines below a line of headings; the columns in `right` are aligned to the right.
  static func table(_ headings: [String], _ rows: [[String]], right: Set<Int>) -> [String] {
    let all = [headings] + rows.map { $0.map(sanitize) }
    let widths = headings.indices.map { column in
      all.map { TextWidth.columns($0[column]) }.max() ?? 0
    }
    return all.map { row in
      var line = row.indices.map { column in
        padded(row[column], to: widths[column], alignment: right.contains(column) ? .right : .left)
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
