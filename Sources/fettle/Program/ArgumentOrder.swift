/// Moves global options behind the command, where the argument parser expects them.
enum ArgumentOrder: Sendable {
  private static let withValue: Set<String> = ["--socket", "--color", "--theme"]
  private static let flags: Set<String> = ["--ascii", "--plain", "--read-only"]

  /// Returns the arguments with leading global options moved behind the command.
  ///
  /// - Parameters:
  ///   - arguments: The typed arguments, without the program's name.
  ///   - commands: The names of all commands.
  /// - Returns: The reordered arguments; unchanged when no command follows.
  static func normalized(_ arguments: [String], commands: Set<String>) -> [String] {
    let index = leadingOptions(arguments)
    guard index > 0, index < arguments.count, commands.contains(arguments[index]) else {
      return arguments
    }
    return [arguments[index]] + arguments[..<index] + arguments[(index + 1)...]
  }

  /// Returns the word in the command's place if it is not a command.
  ///
  /// - Parameters:
  ///   - arguments: The typed arguments, without the program's name.
  ///   - commands: The names of all commands.
  /// - Returns: The word; nil for a command, an option, or no word.
  static func unknownCommand(_ arguments: [String], commands: Set<String>) -> String? {
    let index = leadingOptions(arguments)
    guard index < arguments.count else { return nil }
    // The word after `help` is a command as well.
    let isHelp = arguments[index] == "help" && index + 1 < arguments.count
    let word = arguments[isHelp ? index + 1 : index]
    return word.hasPrefix("-") || word == "help" || commands.contains(word) ? nil : word
  }

  /// Returns the number of leading arguments that are global options and their values.
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
