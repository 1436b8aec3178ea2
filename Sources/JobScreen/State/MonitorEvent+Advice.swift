package import InstallJobs

extension MonitorEvent {
  /// The same with the commands that errors and warnings advise as they must be typed here.
  ///
  /// - Parameter spelled: How a text is to be shown; an empty answer leaves an advice out.
  /// - Returns: The event as it is to be taken in.
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
  /// The same with its next step as `spelled` has it; without one where that is empty.
  package func advised(_ spelled: (String) -> String) -> InstallationError {
    var error = self
    error.hint = hint.map(spelled).flatMap { $0.isEmpty ? nil : $0 }
    return error
  }
}

extension JobSnapshot {
  /// The same with the next step that its error names as `spelled` has it.
  package func advised(_ spelled: (String) -> String) -> JobSnapshot {
    guard error?.hint != nil else { return self }
    var job = self
    job.error = error?.advised(spelled)
    return job
  }
}

extension JobPlan {
  /// The same with its warnings as `spelled` has them.
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
