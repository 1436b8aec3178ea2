import GRDB
package import InstallJobs

/// The measured duration of one stage of the work on a package, on this machine.
package struct DurationSample: Sendable, Hashable {
  package var at: Timestamp
  /// The package's name; empty for a stage of the job as a whole.
  package var package: String
  package var version: String
  /// The stage's name: `unpack`, `configure`, `download` and the like.
  package var stage: String
  package var seconds: Double
  /// Bytes that the stage processed: archive or installed size; 0 if not applicable.
  package var bytes: Int64
  /// The machine; for a transfer the source host.
  package var host: String

  package init(
    at: Timestamp, package: String, version: String, stage: String, seconds: Double, bytes: Int64,
    host: String
  ) {
    self.at = at
    self.package = package
    self.version = version
    self.stage = stage
    self.seconds = seconds
    self.bytes = bytes
    self.host = host
  }
}

extension Journal {
  /// Number of samples kept per package, stage and host, the newest.
  package static let keptSamples = 20

  /// Samples of a stage, the newest first.
  ///
  /// - Parameters:
  ///   - stage: The stage's name.
  ///   - package: The package; nil for every package.
  ///   - limit: Largest number of samples; 0 for none.
  /// - Returns: Samples of all hosts; the caller weights them.
  /// - Throws: `invalidIndex` for a negative limit; `journal`.
  package func durations(
    of stage: String, package: String? = nil, limit: Int
  ) throws(InstallationError) -> [DurationSample] {
    try checkWindow(limit: limit, offset: 0)
    return try read { db in
      let texts = [StoredText(stage)] + (package.map { [StoredText($0)] } ?? [])
      return try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT at, package, version, stage, seconds, bytes, host FROM durations
            WHERE stage = ? \(package == nil ? "" : "AND package = ?")
            ORDER BY id DESC LIMIT ?
            """),
        arguments: StatementArguments(texts) + [limit]
      ).map(DurationSample.init)
    }
  }

  /// All samples of some packages, the newest of each package first.
  ///
  /// - Parameter packages: The package names. An empty name has no samples.
  /// - Returns: Samples of all stages and hosts; the caller weights them.
  /// - Throws: `journal`.
  package func durations(
    ofPackages packages: Set<String>
  ) throws(InstallationError) -> [DurationSample] {
    try read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT at, package, version, stage, seconds, bytes, host FROM durations
          WHERE package = ? ORDER BY id DESC
          """)
      var samples: [DurationSample] = []
      for package in packages where !package.isEmpty {
        try samples += Row.fetchAll(statement, arguments: [StoredText(package)])
          .map(DurationSample.init)
      }
      return samples
    }
  }
}

extension DurationSample {
  fileprivate init(_ row: Row) throws {
    self.init(
      at: Timestamp(milliseconds: try row.value(0)), package: try row.text(1),
      version: try row.text(2), stage: try row.text(3), seconds: try row.value(4),
      bytes: try row.value(5), host: try row.text(6))
  }
}

extension Database {
  /// Adds samples, and removes old samples beyond ``Journal/keptSamples``.
  func insert(_ samples: [DurationSample]) throws {
    let insertion = try cachedStatement(
      sql: """
        INSERT INTO durations (at, package, version, stage, seconds, bytes, host)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """)
    // Counted by host, so that samples of one host do not displace samples of another.
    let removal = try cachedStatement(
      sql: """
        DELETE FROM durations WHERE id IN (
          SELECT id FROM durations
          WHERE package = ?1 AND stage = ?2 AND host = ?3
          ORDER BY id DESC LIMIT -1 OFFSET ?4)
        """)
    for sample in samples {
      let package = StoredText(sample.package)
      let stage = StoredText(sample.stage)
      let host = StoredText(sample.host)
      try insertion.execute(arguments: [
        sample.at.milliseconds, package, StoredText(sample.version), stage, sample.seconds,
        sample.bytes, host,
      ])
      try removal.execute(arguments: [package, stage, host, Journal.keptSamples])
    }
  }
}
