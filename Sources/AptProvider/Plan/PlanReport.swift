internal import FoundationEssentials

/// What apt reports to its hooks about a simulated run (apt's protocol of JSON hooks, measured on
/// apt 2.6.1 and 3.0.4).
///
/// It lists each package that would be installed, changed or removed, in no order of work; a
/// package that would be installed again is missing.
struct PlanReport: Sendable, Hashable {
  /// What would be done with a package.
  enum Mode: String, Sendable, Hashable, Decodable {
    case install, upgrade, downgrade, reinstall, deinstall, purge
  }

  /// A release that provides a version; fields that its `Release` file lacks are nil.
  struct Origin: Sendable, Hashable, Decodable {
    var archive: String?
    var codename: String?
    var version: String?
    var origin: String?
    var label: String?
    var site: String?
  }

  /// One version of a package.
  struct Version: Sendable, Hashable, Decodable {
    var version: String
    /// The archive's architecture, which may be `all`.
    var architecture: String
    /// The priority by apt's preferences.
    var pin: Int?
    /// The releases that provide it, in apt's order; empty for a version that is only installed.
    var origins: [Origin]?
  }

  /// One package that would be changed.
  struct Package: Sendable, Hashable, Decodable {
    struct Versions: Sendable, Hashable, Decodable {
      var candidate: Version?
      var install: Version?
      var current: Version?
    }

    var name: String
    /// The package's architecture: for packages of architecture `all` the native one.
    var architecture: String
    var mode: Mode
    /// Whether apt would mark the package as installed automatically.
    var automatic: Bool
    var versions: Versions
  }

  /// The names that apt does not know.
  var unknown: [String] = []
  /// The packages; nil where apt gave up before it had a list.
  var packages: [Package]?

  /// Reads the report that the hook program wrote, one message per line.
  ///
  /// - Throws: An error if a message is malformed.
  init(lines text: String) throws {
    for line in text.split(separator: "\n") {
      let message = try JSONDecoder().decode(Message.self, from: Data(line.utf8))
      if message.method.hasSuffix(".package-list") {
        packages = message.params.packages
      } else {
        unknown += message.params.unknown ?? []
      }
    }
  }

  private struct Message: Decodable {
    struct Parameters: Decodable {
      var unknown: [String]?
      var packages: [Package]

      private enum CodingKeys: String, CodingKey {
        case packages
        case unknown = "unknown-packages"
      }
    }

    var method: String
    var params: Parameters
  }
}
