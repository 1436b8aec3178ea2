/// How many kills or aborts are still to be done, by all lanes together.
actor Quota {
  private var left: Int

  init(_ count: Int) { left = count }

  /// Whether none is left to be done.
  var isUsedUp: Bool { left <= 0 }

  /// Takes one; false when none is left.
  func consume() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    return true
  }

  /// Gives one back that hit nobody.
  func giveBack() { left += 1 }
}
