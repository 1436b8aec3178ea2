import HostSystem
internal import InstallJobs

// In a private root like the host, packages of the host only count as installed and have no files
// there. An upgrade of everything leaves these packages, and packages that need newer versions of
// them, as they are. Scripts use the host's files.
extension AptPlanner {
  /// Warns of packages whose scripts use debconf where debconf only counts as installed.
  ///
  /// debconf stores its answers in the host's database, which scripts of this root must not write,
  /// so they fail (measured).
  func warnOfDebconf(_ draft: inout PlanDraft, _ index: PackageIndex) {
    guard let debconf = draft.database.entry("debconf"), root.isOnlyCounted(debconf) else { return }
    let asking = draft.steps.filter { step in
      step.action.unpacks
        && index.records[step.name]?.contains { $0.version == step.toVersion && $0.usesDebconf }
          == true
    }
    guard !asking.isEmpty else { return }
    let who = Sanitised.line(asking.map(\.name).joined(separator: ", "), limit: 200)
    draft.warnings.append(
      UpdateWarning(
        .hostDebconf,
        "scripts of \(who) use debconf, which only counts as installed in \(root.path): they may"
          + " fail, as the host's database is closed to them",
        update: asking.count == 1 ? asking[0].name : nil))
  }
}
