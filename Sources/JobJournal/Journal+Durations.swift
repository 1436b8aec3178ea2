import GRDB
package import InstallJobs

/// How long one stage of the work on one package took on this machine.
package struct DurationSample: Sendable, Hashable {
  package var at: Timestamp
  package var package: String
  package var version: String
  /// The stage's name: `unpack`, `configure`, `triggers` and the like.
  package var stage: String
  package var seconds: Double
  /// Bytes that the stage worked on: archive or installed size, 0 where that means nothing.
  package var bytes: Int64
  /// The machine, by its name or machine id.
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
  /// Adds samples in one transaction.
  package func learn(_ samples: [DurationSample]) throws(InstallationError) {
    try write { db, _, _ in
      let statement = try db.cachedStatement(
        sql: """
          INSERT INTO durations (at, package, version, stage, seconds, bytes, host)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """)
      for sample in samples {
        try statement.execute(arguments: [
          sample.at.milliseconds, StoredText(sample.package), StoredText(sample.version),
          StoredText(sample.stage), sample.seconds, sample.bytes, StoredText(sample.host),
        ])
      }
    }
  }

  /// Samples of a stage, the last learned first.
  ///
  /// - Parameters:
  ///   - stage: The stage's name.
  ///   - package: Only samples of this package; nil for every package.
  ///   - limit: At most so many; 0 for none.
  /// - Returns: Samples of any host; the caller weighs them.
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
      ).map { row in
        DurationSample(
          at: Timestamp(milliseconds: try row.value(0)), package: try row.text(1),
          version: try row.text(2), stage: try row.text(3),
          seconds: try row.value(4), bytes: try row.value(5), host: try row.text(6))
      }
    }
  }
}
