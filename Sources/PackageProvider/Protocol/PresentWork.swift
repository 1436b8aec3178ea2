package import InstallJobs

/// What a look at a machine has to know of the asking engine's own work.
package struct PresentWork: Sendable, Hashable {
  /// The job that is at work.
  package var job: JobID
  /// Whether it waits for the package lock.
  package var waitsForLock: Bool
  /// The foreign process that has the package lock instead of it; nil where none does.
  package var holder: LockHolder?
  /// The names of the packages that it may be in the middle of.
  package var packages: Set<String>

  /// A value of its parts.
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
  /// The names of the packages that dpkg told of in this job's work: those of the plan, and those
  /// of others whose triggers it runs.
  package var namesToldByDpkg: Set<String> {
    var names: Set<String> = []
    for line in text(of: .dpkgStatus).split(separator: "\n") where line.hasPrefix("status: ") {
      let name = line.dropFirst(8).prefix { $0 != ":" }
      if Update.isPackageName(name) { names.insert(String(name)) }
    }
    return names
  }
}
