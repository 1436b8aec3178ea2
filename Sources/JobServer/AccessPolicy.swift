internal import Glibc
package import JobTransport
package import JobWire

/// Who may look and who may act, decided by the peer's identity and nothing else (row A40).
package struct AccessPolicy: Sendable {
  /// Who runs the engine.
  package var engineUID: UInt32
  /// Members may act; nil where the engine is a user's own.
  package var group: String?
  /// Whether everybody may look.
  package var everybodyMayLook: Bool
  /// Whether root and the user of the engine may act; false only where rights are being tested.
  private let allowsOwner: Bool
  private let isMember: @Sendable (UInt32, String) -> Bool

  /// A policy of its parts.
  ///
  /// - Parameters:
  ///   - engineUID: Who runs the engine.
  ///   - group: Whose members may act.
  ///   - everybodyMayLook: Whether everybody may look.
  ///   - allowsOwner: False treats root and the engine's user like everybody else.
  ///   - isMember: Whether the user belongs to the group; asked at each act.
  package init(
    engineUID: UInt32, group: String?, everybodyMayLook: Bool, allowsOwner: Bool = true,
    isMember: @escaping @Sendable (UInt32, String) -> Bool = { Accounts.isMember($0, of: $1) }
  ) {
    self.engineUID = engineUID
    self.group = group
    self.everybodyMayLook = everybodyMayLook
    self.allowsOwner = allowsOwner
    self.isMember = isMember
  }

  /// The policy of the running process: the group `fettle` counts only on a system engine.
  package static func own(everybodyMayLook: Bool) -> AccessPolicy {
    let uid = geteuid()
    return AccessPolicy(
      engineUID: uid, group: uid == 0 ? "fettle" : nil, everybodyMayLook: everybodyMayLook)
  }

  /// What the peer may do now; nil for nothing at all.
  package func rights(of peer: PeerCredentials) -> PeerRights? {
    if allowsOwner, peer.uid == 0 || peer.uid == engineUID { return .act }
    if let group, isMember(peer.uid, group) { return .act }
    return everybodyMayLook ? .look : nil
  }

  /// The access that the socket itself needs so that this policy can decide.
  package var socketAccess: SocketAccess {
    everybodyMayLook || group != nil ? .everybody : .owner
  }
}
