enum SettingsPlaceholder: Sendable {}
