package import InstallJobs

/// The present work of the engine that asks for a checkup.
package struct PresentWork: Sendable, Hashable {
  /// The running job.
  package var job: JobID
  /// Whether the job waits for the package lock.
  package var waitsForLock: Bool
  /// The foreign process that holds the package lock; nil when none does.
  package var holder: LockHolder?
  /// The names of the packages that the job may be changing.
  package var packages: Set<String>

  /// Creates a value from its parts.
  package init(
    job: JobID, waitsForLock: Bool = false, holder: LockHolder? = nil, packages: Set<String> = []
  ) {
    self.job = job
    self.waitsForLock = waitsForLock
    self.holder = holder
    self.packages = packages
  }
}

extension JobFolder {
  /// The names of the packages in dpkg's status lines of this job: packages of the plan, and
  /// packages whose triggers ran.
  package var packagesInDpkgStatus: Set<String> {
    var names: Set<String> = []
    for line in text(of: .dpkgStatus).split(separator: "\n") where line.hasPrefix("status: ") {
      let name = line.dropFirst(8).prefix { $0 != ":" }
      if Update.isPackageName(name) { names.insert(String(name)) }
    }
    return names
  }
}
