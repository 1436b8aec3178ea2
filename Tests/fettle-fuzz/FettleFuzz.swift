import ArgumentParser
import Fuzz
import Glibc

/// Gives every reader of foreign input inputs that nobody would write.
@main
struct FettleFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-fuzz",
    abstract: "Gives every reader of foreign input inputs that nobody would write.",
    discussion: """
      The same seed gives the same inputs. An input that breaks a promise is made smaller and \
      printed as Swift source, for Tests/FuzzTests/Corpus.swift. Exits 1 when there is one. An \
      input that crashes or hangs is named with its index: '--from INDEX --count 1' reads it again.
      """)

  @Argument(help: ArgumentHelp("What to run; everything by default.", valueName: "target"))
  var targets: [String] = []

  @Option(help: "How many inputs for each target.")
  var count = 100_000

  @Option(help: "Chooses the inputs.")
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("The index of the first input.", valueName: "index"))
  var from = 0

  @Option(help: "Stop each target after so many seconds.")
  var seconds: Int?

  func run() throws {
    let run = FuzzRun(
      seed: seed, start: max(0, from), count: max(0, count), limit: seconds.map { .seconds($0) })
    let program: FuzzProgram
    do {
      program = try FuzzProgram(targets, run: run)
    } catch {
      throw ValidationError("\(error)")
    }
    Glibc.exit(program.perform() ? 0 : 1)
  }
}
