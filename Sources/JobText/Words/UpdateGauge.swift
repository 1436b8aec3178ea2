package import InstallJobs

/// The kind of knowledge about the progress of one package; each kind is drawn differently.
package enum UpdateGauge: Sendable, Hashable {
  /// Not begun: no bar.
  case none
  /// Bytes are counted: drawn in eighths of cells.
  case measured
  /// The present stage of all stages: drawn in whole cells.
  case stepped(Int, of: Int)
  /// Running without a measure: drawn as a pulse.
  case unknown
  /// Done or failed.
  case over

  /// The gauge for the phase of a package.
  package init(_ status: UpdateStatus) {
    let fetches = status.planned.downloadSize > 0 ? 1 : 0
    self =
      switch status.phase {
      case _ where status.resultCode.isFinal: .over
      case .pending: .none
      case .downloading: fetches > 0 ? .measured : .unknown
      case .downloaded: .stepped(1, of: 2 + fetches)
      case .unpacking: .stepped(1 + fetches, of: 2 + fetches)
      case .unpacked: .stepped(1 + fetches, of: 2 + fetches)
      case .configuring:
        status.planned.action.unpacks ? .stepped(2 + fetches, of: 2 + fetches) : .unknown
      case .removing, .triggers: .unknown
      case .done: .over
      }
  }

  /// The present stage: `2/3`; nil if the gauge has no stages.
  package var stage: String? {
    guard case .stepped(let stage, let count) = self else { return nil }
    return "\(stage)/\(count)"
  }
}
