import JobText

extension MonitorEvent {
  /// The event with the commands in its hints and warnings spelled as the user must type them.
  ///
  /// - Parameter spelled: Rewrites a hint or warning; an empty result removes it.
  /// - Returns: The event to apply.
  package func advised(_ spelled: (String) -> String) -> MonitorEvent {
    switch self {
    case .snapshot(let jobs): .snapshot(jobs.map { $0.advised(spelled) })
    case .past(let jobs, let isWhole): .past(jobs.map { $0.advised(spelled) }, isWhole: isWhole)
    case .event(let event): .event(event.advised(spelled))
    case .planned(let request, let plan): .planned(request, plan.advised(spelled))
    case .refused(let request, let error): .refused(request, error.advised(spelled))
    case .submitted(let job, let request): .submitted(job.advised(spelled), of: request)
    case .failed(let error, let job, let command):
      .failed(error.advised(spelled), job: job, of: command)
    case .unread(let error, let job): .unread(error.advised(spelled), job: job)
    case .replay(.begin(let request, let job, let length)):
      .replay(.begin(request, job.advised(spelled), logLength: length))
    case .replay(.events(let request, let events, let leftOut)):
      .replay(.events(request, events.map { $0.advised(spelled) }, leftOut: leftOut))
    case .replay(.failed(let request, let error)):
      .replay(.failed(request, error.advised(spelled)))
    case .replay(.noLog(let request, let error)): .replay(.noLog(request, error.advised(spelled)))
    default: self
    }
  }
}
