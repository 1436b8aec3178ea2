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

/// `mark`: sets a mark of installed packages.
package struct MarkRequest: WireRequest {
  package typealias Reply = EmptyReply
  package static let method = "mark"
  package static let kind = RequestKind.act

  package var mark: PackageMark
  /// The packages, by name and architecture.
  package var updates: [Update]

  package var auditSubject: AuditSubject? { AuditSubject(packages: updates.map(\.name)) }

  package init(_ mark: PackageMark, _ updates: [Update]) {
    self.mark = mark
    self.updates = updates
  }
}

/// `refresh`: fetches the package index.
package struct RefreshRequest: ParameterlessRequest {
  package typealias Reply = EmptyReply
  package static let method = "refresh"
  package static let kind = RequestKind.act

  package init() {}
}
