/// The bell of the user's terminal.
extension Terminal {
  /// Rings it once; what that is, a sound, a flash or nothing, is the user's setting there.
  package func ringBell() {
    guard state == .active else { return }
    write([0x07])
  }
}
