enum JobJournalPlaceholder: Sendable {}
