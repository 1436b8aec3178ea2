import Canvas
package import InstallJobs

/// A checkup as text for `fettle doctor`: one line for each finding, with its hint on the line
/// below.
package enum CheckupLines: Sendable {
  /// The sanitised lines; the last line is the summary.
  package static func lines(_ checkup: Checkup) -> [String] {
    var lines: [String] = []
    for finding in checkup.findings {
      let verdict = padded(finding.verdict.word, to: 9)
      lines.append("\(verdict)  \(padded(finding.subject.rawValue, to: 8))  \(finding.message)")
      if let hint = finding.hint { lines.append(padded("", to: 21) + "do: " + hint) }
    }
    lines.append(summary(checkup))
    return lines.map(sanitize)
  }

  private static func summary(_ checkup: Checkup) -> String {
    let faults = checkup.findings.count { $0.verdict == .fault }
    let notes = checkup.findings.count { $0.verdict == .attention || $0.verdict == .unknown }
    let rest = notes > 0 ? "; \(Figures.count(notes, "thing")) to know" : ""
    let place = checkup.root.isEmpty ? "" : checkup.root + ": "
    guard faults == 0 else {
      return "\(place)\(Figures.count(faults, "thing")) to put right first\(rest)"
    }
    // The machine has no fault, but the user has no right to submit jobs.
    let isBarred = checkup.findings.contains { $0.subject == .rights && $0.verdict == .attention }
    guard isBarred else { return "\(place)nothing stands in the way of a job\(rest)" }
    return "\(place)nothing is wrong, but no job here is yours to ask for\(rest)"
  }
}

extension Checkup.Verdict {
  fileprivate var word: String {
    switch self {
    case .sound: "ok"
    case .unknown: "unknown"
    case .attention: "attention"
    case .fault: "FAULT"
    }
  }
}
