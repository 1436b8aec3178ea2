extension StringProtocol {
  /// Whether the text names a source of security updates: the label `Debian-Security`, the suites
  /// `bookworm-security` and `jammy-security`.
  package var namesSecurity: Bool { lowercased().contains("-security") }
}
