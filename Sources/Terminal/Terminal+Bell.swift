/// The bell of the user's terminal.
extension Terminal {
  /// Rings the bell once; the user's terminal decides whether that is a sound, a flash or nothing.
  package func ringBell() {
    guard state == .active else { return }
    write([0x07])
  }
}
