import FoundationEssentials
import Glibc
import InstallJobs
import JobClient

/// Checks a machine for `fettle doctor`: through its engine, or through its folders when no engine
/// answers.
struct MachineCheckup {
  /// The package root to check; nil for the engine's root, or the root of the settings.
  let root: String?
  /// The state folder to check when no engine answers; nil for the default.
  let state: String?
  let global: GlobalOptions

  /// Returns the checkup.
  ///
  /// - Throws: `protocolMismatch` for a socket of another program; the engine's errors;
  ///   `engineUnreachable` when neither an engine answers nor `fettled` is found.
  func checkup() async throws -> Checkup {
    let session: UpdateSession
    do throws(InstallationError) {
      session = try await global.connect()
    } catch {
      guard error.code == .engineUnreachable else { throw error }
      return try unserved(error)
    }
    guard let root else { return try await session.checkup() }
    let engine = try await session.status().engine
    guard !isSame(engine.root, root) else { return try await session.checkup() }
    let found = try withoutEngine()
    let isRoot = !found.findings.contains { $0.subject == .root && $0.verdict == .fault }
    return found.adding(
      Checkup.Finding(
        .engine, .attention, "the engine that answers works on \(engine.root)",
        hint: isRoot
          ? "start one with 'fettle engine --root \(root)', or name its socket with --socket" : nil)
    )
  }

  /// Throws when the engine works on another root than ``root``.
  ///
  /// - Throws: `notApplicable`.
  func expectRoot(of session: UpdateSession) async throws(InstallationError) {
    let engine = try await session.status().engine
    guard let root, !isSame(engine.root, root) else { return }
    throw InstallationError(
      .notApplicable, "cannot repair \(root): the engine that answers works on \(engine.root)",
      class: .fatal, hint: "name the socket of its engine with --socket")
  }

  /// Returns the checkup when no engine answers: a fault when an engine was named or is silent, an
  /// `attention` finding otherwise.
  private func unserved(_ error: InstallationError) throws -> Checkup {
    let isNamed = global.socket != nil || root == nil && global.namedSocket != nil
    var finding = Checkup.Finding(
      .engine, isNamed || error.cause == .silentEngine ? .fault : .attention, error)
    guard isNamed, root == nil, state == nil else { return try withoutEngine().adding(finding) }
    // The root of the named engine is unknown, and no other root was named.
    if error.cause != .silentEngine {
      finding.hint =
        "start the engine that is to listen there; 'fettle doctor --root DIR' looks at a root"
        + " without one"
    }
    return Checkup(root: "", findings: [finding])
  }

  private func withoutEngine() throws -> Checkup {
    var arguments = ["doctor"]
    if let root { arguments += ["--root", root] }
    if let state { arguments += ["--state", state] }
    let answer = try EngineProgram.answer(to: arguments)
    guard answer.status == 0,
      let checkup = try? JSONDecoder().decode(Checkup.self, from: Data(answer.output))
    else {
      throw InstallationError(
        .internal,
        "fettled could not look at \(root ?? "the package root"): it ended with"
          + " \(answer.status)", hint: "use the fettled of this fettle's version")
    }
    return checkup
  }

  private func isSame(_ one: String, _ other: String) -> Bool {
    var (left, right) = (stat(), stat())
    guard unsafe stat(one, &left) == 0, unsafe stat(other, &right) == 0 else {
      return one == other
    }
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino
  }
}
