package import InstallJobs

extension Scenario {
  private static var builtIn: [String: [UInt8]] {
    [
      "busy": PackageResources.busy_toml,
      "demo": PackageResources.demo_toml,
      "failing": PackageResources.failing_toml,
      "queue-50": PackageResources.queue_50_toml,
    ]
  }

  /// The names of the built-in scenarios, in alphabetical order.
  package static var builtInNames: [String] { builtIn.keys.sorted() }

  /// Returns a built-in scenario.
  ///
  /// - Throws: `invalidArgument` for an unknown name.
  package static func named(_ name: String) throws(InstallationError) -> Scenario {
    guard let text = builtIn[name] else {
      throw InstallationError(
        .invalidArgument, "no scenario is named '\(ScenarioSource.printable(name))'",
        class: .fatal,
        hint: "use one of \(builtInNames.joined(separator: ", ")), or the path of a TOML file")
    }
    return try Scenario(parsing: String(decoding: text, as: UTF8.self), file: "\(name).toml")
  }
}
