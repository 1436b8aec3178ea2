import InstallJobs

/// A reason for which apt does not begin to install, known by a part of its message (apt 2.6.1,
/// 3.0.4).
struct RefusalReason: Sendable {
  /// The part of apt's message.
  var text: String
  var code: InstallationError.Code
  var message: String
  var hint: String

  /// The known reasons.
  static let all = [
    RefusalReason(
      text: "unauthenticated packages", code: .sourceUnavailable,
      message: "apt does not take archives of a source without a valid signature",
      hint: "have the source signed and its key named (Signed-By), or, where it is to be trusted"
        + " without, mark it '[trusted=yes]' in sources.list; then 'fettle update'"),
    RefusalReason(
      text: "Problem executing scripts DPkg::Pre-Invoke", code: .notPermitted,
      message: "a hook of apt on this machine forbids the work (DPkg::Pre-Invoke)",
      hint: "the job's log has the hook's words; the hook is in apt.conf.d"),
    RefusalReason(
      text: "Failure running script", code: .notPermitted,
      message: "a hook of apt on this machine forbids the work (DPkg::Pre-Install-Pkgs)",
      hint: "the job's log has the hook's words; the hook is in apt.conf.d"),
    RefusalReason(
      text: "Essential packages were removed", code: .notUninstallable,
      message: "apt does not remove packages that the system needs", hint: "leave them out"),
    RefusalReason(
      text: "Held packages were changed", code: .unresolvable,
      message: "apt does not change held packages",
      hint: "'fettle unhold NAME' takes a hold away"),
  ]
}
