enum JobServerPlaceholder: Sendable {}
