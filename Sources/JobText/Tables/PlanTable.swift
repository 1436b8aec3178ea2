import Canvas
package import InstallJobs

/// A plan as aligned text for `fettle plan`, in the order of the work.
package enum PlanTable: Sendable {
  /// The lines; one sentence when there is nothing to do.
  package static func lines(_ plan: JobPlan, _ request: JobRequest) -> [String] {
    var lines: [String] = []
    for request in plan.requests where request.step == nil {
      let version = request.foundVersion.map { " \($0)" } ?? ""
      switch request.note {
      case .alreadyInstalled:
        let mark = request.marksManual == true ? "; it will be marked as manual" : ""
        lines.append("\(request.update.name)\(version) is installed already\(mark)")
      case .notInstalled: lines.append("\(request.update.name) is not installed")
      case .notReached:
        let reason = request.reason.map { ": " + $0 } ?? ""
        lines.append("\(request.update.name)\(version) stays as it is\(reason)")
      default: lines.append("\(request.update.name): nothing to do")
      }
    }
    let isDownload = request.options.isDownloadOnly
    let rows = plan.steps.map { step in
      [
        isDownload ? JobSnapshot.download : step.action.rawValue, step.name, step.architecture,
        step.fromVersion ?? "-",
        step.toVersion ?? "-", step.downloadSize > 0 ? Figures.bytes(step.downloadSize) : "-",
        step.requested ? "asked for" : step.reasonUnasked,
        step.origin ?? "", step.isSecurity ? "security" : "",
      ]
    }
    if !rows.isEmpty {
      lines += JobTable.table(
        ["ACTION", "PACKAGE", "ARCH", "FROM", "TO", "FETCH", "", "ORIGIN", ""], rows, right: [5])
    }
    lines += plan.warnings.map { "warning: \($0)" }
    lines.append(isDownload ? downloadSummary(plan) : summary(plan))
    return lines.map(sanitize)
  }

  private static func downloadSummary(_ plan: JobPlan) -> String {
    guard !plan.steps.isEmpty else { return "nothing to fetch" }
    return Figures.count(plan.archives.count, "archive")
      + ", \(Figures.bytes(plan.downloadSize)) to fetch"
      + "; no package is changed"
  }

  private static func summary(_ plan: JobPlan) -> String {
    guard !plan.steps.isEmpty else {
      let marks = plan.requests.count { $0.marksManual == true }
      return marks == 0 ? "nothing to do" : "\(Figures.count(marks, "package")) to mark"
    }
    let removed = plan.steps.count { !$0.action.unpacks && $0.action != .configure }
    let change = plan.installedSizeChange
    let disk =
      change >= 0
      ? "\(Figures.bytes(change)) more on disk"
      : "\(Figures.bytes(-max(change, -.max))) freed on disk"
    let fetch = plan.downloadSize > 0 ? "\(Figures.bytes(plan.downloadSize)) to fetch, " : ""
    return "\(Figures.count(plan.steps.count, "package")), \(removed) of them removed; "
      + fetch + disk
  }
}
