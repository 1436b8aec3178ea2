internal import Glibc
internal import InstallJobs
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
  private let engineUser: String
  private let directory: AccountDirectory

  /// A policy of its parts.
  ///
  /// - Parameters:
  ///   - engineUID: Who runs the engine.
  ///   - engineUser: The name of that user; nil for the number.
  ///   - group: Whose members may act.
  ///   - everybodyMayLook: Whether everybody may look.
  ///   - allowsOwner: False treats root and the engine's user like everybody else.
  ///   - timeout: How long the system's user database may take for an answer.
  ///   - lifetime: How long an answer of it holds.
  ///   - isMember: Whether the user belongs to the group; asked at each act, may block.
  package init(
    engineUID: UInt32, engineUser: String? = nil, group: String?, everybodyMayLook: Bool,
    allowsOwner: Bool = true, timeout: Duration = .seconds(2), lifetime: Duration = .seconds(2),
    isMember: @escaping @Sendable (UInt32, String) -> Bool = { Accounts.isMember($0, of: $1) }
  ) {
    self.engineUID = engineUID
    self.engineUser = engineUser ?? String(engineUID)
    self.group = group
    self.everybodyMayLook = everybodyMayLook
    self.allowsOwner = allowsOwner
    directory = AccountDirectory(timeout: timeout, lifetime: lifetime) { uid in
      AccountDirectory.Account(
        name: Accounts.name(of: uid), isMember: group.map { isMember(uid, $0) } ?? false)
    }
  }

  /// The policy of the running process: the group `fettle` counts only on a system engine.
  ///
  /// - Parameters:
  ///   - engineUser: The name of the user who runs it.
  ///   - everybodyMayLook: Whether everybody may look.
  /// - Returns: The policy.
  package static func own(engineUser: String? = nil, everybodyMayLook: Bool) -> AccessPolicy {
    let uid = geteuid()
    return AccessPolicy(
      engineUID: uid, engineUser: engineUser, group: uid == 0 ? "fettle" : nil,
      everybodyMayLook: everybodyMayLook)
  }

  /// What a peer's connection is counted as, and under which name it acts.
  package enum Admission: Sendable, Hashable {
    case seat(SeatClass, user: String)
    /// The peer may not even look.
    case refused(user: String)
  }

  /// What is known of a peer without asking the system; nil where that has to be asked.
  ///
  /// Of root and the engine's user everything is known.
  package func knownAdmission(of uid: UInt32) -> Admission? {
    if isOwner(uid) { return .seat(.owner, user: ownerName(uid)) }
    if group == nil, !everybodyMayLook { return .refused(user: String(uid)) }
    return directory.cached(uid).map { admission(of: $0) }
  }

  /// What a peer's connection is counted as; one that the system does not know in time has no more
  /// rights than everybody.
  package func admission(of uid: UInt32) async -> Admission {
    if let known = knownAdmission(of: uid) { return known }
    return admission(of: await directory.account(of: uid))
  }

  private func admission(of account: AccountDirectory.Account) -> Admission {
    if group != nil, account.isMember { return .seat(.member, user: account.name) }
    return everybodyMayLook ? .seat(.looker, user: account.name) : .refused(user: account.name)
  }

  /// What the peer may do now; nil for nothing at all.
  package func rights(of peer: PeerCredentials) async -> PeerRights? {
    switch await admission(of: peer.uid) {
    case .seat(.looker, _): .look
    case .seat: .act
    case .refused: nil
    }
  }

  private func isOwner(_ uid: UInt32) -> Bool { allowsOwner && (uid == 0 || uid == engineUID) }

  private func ownerName(_ uid: UInt32) -> String { uid == 0 ? "root" : engineUser }

  /// Why a user may not look at the engine, and what can be done about it.
  func refusal(user: String) -> InstallationError {
    var error = refusal(to: "look at this engine", user: user)
    guard let group else { return error }
    error.hint =
      "ask an administrator for membership of group '\(group)' or, to look only, for"
      + " 'everybodyMayLook = true' below [engine] in /etc/fettle/config.toml; or use an engine of"
      + " your own: 'fettle try'"
    return error
  }

  /// Why a user may not act, and what can be done about it.
  ///
  /// - Parameters:
  ///   - act: What the user may not do, after "is not permitted to".
  ///   - user: The user's name.
  /// - Returns: The error that the user is shown.
  func refusal(to act: String, user: String) -> InstallationError {
    InstallationError(
      .notPermitted, "user \(user) is not permitted to \(act)", class: .needsHuman,
      hint: group.map {
        "ask an administrator for membership of group '\($0)', or use an engine of your own: "
          + "'fettle try'"
      } ?? "use an engine of your own: see it with 'fettle try', or make a root with 'fettle root"
        + " create DIR' and start 'fettle engine --root DIR'")
  }

  /// The access that the socket itself needs so that this policy can decide.
  package var socketAccess: SocketAccess {
    everybodyMayLook || group != nil ? .everybody : .owner
  }
}
