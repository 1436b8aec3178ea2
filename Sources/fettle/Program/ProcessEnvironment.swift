import FoundationEssentials

/// The process's environment.
enum ProcessEnvironment: Sendable {
  static var all: [String: String] { ProcessInfo.processInfo.environment }
}
