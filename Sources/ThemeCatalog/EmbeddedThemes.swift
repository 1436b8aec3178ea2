/// The theme files inside the program.
enum EmbeddedThemes: Sendable {
  /// All files of the folder `Themes`; a test compares the list with the folder.
  static let all: [(name: String, bytes: [UInt8])] = [
    ("neutral", PackageResources.neutral_toml),
    ("dark", PackageResources.dark_toml),
    ("light", PackageResources.light_toml),
    ("high-contrast-dark", PackageResources.high_contrast_dark_toml),
    ("high-contrast-light", PackageResources.high_contrast_light_toml),
    ("cvd-dark", PackageResources.cvd_dark_toml),
    ("cvd-light", PackageResources.cvd_light_toml),
    ("cvd-tritan", PackageResources.cvd_tritan_toml),
    ("solarized-dark", PackageResources.solarized_dark_toml),
    ("solarized-light", PackageResources.solarized_light_toml),
    ("fjord", PackageResources.fjord_toml),
    ("hearth", PackageResources.hearth_toml),
    ("dusk", PackageResources.dusk_toml),
    ("parchment", PackageResources.parchment_toml),
    ("ansi16", PackageResources.ansi16_toml),
    ("mono", PackageResources.mono_toml),
  ]

  static func text(of name: String) -> String? {
    all.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
