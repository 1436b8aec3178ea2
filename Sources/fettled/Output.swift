import Glibc

/// Lines to a descriptor, at once and unbuffered.
enum Output: Sendable {
  static func line(_ text: String, to descriptor: Int32) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }
}
