import Canvas
package import InstallJobs

/// The possible upgrades as aligned text for `fettle updates`.
package enum UpdatesTable: Sendable {
  /// One line for each package and a summary line; one sentence if there are no upgrades.
  package static func lines(_ updates: [PlannedUpdate]) -> [String] {
    guard !updates.isEmpty else { return ["everything is as new as the index knows it"] }
    let rows = updates.map { update in
      [
        update.name, update.architecture, update.fromVersion ?? "-", update.toVersion ?? "-",
        update.downloadSize > 0 ? Figures.bytes(update.downloadSize) : "-", update.origin ?? "",
        update.isSecurity ? "security" : "", update.keptBack.map { "kept back: " + $0 } ?? "",
      ]
    }
    let fetch = updates.filter { $0.keptBack == nil }.map(\.downloadSize).total
    let kept = updates.count { $0.keptBack != nil }
    return JobTable.table(
      ["PACKAGE", "ARCH", "FROM", "TO", "FETCH", "ORIGIN", "", ""], rows, right: [4])
      + [
        "\(Figures.count(updates.count - kept, "package")) can be upgraded"
          + (fetch > 0 ? ", \(Figures.bytes(fetch)) to fetch" : "")
          + (kept > 0 ? "; \(kept) kept back" : "")
      ]
  }
}
