internal import Glibc
internal import HostSystem

/// The user whose the private package roots are: this one, and for root one that nobody is.
///
/// Package scripts of a private root run without chroot, so they never run as root.
struct RootOwner: Sendable, Hashable {
  let uid: uid_t

  /// Root itself: whose a chroot is.
  static let root = RootOwner(uid: 0)

  private init(uid: uid_t) { self.uid = uid }

  /// Chooses the user.
  ///
  /// - Throws: ``CannotMeasure`` when no user is free.
  init() throws(CannotMeasure) {
    guard geteuid() == 0 else {
      uid = geteuid()
      return
    }
    guard let free = UnusedUserID.find() else {
      throw CannotMeasure(
        "no unused user id is free on this machine", hint: "run it as an ordinary user")
    }
    uid = free
  }

  /// What stands in front of a command for it to run as this user.
  var prefix: [String] {
    guard geteuid() == 0 else { return [] }
    return ["/usr/bin/setpriv", "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--"]
  }

  /// Gives a file or folder, which must be this process's, to the user; links are not followed.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be given away.
  func give(_ path: String) throws(CannotMeasure) {
    guard geteuid() == 0, unsafe lchown(path, uid, uid) != 0 else { return }
    throw CannotMeasure("cannot give '\(path)' to another user")
  }
}
