internal import Glibc

extension UntrustedPath {
  /// Returns the system's message for an error number.
  package static func words(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
