/// Who is killed with SIGKILL.
enum Victim: String, Sendable, Hashable, CaseIterable {
  case engine
  /// The process that does a job's work, and it alone: what it runs goes on.
  case worker
  /// A monitor on its terminal, or a `fettle watch`.
  case client
  /// The ssh link of a monitor, at one of its ends.
  case link
  /// The worker with all of its session: apt, dpkg and the scripts of packages.
  ///
  /// Never part of the common mode: dpkg killed leaves half a package behind, which a repair mends.
  case session
}

/// How a job is disturbed.
enum Disturbance: Sendable, Hashable {
  /// Engine, worker and clients are killed; nothing of dpkg's is.
  case sparingDpkg
  /// Once the worker's whole session is killed, and the job is repaired after it.
  case killingDpkg

  /// That of the job with this number: every sixth loses its dpkg.
  init(ofJob number: Int) { self = number % 6 == 3 ? .killingDpkg : .sparingDpkg }

  /// Who is killed next.
  ///
  /// - Parameters:
  ///   - numbers: Where chance comes from.
  ///   - hit: Who was killed in this job before: a job has one worker only.
  /// - Returns: Somebody of whom there is still one.
  func victim(choosing numbers: inout Irregular, after hit: Set<Victim>) -> Victim {
    switch self {
    case .killingDpkg where !hit.contains(.session): return .session
    case .killingDpkg: return [.client, .link, .engine, .engine][numbers.next(below: 4)]
    case .sparingDpkg:
      switch numbers.next(below: 10) {
      case 0..<5: return .engine
      case 5..<8: return hit.contains(.worker) ? .engine : .worker
      case 8: return .client
      default: return .link
      }
    }
  }
}
