/// Why a job shows no sign of life, as far as known (row C21, idea N6).
public struct StallCause: Sendable, Hashable, Codable {
  /// The kinds of causes.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A foreign process holds the package lock.
    case lock
    /// No bytes of an archive arrive.
    case network
    /// A package script is running without output.
    case script
    /// A process is blocked on the disk.
    case disk
    /// A package tool is running without output, or was stopped by a signal.
    case tool
  }

  /// The kind of cause.
  public var kind: Kind
  /// One line for display.
  public var message: String
  /// The process that the job waits for, if any.
  public var pid: Int32?
  /// The name of that process's program, sanitised.
  public var command: String?

  /// Creates a value from its parts.
  public init(_ kind: Kind, _ message: String, pid: Int32? = nil, command: String? = nil) {
    self.kind = kind
    self.message = message
    self.pid = pid
    self.command = command
  }
}
