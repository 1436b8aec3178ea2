import Glibc
import HostSystem

/// The themes that the program brings, and the reading of others.
package enum ThemeCatalog: Sendable {
  /// What came of reading a theme.
  package struct Reading: Sendable {
    /// The theme; nil when an issue is an error.
    package let theme: ThemeDefinition?
    /// What is wrong, in the order of lines.
    package let issues: [ThemeIssue]
    /// The files it was read from, itself first; none for a theme of the program.
    package let files: [String]
  }

  /// The name of the theme that is used when nothing else is asked for or what is asked is broken.
  package static let defaultName = "neutral"

  /// The names of the themes in the program, in the order to show them.
  package static var names: [String] { EmbeddedThemes.all.map(\.name) }

  /// A theme that the program brings; nil where it has none of that name.
  package static func named(_ name: String) -> ThemeDefinition? {
    reading(named: name)?.theme
  }

  /// The default theme at `level`.
  package static func standard(at level: ColorLevel) -> Theme {
    (named(defaultName) ?? ThemeDefinition([])).theme(at: level)
  }

  /// Reads one of the program's own themes; nil where it has none of that name.
  package static func reading(named name: String) -> Reading? {
    EmbeddedThemes.text(of: name).map { parse($0, file: name + ".toml", isEmbedded: true) }
  }

  /// Reads a theme from `text`; `file` is what issues call it.
  ///
  /// It inherits from what its `inherits` names, looked for among `others` first and then in the
  /// program; without that, from the default theme. A file that names itself means the program's
  /// theme of that name, which it stands in place of.
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
    // What the program brings stands on the program's own, whatever lies in folders.
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

  /// Reads the theme in the file at `path`.
  ///
  /// Themes that it inherits from may lie beside it or in `folders`. Files of more than a megabyte
  /// are refused, and for root files that another user can change, where `requiresTrust` is set.
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

  /// Why a file is no theme.
  private struct Unreadable: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
    init(errno code: Int32) { reason = unsafe "cannot be read: " + String(cString: strerror(code)) }
  }

  private static let mostBytes = 1_000_000

  // Opening a device or pipe must not wait for anybody.
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
    let file = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw Unreadable(errno: errno) }
    defer { close(file) }
    var record = stat()
    guard unsafe fstat(file, &record) == 0 else { throw Unreadable(errno: errno) }
    guard record.st_mode & S_IFMT == S_IFREG else { throw Unreadable("is not a regular file") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= mostBytes {
      let count = unsafe read(file, &buffer, buffer.count)
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Unreadable(errno: errno)
      }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    guard bytes.count <= mostBytes else { throw Unreadable("is larger than 1 MB") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Unreadable("is no UTF-8 text")
    }
    return text
  }

  /// The file's name without folders and ending.
  private static func name(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.hasSuffix(".toml") ? String(last.dropLast(5)) : last
  }
}
