/// Keys that a settings file gives to an action in place of its own.
package struct KeyBinding: Sendable, Hashable {
  /// The action's name as written, `clean-up-finished`.
  package var action: String
  /// The keys; none leaves the action without one.
  package var keys: [KeyName]
  /// The file's path.
  package var file: String
  /// The line, from 1; nil where it is not known.
  package var line: Int?

  package init(action: String, keys: [KeyName], file: String, line: Int? = nil) {
    self.action = action
    self.keys = keys
    self.file = file
    self.line = line
  }
}

/// The keys of all actions once the settings are counted in, with what is odd about them.
///
/// What a file says counts before what an action has by itself: a key that a file gives to one
/// action is taken from the others on the same screens. Of two lines of the file that want the same
/// key the first gets it. Each of these is told, since it changes what a key does.
package struct KeyBindings: Sendable, Hashable {
  /// An action as its owner knows it.
  package struct Action: Sendable, Hashable {
    /// Its name in settings, `clean-up-finished`.
    package var name: String
    /// The keys that it has by itself.
    package var keys: [KeyName]
    /// The screens on which it is possible, by any name; nil for all of them.
    package var screens: Set<String>?

    package init(name: String, keys: [KeyName], screens: Set<String>? = nil) {
      self.name = name
      self.keys = keys
      self.screens = screens
    }

    fileprivate func meets(_ other: Action) -> Bool {
      guard let screens, let others = other.screens else { return true }
      return !screens.isDisjoint(with: others)
    }
  }

  /// The keys of each action whose keys are not its own any more, by the action's name.
  package private(set) var changed: [String: [KeyName]] = [:]
  /// What is odd, in the order of lines; each with file and line.
  package private(set) var problems: [SettingsError] = []

  /// Settles which action has which keys.
  ///
  /// - Parameters:
  ///   - bindings: What the files say, the stronger first (``Settings/keys``).
  ///   - actions: Every action, in the order in which help shows them.
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
        if let other = given.first(where: { $0.action.meets(action) && has($0.action, key) }) {
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
          other.name != action.name && other.meets(action) && other.keys.contains(key)
            && !bindings.contains { $0.action == other.name }
        }
        for loser in losers {
          changed[loser.name] = (changed[loser.name] ?? loser.keys).filter { $0 != key }
          report("\(key) was the key of \(loser.name), which has it no more")
        }
      }
    }
  }

  /// The keys of an action: those from the files, else its own.
  package func keys(of action: Action) -> [KeyName] { changed[action.name] ?? action.keys }

  private func has(_ action: Action, _ key: KeyName) -> Bool {
    changed[action.name]?.contains(key) ?? false
  }
}
