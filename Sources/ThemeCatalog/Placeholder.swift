enum ThemeCatalogPlaceholder: Sendable {}
