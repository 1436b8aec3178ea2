/// What runs came to, as lines for people.
package enum FuzzReport: Sendable {
  /// The line above the rows.
  package static let heading = row("TARGET", "INPUTS", "INPUTS/S", "SLOWEST, AT INDEX", "FAILURES")

  /// The row of one target.
  package static func row(_ result: FuzzRun.Result) -> String {
    row(
      result.target, "\(result.inputs)", rate(result.inputs, result.time),
      "\(milliseconds(result.slowest.time)) at \(result.slowest.index)", "\(result.failureCount)")
  }

  /// The sum of several targets.
  package static func sum(_ results: [FuzzRun.Result]) -> String {
    let inputs = results.reduce(0) { $0 + $1.inputs }
    let time = results.reduce(Duration.zero) { $0 + $1.time }
    let failures = results.reduce(0) { $0 + $1.failureCount }
    return row("all", "\(inputs)", rate(inputs, time), "", "\(failures)")
  }

  /// Every failure with its input, as source for the corpus.
  package static func failures(_ result: FuzzRun.Result) -> [String] {
    result.failures.flatMap { failure in
      [
        "\(result.target) at index \(failure.index): \(failure.promise)",
        "  " + InputLiteral.text(of: failure.input),
      ]
    }
  }

  private static func row(_ target: String, _ cells: String...) -> String {
    let widths = [10, 10, 24, 9]
    return filled(target, to: 12, left: true)
      + zip(cells, widths).map { "  " + filled($0, to: $1, left: false) }.joined()
  }

  private static func filled(_ text: String, to width: Int, left: Bool) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return left ? text + space : space + text
  }

  private static func rate(_ count: Int, _ time: Duration) -> String {
    let seconds = time / .seconds(1)
    return seconds > 0 ? "\(Int(Double(count) / seconds))" : "-"
  }

  private static func milliseconds(_ time: Duration) -> String {
    let tenths = Int(time / .milliseconds(1) * 10)
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}
