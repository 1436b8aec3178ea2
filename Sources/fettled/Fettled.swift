import ArgumentParser

@main
struct Fettled: AsyncParsableCommand {
  func run() async throws {}
}
