import Support
import Testing

/// A command of an executable, as its argument parser describes it.
struct ListedCommand: Sendable {
  /// An option or a positional argument.
  struct Argument: Sendable {
    /// The spelling of an option; nil for a positional argument.
    var option: String?
    /// What its value is called in the help: `folder`, `socket`, …; an option of one meaning is known by
    /// its own name.
    var value: String
    var isOptional: Bool
  }

  /// The words that call it: `["root", "update"]`.
  var words: [String]
  /// What takes a value; switches are left out.
  var arguments: [Argument]

  /// Every command of an executable, those included that only programs call.
  static func all(of executable: String) async throws -> [ListedCommand] {
    let dump = try await ToolOutput.of([executable, "--experimental-dump-help"])
    try dump.expectSuccess("the list of commands")
    let top = try #require(try JSONValue(dump.output)["command"])
    return commands(below: top, [])
  }

  private static func commands(below value: JSONValue, _ words: [String]) -> [ListedCommand] {
    let arguments = (value["arguments"]?.elements ?? []).compactMap(argument)
    return [ListedCommand(words: words, arguments: arguments)]
      + (value["subcommands"]?.elements ?? []).flatMap { inner in
        commands(below: inner, words + [inner["commandName"]?.string].compactMap(\.self))
      }
  }

  private static func argument(_ value: JSONValue) -> Argument? {
    guard value["kind"] != "flag" else { return nil }
    let long = value["names"]?.elements.first { $0["kind"] == "long" }?["name"]?.string
    return Argument(
      option: long.map { "--" + $0 }, value: value["valueName"]?.string ?? long ?? "",
      isOptional: value["isOptional"] == true)
  }
}
