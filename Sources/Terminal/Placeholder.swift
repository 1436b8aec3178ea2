enum TerminalPlaceholder: Sendable {}
