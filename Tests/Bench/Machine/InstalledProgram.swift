internal import FoundationEssentials
internal import Glibc

/// A program of the machine that ours is compared with.
struct InstalledProgram: Sendable, Hashable {
  let path: String
  /// Its name and version as figures name it: `htop 3.2.2`.
  let title: String

  /// Looks for a program in the search path; nil when it is not installed.
  ///
  /// Asks the program itself for its version, in the given environment.
  init?(
    _ name: String, asking option: String = "--version", environment: [String: String]
  ) {
    let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let paths = search.split(separator: ":").map { $0 + "/" + name }
    guard let path = paths.first(where: { unsafe access($0, X_OK) == 0 }) else { return nil }
    self.path = path
    guard let asked = try? WatchedProgram(path, [option], environment: environment) else {
      return nil
    }
    asked.read(until: .seconds(5))
    title = ([name] + [Self.version(in: ScreenText(asked.output).text)].compactMap(\.self))
      .joined(separator: " ")
  }

  /// The first word of a program's answer that begins with a digit, or with one behind a `v`.
  static func version(in answer: String) -> String? {
    answer.split(separator: " ").lazy.map { $0.first == "v" ? $0.dropFirst() : $0 }
      .first { $0.first?.isNumber ?? false }.map(String.init)
  }
}
