internal import Glibc
internal import Synchronization

/// The archives of fixtures, built once a process.
actor FixtureArchives {
  /// A built archive.
  struct Archive: Sendable {
    var path: String
    var size: Int
    var sha256: String
    var control: String
  }

  static let shared = FixtureArchives()

  private var folder: TestFolder?
  private var archives: [PackageFixture: Task<Archive, any Error>] = [:]

  func archive(of fixture: PackageFixture, architecture: String) async throws -> Archive {
    var key = fixture
    key.architecture = architecture
    key.hasWrongHash = false
    if let task = archives[key] { return try await task.value }
    let place = try place()
    let index = archives.count
    let task = Task { try await key.build(at: "\(place)/\(index)") }
    archives[key] = task
    return try await task.value
  }

  private func place() throws -> String {
    if let folder { return folder.path }
    let made = try TestFolder()
    folder = made
    // A static lives until the process ends, and is not released then.
    Self.leftover.withLock { $0 = made.path }
    atexit { TestFolder.remove(FixtureArchives.leftover.withLock { $0 }) }
    return made.path
  }

  private static let leftover = Mutex("")
}

extension PackageFixture {
  /// The name apt gives the archive.
  package func fileName(architecture: String) -> String {
    "\(name)_\(version.replacing(":", with: "%3a"))_\(architecture).deb"
  }

  fileprivate func build(at folder: String) async throws -> FixtureArchives.Archive {
    let tree = folder + "/tree"
    try TestFolder.makeFolder(tree + "/DEBIAN")
    var bytes = 0
    for file in files {
      let path = tree + "/" + file.path
      try TestFolder.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
      let content = file.filled
      bytes += content.count
      try TestFolder.write(content, to: path)
    }
    var control = "Package: \(name)\nVersion: \(version)\nArchitecture: \(architecture)\n"
    control += "Maintainer: Fixture <fixture@example.org>\nInstalled-Size: \(bytes / 1024 + 4)\n"
    for field in fields { control += "\(field.name): \(field.value)\n" }
    let isDescribed = fields.contains { $0.name == "Description" }
    let description = isDescribed ? "" : "Description: fixture \(name)\n"
    try TestFolder.write(control + description, to: tree + "/DEBIAN/control")
    if !conffiles.isEmpty {
      let list = conffiles.joined(separator: "\n") + "\n"
      try TestFolder.write(list, to: tree + "/DEBIAN/conffiles")
    }
    if let triggers { try TestFolder.write(triggers, to: tree + "/DEBIAN/triggers") }
    for (script, text) in scripts {
      try TestFolder.write(
        "#!/bin/sh\nset -e\n\(text)\n", to: "\(tree)/DEBIAN/\(script.rawValue)", mode: 0o755)
    }
    let path = folder + "/" + fileName(architecture: architecture)
    let build =
      ["/usr/bin/dpkg-deb"] + compression + ["--nocheck", "--root-owner-group", "-b", tree, path]
    try await ToolOutput.of(build).expectSuccess("dpkg-deb for \(name)")
    let sum = try await ToolOutput.of(["/usr/bin/sha256sum", path])
    try sum.expectSuccess("sha256sum for \(name)")
    TestFolder.remove(tree)
    var record = stat()
    guard unsafe stat(path, &record) == 0 else { throw FixtureError("no archive at \(path)") }
    return FixtureArchives.Archive(
      path: path, size: Int(record.st_size), sha256: String(sum.output.prefix(64)),
      control: control + description)
  }
}

extension PackageFixture.File {
  // A linear congruential generator: the same bytes in each run, and no compressor shortens them.
  fileprivate var filled: [UInt8] {
    var bytes = Array(content.utf8)
    var state: UInt64 = 42
    bytes.reserveCapacity(size)
    // Repeated only beyond the reach of a compressor's memory.
    let block = min(size, max(bytes.count, 1 << 20))
    while bytes.count < block {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let byte = UInt8(truncatingIfNeeded: state >> 33)
      bytes.append(isText ? byte & 0x3F | 0x40 : byte)
    }
    let first = bytes
    while bytes.count < size { bytes += first.prefix(size - bytes.count) }
    return bytes
  }
}
