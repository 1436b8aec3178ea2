internal import Glibc
internal import JobClient

/// A package repository in a folder: archives, built with `dpkg-deb`, and their index.
struct PackageShelf: Sendable {
  /// The folder that a mirror serves.
  let path: String
  /// Bytes of each package's archive.
  let sizes: [String: Int]

  /// What an archive begins with; all that a hollow one has.
  private static let signature = Array("!<arch>\n".utf8)

  /// Builds the archives of the recipes.
  ///
  /// - Throws: ``CannotMeasure`` when a tool is missing or fails.
  init(_ recipes: [PackageRecipe], in workplace: Workplace) async throws {
    path = try workplace.folder("shelf")
    let tree = try workplace.folder("tree")
    var index = ""
    var sizes: [String: Int] = [:]
    let hollowDigest = SHA256.hexadecimal(of: Self.signature)
    for recipe in recipes {
      try Task.checkCancellation()
      let archive = "\(path)/\(recipe.archiveName)"
      let (size, digest): (Int, String)
      if recipe.isHollow {
        try SmallFile.write(String(decoding: Self.signature, as: UTF8.self), to: archive)
        (size, digest) = (Self.signature.count, hollowDigest)
      } else {
        try Self.lay(recipe, in: "\(tree)/\(recipe.name)")
        _ = try await ChildProgram.run(
          ["/usr/bin/dpkg-deb", "-Znone", "--root-owner-group", "-b", "\(tree)/\(recipe.name)"]
            + [archive],
          environment: PrivateRoot.environment, log: "\(tree)/log")
        (size, digest) = try await Self.measure(archive, log: "\(tree)/log")
        workplace.removeFolder("tree/\(recipe.name)")
      }
      sizes[recipe.name] = size
      index += recipe.control + "Filename: ./\(recipe.archiveName)\nSize: \(size)\n"
      index += "SHA256: \(digest)\n\n"
    }
    self.sizes = sizes
    try SmallFile.write(index, to: path + "/Packages")
  }

  /// The size and the SHA-256 of a file; by the machine's own tool where ours would take its time.
  private static func measure(_ archive: String, log: String) async throws -> (Int, String) {
    var record = stat()
    guard unsafe stat(archive, &record) == 0 else {
      throw CannotMeasure("there is no archive '\(archive)'")
    }
    if record.st_size < 100_000, let content = SmallFile.bytes(archive) {
      return (content.count, SHA256.hexadecimal(of: content))
    }
    let line = try await ChildProgram.run(
      ["/usr/bin/sha256sum", archive], environment: PrivateRoot.environment, log: log)
    return (Int(record.st_size), String(line.prefix { $0 != " " }))
  }

  /// Lays a package's tree out as `dpkg-deb` wants it.
  private static func lay(_ recipe: PackageRecipe, in tree: String) throws(CannotMeasure) {
    let configuration = recipe.hasConffile ? ["/etc"] : []
    for folder in ["", "/DEBIAN", "/usr", "/usr/share", "/usr/share/\(recipe.name)"] + configuration
    {
      guard unsafe mkdir(tree + folder, 0o755) == 0 else {
        throw CannotMeasure("cannot make the folder '\(tree)\(folder)'")
      }
      unsafe chmod(tree + folder, 0o755)
    }
    try SmallFile.write(recipe.control, to: tree + "/DEBIAN/control")
    if recipe.hasScript {
      try SmallFile.write(recipe.script, to: tree + "/DEBIAN/postinst")
      unsafe chmod(tree + "/DEBIAN/postinst", 0o755)
    }
    if recipe.hasConffile {
      try SmallFile.write("# \(recipe.name)\n", to: tree + recipe.conffile)
      try SmallFile.write(recipe.conffile + "\n", to: tree + "/DEBIAN/conffiles")
    }
    try SmallFile.write(letters(recipe.size), to: "\(tree)/usr/share/\(recipe.name)/file")
  }

  /// Text of so many letters, the same for the same number.
  private static func letters(_ count: Int) -> String {
    var irregular = Irregular(seed: UInt64(count))
    let block = (0..<min(count, 65_536)).map { _ in UInt8(65 + irregular.next(below: 26)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += block.prefix(count - bytes.count) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
