internal import InstallJobs

/// What a row of aborts has counted.
struct AbortTally: Sendable, Hashable {
  /// For each abort, how much of its answer did not come true.
  var broken: [Int] = []
  /// For each abort, 1 where `dpkg --audit` was not silent after it.
  var audits: [Int] = []
  /// How many were asked for at each moment.
  var moments: [AbortTrial.Moment: Int] = [:]
  /// How many were answered in each way.
  var answers: [String: Int] = [:]
  /// How often the engine was killed right after its answer.
  var deaths = 0
  /// Milliseconds from the request to its answer.
  var answerTimes: [Double] = []
  /// Milliseconds from the request to the end of the job, of those that were accepted by an
  /// engine that lived on.
  var waits: [Double] = []

  /// Adds what another lane counted.
  mutating func add(_ other: AbortTally) {
    broken += other.broken
    audits += other.audits
    moments.merge(other.moments, uniquingKeysWith: +)
    answers.merge(other.answers, uniquingKeysWith: +)
    deaths += other.deaths
    answerTimes += other.answerTimes
    waits += other.waits
  }

  /// The word under which an answer is counted.
  static func word(for answer: AbortDisposition) -> String {
    switch answer {
    case .accepted(nil, _): "stops at once"
    case .accepted(_?, _): "stops after a package"
    case .refused: "refused"
    case .alreadyCompleted: "over already"
    }
  }

  /// The figures of so many aborts.
  func figures(_ section: String, wanted: Int, seed: UInt64) -> [Figure] {
    let when = AbortTrial.Moment.allCases.map { "\($0.rawValue) \(moments[$0] ?? 0)" }
    let what = answers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let died = "engine killed right after the answer \(deaths)"
    let kept = broken.map { $0 == 0 ? 1.0 : 0 }
    let counts = [
      Figure(
        section, "aborts", [Double(broken.count)], unit: "count", target: Double(wanted),
        better: .higher, note: when.joined(separator: ", ") + "; seed \(seed)"),
      Figure(
        section, "dispositions that came true", kept, value: kept.reduce(0, +), unit: "count",
        target: Double(broken.count), better: .higher,
        note: (what + [died]).joined(separator: ", ")),
      Figure(
        section, "promises broken", broken.map(Double.init),
        value: Double(broken.count { $0 > 0 }), unit: "count", target: 0),
      Figure(
        section, "audits not silent", audits.map(Double.init),
        value: Double(audits.reduce(0, +)), unit: "count", target: 0),
    ]
    let times =
      Self.distribution(section, "request to answer", answerTimes)
      + Self.distribution(
        section, "request to end of an accepted abort", waits,
        note: "to the end of the package named in the answer, verified")
    return counts.compactMap(\.self) + times
  }

  private static func distribution(
    _ section: String, _ name: String, _ samples: [Double], note: String? = nil
  ) -> [Figure] {
    let points = [("p50", 0.5), ("p95", 0.95), ("max", 1)]
    return points.enumerated().compactMap { index, point in
      Figure(
        section, "\(name), \(point.0)", samples, value: samples.percentile(point.1), unit: "ms",
        note: index == 0 ? note : nil)
    }
  }
}
