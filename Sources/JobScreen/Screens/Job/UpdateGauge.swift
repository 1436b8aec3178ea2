import InstallJobs

/// How much is known about the progress of one package; each kind has its own drawing (DESIGN
/// promise 4).
enum UpdateGauge: Sendable, Hashable {
  /// Not begun: no bar.
  case none
  /// Bytes are counted: eighths of cells.
  case measured
  /// So many of its stages are behind: whole cells.
  case stepped(Int, of: Int)
  /// It works, and nobody can say how far it is: a pulse.
  case unknown
  /// It is over.
  case over

  init(_ status: UpdateStatus) {
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

  /// `2/3`, the stage that it is in; nil where it has no stages.
  var stage: String? {
    guard case .stepped(let stage, let count) = self else { return nil }
    return "\(stage)/\(count)"
  }
}
