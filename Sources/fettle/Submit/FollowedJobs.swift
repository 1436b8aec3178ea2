import InstallJobs

/// Jobs as the engine's event stream describes them.
struct FollowedJobs {
  private(set) var jobs: [JobID: JobSnapshot] = [:]

  /// Applies an element of the event stream.
  mutating func apply(_ element: EngineEvents.Element) {
    switch element {
    case .jobs(let rows): for row in rows { jobs[row.id] = row }
    case .jobsEnd: break
    case .progress(let events): for event in events { apply(event) }
    case .event(let event): apply(event)
    }
  }

  private mutating func apply(_ event: JobEvent) {
    if case .submitted(let job) = event.payload { jobs[job.id] = job }
    if let id = event.job { jobs[id]?.apply(event) }
  }

  /// Whether each of `ids` is known to have ended.
  func haveEnded(_ ids: some Sequence<JobID>) -> Bool {
    ids.allSatisfy { jobs[$0]?.state.isFinal ?? false }
  }
}
