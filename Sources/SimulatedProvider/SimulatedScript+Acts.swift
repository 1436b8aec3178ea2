package import PackageProvider

extension SimulatedScript {
  /// The part of the work to which an act belongs; a stop takes effect between two parts.
  package enum Part: Sendable, Hashable {
    case download
    case lock
    /// The work on one step of the plan.
    case step(Int)
    /// The part after the last step.
    case closing
  }

  /// One act at one moment.
  package struct Act: Sendable, Hashable {
    /// Seconds after the start of the work.
    package var at: Double
    package var part: Part
    package var reports: [WorkReport]
    package var changes: [SimulatedDatabase.Change] = []
    /// Text for the log; may be empty.
    package var log = ""
    /// The exit status of a stop after this act: 100 once a step has failed, else 0.
    package var exitStatus: Int32 = 0
  }
}
