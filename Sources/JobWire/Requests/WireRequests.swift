/// The list of all requests.
package enum WireRequests: Sendable {
  /// The type of each request.
  package static let types: [any WireRequest.Type] = [
    HelloRequest.self, PlanRequest.self, SubmitRequest.self, JobsRequest.self,
    SingleSnapshotRequest.self, AbortRequest.self, WithdrawRequest.self, CleanUpRequest.self,
    SuspendRequest.self, ResumeRequest.self, UploadRequest.self, RefreshRequest.self,
    UpdatesRequest.self, SearchRequest.self, SystemRequest.self, LogRequest.self,
    StatusRequest.self, DoctorRequest.self, SubscribeRequest.self, UnsubscribeRequest.self,
    SubmittedRequest.self, HistoryRequest.self, EventsRequest.self, PauseQueueRequest.self,
    ResumeQueueRequest.self, MoveRequest.self, YieldRequest.self, AuditRequest.self,
    CancelRequest.self, MarkRequest.self,
  ]

  private static let typesByMethod = Dictionary(
    uniqueKeysWithValues: types.map { ($0.method, $0) })

  /// The type of the requests with this method; nil for an unknown method.
  package static func type(ofMethod method: String) -> (any WireRequest.Type)? {
    typesByMethod[method]
  }
}
