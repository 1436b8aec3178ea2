/// Why a job shows no sign of life, as far as that can be known (row C21, idea N6).
public struct StallCause: Sendable, Hashable, Codable {
  /// What it is that nothing comes from.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A foreign process holds the package lock.
    case lock
    /// No bytes of an archive arrive.
    case network
    /// A script of a package runs and says nothing.
    case script
    /// A process waits for the disk, and for nothing else.
    case disk
    /// A package tool runs and says nothing, or was stopped by somebody.
    case tool
  }

  /// What it is that nothing comes from.
  public var kind: Kind
  /// One line for people.
  public var message: String
  /// The process that is waited for, where there is one.
  public var pid: Int32?
  /// The name of its program; sanitised.
  public var command: String?

  /// A value of its parts.
  public init(_ kind: Kind, _ message: String, pid: Int32? = nil, command: String? = nil) {
    self.kind = kind
    self.message = message
    self.pid = pid
    self.command = command
  }
}
