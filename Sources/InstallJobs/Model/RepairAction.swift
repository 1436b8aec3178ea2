/// The action that repairs a package that a job or an interrupted run left incomplete (row D21).
public enum RepairAction: Sendable, Hashable, Codable {
  /// Configure unpacked packages (`dpkg --configure -a`).
  case finishConfiguration
  /// Install the package again; nothing else repairs an interrupted unpack (measurement E16).
  case reinstall(String)
  /// Remove the package, because its own scripts fail.
  case remove(String)
  /// Configure the package and keep its present configuration files.
  case keepOldConfiguration(String)
}
