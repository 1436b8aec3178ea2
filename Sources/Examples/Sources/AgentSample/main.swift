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
let searchResult = try await updateSession.updates(
  matching: UpdateCriteria(isInstalled: false, isUpgrade: true))
for warning in searchResult.warnings { print("Warning \(warning.code): \(warning.message)") }
let updates = searchResult.updates.filter { !$0.presence.isHeld }

// For I = 0 To searchResult.Updates.Count-1 … update.Title
print("List of applicable items on the machine:")
for (index, update) in updates.enumerated() {
  let installed = update.presence.installedVersion ?? "-"
  print("\(index + 1)> \(update.name) \(installed) -> \(update.version): \(update.title)")
}
guard !updates.isEmpty else {
  print("There are no applicable updates.")
  await updateSession.close()
  exit(0)
}

// Set updatesToDownload = CreateObject("Microsoft.Update.UpdateColl"): all that are not here yet.
let updatesToDownload = updates.filter { !$0.presence.isDownloaded }.map(\.update)

// Set downloader = updateSession.CreateUpdateDownloader(); downloader.Download()
print("Downloading updates...")
let downloader = try updateSession.makeInstaller()
var updatesToInstall = updates.filter(\.presence.isDownloaded).map(\.update)
if !updatesToDownload.isEmpty {
  let download = try await downloader.beginDownload(
    of: updatesToDownload,
    onProgress: { _, progress in
      print("\(progress.downloadedBytes) of \(progress.totalDownloadBytes) bytes")
    })
  let downloadResult = try await download.result

  // If update.IsDownloaded = true Then updatesToInstall.Add(update)
  for (index, update) in updatesToDownload.enumerated() {
    print("\(update.name): \(downloadResult.updateResults[index].code)")
    if downloadResult.updateResults[index].code == .succeeded { updatesToInstall.append(update) }
  }
}

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
