package import InstallJobs

extension AptProvider {
  /// What is found of the root where no engine answers; changes nothing.
  package func checkupWithoutEngine() async -> [Checkup.Finding] {
    var findings = await checkup { nil }
    for index in findings.indices {
      // The engine that a bare command reaches may be another root's.
      findings[index].hint = findings[index].hint?
        .replacing("'fettle doctor --repair' ", with: "'fettle doctor --repair', to its engine, ")
    }
    findings.append(packageRoot.rightsFinding())
    if let claimant = packageRoot.claimant {
      findings.append(
        Checkup.Finding(
          .engine, .attention,
          "an engine works on \(packageRoot.path): pid \(claimant.pid), state folder"
            + " \(claimant.stateFolder)",
          hint: "name its socket with --socket"))
    }
    return findings
  }
}
