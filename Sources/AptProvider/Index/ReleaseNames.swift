import HostSystem
internal import Synchronization

/// What the archives of a root's index call themselves: `ORIGIN:CODENAME/COMPONENT`.
///
/// apt names the release of a version by label, version and suite (`Debian:12.10/stable`), and a
/// suite's name moves from release to release. The codename stands in the `Release` files that apt
/// keeps beside the index.
struct ReleaseNames: Sendable, Hashable {
  fileprivate struct Release: Sendable, Hashable {
    var origin: String
    var codename: String
    /// The components whose packages are in the index; none for a flat repository.
    var components: Set<String> = []
  }

  /// By apt's name; nil where two archives share it.
  private var releases: [String: Release?] = [:]

  /// Bytes of a `Release` file that are read: its fields stand before its long lists of files.
  private static let headSize = 8192

  /// Reads the heads of the `Release` files in a folder of package lists.
  init(in folder: String) {
    let names = RootFiles.names(in: folder)
    let prefixes = names.compactMap { name in
      ["InRelease", "Release"].first { name.hasSuffix("_" + $0) }
        .map { (file: name, prefix: name.dropLast($0.count)) }
    }
    var components: [Substring: Set<String>] = [:]
    for name in names {
      // A suite's name may begin another one's.
      guard let end = name.firstRange(of: "_binary-")?.lowerBound,
        let prefix = prefixes.map(\.prefix).filter({ name[..<end].hasPrefix($0) })
          .max(by: { $0.count < $1.count })
      else { continue }
      // In these names a slash is an underscore.
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
    // Whoever reads apt's line stops at a comma, where the next release would begin.
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

  /// Where a version comes from.
  ///
  /// - Parameters:
  ///   - known: What apt calls it (`Debian:12.10/stable`).
  ///   - file: The archive's place, as a URI or as the index names it (`pool/main/h/hello/…`).
  /// - Returns: As much of `ORIGIN:CODENAME/COMPONENT` as is certain; apt's own name where the
  ///   `Release` files do not have it.
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
  /// The component of an archive; nil when it cannot be told.
  fileprivate func component(of file: String?) -> String? {
    guard components.count != 1 else { return components.first }
    guard let file, let pool = ("/" + file).firstRange(of: "/pool/")?.upperBound else { return nil }
    let rest = ("/" + file)[pool...]
    // Debian's security archive keeps its pool below `updates`, which is no part of the name.
    let matching = components.filter {
      rest.hasPrefix($0 + "/") || rest.hasPrefix("updates/" + $0 + "/")
    }
    return matching.max { $0.count < $1.count }
  }
}

/// The names of a root's archives, read anew only when its package lists have moved.
final class ReleaseMemory: Sendable {
  private let known = Mutex<(state: RootState, names: ReleaseNames)?>(nil)

  /// The names as the root's lists now have them.
  func names(of root: PackageRoot) -> ReleaseNames {
    let state = RootState(of: [root.listsDirectory])
    if let names = known.withLock({ $0?.state == state ? $0?.names : nil }) { return names }
    let names = ReleaseNames(in: root.listsDirectory)
    known.withLock { $0 = (state, names) }
    return names
  }
}
