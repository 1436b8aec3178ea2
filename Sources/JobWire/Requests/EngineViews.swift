package import InstallJobs

/// `status`: the state of the engine and its queue.
package struct StatusRequest: ParameterlessRequest {
  package typealias Reply = EngineStatus
  package static let method = "status"
  package static let kind = RequestKind.view

  package init() {}
}

/// `updates`: the packages for which there is a newer version.
package struct UpdatesRequest: ParameterlessRequest {
  package typealias Reply = [PlannedUpdate]
  package static let method = "updates"
  package static let kind = RequestKind.lookup

  package init() {}
}

/// `search`: the updates that match criteria.
package struct SearchRequest: WrappingRequest {
  package typealias Reply = UpdateSearchResult
  package static let method = "search"
  package static let kind = RequestKind.lookup

  package var parameters: UpdateCriteria
  package init(_ criteria: UpdateCriteria) { parameters = criteria }
}

/// `system`: the machine and its engine.
package struct SystemRequest: ParameterlessRequest {
  package typealias Reply = SystemInformation
  package static let method = "system"
  package static let kind = RequestKind.lookup

  package init() {}
}

/// `doctor`: checks the machine and the engine for problems.
package struct DoctorRequest: ParameterlessRequest {
  package typealias Reply = Checkup
  package static let method = "doctor"
  package static let kind = RequestKind.lookup

  package init() {}
}

/// `audit`: a page of audit entries.
package struct AuditRequest: WireRequest {
  package typealias Reply = [AuditRecord]
  package static let method = "audit"
  package static let kind = RequestKind.restrictedView
  package static let withoutParameters: AuditRequest? = AuditRequest()

  /// The filter; nil for all entries.
  package var filter: AuditFilter?
  /// Only entries with smaller numbers; nil for the first page.
  package var before: Int64?
  /// Largest number of entries; at most ``WireProtocol/maximumAuditPage``, which is the default.
  package var limit: Int?

  package init(_ filter: AuditFilter? = nil, before: Int64? = nil, limit: Int? = nil) {
    self.filter = filter
    self.before = before
    self.limit = limit
  }
}
