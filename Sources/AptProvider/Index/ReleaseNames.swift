import HostSystem
internal import Synchronization

/// The names of the sources in a root's index: `ORIGIN:CODENAME/COMPONENT`.
///
/// apt reports origin and codename of the release that provides a version, but not the component;
/// the names of the files in the index have it.
struct ReleaseNames: Sendable, Hashable {
  private struct Release: Sendable, Hashable {
    var origin: String
    var codename: String
  }

  /// The components whose packages are in the index; empty for a flat repository.
  private var components: [Release: Set<String>] = [:]

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

  private mutating func add(head text: String, components added: Set<String>) {
    let fields = Self.fields(text)
    guard let origin = fields["Origin"], let codename = fields["Codename"] else { return }
    components[Release(origin: origin, codename: codename), default: []].formUnion(added)
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

  /// Returns the name of a release.
  ///
  /// - Parameters:
  ///   - release: The release that provides a version.
  ///   - file: The archive's URI, or its path as the index names it (`pool/main/h/hello/…`).
  /// - Returns: The certain part of `ORIGIN:CODENAME/COMPONENT`; for a release without origin or
  ///   codename its label, version and suite as apt prints them, or its site.
  func name(of release: PlanReport.Origin, file: String?) -> String {
    if let origin = release.origin, let codename = release.codename {
      let known = components[Release(origin: origin, codename: codename)] ?? []
      let component = Self.component(of: file, among: known).map { "/" + $0 } ?? ""
      return Sanitised.line("\(origin):\(codename)\(component)", limit: 120)
    }
    let suite = [release.version, release.archive].compactMap(\.self).joined(separator: "/")
    let name = [release.label ?? release.origin, suite.isEmpty ? nil : suite].compactMap(\.self)
      .joined(separator: ":")
    let site = release.site.flatMap { $0.isEmpty ? nil : $0 } ?? "localhost"
    return Sanitised.line(name.isEmpty ? site : name, limit: 120)
  }

  /// Returns the component of an archive; nil when it is unknown.
  private static func component(of file: String?, among components: Set<String>) -> String? {
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
