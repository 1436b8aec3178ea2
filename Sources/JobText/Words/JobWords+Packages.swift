import InstallJobs

/// The packages of a job.
extension JobWords {
  /// The packages: `hello 2.10-3`, `remove nginx`, `upgrade (34 packages)`.
  package var packages: String {
    let asked = job.updates
    var text = asked.isEmpty ? String(job.operationPrefix.dropLast()) : job.operationPrefix
    if let first = asked.first {
      text += first.name
      if asked.count == 1, job.operation != .remove, job.operation != .purge,
        let version = first.planned.toVersion
      {
        text += " " + version
      }
    }
    // The number counts every package of the plan, dependencies included.
    if job.planCount > 1 || asked.count > 1 {
      text += " (\(Figures.count(job.planCount, "package")))"
    }
    return text.isEmpty ? "nothing" : text
  }

  /// The requested packages, and the number of packages in the plan: `hello 2.10-3`, `app, 2
  /// packages in all`, `ripgrep and 17 more (2 need nothing), 16 packages in all`, `upgrade app and
  /// 1 more (1 stays: it is held at 1.0)`.
  package var requestedPackages: String {
    let count = job.updates.count
    guard let first = job.updates.first else {
      let all = job.planCount > 0 ? Figures.count(job.planCount, "package") : "nothing"
      return job.operationPrefix + all
    }
    var text = job.operationPrefix + first.name
    if count > 1 {
      text += " and \(count - 1) more"
    } else if job.operation.kind == .installation, let version = first.planned.toVersion {
      text += " " + version
    }
    let isWithoutStep = zip(job.updates, job.updateSteps).filter { $1 == nil }.map(\.0)
    let kept = isWithoutStep.compactMap(\.planned.keptBack)
    let idle = isWithoutStep.count - kept.count
    if idle == count {
      text += count == 1 ? ", needs nothing" : ", none needs anything"
    } else if kept.count == count {
      text += ", " + Self.keptBackReason(kept)
    } else if idle + kept.count > 0 {
      let needs = idle == 1 ? "needs" : "need"
      let remarks =
        (idle > 0 ? ["\(idle) \(needs) nothing"] : [])
        + (kept.isEmpty ? [] : ["\(kept.count) " + Self.keptBackReason(kept)])
      text += " (\(remarks.joined(separator: ", ")))"
    }
    guard idle + kept.count < count else {
      // A half-done package of an earlier job is mended with the next job, whatever its packages.
      if job.planCount > 0 { text += "; mends \(Figures.count(job.planCount, "package"))" }
      return text
    }
    // The total is left out if it equals the number of requested packages.
    return job.planCount == count
      ? text : text + ", \(Figures.count(job.planCount, "package")) in all"
  }

  /// `stays: it is held at 1.0`, `stay as they are`.
  private static func keptBackReason(_ reasons: [String]) -> String {
    guard reasons.count == 1 else { return "stay as they are" }
    return reasons[0].count <= 60 ? "stays: \(reasons[0])" : "stays as it is"
  }

  /// The first requested package and the number of other planned ones, for narrow columns: `libc6 +4`.
  ///
  /// The operation is left out, because the name distinguishes more jobs.
  package var shortPackages: String {
    guard let first = job.updates.first else { return packages }
    return first.name + (job.planCount > 1 ? " +\(job.planCount - 1)" : "")
  }

  /// The packages with the operation in front, for narrow places: `upgrade libc6 +4`.
  ///
  /// An installation, the default, is not named.
  package var operationAndPackages: String { job.operationPrefix + shortPackages }
}
