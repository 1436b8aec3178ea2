enum JobTransportPlaceholder: Sendable {}
