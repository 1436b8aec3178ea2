internal import Glibc

extension UntrustedPath {
  /// The system's words for an error number.
  static func words(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
