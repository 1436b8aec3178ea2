package import InstallJobs

/// A request of a client: one type with its parameters and its reply.
///
/// The stored properties are the parameters in JSON. Every type is in ``WireRequests/types``.
package protocol WireRequest: Codable, Sendable, Hashable {
  /// The result of the reply.
  associatedtype Reply: Codable & Sendable
  /// The value of `method`.
  static var method: String { get }
  /// What the request needs. There is no default: each request states it.
  static var kind: RequestKind { get }
  /// The request that a line without parameters stands for; nil if it must have parameters.
  static var withoutParameters: Self? { get }
  /// The job of the request, for the audit entry; nil if there is none.
  var auditJob: JobID? { get }
  /// The packages of the request, for the audit entry; nil if there are none.
  var auditSubject: AuditSubject? { get }
}

extension WireRequest {
  package static var withoutParameters: Self? { nil }
  package var auditJob: JobID? { nil }
  package var auditSubject: AuditSubject? { nil }
  package var method: String { Self.method }
  package var kind: RequestKind { Self.kind }
}

/// What a request needs and costs.
package enum RequestKind: Sendable, Hashable {
  /// Everybody who may view gets the reply at once.
  case view
  /// Like ``view``, but the reply may need long reads and writes.
  case longView
  /// Like ``view``, but the engine plans the reply with the package system's tools.
  ///
  /// It changes nothing. Only lookups can be cancelled.
  case lookup
  /// Changes something: needs the right to act and gets an audit entry (rows A40, A41).
  case act
  /// Changes nothing, but needs the right to act; only a refusal gets an audit entry.
  case restrictedView

  /// Whether the request needs the right to act.
  package var needsRightToAct: Bool {
    switch self {
    case .act, .restrictedView: true
    case .view, .longView, .lookup: false
    }
  }
}

/// A request about one job.
package protocol SingleJobRequest: WireRequest {
  var job: JobID { get }
}

extension SingleJobRequest {
  package var auditJob: JobID? { job }
}

/// A request that has no parameters; those of a line are not read.
package protocol ParameterlessRequest: WireRequest {
  init()
}

extension ParameterlessRequest {
  package static var withoutParameters: Self? { Self() }
}

/// A request whose parameters are the JSON form of another value.
package protocol WrappingRequest: WireRequest {
  associatedtype Parameters: Codable
  var parameters: Parameters { get }
  init(_ parameters: Parameters)
}

extension WrappingRequest {
  package init(from decoder: any Decoder) throws { self.init(try Parameters(from: decoder)) }
  package func encode(to encoder: any Encoder) throws { try parameters.encode(to: encoder) }
}

/// The reply to a request without a result: an empty object.
package struct EmptyReply: Sendable, Hashable, Codable {
  package init() {}
}
