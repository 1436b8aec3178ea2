internal import Glibc
internal import JobClient

/// A package repository in a folder: archives, built with `dpkg-deb`, and their index.
struct PackageShelf: Sendable {
  /// The folder that a mirror serves.
  let path: String

  /// Builds the archives of the recipes.
  ///
  /// - Throws: ``CannotMeasure`` when a tool is missing or fails.
  init(_ recipes: [PackageRecipe], in workplace: Workplace) async throws {
    path = try workplace.folder("shelf")
    let tree = try workplace.folder("tree")
    var index = ""
    for recipe in recipes {
      let archive = "\(path)/\(recipe.archiveName)"
      try Self.lay(recipe, in: "\(tree)/\(recipe.name)")
      _ = try await ChildProgram.run(
        ["/usr/bin/dpkg-deb", "-Znone", "--root-owner-group", "-b", "\(tree)/\(recipe.name)"]
          + [archive],
        environment: PrivateRoot.environment, log: "\(tree)/log")
      guard let content = SmallFile.bytes(archive) else {
        throw CannotMeasure("there is no archive '\(archive)'")
      }
      index += recipe.control + "Filename: ./\(recipe.archiveName)\nSize: \(content.count)\n"
      index += "SHA256: \(SHA256.hexadecimal(of: content))\n\n"
    }
    try SmallFile.write(index, to: path + "/Packages")
  }

  /// Lays a package's tree out as `dpkg-deb` wants it.
  private static func lay(_ recipe: PackageRecipe, in tree: String) throws(CannotMeasure) {
    for folder in ["", "/DEBIAN", "/usr", "/usr/share", "/usr/share/\(recipe.name)"] {
      guard unsafe mkdir(tree + folder, 0o755) == 0 else {
        throw CannotMeasure("cannot make the folder '\(tree)\(folder)'")
      }
      unsafe chmod(tree + folder, 0o755)
    }
    try SmallFile.write(recipe.control, to: tree + "/DEBIAN/control")
    try SmallFile.write(recipe.script, to: tree + "/DEBIAN/postinst")
    unsafe chmod(tree + "/DEBIAN/postinst", 0o755)
    var letters = Irregular(seed: UInt64(recipe.size))
    let content = String(
      decoding: (0..<recipe.size).map { _ in UInt8(65 + letters.next(below: 26)) },
      as: UTF8.self)
    try SmallFile.write(content, to: "\(tree)/usr/share/\(recipe.name)/file")
  }
}
