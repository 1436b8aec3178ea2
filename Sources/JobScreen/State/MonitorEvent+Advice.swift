package import InstallJobs

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
    case .failed(let error, let job, let order):
      .failed(error.advised(spelled), job: job, of: order)
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

extension InstallationError {
  /// The error with its hint rewritten by `spelled`; an empty result removes the hint.
  package func advised(_ spelled: (String) -> String) -> InstallationError {
    var error = self
    error.hint = hint.map(spelled).flatMap { $0.isEmpty ? nil : $0 }
    return error
  }
}

extension JobSnapshot {
  /// The job with the hint of its error rewritten by `spelled`.
  package func advised(_ spelled: (String) -> String) -> JobSnapshot {
    guard error?.hint != nil else { return self }
    var job = self
    job.error = error?.advised(spelled)
    return job
  }
}

extension JobPlan {
  /// The plan with its warnings rewritten by `spelled`; an empty result removes a warning.
  package func advised(_ spelled: (String) -> String) -> JobPlan {
    var plan = self
    plan.warnings = warnings.compactMap { warning in
      var warning = warning
      warning.message = spelled(warning.message)
      return warning.message.isEmpty ? nil : warning
    }
    return plan
  }
}

extension JobEvent {
  fileprivate func advised(_ spelled: (String) -> String) -> JobEvent {
    guard case .completed(var outcome) = payload, outcome.error?.hint != nil else { return self }
    outcome.error = outcome.error?.advised(spelled)
    var event = self
    event.payload = .completed(outcome)
    return event
  }
}
