/// The program's version.
enum FettleVersion: Sendable {
  static let text = "0.1.0"
}
