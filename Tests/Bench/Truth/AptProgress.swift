/// apt's own percentages, from the lines that it writes for programs (`APT::Status-Fd`).
///
/// apt has no percentage of the whole: it goes from 0 to 100 while it fetches (`dlstatus`), and from
/// 0 to 100 again while dpkg works (`pmstatus`). This is what a person sees, on the line of the
/// download first and then on the bar at the bottom, and what is judged is what is seen. Because that
/// is hard on apt, its two bars are also judged each by itself: against the share of the time of its
/// own part, as if people knew how the parts compare.
struct AptProgress: Sendable, Hashable {
  /// The parts of its work.
  enum Part: String, Sendable, Hashable {
    case download = "dlstatus"
    case packages = "pmstatus"
  }

  /// One line.
  struct Line: Sendable, Hashable {
    var part: Part
    var percent: Double

    init(part: Part, percent: Double) {
      self.part = part
      self.percent = percent
    }

    /// Reads `dlstatus:NUMBER:PERCENT:TEXT` or `pmstatus:PACKAGE:PERCENT:TEXT`; nil for others.
    ///
    /// A package's name may hold colons (`NAME:ARCHITECTURE`), so the percentage is the first field
    /// behind the first that is a number with a point.
    init?(_ text: some StringProtocol) {
      let fields = text.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count > 2, let part = Part(rawValue: String(fields[0])),
        let percent = fields.dropFirst(2).lazy
          .compactMap({ $0.contains(".") || part == .download ? Double($0) : nil }).first
      else { return nil }
      self.init(part: part, percent: percent)
    }
  }

  /// A line and when it came.
  struct Told: Sendable, Hashable {
    /// Seconds since the program was started.
    var at: Double
    var line: Line
  }

  /// In the order in which they came.
  private(set) var lines: [Told]
  /// Seconds that the program took.
  let length: Double

  init(_ lines: [Told], length: Double) {
    self.lines = lines
    self.length = length
  }

  /// As it is seen: one percentage after the other, over the whole run.
  var asSeen: ShownProgress {
    ShownProgress(
      lines.map { ShownProgress.Reading(at: $0.at, percent: $0.line.percent) }, length: length)
  }

  /// Each bar over its own part: what is before the first line of dpkg's part belongs to the download.
  var eachBar: [ShownProgress] {
    let border = lines.first { $0.line.part == .packages }?.at ?? length
    func bar(_ part: Part, from start: Double, to end: Double) -> ShownProgress {
      ShownProgress(
        lines.filter { $0.line.part == part }
          .map { ShownProgress.Reading(at: $0.at - start, percent: $0.line.percent) },
        length: end - start)
    }
    return [bar(.download, from: 0, to: border), bar(.packages, from: border, to: length)]
  }

  /// The errors of both bars, each part with the weight of its time.
  var errorsOfEachBar: [Double] {
    eachBar.flatMap { bar in
      let errors = bar.errors
      let wanted = Int(
        (bar.length / max(length, .leastNonzeroMagnitude) * Double(ShownProgress.looks)).rounded())
      return (0..<wanted).compactMap { index in
        errors.isEmpty ? nil : errors[index * errors.count / wanted]
      }
    }
  }
}
