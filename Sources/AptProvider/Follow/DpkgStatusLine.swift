/// One line of dpkg's status descriptor (`--status-fd`).
///
/// The grammar is dpkg's own (`lib/dpkg/log.c`, 1.21.22): the separator is `": "` in lines about
/// states and `" : "` in lines about errors and configuration files. Nothing is escaped, and only
/// the text of an error is translated.
package enum DpkgStatusLine: Sendable, Hashable {
  /// A package entered a state.
  case state(package: DpkgPackageName, State)
  /// Work on a package begins.
  case processing(Action, package: DpkgPackageName)
  /// An operation failed; `subject` is a package or the path of an archive.
  case error(subject: String, text: String)
  /// dpkg's question about a configuration file.
  case conffilePrompt(path: String)

  /// dpkg's words for package states.
  package enum State: String, Sendable, Hashable, CaseIterable {
    case notInstalled = "not-installed"
    case configFiles = "config-files"
    case halfInstalled = "half-installed"
    case unpacked
    case halfConfigured = "half-configured"
    case triggersAwaited = "triggers-awaited"
    case triggersPending = "triggers-pending"
    case installed
  }

  /// dpkg's words for the operations that it starts.
  package enum Action: String, Sendable, Hashable, CaseIterable {
    case install
    case upgrade
    case configure
    case triggers = "trigproc"
    case disappear
    case remove
    case purge
  }

  /// Parses one line without its line feed; nil for a line of another form.
  package init?(_ line: some StringProtocol) {
    let line = Substring(line)
    if let rest = line.after("status: ") {
      if let (subject, text) = rest.split(at: " : error : ") {
        self = .error(subject: String(subject), text: String(text))
      } else if let (path, _) = rest.split(at: " : conffile-prompt : ") {
        self = .conffilePrompt(path: String(path))
      } else if let (name, word) = rest.split(at: ": "), let state = State(rawValue: String(word)),
        let package = DpkgPackageName(name)
      {
        self = .state(package: package, state)
      } else {
        return nil
      }
    } else if let rest = line.after("processing: "), let (word, name) = rest.split(at: ": "),
      let action = Action(rawValue: String(word)), let package = DpkgPackageName(name)
    {
      self = .processing(action, package: package)
    } else {
      return nil
    }
  }
}

/// A package name as dpkg prints it, with the architecture only where needed.
///
/// dpkg appends the architecture for foreign packages and for packages that can be installed for
/// several architectures, never otherwise.
package struct DpkgPackageName: Sendable, Hashable {
  package var name: String
  package var architecture: String?

  package init(_ name: String, architecture: String? = nil) {
    self.name = name
    self.architecture = architecture
  }

  /// Parses `NAME` or `NAME:ARCHITECTURE`; nil for a text that cannot be a package name.
  package init?(_ text: Substring) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, !name.utf8.contains(where: { $0 <= 0x20 }) else {
      return nil
    }
    self.init(String(name), architecture: parts.count > 1 ? String(parts[1]) : nil)
  }
}

extension Substring {
  func after(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }

  /// Splits at the first occurrence of `separator`, compared byte by byte; nil where there is none.
  func split(at separator: String) -> (Substring, Substring)? {
    let (bytes, wanted) = (utf8, Array(separator.utf8))
    var start = bytes.startIndex
    while let found = bytes[start...].firstIndex(of: wanted[0]) {
      let tail = bytes[found...]
      if tail.starts(with: wanted) {
        let end = bytes.index(found, offsetBy: wanted.count)
        return (self[..<found], self[end...])
      }
      start = bytes.index(after: found)
    }
    return nil
  }
}
