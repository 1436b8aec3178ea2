package import InstallJobs

/// Request and plan as stored in the job folder's `plan.json`.
package struct RecordedJob: Sendable, Hashable, Codable {
  package var request: JobRequest
  package var plan: JobPlan

  package init(request: JobRequest, plan: JobPlan) {
    self.request = request
    self.plan = plan
  }

  /// A copy without the passwords of proxies and mirrors.
  package var withoutSecrets: RecordedJob {
    var copy = self
    copy.request.options = request.options.withoutSecrets
    copy.plan = plan.withoutCredentials
    return copy
  }
}
