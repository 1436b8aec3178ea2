package import InstallJobs

/// `pauseQueue`: starts no further jobs.
package struct PauseQueueRequest: ParameterlessRequest {
  package typealias Reply = QueueStatus
  package static let method = "pauseQueue"
  package static let kind = RequestKind.act

  package init() {}
}

/// `resumeQueue`: lets jobs start again.
package struct ResumeQueueRequest: ParameterlessRequest {
  package typealias Reply = QueueStatus
  package static let method = "resumeQueue"
  package static let kind = RequestKind.act

  package init() {}
}

/// `yield`: asks the holder of the package lock to yield.
package struct YieldRequest: ParameterlessRequest {
  package typealias Reply = LockHolder
  package static let method = "yield"
  package static let kind = RequestKind.act

  package init() {}
}

/// `refresh`: fetches the package index.
package struct RefreshRequest: ParameterlessRequest {
  package typealias Reply = EmptyReply
  package static let method = "refresh"
  package static let kind = RequestKind.act

  package init() {}
}
