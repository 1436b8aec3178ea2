package import InstallJobs

/// The audit log as plain text.
package enum AuditTable: Sendable {
  /// One line for each audit record, below a line of headings; `no acts` if there are none.
  ///
  /// - Parameters:
  ///   - rows: In the order of the lines.
  ///   - timeOffset: Seconds east of UTC for the times.
  /// - Returns: Lines without line ends. Control characters in texts that clients chose are
  ///   removed.
  package static func lines(_ rows: [AuditRecord], timeOffset: Int = 0) -> [String] {
    guard !rows.isEmpty else { return ["no acts"] }
    let cells = rows.map { row in
      [
        "\(row.number)", Figures.day(row.at, offset: timeOffset), row.user,
        row.command ?? "", row.act, row.job.map { "\($0)" } ?? "", row.outcome, subject(of: row),
      ]
    }
    return JobTable.table(
      ["ROW", "TIME", "BY", "COMMAND", "ACT", "JOB", "OUTCOME", "WHAT"], cells, right: [0, 5])
  }

  private static func subject(of row: AuditRecord) -> String {
    if let users = row.users {
      return users.map { "uid \($0.uid): \($0.count)" }.joined(separator: ", ")
    }
    let isDownload = row.downloadOnly ?? false
    var words = row.operation.map { [isDownload ? JobSnapshot.download : $0.rawValue] } ?? []
    let packages = row.packages ?? []
    words += packages.prefix(6)
    let more = (row.packageCount ?? 0) - min(6, packages.count)
    if more > 0 { words.append("and \(more) more") }
    return words.joined(separator: " ")
  }
}
