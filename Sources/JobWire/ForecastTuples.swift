internal import InstallJobs

// Forecasts of a job, in rows and ticks.

extension TupleWriter {
  /// Writes the expected duration of a job's work.
  ///
  /// Most jobs of a long queue have it.
  mutating func expected(_ work: ExpectedWork?) {
    guard let work else { return absent() }
    tuple { row in
      row.number(work.packageSeconds)
      row.number(work.spreadSeconds)
      row.number(work.downloadSeconds == 0 ? nil : work.downloadSeconds)
    }
  }

  mutating func overdue(_ stage: OverdueStage?) {
    guard let stage else { return absent() }
    tuple { row in
      row.text(stage.stage.rawValue)
      row.number(stage.usualSeconds)
      row.number(stage.since.milliseconds)
      row.text(stage.update)
    }
  }
}

extension TupleReader {
  mutating func expected() throws -> ExpectedWork? {
    var read: ExpectedWork?
    try tuple { row in
      let (packages, spread) = (try row.known(try row.real()), try row.known(try row.real()))
      read = ExpectedWork(
        downloadSeconds: try row.real() ?? 0, packageSeconds: packages, spreadSeconds: spread)
    }
    return read
  }

  /// Reads a stage; nil for a stage that only a newer engine knows.
  mutating func overdue() throws -> OverdueStage? {
    var read: OverdueStage?
    try tuple { row in
      let stage = OverdueStage.Stage(rawValue: try row.known(try row.text()))
      let (usual, since) = (try row.known(try row.real()), try row.known(try row.time()))
      let update = try row.text()
      read = stage.map { OverdueStage($0, of: update, usualSeconds: usual, since: since) }
    }
    return read
  }
}
