import FoundationEssentials
import InstallJobs
import Support
import Testing

@testable import Monitor
@testable import fettle

/// Promise 10: whatever a command or a key can do, the library can.
///
/// The list stands in an example that is built against the library products alone, so that every member
/// in it is there and public.
@Suite struct `One way for monitor, commands and library` {
  private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: sources.appending(path: path)), as: UTF8.self)
  }

  /// The names in one list of the example, each once.
  private func names(of list: String) throws -> [String] {
    let text = try Self.text("Examples/Sources/Members/Members.swift")
    let start = try #require(text.firstRange(of: " \(list)")?.upperBound)
    let end = try #require(text[start...].firstRange(of: "\n\n")?.lowerBound)
    let body = text[start..<end]
    if list == "ofCommands" || list == "ofMonitor" {
      return body.matches(of: #/\(\s*"([A-Za-z-]+)",\s*\[/#).map { String($0.1) }
    }
    return body.matches(of: #/"([A-Za-z]+)"/#).map { String($0.1) }
  }

  @Test func `every command has its member of the library`() throws {
    let named = try names(of: "ofCommands") + names(of: "withoutSession")
    #expect(Set(named).count == named.count)
    #expect(Set(named) == Fettle.commandNames.subtracting(Fettle.aliases))
  }

  @Test func `everything that the monitor wants has its member of the library`() throws {
    let text = try Self.text("Monitor/State/MonitorEvent.swift")
    let start = try #require(text.firstRange(of: "enum Intent")?.upperBound)
    let end = try #require(text[start...].firstRange(of: "\n}\n")?.lowerBound)
    let intents = text[start..<end].matches(of: #/\n  case (\w+)/#).map { String($0.1) }
    #expect(intents.count > 20)
    let named = try names(of: "ofMonitor") + names(of: "ofTerminal")
    #expect(Set(named).count == named.count)
    #expect(Set(named) == Set(intents))
  }
}
