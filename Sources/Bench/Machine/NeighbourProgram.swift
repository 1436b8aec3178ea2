internal import Glibc

/// The programs that were built together with this one.
enum NeighbourProgram: Sendable {
  /// The path of a program that lies beside this one.
  ///
  /// - Throws: ``CannotMeasure`` when it does not.
  static func path(_ name: String) throws(CannotMeasure) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let bytes = buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:))
    let own = String(decoding: bytes, as: UTF8.self)
    let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
    let path = folder + "/" + name
    guard unsafe access(path, X_OK) == 0 else {
      throw CannotMeasure(
        "there is no '\(name)' beside fettle-bench in '\(folder)'",
        hint: """
          build the whole package ('swift build -c release --static-swift-stdlib'), not one \
          product of it
          """)
    }
    return path
  }
}
