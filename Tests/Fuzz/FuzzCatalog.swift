/// The targets there are, in the order in which all of them run.
package enum FuzzCatalog: Sendable {
  /// Every target.
  package static let all: [any FuzzTarget] = [
    DpkgStatusTarget(), InterpreterTarget(), RequestLineTarget(),
    MessageTarget(), SplitterTarget(), FilterTarget(), GlobTarget(), PromptTarget(),
    ThemeTarget(), ScenarioTarget(), SettingsTarget(), MemoryTarget(), DateTarget(),
    KeysTarget(), SanitiserTarget(), UpdateNameTarget(), TimeTarget(), SnapshotTarget(),
    EventTarget(), PlanTarget(), ReplayTarget(),
  ]

  /// The target with this name.
  package static func named(_ name: String) -> (any FuzzTarget)? {
    all.first { type(of: $0).name == name }
  }

  /// The names in the order of ``all``.
  package static var names: [String] { all.map { type(of: $0).name } }
}
