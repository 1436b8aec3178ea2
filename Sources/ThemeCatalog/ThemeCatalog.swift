import Glibc
import HostSystem

/// The themes inside the program, and the parser of other themes.
package enum ThemeCatalog: Sendable {
  /// The result of reading a theme.
  package struct Reading: Sendable {
    /// The theme; nil when an issue is an error.
    package let theme: ThemeDefinition?
    /// The issues in the order of lines.
    package let issues: [ThemeIssue]
    /// The files of the theme and of the themes it inherits from, in this order; empty for a theme
    /// of the program.
    package let files: [String]
  }

  /// The name of the theme that is used when no other is requested or the requested theme is
  /// broken.
  package static let defaultName = "neutral"

  /// The names of the program's themes, in display order.
  package static var names: [String] { EmbeddedThemes.all.map(\.name) }

  /// Returns a theme of the program; nil for an unknown name.
  package static func named(_ name: String) -> ThemeDefinition? {
    reading(named: name)?.theme
  }

  /// The default theme.
  package static var standard: ThemeDefinition { named(defaultName) ?? ThemeDefinition([]) }

  /// Reads a theme of the program; nil for an unknown name.
  package static func reading(named name: String) -> Reading? {
    EmbeddedThemes.text(of: name).map { parse($0, file: name + ".toml", isEmbedded: true) }
  }

  /// Parses a theme from `text`; issues name it `file`.
  ///
  /// The theme inherits from the theme in `inherits`, searched with `others` first and then in the
  /// program; without `inherits`, from the default theme. If a file names itself, the program's
  /// theme with this name is used, which the file replaces.
  package static func parse(
    _ text: String, file: String, others: (String) -> (file: String, text: String)? = { _ in nil }
  ) -> Reading {
    parse(text, file: file, isEmbedded: false, others: others)
  }

  private static func parse(
    _ text: String, file: String, isEmbedded: Bool,
    others: (String) -> (file: String, text: String)? = { _ in nil }
  ) -> Reading {
    var chain = [ThemeFile(text, file: file)]
    var issues = chain[0].issues
    var names = [name(of: file)]
    var files = isEmbedded ? [] : [file]
    var embedded: Set<String> = isEmbedded ? [names[0]] : []
    // Themes of the program inherit only from themes of the program.
    var isInProgram = isEmbedded
    while let last = chain.last {
      let isRoot = isInProgram && names.last == defaultName
      guard let parent = last.inherits?.value ?? (isRoot ? nil : defaultName) else { break }
      func stop(_ message: String) {
        issues.append(
          ThemeIssue(
            file: last.file, line: last.inherits?.line, severity: .error, message: message))
      }
      let next: ThemeFile
      if !isInProgram, let source = others(parent), source.file != last.file {
        guard !files.contains(source.file) else {
          stop("inherits from itself: " + (names + [parent]).joined(separator: " → "))
          break
        }
        files.append(source.file)
        next = ThemeFile(source.text, file: source.file)
      } else if let source = EmbeddedThemes.text(of: parent) {
        guard embedded.insert(parent).inserted else {
          stop("inherits from itself: " + (names + [parent]).joined(separator: " → "))
          break
        }
        isInProgram = true
        next = ThemeFile(source, file: parent + ".toml")
      } else {
        stop(
          parent == names.last
            ? "inherits from itself: \(parent) → \(parent)"
            : "inherits from \"\(parent)\", which is not known")
        break
      }
      issues += next.issues
      chain.append(next)
      names.append(parent)
    }
    let theme = ThemeDefinition(chain.reversed())
    issues += theme.issues
    let broken = issues.contains { $0.severity == .error }
    return Reading(theme: broken ? nil : theme, issues: issues, files: files)
  }

  /// Reads the theme file at `path`.
  ///
  /// Themes that it inherits from may be in its folder or in `folders`. Files of more than 1 MB are
  /// refused; with `requiresTrust`, root refuses files that another user can change.
  package static func load(
    path: String, folders: [String] = [], requiresTrust: Bool = false
  ) -> Reading {
    let text: String
    do throws(Unreadable) {
      text = try contents(of: path, requiresTrust: requiresTrust)
    } catch {
      let issue = ThemeIssue(file: path, line: nil, severity: .error, message: error.reason)
      return Reading(theme: nil, issues: [issue], files: [path])
    }
    let beside = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    return parse(text, file: path, isEmbedded: false) { name in
      guard !name.contains("/"), !name.isEmpty else { return nil }
      for folder in [beside] + folders.filter({ $0 != beside }) {
        let file = "\(folder)/\(name).toml"
        if let text = try? contents(of: file, requiresTrust: requiresTrust) { return (file, text) }
      }
      return nil
    }
  }

  /// The reason why a file cannot be read as a theme.
  private struct Unreadable: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
    init(errno code: Int32) { reason = unsafe "cannot be read: " + String(cString: strerror(code)) }
  }

  private static let mostBytes = 1_000_000

  // O_NONBLOCK: opening a fifo or a device must not block.
  private static func contents(
    of path: String, requiresTrust: Bool
  ) throws(Unreadable) -> String {
    if requiresTrust {
      do throws(UntrustedPath) {
        try TrustedPath.requireForRoot(AbsolutePath.of(path))
      } catch {
        throw Unreadable("is not used by root: \(error)")
      }
    }
    guard let file = Descriptor(opening: path, O_RDONLY) else { throw Unreadable(errno: errno) }
    guard file.isRegular else { throw Unreadable("is not a regular file") }
    guard let bytes = file.read(limit: mostBytes + 1) else { throw Unreadable(errno: errno) }
    guard bytes.count <= mostBytes else { throw Unreadable("is larger than 1 MB") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Unreadable("is no UTF-8 text")
    }
    return text
  }

  /// Returns the file's name without its folder and `.toml`.
  private static func name(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.hasSuffix(".toml") ? String(last.dropLast(5)) : last
  }
}
