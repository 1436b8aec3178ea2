import TOMLText

/// Typed access to values; each error names the allowed values.
extension SettingsDocument {
  func text(_ key: String, _ wanted: String) throws(SettingsError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .text(let text) = value, !text.isEmpty, text == Self.printable(text) else {
      throw problem(with: key, value.mismatch(wanted))
    }
    return text
  }

  func path(_ key: String, atMost limit: Int = 4095) throws(SettingsError) -> String? {
    guard let path = try text(key, "an absolute path in quotes") else { return nil }
    guard path.hasPrefix("/") else {
      throw problem(with: key, "must be an absolute path, not \"\(path)\"")
    }
    guard path.utf8.count <= limit else {
      throw problem(with: key, "must have at most \(limit) bytes, not \(path.utf8.count)")
    }
    return path
  }

  /// Returns a Boolean: `true` and `false`, or the words `"on"` and `"off"`.
  func flag(_ key: String) throws(SettingsError) -> Bool? {
    switch values[key] {
    case nil: return nil
    case .boolean(let flag): return flag
    case .text("on"): return true
    case .text("off"): return false
    case .some(let value): throw problem(with: key, value.mismatch("true or false"))
    }
  }

  /// Returns one of the words of an enumeration; a word of digits may be written as a number.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String
  ) throws(SettingsError) -> Word? {
    guard let value = values[key] else { return nil }
    let text: String? =
      switch value {
      case .text(let text): text
      case .integer(let number): String(number)
      case .number, .boolean, .list, .table, .date: nil
      }
    guard let word = text.flatMap(Word.init(rawValue:)) else {
      let allowed = Word.allCases.map { "\"\($0.rawValue)\"" }
      throw problem(
        with: key, value.mismatch("one of \(allowed.joined(separator: ", "))"))
    }
    return word
  }

  func wholeNumber(_ key: String, _ range: ClosedRange<Int>) throws(SettingsError) -> Int? {
    guard let value = values[key] else { return nil }
    guard case .integer(let number) = value, range.contains(number) else {
      throw problem(
        with: key,
        value.mismatch("a whole number from \(range.lowerBound) to \(range.upperBound)"))
    }
    return number
  }

  func seconds(_ key: String) throws(SettingsError) -> Double? {
    guard let value = values[key] else { return nil }
    switch value {
    case .integer(let number) where (1...86_400).contains(number): return Double(number)
    case .number(let number) where (1...86_400).contains(number): return number
    default: throw problem(with: key, value.mismatch("seconds from 1 to 86400"))
    }
  }

  /// Returns a list of 1 to 100 words; the caller checks their meaning.
  func names(_ key: String, _ wanted: String) throws(SettingsError) -> [String]? {
    guard let value = values[key] else { return nil }
    guard case .list(let elements) = value, !elements.isEmpty, elements.count <= 100 else {
      throw problem(with: key, value.mismatch(wanted))
    }
    var names: [String] = []
    for element in elements {
      guard case .text(let name) = element, !name.isEmpty, name == Self.printable(name) else {
        throw problem(with: key, "must be \(wanted), not with \(element.kind)")
      }
      names.append(name)
    }
    return names
  }

  /// Returns the table of keys; each entry is an action with one key, a list of keys, or an empty
  /// list.
  func keyBindings(_ table: String) throws(SettingsError) -> [KeyBinding] {
    var bindings: [KeyBinding] = []
    for (path, value) in values where path.hasPrefix(table + ".") {
      let elements = value.list ?? [value]
      var keys: [KeyName] = []
      for element in elements {
        guard case .text(let text) = element else {
          throw problem(
            with: path, element.mismatch("a key in quotes, or a list of keys ([] for none)"))
        }
        guard let key = KeyName(text) else {
          throw problem(
            with: path,
            "\"\(text)\" is not a key; keys are written x, X, space, enter, f9, ctrl-x, alt-x, "
              + "page-up, home, up, tab, shift-tab")
        }
        if !keys.contains(key) { keys.append(key) }
      }
      bindings.append(
        KeyBinding(
          action: String(path.dropFirst(table.count + 1)), keys: keys, file: file,
          line: problem(with: path, "").line))
    }
    return bindings.sorted { ($0.line ?? 0, $0.action) < ($1.line ?? 0, $1.action) }
  }
}
