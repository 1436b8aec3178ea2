/// A tiny package, described in Swift and built on the spot.
package struct PackageFixture: Sendable, Hashable {
  /// A maintainer script.
  package enum Script: String, Sendable, Hashable, CaseIterable {
    case preinst
    case postinst
    case prerm
    case postrm
  }

  /// A file that the package ships.
  package struct File: Sendable, Hashable {
    /// Relative to the root.
    package var path: String
    package var content: String
    /// Length to which the content is filled up with bytes that do not compress.
    package var size: Int
    /// Whether those bytes are letters, which take long to compress and to unpack.
    package var isText: Bool

    package init(_ path: String, _ content: String, size: Int = 0, isText: Bool = false) {
      self.isText = isText
      self.path = path
      self.content = content
      self.size = size
    }
  }

  package var name: String
  package var version: String
  /// `all`, or an architecture's name; `native` and `foreign` stand for those of the test.
  package var architecture: String
  /// Further fields of the control file: `("Depends", "lib (>= 1)")`.
  package var fields: [Field]
  package var files: [File]
  /// Absolute paths of configuration files among `files`.
  package var conffiles: [String]
  /// Shell text of maintainer scripts, without the first line.
  ///
  /// `$DPKG_ROOT` is the root's path.
  package var scripts: [Script: String]
  /// The text of the `triggers` file.
  package var triggers: String?
  /// Whether the index names a wrong hash.
  package var hasWrongHash = false
  /// How dpkg-deb compresses the archive.
  package var compression = ["-Zgzip", "-z1"]

  /// One field of a control file.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String
  }

  package init(
    _ name: String, _ version: String = "1.0", architecture: String = "all",
    fields: KeyValuePairs<String, String> = [:], files: [File]? = nil, conffiles: [String] = [],
    scripts: [Script: String] = [:], triggers: String? = nil
  ) {
    self.name = name
    self.version = version
    self.architecture = architecture
    self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    self.files = files ?? [File("usr/share/\(name)/file", "\(name) \(version)\n")]
    self.conffiles = conffiles
    self.scripts = scripts
    self.triggers = triggers
  }

  /// The same package with an index entry whose hash is wrong.
  package var withWrongHash: PackageFixture {
    var copy = self
    copy.hasWrongHash = true
    return copy
  }

  /// A package whose post-installation script waits until it is let go.
  ///
  /// It makes the file `at-NAME` in the root and waits for the file `go-NAME` there, a minute at most.
  package static func held(
    _ name: String, _ version: String = "1.0", fields: KeyValuePairs<String, String> = [:]
  ) -> PackageFixture {
    PackageFixture(
      name, version, fields: fields,
      scripts: [
        .postinst: """
        : > "$DPKG_ROOT/at-\(name)"
        n=0
        while [ ! -e "$DPKG_ROOT/go-\(name)" ]; do
          n=$((n + 1))
          [ $n -lt 1200 ] || exit 9
          sleep 0.05
        done
        """
      ])
  }
}
