/// The socket paths of engines.
public enum SocketPath: Sendable {
  /// The system engine's socket.
  public static let system = "/run/fettle/engine.sock"

  /// The sockets to try, in order: the user's engine, then the system's.
  ///
  /// If `$FETTLE_SOCKET` is set, it is the only candidate: a user who names an engine must not
  /// reach another engine.
  ///
  /// - Parameters:
  ///   - environment: The process's environment.
  ///   - uid: The process's user; without `$XDG_RUNTIME_DIR` the socket is below `/run/user/UID`.
  /// - Returns: At least one path.
  public static func candidates(environment: [String: String], uid: UInt32) -> [String] {
    if let named = environment["FETTLE_SOCKET"], !named.isEmpty { return [named] }
    var paths: [String] = []
    if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") {
      paths.append(folder + "/fettle/engine.sock")
    } else if uid != 0 {
      paths.append("/run/user/\(uid)/fettle/engine.sock")
    }
    return paths + [system]
  }
}
