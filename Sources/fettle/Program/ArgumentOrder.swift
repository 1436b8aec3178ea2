/// Global options may stand before the command; the parser wants them behind it.
enum ArgumentOrder: Sendable {
  private static let withValue: Set<String> = ["--socket", "--color", "--theme"]
  private static let flags: Set<String> = ["--ascii", "--plain", "--read-only"]

  /// The arguments with leading global options moved behind the command that follows them.
  ///
  /// - Parameters:
  ///   - arguments: As they were typed, without the program's name.
  ///   - commands: The names of all commands.
  /// - Returns: The same arguments in another order; unchanged when no command follows.
  static func normalized(_ arguments: [String], commands: Set<String>) -> [String] {
    let index = leadingOptions(arguments)
    guard index > 0, index < arguments.count, commands.contains(arguments[index]) else {
      return arguments
    }
    return [arguments[index]] + arguments[..<index] + arguments[(index + 1)...]
  }

  /// What stands where a command should and is none.
  ///
  /// - Parameters:
  ///   - arguments: As they were typed, without the program's name.
  ///   - commands: The names of all commands.
  /// - Returns: The word; nil when a command, an option or nothing stands there.
  static func unknownCommand(_ arguments: [String], commands: Set<String>) -> String? {
    let index = leadingOptions(arguments)
    guard index < arguments.count else { return nil }
    // What help is asked for is a command as well.
    let isHelp = arguments[index] == "help" && index + 1 < arguments.count
    let word = arguments[isHelp ? index + 1 : index]
    return word.hasPrefix("-") || word == "help" || commands.contains(word) ? nil : word
  }

  /// How many arguments at the beginning are global options and their values.
  private static func leadingOptions(_ arguments: [String]) -> Int {
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      let name = argument.split(separator: "=", maxSplits: 1).first.map(String.init) ?? argument
      if flags.contains(argument) || (withValue.contains(name) && argument.contains("=")) {
        index += 1
      } else if withValue.contains(argument) {
        index += 2
      } else {
        break
      }
    }
    return index
  }
}
