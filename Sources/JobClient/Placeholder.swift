enum JobClientPlaceholder: Sendable {}
