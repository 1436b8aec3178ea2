package import InstallJobs

extension AptProvider {
  /// Returns the findings about the root for use without an engine; changes nothing.
  package func checkupWithoutEngine() async -> [Checkup.Finding] {
    var findings = await checkup { nil }
    for index in findings.indices {
      // A plain `fettle` command may reach the engine of another root.
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
