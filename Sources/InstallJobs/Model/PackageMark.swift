/// A mark of an installed package that decides about later upgrades and removals, as apt-mark sets
/// it.
public enum PackageMark: String, Sendable, Hashable, Codable, CaseIterable {
  /// Upgrades of everything leave the package at its version.
  case hold
  /// The hold is taken away.
  case unhold
  /// The package counts as a dependency: an autoremove removes it when nothing needs it.
  case auto
  /// The package counts as wanted for itself.
  case manual
}
