import InstallJobs
import Testing

@Suite struct `The options of a request` {
  private func check(_ change: (inout InstallationOptions) -> Void) throws {
    var options = InstallationOptions()
    change(&options)
    _ = try JobRequest(.install, [Update("p1")], options: options).validated()
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1.1e9])
  func `a wait for the lock that no clock can keep is refused`(seconds: Double) throws {
    let error = #expect(throws: InstallationError.self) { try check { $0.lockSeconds = seconds } }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `A34: questions that nobody can be asked are refused before the job begins`() {
    let error = #expect(throws: InstallationError.self) { try check { $0.conffiles = .ask } }
    #expect(error?.code == .needsInput && error?.hint != nil)
  }

  enum Text: Int, CaseIterable {
    case clientName = 200
    case token = 1000
    case comment = 4000

    func set(_ text: String, in options: inout InstallationOptions) {
      switch self {
      case .clientName: options.clientName = text
      case .comment: options.comment = text
      case .token: options.token = text
      }
    }
  }

  @Test(arguments: Text.allCases)
  func `a text that is too long or has control characters is refused`(text: Text) throws {
    let limit = text.rawValue
    try check { text.set(String(repeating: "a", count: limit), in: &$0) }
    for wrong in [String(repeating: "\u{e9}", count: limit / 2 + 1), "a\u{1b}[m", "a\u{85}b"] {
      let error = #expect(throws: InstallationError.self) { try check { text.set(wrong, in: &$0) } }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `a comment may have lines`() throws {
    try check { $0.comment = "for the night:\n\tthe whole rack" }
    #expect(throws: InstallationError.self) { try check { $0.token = "a\nb" } }
  }

  @Test(arguments: [nil, 0, 0.5, 1e9])
  func `a wait for the lock within bounds is taken`(seconds: Double?) throws {
    try check { $0.lockSeconds = seconds }
  }

  @Test(arguments: [Double.nan, .infinity, -0.1, 601])
  func `a wait for a stop beyond bounds is refused`(seconds: Double) throws {
    let error = #expect(throws: InstallationError.self) { try check { $0.stopSeconds = seconds } }
    #expect(error?.code == .invalidArgument && error?.hint != nil)
    try check { $0.stopSeconds = 600 }
    try check { $0.stopSeconds = 0 }
  }

  @Test(arguments: [
    "", "proxy:3128", "ftp://proxy", "http://", "http:///x", "file:///etc/passwd",
    "http://a\nb", "http://a b", "http://a\"; Dir \"/", "http://a'b", "http://a\u{1b}[m",
    "http://\u{e9}", "http://a;b", "http://a`b`", "http://a\\b",
  ])
  func `A5: a proxy that is no plain URL is refused`(proxy: String) throws {
    let error = #expect(throws: InstallationError.self) { try check { $0.proxy = proxy } }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [
    nil, "http://proxy.example:3128", "https://user:pw%21@proxy.example/", "http://[::1]:8080",
  ])
  func `A5: a plain proxy is taken`(proxy: String?) throws { try check { $0.proxy = proxy } }
}
