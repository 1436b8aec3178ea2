internal import InstallJobs

// A job as an array, `[id, operation, state, uid, user, …]`: the capability `rows`. Fields that few
// jobs of a long list have come last, and the rarest are in one object (`JobExtras`).
extension JobSnapshot: TupleValue {
  private static let blank = JobSnapshot(
    id: JobID(0), request: JobRequest(.install, []), plan: JobPlan(requests: [], steps: []),
    requestedBy: Requester(uid: 0, user: ""), provider: "", submittedAt: Timestamp(milliseconds: 0)
  )

  static func blank(after previous: JobSnapshot?) -> JobSnapshot {
    var job = blank
    guard let previous else { return job }
    job.requestedBy.user = previous.requestedBy.user
    job.options.clientName = previous.options.clientName
    job.options.comment = previous.options.comment
    job.provider = previous.provider
    job.updates = previous.updates
    return job
  }

  mutating func visit<Fields: TupleFields>(_ fields: inout Fields) throws {
    try fields.job(&id)
    // A plan that was not submitted has the number 0 and is not a row.
    guard !Fields.isReading || id.rawValue > 0 else { throw fields.malformed }
    try fields.word(&operation)
    try fields.word(&state)
    try fields.integer(&requestedBy.uid)
    try fields.text(&requestedBy.user)
    try fields.text(&options.clientName)
    try fields.text(&provider)
    try fields.time(&submittedAt)
    try fields.list(&updates)
    try fields.integers(&updateSteps)
    try fields.integer(&planCount, ifAbsent: 0)
    if Fields.isReading { planCount = max(0, planCount) }
    try fields.integer(&totalDownloadBytes, ifAbsent: 0)
    try fields.tuple(&abortPreview, default: .accepted(stopsAfter: nil))
    try fields.tuple(&waitingFor)
    try fields.integer(&queuePosition)
    try fields.code(&resultCode)
    try fields.real(&percentComplete, default: 0)
    try fields.time(&startedAt)
    try fields.integer(&downloadedBytes, default: 0)
    try fields.time(&lastActivityAt)
    try fields.time(&endedAt)
    try fields.integer(&exitStatus)
    try fields.text(&options.comment)
    try fields.integer(&currentUpdateIndex)
    try fields.integer(&currentStepIndex)
    try fields.real(&bytesPerSecond)
    try fields.real(&etaSeconds)
    try fields.extras(&self)
    try fields.list(&plan)
    try fields.tuple(&expected)
    try fields.real(&startsInSeconds)
    try fields.real(&endsInSeconds)
    try fields.real(&etaSpreadSeconds)
    try fields.tuple(&overdue)
  }
}
