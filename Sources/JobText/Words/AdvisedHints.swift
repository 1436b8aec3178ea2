package import InstallJobs

// Hints and warnings with their commands spelled as the user must type them.

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
  /// The event with the hint of its job's error rewritten by `spelled`.
  package func advised(_ spelled: (String) -> String) -> JobEvent {
    guard case .completed(var outcome) = payload, outcome.error?.hint != nil else { return self }
    outcome.error = outcome.error?.advised(spelled)
    var event = self
    event.payload = .completed(outcome)
    return event
  }
}
