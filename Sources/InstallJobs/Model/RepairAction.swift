/// What mends a package that a job or an interrupted run left in half a state (row D21).
public enum RepairAction: Sendable, Hashable, Codable {
  /// Configure what is unpacked (`dpkg --configure -a`).
  case finishConfiguration
  /// Install the package again; nothing else heals a broken unpack (measurement E16).
  case reinstall(String)
  /// Remove the package, whose own scripts fail.
  case remove(String)
  /// Configure with the configuration files that are there.
  case keepOldConfiguration(String)
}
