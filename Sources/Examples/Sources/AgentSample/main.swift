import Glibc
import InstallJobs
import JobClient

// The sample "Searching, Downloading, and Installing Updates" of the Windows Update Agent, line by line.
// What differs: there is no end call to match, because the result is awaited; updates are values; rights
// are the user's.

let arguments = CommandLine.arguments.dropFirst()
guard let socket = arguments.first else {
  print("usage: AgentSample SOCKET [yes]")
  exit(64)
}
let agrees = arguments.dropFirst().first == "yes"

// Set updateSession = CreateObject("Microsoft.Update.Session"); updateSession.ClientApplicationID = …
let updateSession = try await UpdateSession.connect(to: socket, clientName: "Agent Sample")

// Set searchResult = updateSearcher.Search("IsInstalled=0 and Type='Software' and IsHidden=0")
print("Searching for updates...")
let searchResult = try await updateSession.upgradableUpdates()

// For I = 0 To searchResult.Updates.Count-1 … update.Title
print("List of applicable items on the machine:")
for (index, update) in searchResult.enumerated() {
  print("\(index + 1)> \(update.name) \(update.fromVersion ?? "-") -> \(update.toVersion ?? "-")")
}
guard !searchResult.isEmpty else {
  print("There are no applicable updates.")
  await updateSession.close()
  exit(0)
}

// Set updatesToInstall = CreateObject("Microsoft.Update.UpdateColl"); skip what is kept back.
let updatesToInstall = searchResult.filter { $0.keptBack == nil }
  .map { Update($0.name, version: $0.toVersion) }

// strInput = WScript.StdIn.ReadLine
print("Would you like to install updates now? (Y/N) \(agrees ? "Y" : "N")")
guard agrees, !updatesToInstall.isEmpty else {
  await updateSession.close()
  exit(0)
}

// Set installer = updateSession.CreateUpdateInstaller()
let installer = try updateSession.makeInstaller()

// If installer.IsBusy / installer.RebootRequiredBeforeInstallation Then …
if try await installer.isBusy { print("Another job works: this one waits for its turn.") }
if try await installer.requiresRebootBeforeInstallation {
  print("The machine must be restarted first.")
  exit(1)
}

// Set job = installer.BeginInstall(progressCallback, completedCallback, state)
print("Installing updates...")
let job = try await installer.beginUpgrade(
  of: updatesToInstall, userInfo: "state",
  onProgress: { job, progress in
    // job.GetProgress().CurrentUpdateIndex, .PercentComplete
    guard let index = progress.currentIndex else { return }
    let percent = Int((progress.overallFraction * 100).rounded(.down))
    print("\(job.updates[index].name): \(percent) %")
  },
  onCompletion: { job in print("Completed: \(await job.isCompleted)") })

// Set installationResult = installer.EndInstall(job); job.CleanUp
let installationResult = try await job.result
try await job.cleanUp()

// WScript.Echo installationResult.ResultCode, .RebootRequired
print("Installation Result: \(installationResult.code.rawValue)")
print("Reboot Required: \(installationResult.requiresReboot)")
print("Listing of updates installed and individual installation results:")
for (index, update) in job.updates.enumerated() {
  print("\(index + 1)> \(update.name): \(installationResult.updateResults[index].code)")
}
await updateSession.close()
