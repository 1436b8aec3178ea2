/// The keys that a settings file gives to an action instead of its standard keys.
package struct KeyBinding: Sendable, Hashable {
  /// The action's name as written, `clean-up-finished`.
  package var action: String
  /// The keys; empty for an action without a key.
  package var keys: [KeyName]
  /// The file's path.
  package var file: String
  /// The line, from 1; nil where it is not known.
  package var line: Int?

  /// Creates a binding.
  package init(action: String, keys: [KeyName], file: String, line: Int? = nil) {
    self.action = action
    self.keys = keys
    self.file = file
    self.line = line
  }
}

/// The keys of all actions after the settings are applied, with the problems found.
///
/// Keys from files win over standard keys: a key that a file gives to one action is removed from
/// the other actions on the same screens. If two lines of the file use the same key, the first line
/// wins. Each of these conflicts is reported, since it changes the effect of a key.
package struct KeyBindings: Sendable, Hashable {
  /// An action with its standard keys.
  package struct Action: Sendable, Hashable {
    /// Its name in settings, `clean-up-finished`.
    package var name: String
    /// The standard keys.
    package var keys: [KeyName]
    /// The names of the screens on which it is available; nil for all.
    package var screens: Set<String>?

    /// Creates an action.
    package init(name: String, keys: [KeyName], screens: Set<String>? = nil) {
      self.name = name
      self.keys = keys
      self.screens = screens
    }

    fileprivate func sharesScreen(_ other: Action) -> Bool {
      guard let screens, let others = other.screens else { return true }
      return !screens.isDisjoint(with: others)
    }
  }

  /// The keys of each action that differ from its standard keys, by the action's name.
  package private(set) var changed: [String: [KeyName]] = [:]
  /// The problems with file and line, in the order of lines.
  package private(set) var problems: [SettingsError] = []

  /// Resolves the keys of all actions.
  ///
  /// - Parameters:
  ///   - bindings: The bindings of the files, the strongest first (``Settings/keys``).
  ///   - actions: All actions, in the order of the help.
  package init(_ bindings: [KeyBinding], over actions: [Action]) {
    let known = Dictionary(actions.map { ($0.name, $0) }) { first, _ in first }
    var given: [(binding: KeyBinding, action: Action)] = []
    for binding in bindings {
      func report(_ problem: String) {
        problems.append(
          SettingsError(
            file: binding.file, line: binding.line, key: "keys.\(binding.action)",
            problem: problem))
      }
      guard let action = known[binding.action] else {
        let near = NearestWord.of(binding.action, in: actions.map(\.name))
        report("no such action, ignored" + (near.map { " (did you mean \($0)?)" } ?? ""))
        continue
      }
      var keys: [KeyName] = []
      for key in binding.keys {
        if let other = given.first(where: { $0.action.sharesScreen(action) && has($0.action, key) })
        {
          let place = other.binding.line.map { " in line \($0)" } ?? ""
          report("\(key) is already the key of \(other.action.name)\(place), ignored here")
        } else {
          keys.append(key)
        }
      }
      changed[action.name] = keys
      given.append((binding, action))
      for key in keys {
        let losers = actions.filter { other in
          other.name != action.name && other.sharesScreen(action) && other.keys.contains(key)
            && !bindings.contains { $0.action == other.name }
        }
        for loser in losers {
          changed[loser.name] = (changed[loser.name] ?? loser.keys).filter { $0 != key }
          report("\(key) was the key of \(loser.name), which has it no more")
        }
      }
    }
  }

  /// Returns the keys of an action: the keys from the files, otherwise its standard keys.
  package func keys(of action: Action) -> [KeyName] { changed[action.name] ?? action.keys }

  private func has(_ action: Action, _ key: KeyName) -> Bool {
    changed[action.name]?.contains(key) ?? false
  }
}
