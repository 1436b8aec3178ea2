internal import Glibc
internal import NeighbourPrograms

/// The programs that were built together with this one.
enum NeighbourProgram: Sendable {
  /// The path of a program that lies beside this one, or of a copy that every user can start.
  ///
  /// - Throws: ``CannotMeasure`` when it does not.
  static func path(_ name: String) throws(CannotMeasure) -> String {
    let path = NeighbourPrograms.path(name)
    guard unsafe access(path, X_OK) == 0 else {
      throw CannotMeasure(
        "there is no '\(name)' beside fettle-bench in '\(NeighbourPrograms.folder)'",
        hint: """
          build the whole package ('swift build -c release --static-swift-stdlib'), not one \
          product of it
          """)
    }
    return path
  }
}
