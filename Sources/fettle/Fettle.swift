import ArgumentParser

@main
struct Fettle: AsyncParsableCommand {
  func run() async throws {}
}
