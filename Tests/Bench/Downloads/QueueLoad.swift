/// Jobs whose archives take about as long to fetch as their packages take to install.
struct QueueLoad: Sendable, Hashable {
  /// What the mirror gives away in a second, to all together.
  static let bytesPerSecond = 10_000_000.0

  /// How many jobs.
  let jobs: Int
  /// Packages of each job, each of which needs the one before it.
  let packages: Int
  /// Bytes of each package's file.
  let size: Int

  init(_ effort: Effort) {
    switch effort {
    case .full: (jobs, packages, size) = (8, 4, 2_000_000)
    case .quick: (jobs, packages, size) = (3, 2, 400_000)
    }
  }

  /// The packages of all jobs.
  var recipes: [PackageRecipe] {
    (1...jobs).flatMap { job in
      (1...packages).map { number in
        PackageRecipe(
          name: name(job, number), dependencies: number > 1 ? [name(job, number - 1)] : [],
          pause: 60, size: size)
      }
    }
  }

  /// What each job asks for: the package that needs all others of the job.
  var wanted: [String] { (1...jobs).map { name($0, packages) } }

  private func name(_ job: Int, _ number: Int) -> String { "cargo-\(job)-\(number)" }

  /// Seconds that no order of work can go below: all archives come through one line, and all
  /// packages through one package database.
  ///
  /// - Parameters:
  ///   - bytes: Of all archives.
  ///   - work: Seconds that the package tools take when all archives are there.
  /// - Returns: The longer of both, in seconds.
  static func bound(bytes: Int, work: Double) -> Double {
    max(Double(bytes) / bytesPerSecond, work)
  }
}
