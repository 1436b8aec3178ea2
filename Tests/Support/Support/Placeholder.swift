enum SupportPlaceholder: Sendable {}
