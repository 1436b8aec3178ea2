enum JobWirePlaceholder: Sendable {}
