package import InstallJobs

/// `submit`: creates a job.
package struct SubmitRequest: WrappingRequest {
  package typealias Reply = JobSnapshot
  package static let method = "submit"
  package static let kind = RequestKind.act

  package var parameters: JobRequestParameters
  package init(_ parameters: JobRequestParameters) { self.parameters = parameters }
  package init(_ request: JobRequest) { self.init(JobRequestParameters(request)) }

  package var auditSubject: AuditSubject? {
    AuditSubject(
      operation: parameters.operation, packages: (parameters.updates ?? []).map(\.name),
      isDownloadOnly: parameters.options?.isDownloadOnly ?? false)
  }
}

/// `plan`: plans a job without creating it.
package struct PlanRequest: WrappingRequest {
  package typealias Reply = JobPlan
  package static let method = "plan"
  package static let kind = RequestKind.lookup

  package var parameters: JobRequestParameters
  package init(_ parameters: JobRequestParameters) { self.parameters = parameters }
  package init(_ request: JobRequest) { self.init(JobRequestParameters(request)) }
}

/// A job request in JSON.
///
/// Fields that a client omits have their defaults.
package struct JobRequestParameters: Sendable, Hashable, Codable {
  package var operation: JobOperation
  package var updates: [Update]?
  package var options: InstallationOptions?

  package init(_ request: JobRequest) {
    operation = request.operation
    updates = request.updates
    options = request.options
  }

  /// The job request with its defaults.
  package var request: JobRequest {
    JobRequest(operation, updates ?? [], options: options ?? InstallationOptions())
  }
}

/// `upload`: sends a piece of an archive that a job shall install.
package struct UploadRequest: WireRequest {
  package static let method = "upload"
  package static let kind = RequestKind.act

  package var archive: LocalArchive
  /// The offset of the piece in the archive, in bytes.
  package var offset: Int64
  /// The bytes of the piece; at most ``WireProtocol/maximumPiece``.
  package var bytes: Base64Bytes

  package init(archive: LocalArchive, offset: Int64, bytes: [UInt8]) {
    self.archive = archive
    self.offset = offset
    self.bytes = Base64Bytes(bytes)
  }

  package var auditSubject: AuditSubject? { AuditSubject(packages: [archive.fileName]) }

  /// Whether the piece completes its archive.
  package var isLast: Bool { offset + Int64(bytes.bytes.count) >= archive.size }

  /// The reply to `upload`.
  package struct Reply: Sendable, Hashable, Codable {
    /// The update in the archive, once the archive is complete.
    package var update: Update?

    package init(update: Update?) { self.update = update }
  }
}
