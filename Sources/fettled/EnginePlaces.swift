import Glibc
import HostSystem
import InstallJobs
import JobServer
import Settings

/// Where an engine that this user starts keeps its things: options, then settings, then CLI.md.
struct EnginePlaces {
  private let places = SettingsPlaces(environment: ProcessEnvironment.all)

  /// The settings that count here.
  ///
  /// - Throws: `invalidArgument` for a file that cannot be used.
  func readSettings() throws(InstallationError) -> Settings {
    do {
      return try places.read().settings
    } catch {
      throw InstallationError(
        .invalidArgument, "\(error)", class: .fatal, hint: "correct the settings file")
    }
  }

  /// The state folder.
  func state(option: String?, _ settings: Settings) -> String {
    let user = geteuid() == 0 ? nil : places.userState
    return AbsolutePath.of(
      option ?? settings.engine.state ?? user ?? SettingsPlaces.systemState)
  }

  /// The socket.
  ///
  /// - Throws: `invalidArgument` when there is no folder for one.
  func socket(option: String?, _ settings: Settings) throws(InstallationError) -> String {
    if let path = option ?? settings.engine.socket { return AbsolutePath.of(path) }
    if geteuid() == 0 { return SettingsPlaces.systemSocket }
    guard let path = places.userSocket else {
      throw InstallationError(
        .invalidArgument, "there is no folder for a socket: XDG_RUNTIME_DIR is not set",
        class: .fatal, hint: "name a socket with --socket")
    }
    return path
  }
}
