enum JobScreenPlaceholder: Sendable {}
