/// The version of both programs.
package enum ProductVersion {
  /// The version as people see it.
  package static let text = "0.1.0"
}
