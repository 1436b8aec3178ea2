import ArgumentParser
import Bench
import Glibc
import HostSystem

/// Measures Fettle, beside the programs that it is compared with.
@main
struct FettleBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-bench",
    abstract: "Measures Fettle beside the programs that it is compared with.",
    discussion: """
      Sections that measure: \(list(BenchRun.sections.measuring)); 'all' is all of these. Sections \
      that prove promises, some for an hour or as root only: \(list(BenchRun.sections.proving)).

      Prepares what it needs and removes it. Programs to compare with are used where they are \
      installed. Exits 0 when it could measure, whatever the figures \
      say, and 1 when it could not. Figures that are to be published come from a release build: \
      'swift build -c release --static-swift-stdlib && .build/release/fettle-bench all'.
      """)

  @Argument(help: ArgumentHelp("What to measure, or all.", valueName: "section"))
  var sections: [String] = []

  @Flag(help: "Measure just enough to see that everything works.")
  var quick = false

  @Flag(help: "Print one array of JSON objects.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Begin chance here: a number that a section has printed as its seed.", valueName: "number"))
  var seed: UInt64?

  private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

  func run() async {
    RootEnvironment.clear()
    Glibc.exit(await BenchRun(sections, isQuick: quick, isJSON: json, seed: seed).run())
  }
}
