import InstallJobs
import InstallJobsTesting
import JobClient

/// What of the library does what each command and each key does: one way (a test compares this list with
/// the commands and with what the monitor asks of an engine).
enum Members {
  /// By command.
  static var ofCommands: [(command: String, members: [Any])] {
    [
      ("monitor", [UpdateSession.events, UpdateSession.status]),
      ("jobs", [UpdateSession.jobs(in:)]),
      ("show", [UpdateSession.snapshot(of:)]),
      ("log", [UpdateSession.logLines(of:about:following:)]),
      ("watch", [UpdateSession.events, UpdateSession.snapshots(of:)]),
      ("status", [UpdateSession.status, UpdateSession.systemInformation]),
      ("history", [UpdateSession.history(matching:limit:)]),
      ("replay", [UpdateSession.recordedEvents(of:after:)]),
      ("audit", [UpdateSession.auditRecords(matching:limit:)]),
      (
        "updates",
        [
          UpdateSession.upgradableUpdates(named:), UpdateSession.updates(matching:),
          UpdateSession.refreshIndex,
        ]
      ),
      ("doctor", [UpdateSession.checkup, UpdateInstaller.beginRepair]),
      ("install", [UpdateInstaller.beginInstallation, UpdateInstaller.install]),
      ("remove", [UpdateInstaller.beginUninstallation, UpdateInstaller.uninstall]),
      ("purge", [\InstallationOptions.purgesConfiguration]),
      ("reinstall", [UpdateInstaller.beginReinstallation]),
      ("upgrade", [UpdateInstaller.beginUpgrade]),
      ("full-upgrade", [\PlanningOptions.isFullUpgrade]),
      ("autoremove", [\PlanningOptions.removesUnneeded]),
      ("update", [UpdateSession.refreshIndex]),
      ("search", [UpdateSession.updates(matching:)]),
      ("info", [UpdateSession.updates(matching:)]),
      ("list", [UpdateSession.updates(matching:)]),
      ("policy", [UpdateSession.updates(matching:)]),
      ("hold", [UpdateSession.mark]),
      ("unhold", [UpdateSession.mark]),
      ("mark", [UpdateSession.mark]),
      ("plan", [UpdateSession.plan]),
      ("abort", [UpdateSession.requestAbort(of:), UpdateSession.withdrawAbort(of:)]),
      ("cleanup", [UpdateSession.cleanUp(_:), InstallationJob.cleanUp(within:clock:)]),
      ("retry", [UpdateSession.retryRequest(of:), UpdateInstaller.beginRetry]),
      ("pause", [UpdateSession.pauseQueue, UpdateSession.suspend(_:)]),
      ("resume", [UpdateSession.resumeQueue, UpdateSession.resume(_:)]),
      ("move", [UpdateSession.move(_:to:)]),
      ("yield", [UpdateSession.askLockHolderToYield]),
    ]
  }

  /// Commands that are no matter of a session: they start engines, make roots, show themes.
  static let withoutSession = ["try", "engine", "root", "theme"]

  /// By what the monitor asks of an engine.
  static var ofMonitor: [(intent: String, members: [Any])] {
    [
      ("requestAbort", [UpdateSession.requestAbort(of:)]),
      ("cancelAbort", [UpdateSession.withdrawAbort(of:)]),
      ("cleanUp", [UpdateSession.cleanUp(_:)]),
      ("pauseJob", [UpdateSession.suspend(_:)]),
      ("resumeJob", [UpdateSession.resume(_:)]),
      ("pauseQueue", [UpdateSession.pauseQueue]),
      ("resumeQueue", [UpdateSession.resumeQueue]),
      ("askToYield", [UpdateSession.askLockHolderToYield]),
      ("move", [UpdateSession.move(_:to:)]),
      ("retry", [UpdateSession.retryRequest(of:), UpdateSession.submit]),
      ("plan", [UpdateSession.plan]),
      ("submit", [UpdateSession.submit]),
      ("fetchUpgradable", [UpdateSession.upgradableUpdates(named:)]),
      ("fetchPlan", [UpdateSession.snapshot(of:)]),
      ("fetchHistory", [UpdateSession.historyPage]),
      ("fetchLog", [UpdateSession.log(of:from:limit:)]),
      ("fetchRecording", [UpdateSession.recordedEvents(of:after:)]),
      ("fetchRecordedLog", [UpdateSession.log(of:from:limit:)]),
      ("reconnect", [UpdateSession.connectionStates, UpdateSession.close]),
    ]
  }

  /// What the monitor does without the engine.
  static let ofTerminal = [
    "dropRecording", "quit", "suspend", "repaint", "discardInput", "copy", "useTheme", "useMouse",
    "keep", "ringBell",
  ]
}

@main
struct Main {
  /// Prints the list, and installs a package at an engine that is not there.
  static func main() async throws {
    for (command, members) in Members.ofCommands { print("\(command): \(members.count)") }
    let engine = MockEngine()
    await engine.setOutcome(.fails("exit status 1"), of: "bad")
    let session = UpdateSession(engine: engine)
    let result = try await session.makeInstaller().install([Update("good"), Update("bad")])
    guard result.code == .succeededWithErrors, result["bad"]?.detail == "exit status 1" else {
      throw InstallationError(.internal, "the mock engine did something else")
    }
    print("mock: \(result.code)")
  }
}
