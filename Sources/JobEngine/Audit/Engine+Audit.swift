package import InstallJobs
internal import JobJournal
internal import Logging
internal import PackageProvider

extension Engine {
  /// Records an act or its refusal (rows A40, A41).
  ///
  /// Every permitted act has an entry. Of one user's refusals and failures, the first
  /// ``AuditLimit/most`` in each ``AuditLimit/window`` have one. One further entry says at once
  /// that others are suppressed, and one at the window's end says how many; if the engine dies
  /// before that, only the first remains.
  ///
  /// An act that only stops work does not wait for a journal that is not writable: it is stored as
  /// soon as possible, and an engine that runs as root writes it to the machine's log at once. If
  /// the engine ends before that, the next engine records the act from the request that the work
  /// still has, see `restoreAct(of:on:)`.
  ///
  /// Refusals of users without rights are counted together, see `UnprivilegedRefusalLimit`.
  ///
  /// - Returns: The number of the entry; nil when there is none, or not yet.
  /// - Throws: `journal`; the act must not be done then.
  @discardableResult
  package func audit(_ act: AuditedAct) async throws(InstallationError) -> Int64? {
    let isPermitted = act.outcome == AuditEntry.permitted
    if isPermitted, Self.actsThatNeedRoom.contains(act.act) { try await refuseWithoutRoom() }
    let time = settings.now()
    var entry = AuditEntry(
      at: time, requester: act.requester, pid: act.pid, command: act.command, act: act.act,
      job: act.job, outcome: act.outcome, subject: act.subject, count: act.count)
    guard !isPermitted else { return try keep(entry) }
    if act.isUnprivileged {
      entry.kind = .stranger
      return try auditStranger(entry)
    }
    let requester = act.requester
    let decision = auditLimit.admit(requester.uid, at: time)
    if decision.leftOut > 0 { try noteLeftOut(decision.leftOut, of: requester) }
    if let window = decision.counted {
      setTimer(atEndOf: window, of: requester, from: time)
      // The count is in memory until the window ends; this entry keeps the fact that entries are
      // suppressed.
      try note("more are suppressed until \(window.end)", of: requester, at: time)
    }
    guard decision.isRecorded else { return nil }
    return try keep(entry)
  }

  /// Adds the job that an act created to the act's entry.
  ///
  /// If that fails, the entry stays without a job; the job's own record names the requester.
  package func setJob(_ job: JobID, ofAudit number: Int64) {
    do {
      try journal.setJob(job, ofAudit: number)
    } catch {
      logger.error("cannot note job \(job) in the record of acts: \(error)")
    }
  }

  /// Returns after the engine has processed all earlier requests.
  package func answerPing() {}

  /// The record of acts, newest first.
  ///
  /// - Parameters:
  ///   - filter: The entries to include.
  ///   - before: Only entries with smaller numbers; nil for the first page.
  ///   - limit: Maximum number of entries.
  /// - Returns: The matching entries with the highest numbers.
  /// - Throws: `invalidIndex` for a negative limit; `journal`.
  @concurrent package nonisolated func audits(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws(InstallationError) -> [AuditRecord] {
    try journal.auditRows(filter, before: before, limit: limit).map { row in
      AuditRecord(
        number: row.number, at: row.entry.at, uid: row.entry.requester.uid,
        user: row.entry.requester.user, pid: row.entry.pid, command: row.entry.command,
        act: row.entry.act, job: row.entry.job, subject: row.entry.subject,
        outcome: row.entry.outcome, count: row.entry.count)
    }
  }

  private func auditStranger(_ entry: AuditEntry) throws(InstallationError) -> Int64? {
    let decision = unprivilegedRefusalLimit.add(entry.requester.uid, entry.count, at: entry.at)
    if let summary = decision.summary { try note(summary) }
    if let end = decision.end {
      endStrangers(at: end, from: entry.at)
      var more = entry
      (more.pid, more.command, more.act, more.job) = (nil, nil, "audit", nil)
      (more.subject, more.count) = (nil, 1)
      more.outcome = "more refusals of users without rights are counted until \(end)"
      try keep(more)
    }
    return decision.isRecorded ? try keep(entry) : nil
  }

  private func endStrangers(at end: Timestamp, from time: Timestamp) {
    _ = timer(after: end.seconds(since: time)) { engine in
      await engine.endStrangers()
    }
  }

  private func endStrangers() {
    guard let summary = unprivilegedRefusalLimit.end(by: settings.now()) else { return }
    do {
      try note(summary)
    } catch {
      logger.critical("cannot record that \(summary.count) refusals were counted: \(error)")
    }
  }

  private func note(_ summary: UnprivilegedRefusalLimit.Summary) throws(InstallationError) {
    let time = settings.now()
    let first = summary.users.first?.uid ?? .max
    let user = summary.users.count == 1 ? String(first) : "several users"
    do {
      try keep(
        AuditEntry(
          at: time, requester: Requester(uid: first, user: user), pid: nil, command: nil,
          act: "audit", job: nil,
          outcome: "\(summary.count) more refusals of users without rights", kind: .stranger,
          subject: AuditSubject(users: summary.users), count: summary.count))
    } catch {
      if let end = unprivilegedRefusalLimit.restore(summary, at: time) {
        endStrangers(at: end, from: time)
      }
      throw error
    }
  }

  /// The acts that only stop work or free room, by their names in the protocol.
  private static let stops: Set<String> = ["abort", "suspend", "cleanUp"]
  private static let mostUnrecorded = 100

  /// Whether an entry is a permitted act that stops work or frees room.
  private static func isStop(_ entry: AuditEntry) -> Bool {
    entry.outcome == AuditEntry.permitted && stops.contains(entry.act)
  }

  /// Retries after a second to record the entries that the journal has not stored yet.
  private func recordLater() {
    _ = timer(after: 1) { engine in
      await engine.recordWhatIsLeft()
    }
  }

  private func recordWhatIsLeft() {
    if (try? recordUnrecorded()) == nil { recordLater() }
  }

  /// Records an act of an earlier engine that the engine did not record.
  ///
  /// The requesting process is unknown.
  func restoreAct(of stop: StopRecord, on id: JobID) {
    let act =
      switch stop.request {
      case .abort: "abort"
      case .suspend: "suspend"
      }
    let requester = stop.request.requester
    guard let newest = try? journal.auditEntries(of: id, limit: Self.mostUnrecorded) else { return }
    // Later acts, and acts before the last cancellation, are different acts.
    let last = newest.lazy.filter { $0.outcome == AuditEntry.permitted && $0.at <= stop.at }
      .prefix { !Self.cancellingActs.contains($0.act) }
    let isOnRecord = last.contains { $0.act == act && $0.requester.uid == requester.uid }
    guard !isOnRecord else { return }
    let entry = AuditEntry(
      at: stop.at, requester: requester, pid: nil, command: nil, act: act, job: id,
      outcome: AuditEntry.permitted)
    unrecorded.append(entry)
    if unrecorded.count == 1 { recordWhatIsLeft() }
  }

  /// The acts that cancel a request to stop, by their names in the protocol.
  private static let cancellingActs: Set<String> = ["withdraw", "resume"]

  /// The user whose cancellation of a request to stop was permitted last; nil when none is
  /// recorded.
  func lastCanceller(on id: JobID) -> Requester? {
    let newest = try? journal.auditEntries(of: id, limit: Self.mostUnrecorded)
    return newest?.first {
      Self.cancellingActs.contains($0.act) && $0.outcome == AuditEntry.permitted
    }?.requester
  }

  /// Stores the entries that the journal has not stored yet, oldest first.
  ///
  /// - Parameter next: The entry that will be stored after them.
  /// - Throws: `journal`; the remaining entries are tried again.
  private func recordUnrecorded(before next: AuditEntry? = nil) throws(InstallationError) {
    while let entry = unrecorded.first {
      // A refusal that precedes a stop must not prevent the record of the stop.
      let mayUseReserve = (unrecorded + [next].compactMap(\.self)).contains(where: Self.isStop)
      try journal.audit(entry, mayUseReserve: mayUseReserve)
      unrecorded.removeFirst()
    }
  }

  private func setTimer(
    atEndOf window: AuditLimit.Span, of requester: Requester, from time: Timestamp
  ) {
    _ = timer(after: window.end.seconds(since: time)) { engine in
      await engine.end(window, of: requester)
    }
  }

  private func end(_ window: AuditLimit.Span, of requester: Requester) {
    let count = auditLimit.end(requester.uid, startedAt: window.start)
    guard count > 0 else { return }
    do {
      try noteLeftOut(count, of: requester)
    } catch {
      logger.critical("cannot record that \(count) refusals were left out: \(error)")
    }
  }

  /// Records the number of suppressed entries.
  ///
  /// If that fails, the number is added to the next window's.
  private func noteLeftOut(_ count: Int, of requester: Requester) throws(InstallationError) {
    let time = settings.now()
    do {
      try note("\(count) more suppressed", of: requester, at: time)
    } catch {
      if let window = auditLimit.restore(count, of: requester.uid, at: time) {
        setTimer(atEndOf: window, of: requester, from: time)
      }
      throw error
    }
  }

  private func note(
    _ outcome: String, of requester: Requester, at time: Timestamp
  ) throws(InstallationError) {
    try keep(
      AuditEntry(
        at: time, requester: requester, pid: nil, command: nil, act: "audit", job: nil,
        outcome: outcome))
  }

  @discardableResult
  private func keep(_ entry: AuditEntry) throws(InstallationError) -> Int64? {
    var number: Int64?
    do throws(InstallationError) {
      try recordUnrecorded(before: entry)
      // Other acts would use up the reserve, and the ends of jobs could not be recorded any more.
      number = try journal.audit(entry, mayUseReserve: Self.isStop(entry))
    } catch {
      // Users without rights must not fill the list that users with rights need.
      let isOfStranger = entry.outcome == InstallationError.Code.notPermitted.rawValue
      guard Self.stops.contains(entry.act), !isOfStranger,
        unrecorded.count < Self.mostUnrecorded
      else { throw refusal(for: error) }
      unrecorded.append(entry)
      if unrecorded.count == 1 { recordLater() }
    }
    settings.auditTrail(entry)
    return number
  }
}
