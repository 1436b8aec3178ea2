/// A tiny package that is built on the spot.
///
/// Its scripts write what they are called for into the file `trace` of the package root, a line a
/// call, and take a moment, so that there is something to hit.
struct PackageRecipe: Sendable, Hashable {
  var name: String
  var version = "1.0"
  /// The packages it depends on.
  var dependencies: [String] = []
  /// Milliseconds that its post-installation script takes.
  var pause = 30
  /// Bytes of its only file, which do not compress.
  var size = 24_000
  /// Whether it has the script at all.
  var hasScript = true
  /// Whether it brings a configuration file, too.
  var hasConffile = false
  /// Whether its script waits until it is killed, instead of taking its time.
  var waits = false
  /// Whether its archive is an empty shell that apt can fetch and dpkg must never open.
  var isHollow = false

  /// The control file, as it stands in the archive and in the index.
  var control: String {
    var text = "Package: \(name)\nVersion: \(version)\nArchitecture: all\n"
    text += "Maintainer: fettle-bench <bench@example.org>\nInstalled-Size: \(size / 1024 + 4)\n"
    if !dependencies.isEmpty { text += "Depends: \(dependencies.joined(separator: ", "))\n" }
    return text + "Description: package of fettle-bench\n"
  }

  /// The post-installation script.
  ///
  /// `$DPKG_ROOT` is the package root: nothing outside is touched.
  var script: String {
    let pause = "0.\(String(repeating: "0", count: max(0, 3 - String(pause).count)))\(pause)"
    return """
      #!/bin/sh
      set -e
      echo "\(name) $1" >>"$DPKG_ROOT/\(Self.traceName)"
      \(waits ? "while :; do sleep 1; done" : "sleep \(pause)")

      """
  }

  /// The name that apt gives the archive.
  var archiveName: String { "\(name)_\(version)_all.deb" }

  /// Its configuration file, from the root's top.
  var conffile: String { "/etc/\(name).conf" }

  /// The file in a root that the scripts write to.
  static let traceName = "trace"

  /// How often each package was configured, by the lines of the scripts.
  static func configurations(in trace: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for line in trace.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, words[1] == "configure" else { continue }
      counts[String(words[0]), default: 0] += 1
    }
    return counts
  }

  /// The packages of the proofs: a family of dependencies, and a few that stand alone.
  static let all: [PackageRecipe] =
    [
      PackageRecipe(name: "anchor", pause: 60),
      PackageRecipe(name: "buoy", dependencies: ["anchor"]),
      PackageRecipe(name: "cable", dependencies: ["anchor"], pause: 120),
      PackageRecipe(name: "deck", dependencies: ["buoy", "cable"]),
      PackageRecipe(name: "ensign", pause: 20, size: 200_000),
      PackageRecipe(name: "funnel", dependencies: ["ensign"], pause: 80),
      PackageRecipe(name: "galley"),
      PackageRecipe(name: "hatch", pause: 10, size: 120_000),
      PackageRecipe(name: "island", dependencies: ["galley", "hatch"]),
    ] + lone

  /// Those that depend on nothing and that nothing depends on.
  static let lone: [PackageRecipe] = ["quay", "rope", "sail"].map { PackageRecipe(name: $0) }
}
