import Glibc
import HostSystem
import InstallJobs
import JobServer
import Settings

/// The folders and the socket of an engine that this user starts: from options, then settings, then
/// the usual places.
struct EnginePlaces {
  private let places = SettingsPlaces(environment: ProcessEnvironment.all)

  /// Reads this user's settings.
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

  /// Returns the absolute path of the state folder.
  func state(option: String?, _ settings: Settings) -> String {
    let user = geteuid() == 0 ? nil : places.userState
    return AbsolutePath.of(
      option ?? settings.engine.state ?? user ?? SettingsPlaces.systemState)
  }

  /// Returns the absolute path of the socket.
  ///
  /// - Throws: `invalidArgument` when the environment names no folder for it.
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
