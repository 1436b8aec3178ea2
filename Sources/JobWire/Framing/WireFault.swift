package import InstallJobs

/// The error object of a reply: a JSON-RPC error code and, in `data`, the engine's error.
package struct WireFault: Error, Sendable, Hashable, Codable {
  /// The JSON-RPC error code.
  package var code: Int
  /// The description of the error, in one line.
  package var message: String
  /// The error of the public interface; nil for faults of the framing.
  package var data: InstallationError?

  package init(code: Int, message: String, data: InstallationError? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The line is not JSON.
  package static let notJSON = WireFault(code: -32700, message: "the line is not JSON")

  /// The line is JSON, but not a request.
  package static func notRequest(_ reason: String) -> WireFault {
    WireFault(code: -32600, message: "not a request: \(reason)")
  }

  /// The engine has no such method.
  package static func unknownMethod(_ name: String) -> WireFault {
    WireFault(code: -32601, message: "unknown method '\(printable(name))'")
  }

  /// The method's parameters have the wrong shape.
  package static func badParameters(_ method: String, _ reason: String) -> WireFault {
    WireFault(code: -32602, message: "wrong parameters of '\(method)': \(reason)")
  }

  /// An error of the engine.
  package init(_ error: InstallationError) {
    self.init(code: -32000, message: error.message, data: error)
  }

  /// The error that the public interface throws for this fault.
  package var installationError: InstallationError {
    if let data { return data }
    let kind: InstallationError.Code = code == -32602 ? .invalidArgument : .protocolMismatch
    return InstallationError(
      kind, "the engine refuses the request: \(Self.printable(message))", class: .fatal,
      hint: "use the same version of fettle and fettled")
  }

  // Text from the peer is shown to users: at most 120 characters, without control characters.
  private static func printable(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(120).map { scalar in
      (0x20...0x7E).contains(scalar.value)
        ? String(scalar) : "\\u{" + String(scalar.value, radix: 16) + "}"
    }
    return shown.joined() + (text.unicodeScalars.count > 120 ? "..." : "")
  }
}
