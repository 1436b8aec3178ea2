import HostSystem

/// The settings of a system tree's own apt configuration that may apply to apt on the host.
///
/// apt that works on a tree from outside would run programs of the tree's configuration (hooks,
/// proxy detectors, other binaries, `Binary::apt-get`, which moves into any other scope) on the
/// host and as root. So no file of the tree is included. Only the settings listed in this type are
/// read, and only plain values are passed on. A file name in a setting means a file in the tree and
/// is converted. A proxy detector is a program of the tree that would run outside of it; it is
/// passed on only where root alone can change the program and the folders above it, because root
/// trusts the package scripts of such a tree as much. Of dpkg's options only options with effect
/// inside the tree are passed on. The job's policy decides which configuration files are kept.
struct TreeSettings: Sendable, Hashable {
  private let root: PackageRoot
  /// Lines for apt's configuration, in the order of the files.
  private(set) var lines: [String] = []

  /// Reads the configuration below `etc/apt` of a tree, in apt's order; unreadable files are left
  /// out.
  init(of root: PackageRoot) {
    self.root = root
    let parts = root.path("etc/apt/apt.conf.d")
    let names = RootFiles.names(in: parts).filter(Self.isRead).map { "\(parts)/\($0)" }
    for file in names + [root.path("etc/apt/apt.conf")] where RootFiles.isFile(file) {
      read(RootFiles.text(of: file) ?? "")
    }
  }

  /// Parses a text in the format of apt.conf(5).
  mutating func read(_ text: String) {
    var scopes: [String] = []
    var words: [String] = []
    for token in Self.tokens(of: text) {
      switch token {
      case .word(let word): words.append(word)
      case .begin:
        scopes.append(words.first ?? "")
        words = []
      case .end, .separator:
        apply(words, in: scopes)
        words = []
        if token == .end, !scopes.isEmpty { scopes.removeLast() }
      }
    }
  }

  private mutating func apply(_ words: [String], in scopes: [String]) {
    guard let value = words.last, words.count <= 2 else { return }
    // A single word is an entry of the enclosing list, as is a value whose name ends in `::`.
    let name = (scopes + [words.count == 2 ? words[0] : ""]).joined(separator: "::")
    let isEntry = name.hasSuffix("::")
    let plain = isEntry ? String(name.dropLast(2)) : name
    guard let (known, kind) = Self.known(plain), kind.isList == isEntry || kind == .list,
      let carried = kind.convertedValue(value, in: root),
      let line = AptConfiguration.line(isEntry ? known + "::" : known, carried)
    else { return }
    lines.append(line)
  }

  /// Returns the setting for a name, in this type's spelling; apt ignores case in names.
  private static func known(_ name: String) -> (name: String, kind: TreeSettingKind)? {
    let wanted = name.lowercased()
    if let setting = settings[wanted] { return setting }
    for proxy in proxies {
      let prefix = proxy.lowercased() + "::"
      guard let host = Substring(wanted).after(prefix), isHost(host) else { continue }
      return ("\(proxy)::\(host)", .address)
    }
    let ending = "::cainfo"
    guard let rest = Substring(wanted).after("acquire::https::"), rest.hasSuffix(ending),
      case let host = rest.dropLast(ending.count), isHost(host)
    else { return nil }
    return ("Acquire::https::\(host)::CaInfo", .file)
  }

  private static func isHost(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
      }
  }

  private static let proxies = [
    "Acquire::http::Proxy", "Acquire::https::Proxy", "Acquire::ftp::Proxy",
  ]

  private static let settings: [String: (name: String, kind: TreeSettingKind)] = {
    let plain = [
      "Acquire::Retries", "Acquire::Check-Valid-Until", "Acquire::Max-ValidTime",
      "Acquire::GzipIndexes", "Acquire::PDiffs", "Acquire::By-Hash", "Acquire::ForceIPv4",
      "Acquire::ForceIPv6", "Acquire::AllowInsecureRepositories",
      "Acquire::AllowWeakRepositories", "Acquire::AllowDowngradeToInsecureRepositories",
      "Acquire::http::Timeout", "Acquire::https::Timeout", "Acquire::http::Dl-Limit",
      "Acquire::https::Dl-Limit", "Acquire::http::No-Cache", "Acquire::http::Pipeline-Depth",
      "Acquire::https::Verify-Peer", "Acquire::https::Verify-Host", "APT::Architecture",
      "APT::Default-Release", "APT::Install-Recommends", "APT::Install-Suggests",
      "APT::Get::AllowUnauthenticated", "APT::Cache-Limit", "APT::Cache-Start",
    ]
    let lists = ["Acquire::Languages", "APT::Architectures"]
    let detectors = ["Acquire::http::Proxy-Auto-Detect", "Acquire::https::Proxy-Auto-Detect"]
    let all =
      plain.map { ($0, TreeSettingKind.plain) } + lists.map { ($0, .list) }
      + proxies.map { ($0, .address) } + detectors.map { ($0, .program) }
      + [("Acquire::https::CaInfo", .file), ("DPkg::Options", .dpkgOption)]
    return Dictionary(
      all.map { ($0.0.lowercased(), (name: $0.0, kind: $0.1)) }, uniquingKeysWith: { $1 })
  }()

  // apt reads only files with plain names, without a suffix or with the suffix `.conf`.
  private static func isRead(_ name: String) -> Bool {
    let dot = name.lastIndex(of: ".")
    let isPlain = name.utf8.allSatisfy {
      switch $0 {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return isPlain && !name.hasPrefix(".") && (dot.map { name[$0...] == ".conf" } ?? true)
  }
}

extension TreeSettings {
  private enum Token: Equatable {
    case word(String)
    case begin
    case end
    case separator
  }

  private static func tokens(of text: String) -> [Token] {
    let bytes = Array(text.utf8)
    var tokens: [Token] = []
    var place = 0
    func starts(_ mark: String, at index: Int) -> Bool { bytes[index...].starts(with: mark.utf8) }
    func skip(to mark: String) {
      while place < bytes.count, !starts(mark, at: place) { place += 1 }
      place = min(place + mark.utf8.count, bytes.count)
    }
    while place < bytes.count {
      switch bytes[place] {
      case 0x7B, 0x7D, 0x3B:
        tokens.append(
          bytes[place] == 0x7B ? .begin : bytes[place] == 0x7D ? .end : .separator)
        place += 1
      case 0x22:
        let start = place + 1
        place = start
        skip(to: "\"")
        tokens.append(.word(String(decoding: bytes[start..<max(start, place - 1)], as: UTF8.self)))
      case 0...0x20: place += 1
      case 0x23: skip(to: "\n")
      case 0x2F where starts("//", at: place): skip(to: "\n")
      case 0x2F where starts("/*", at: place): skip(to: "*/")
      default:
        let start = place
        while place < bytes.count, bytes[place] > 0x20,
          ![0x22, 0x3B, 0x7B, 0x7D].contains(bytes[place]),
          !starts("//", at: place)
        { place += 1 }
        tokens.append(.word(String(decoding: bytes[start..<place], as: UTF8.self)))
      }
    }
    return tokens
  }
}
