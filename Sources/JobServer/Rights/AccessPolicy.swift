internal import Glibc
internal import InstallJobs
package import JobTransport
package import JobWire

/// The rights to view and to act, decided only by the uid of the peer (row A40).
package struct AccessPolicy: Sendable {
  /// The user that runs the engine.
  package var engineUID: UInt32
  /// The group whose members may act; nil for an engine of one user.
  package var group: String?
  /// Whether every user may view.
  package var everybodyMayLook: Bool
  /// Whether root and the user of the engine may act; false only in tests of the rights.
  private let allowsOwner: Bool
  private let engineUser: String
  private let directory: AccountDirectory

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - engineUID: The user that runs the engine.
  ///   - engineUser: The name of that user; nil for its number.
  ///   - group: The group whose members may act; nil for an engine of one user.
  ///   - everybodyMayLook: Whether every user may view.
  ///   - allowsOwner: False treats root and the engine's user like any other user.
  ///   - timeout: Time-out of a query to the system's user database.
  ///   - lifetime: Time for which an answer of the database is cached.
  ///   - isMember: Returns whether the user belongs to the group; called for each act, may block.
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

  /// The policy of the running process.
  ///
  /// The group `fettle` applies only if the process runs as root.
  ///
  /// - Parameters:
  ///   - engineUser: The name of the user that runs the engine.
  ///   - everybodyMayLook: Whether every user may view.
  /// - Returns: The policy.
  package static func own(engineUser: String? = nil, everybodyMayLook: Bool) -> AccessPolicy {
    let uid = geteuid()
    return AccessPolicy(
      engineUID: uid, engineUser: engineUser, group: uid == 0 ? "fettle" : nil,
      everybodyMayLook: everybodyMayLook)
  }

  /// The seat class and the user name of a peer, or its refusal.
  package enum Admission: Sendable, Hashable {
    case seat(SeatClass, user: String)
    /// The peer has no right to view.
    case refused(user: String)
  }

  /// The admission of a peer as far as it is known without a query to the system; nil if a query is
  /// needed.
  ///
  /// Root and the engine's user never need a query.
  package func knownAdmission(of uid: UInt32) -> Admission? {
    if isOwner(uid) { return .seat(.owner, user: ownerName(uid)) }
    if group == nil, !everybodyMayLook { return .refused(user: String(uid)) }
    return directory.cached(uid).map { admission(of: $0) }
  }

  /// The admission of a peer.
  ///
  /// If the system does not answer in time, the peer has the rights of any unknown user.
  package func admission(of uid: UInt32) async -> Admission {
    if let known = knownAdmission(of: uid) { return known }
    return admission(of: await directory.account(of: uid))
  }

  private func admission(of account: AccountDirectory.Account) -> Admission {
    if group != nil, account.isMember { return .seat(.member, user: account.name) }
    return everybodyMayLook ? .seat(.viewer, user: account.name) : .refused(user: account.name)
  }

  /// The current rights of the peer; nil for none.
  package func rights(of peer: PeerCredentials) async -> PeerRights? {
    switch await admission(of: peer.uid) {
    case .seat(.viewer, _): .look
    case .seat: .act
    case .refused: nil
    }
  }

  private func isOwner(_ uid: UInt32) -> Bool { allowsOwner && (uid == 0 || uid == engineUID) }

  private func ownerName(_ uid: UInt32) -> String { uid == 0 ? "root" : engineUser }

  /// The error for a user without the right to view, with a hint how to get it.
  func refusal(user: String) -> InstallationError {
    var error = refusal(to: "look at this engine", user: user)
    guard let group else { return error }
    error.hint =
      "ask an administrator for membership of group '\(group)' or, to look only, for"
      + " 'everybodyMayLook = true' below [engine] in /etc/fettle/config.toml; or use an engine of"
      + " your own: 'fettle try'"
    return error
  }

  /// The error for a user without the right to act, with a hint how to get it.
  ///
  /// - Parameters:
  ///   - act: The refused act, as the text after "is not permitted to".
  ///   - user: The user's name.
  /// - Returns: The error to send to the user.
  func refusal(to act: String, user: String) -> InstallationError {
    InstallationError(
      .notPermitted, "user \(user) is not permitted to \(act)", class: .needsHuman,
      hint: group.map {
        "ask an administrator for membership of group '\($0)', or use an engine of your own: "
          + "'fettle try'"
      } ?? "use an engine of your own: see it with 'fettle try', or make a root with 'fettle root"
        + " create DIR' and start 'fettle engine --root DIR'")
  }

  /// The file access of the socket that lets this policy decide.
  package var socketAccess: SocketAccess {
    everybodyMayLook || group != nil ? .everybody : .owner
  }
}
