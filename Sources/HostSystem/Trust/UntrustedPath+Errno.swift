internal import Glibc

extension UntrustedPath {
  /// The system's words for an error number.
  package static func words(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
