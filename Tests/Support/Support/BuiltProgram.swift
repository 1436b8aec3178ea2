internal import NeighbourPrograms

/// The executables that were built beside the tests.
package enum BuiltProgram {
  /// The path of an executable that ``TestUser`` can start, wherever the clone lies.
  package static func path(_ name: String) -> String { NeighbourPrograms.path(name) }
}
