/// A part of the figures: it prepares what it needs, measures, and removes what it prepared.
protocol Section: Sendable {
  /// The word that names it on the command line and in its figures.
  static var name: String { get }

  init()

  /// The section with its chance fixed: what it chooses at random is the same for the same seed.
  init(seed: UInt64)

  /// Measures.
  ///
  /// - Parameters:
  ///   - effort: How much is repeated.
  ///   - say: Tells people what is being measured, one short line at a time.
  /// - Returns: The figures in the order to show them.
  /// - Throws: ``CannotMeasure``, `CancellationError`; nothing it prepared is left behind then.
  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure]
}

extension Section {
  /// Most sections leave nothing to chance.
  init(seed: UInt64) { self.init() }
}

/// How much is repeated and how long is looked.
enum Effort: Sendable, Hashable {
  /// As the figures are published.
  case full
  /// Just enough to see that everything works.
  case quick

  /// Pairs of runs that are compared.
  var pairs: Int { self == .full ? 5 : 2 }
  /// Seconds of a look at a running program.
  var window: Double { self == .full ? 10 : 2 }
  /// Seconds before such a look, for a program to settle.
  var settling: Double { self == .full ? 2.5 : 1 }
  /// Seconds before a look at a program at rest: idle threads have ended by then.
  var resting: Double { self == .full ? 6 : 1 }
  /// Keys that are pressed.
  var keys: Int { self == .full ? 40 : 8 }
  /// Rounds of frames that are timed in this process.
  var rounds: Int { self == .full ? 15 : 3 }
}
