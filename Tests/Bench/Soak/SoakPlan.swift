/// How long a soak lasts and what happens in it.
struct SoakPlan: Sendable, Hashable {
  /// Over how long the jobs are spread.
  var length: Duration
  /// Jobs of the scenario.
  var simulated: Int
  /// Jobs of real packages in a private root.
  var real: Int

  init(_ effort: Effort) {
    switch effort {
    case .full: (length, simulated, real) = (.seconds(3_600), 10_000, 200)
    case .quick: (length, simulated, real) = (.seconds(20), 60, 2)
    }
  }

  /// What the simulated engine plays: packages whose work takes a moment.
  static let scenario: String = {
    let head = """
      name = "soak"
      summary = "Short jobs for hours"
      seed = 11
      bytesPerSecond = 50_000_000
      parallelDownloads = 2

      [defaults]
      unpack = [0.01, 0.04]
      configure = [0.01, 0.04]
      remove = [0.01, 0.03]
      size = 200_000
      installedSize = 1_000_000

      """
    return head
      + packages.map { "\n[[package]]\nname = \"\($0)\"\nversion = \"1.0-1\"\n" }.joined()
  }()

  /// The packages of the scenario; a job takes some of them.
  static let packages = (1...24).map { "soak-\($0)" }
}
