enum JobEnginePlaceholder: Sendable {}
