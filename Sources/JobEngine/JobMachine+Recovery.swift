import InstallJobs
import PackageTools

extension JobMachine {
  /// Takes for granted that the work of a queued job has begun: its worker was found, although the
  /// engine that started it died before it could say so.
  mutating func assumeStarted() {
    guard case .queued = state else { return }
    enter(.working(plan.archives.isEmpty ? .installing : .downloading, .goOn))
  }
}
