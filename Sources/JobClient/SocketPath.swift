/// Where engines listen.
public enum SocketPath: Sendable {
  /// The system engine's socket.
  public static let system = "/run/fettle/engine.sock"

  /// The sockets to try, in order: the user's engine, then the system's.
  ///
  /// `$FETTLE_SOCKET` stands alone when it is set: who names an engine must not get another one.
  ///
  /// - Parameters:
  ///   - environment: The process's environment.
  ///   - uid: The process's user; without `$XDG_RUNTIME_DIR` the folder of that user is meant.
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
