import HostSystem
import InstallJobs
import PackageProvider

/// The bytes that have arrived of each archive, from file sizes, because apt's status lines have no
/// sizes.
struct DownloadSizes: Sendable {
  private let plan: JobPlan
  private let folder: String
  private var missing: [String: Int] = [:]
  private var shown: [Int: Int64] = [:]

  /// Creates the sizes for the archives of a plan, in a folder and its subfolder `partial`.
  init(plan: JobPlan, folder: String) {
    self.plan = plan
    self.folder = folder
    for (step, archive) in plan.archives { missing[archive.fileName] = step }
  }

  /// Returns the reports of changes since the last call.
  mutating func changes() -> [WorkReport] {
    guard !missing.isEmpty else { return [] }
    var reports: [WorkReport] = []
    for name in RootFiles.names(in: folder + "/partial") {
      guard let step = missing[name], let size = RootFiles.status("\(folder)/partial/\(name)")?.size
      else { continue }
      reports += arrived(size, of: step)
    }
    for name in RootFiles.names(in: folder) {
      guard let step = missing.removeValue(forKey: name) else { continue }
      reports += arrived(plan.archives[step]?.size ?? 0, of: step)
      reports.append(.phase(step: step, .downloaded))
    }
    return reports
  }

  private mutating func arrived(_ size: Int64, of step: Int) -> [WorkReport] {
    let bytes = min(size, plan.archives[step]?.size ?? size)
    guard bytes > shown[step] ?? -1 else { return [] }
    let isFirst = shown.updateValue(bytes, forKey: step) == nil
    let report = WorkReport.downloaded(step: step, bytes: bytes)
    return isFirst ? [.phase(step: step, .downloading), report] : [report]
  }
}
