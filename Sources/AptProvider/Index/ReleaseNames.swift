import HostSystem
internal import Synchronization

/// The names of the sources in a root's index: `ORIGIN:CODENAME/COMPONENT`.
///
/// apt names the source of a version by label, version and suite (`Debian:12.10/stable`), and the
/// name of a suite moves from release to release. The `Release` files beside the index have the
/// codename.
struct ReleaseNames: Sendable, Hashable {
  fileprivate struct Release: Sendable, Hashable {
    var origin: String
    var codename: String
    /// The components whose packages are in the index; empty for a flat repository.
    var components: Set<String> = []
  }

  /// Releases by apt's name; nil where two sources share the name.
  private var releases: [String: Release?] = [:]

  /// Number of bytes read of a `Release` file; its fields come before the long lists of files.
  private static let headSize = 8192

  /// Reads the `Release` files in a folder of package lists.
  init(in folder: String) {
    let names = RootFiles.names(in: folder)
    let prefixes = names.compactMap { name in
      ["InRelease", "Release"].first { name.hasSuffix("_" + $0) }
        .map { (file: name, prefix: name.dropLast($0.count)) }
    }
    var components: [Substring: Set<String>] = [:]
    for name in names {
      // A suite's name may be the beginning of another suite's name, so the longest prefix counts.
      guard let end = name.firstRange(of: "_binary-")?.lowerBound,
        let prefix = prefixes.map(\.prefix).filter({ name[..<end].hasPrefix($0) })
          .max(by: { $0.count < $1.count })
      else { continue }
      // In these file names a slash is written as an underscore.
      let component = name[..<end].dropFirst(prefix.count).replacing("_", with: "/")
      components[prefix, default: []].insert(Sanitised.line(component, limit: 60))
    }
    for (file, prefix) in prefixes {
      guard let text = RootFiles.text(of: folder + "/" + file, limit: Self.headSize) else {
        continue
      }
      add(head: text, components: components[prefix] ?? [])
    }
  }

  private mutating func add(head text: String, components: Set<String>) {
    let fields = Self.fields(text)
    guard let suite = fields["Suite"], let origin = fields["Origin"],
      let codename = fields["Codename"]
    else { return }
    let label = fields["Label"].map { $0 + ":" } ?? ""
    let name = label + (fields["Version"].map { $0 + "/" } ?? "") + suite
    // ``SimulatedAction`` reads apt's line only up to a comma, which separates releases.
    let key = String(name.prefix { $0 != "," })
    var release = Release(
      origin: Sanitised.line(origin, limit: 60), codename: Sanitised.line(codename, limit: 60),
      components: components)
    guard let known = releases[key] else {
      releases[key] = .some(release)
      return
    }
    guard let known, known.origin == release.origin, known.codename == release.codename else {
      releases[key] = .some(nil)
      return
    }
    release.components.formUnion(known.components)
    releases[key] = .some(release)
  }

  private static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard line.first != " ", let colon = line.firstIndex(of: ":") else { continue }
      let name = String(line[..<colon])
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      if !value.isEmpty, fields[name] == nil { fields[name] = String(value) }
    }
    return fields
  }

  /// Returns the origin of a version.
  ///
  /// - Parameters:
  ///   - known: apt's name of the source (`Debian:12.10/stable`).
  ///   - file: The archive's URI, or its path as the index names it (`pool/main/h/hello/…`).
  /// - Returns: The certain part of `ORIGIN:CODENAME/COMPONENT`; apt's own name where no `Release`
  ///   file has it.
  func origin(of known: String?, file: String?) -> String? {
    guard let known else { return nil }
    guard case .some(.some(let release)) = releases[known] else {
      return Sanitised.line(known, limit: 120)
    }
    let component = release.component(of: file)
    return "\(release.origin):\(release.codename)" + (component.map { "/" + $0 } ?? "")
  }
}

extension ReleaseNames.Release {
  /// The component of an archive; nil when it is unknown.
  fileprivate func component(of file: String?) -> String? {
    guard components.count != 1 else { return components.first }
    guard let file, let pool = ("/" + file).firstRange(of: "/pool/")?.upperBound else { return nil }
    let rest = ("/" + file)[pool...]
    // Debian's security repository has its pool below `updates`, which is not part of the
    // component.
    let matching = components.filter {
      rest.hasPrefix($0 + "/") || rest.hasPrefix("updates/" + $0 + "/")
    }
    return matching.max { $0.count < $1.count }
  }
}

/// A cache of the names of a root's sources, read again when the package lists have changed.
final class ReleaseNamesCache: Sendable {
  private let known = Mutex<(state: RootState, names: ReleaseNames)?>(nil)

  /// Returns the names for the root's present lists.
  func names(of root: PackageRoot) -> ReleaseNames {
    let state = RootState(of: [root.listsDirectory])
    if let names = known.withLock({ $0?.state == state ? $0?.names : nil }) { return names }
    let names = ReleaseNames(in: root.listsDirectory)
    known.withLock { $0 = (state, names) }
    return names
  }
}
