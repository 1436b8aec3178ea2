internal import InstallJobs

/// What the package database of a root says, read without any part of the product.
struct InstalledPackages: Sendable, Hashable {
  /// Each package that is there in any state: `installed 1.0`, `half-configured 1.0`.
  var states: [String: String] = [:]

  init(_ states: [String: String] = [:]) { self.states = states }

  /// Reads what `dpkg-query` printed in ``format``.
  init(printed text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 2, words[1] != "not-installed" else { continue }
      let remark = words[2] == "ok" ? [] : [words[2]]
      states[words[0]] = ([words[1]] + remark + words.dropFirst(3)).joined(separator: " ")
    }
  }

  /// The format in which `dpkg-query` is asked.
  static let format = "${Package} ${db:Status-Status} ${db:Status-Eflag} ${Version}\\n"

  /// The packages that are installed as they should be.
  var whole: Set<String> { Set(states.filter { $0.value.hasPrefix("installed ") }.keys) }

  /// Whether a step of a plan has reached what it was planned for.
  func has(_ step: PlannedUpdate) -> Bool {
    switch step.action {
    case .purge: states[step.name] == nil
    case .remove: states[step.name].map { $0.hasPrefix("config-files") } ?? true
    case .install, .upgrade, .downgrade, .reinstall, .configure:
      states[step.name] == "installed \(step.toVersion ?? "")"
    }
  }
}
