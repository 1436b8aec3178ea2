package import InstallJobs

/// A request of a client.
package enum WireRequest: Sendable, Hashable {
  case hello(HelloParameters)
  case plan(JobRequestParameters)
  case submit(JobRequestParameters)
  case jobs(JobsParameters)
  case job(JobParameters)
  case request(JobParameters)
  case history(HistoryParameters)
  case abort(JobParameters)
  case withdraw(JobParameters)
  case cleanUp(JobParameters)
  case suspend(JobParameters)
  case resume(JobParameters)
  case pauseQueue
  case resumeQueue
  case yield
  case move(MoveParameters)
  case upload(UploadParameters)
  case refresh
  case updates
  case search(UpdateCriteria)
  case system
  case log(LogParameters)
  case events(EventsParameters)
  case status
  case audit(AuditParameters)
  case doctor
  case subscribe(SubscribeParameters)
  case unsubscribe(UnsubscribeParameters)
  case cancel(CancelParameters)

  /// The value of `method`.
  package enum Method: String, Sendable, Hashable, CaseIterable {
    case hello, plan, submit, jobs, job, abort, withdraw, cleanUp, suspend, resume, upload
    case refresh, updates, search, system, log, status, doctor, subscribe, unsubscribe, request,
      history
    case events, pauseQueue, resumeQueue, move, yield, audit, cancel

    /// Whether the request needs the right to act: every request that changes something, and
    /// `audit`.
    package var needsRightToAct: Bool { acts || self == .audit }

    /// Whether the request changes something and gets an audit entry (rows A40, A41).
    package var acts: Bool {
      switch self {
      case .submit, .abort, .withdraw, .cleanUp, .suspend, .resume, .upload, .refresh, .pauseQueue,
        .resumeQueue, .move, .yield:
        true
      case .hello, .plan, .jobs, .job, .request, .history, .updates, .search, .system, .log,
        .events,
        .status, .doctor, .subscribe, .unsubscribe, .audit, .cancel:
        false
      }
    }

    /// Whether the request is a lookup: the engine plans the reply with the package system's tools
    /// and changes nothing.
    ///
    /// Only lookups can be cancelled.
    package var isLookup: Bool {
      switch self {
      case .plan, .updates, .search, .system, .doctor: true
      default: false
      }
    }

    /// Whether the reply may need long reads and writes.
    package var readsMuch: Bool {
      switch self {
      case .jobs, .job, .request, .history, .events, .log, .subscribe: true
      default: false
      }
    }
  }

  /// The request's method.
  package var method: Method {
    switch self {
    case .hello: .hello
    case .plan: .plan
    case .submit: .submit
    case .jobs: .jobs
    case .job: .job
    case .request: .request
    case .history: .history
    case .abort: .abort
    case .withdraw: .withdraw
    case .cleanUp: .cleanUp
    case .suspend: .suspend
    case .resume: .resume
    case .pauseQueue: .pauseQueue
    case .resumeQueue: .resumeQueue
    case .yield: .yield
    case .move: .move
    case .upload: .upload
    case .refresh: .refresh
    case .updates: .updates
    case .search: .search
    case .system: .system
    case .log: .log
    case .events: .events
    case .status: .status
    case .audit: .audit
    case .doctor: .doctor
    case .subscribe: .subscribe
    case .unsubscribe: .unsubscribe
    case .cancel: .cancel
    }
  }

  /// The job in the request, for the audit entry; nil if there is none.
  package var job: JobID? {
    switch self {
    case .job(let it), .request(let it), .abort(let it), .withdraw(let it), .cleanUp(let it),
      .suspend(let it), .resume(let it):
      it.job
    case .log(let it): it.job
    case .move(let it): it.job
    case .events(let it): it.job
    case .hello, .plan, .submit, .jobs, .history, .upload, .refresh, .updates, .search, .system,
      .status,
      .doctor, .subscribe, .unsubscribe, .pauseQueue, .resumeQueue, .yield, .audit, .cancel:
      nil
    }
  }

  /// The packages of the request, for the audit entry; nil if there are none.
  package var auditSubject: AuditSubject? {
    switch self {
    case .submit(let it):
      AuditSubject(
        operation: it.operation, packages: (it.updates ?? []).map(\.name),
        isDownloadOnly: it.options?.isDownloadOnly ?? false)
    case .upload(let it): AuditSubject(packages: [it.archive.fileName])
    default: nil
    }
  }
}
