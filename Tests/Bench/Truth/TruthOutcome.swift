/// What was shown in the runs of both.
struct TruthOutcome: Sendable {
  var ours: [ShownProgress] = []
  var theirs: [AptProgress] = []

  /// The figures.
  func figures(_ section: String, peer: String, note: String) -> [Figure] {
    let means = ours.compactMap(\.errors.mean)
    let asSeen = theirs.compactMap(\.asSeen.errors.mean)
    let eachBar = theirs.compactMap(\.errorsOfEachBar.mean)
    func against(_ others: [Double]) -> [Double] {
      var pairs = PairedSamples()
      for (mine, other) in zip(means, others) { pairs.add(ours: mine, theirs: other) }
      return pairs.ratios
    }
    return [
      Figure(
        section, "error of the bar (mean) against the peer's", against(asSeen), unit: "ratio",
        target: 0.5, peer: peer,
        note: note + "; its percentage as it is seen, which begins anew "
          + "when dpkg begins"),
      Figure(
        section, "error of the bar (mean) against each of the peer's two bars", against(eachBar),
        unit: "ratio", target: 0.5, peer: peer,
        note: "each of its bars against the time of its own part only"),
      Figure(
        section, "error of the bar (mean)", means, unit: "%",
        note: "|shown % − share of the elapsed time|"),
      Figure(section, "error of the bar (largest)", ours.compactMap { $0.errors.max() }, unit: "%"),
      Figure(section, "error of the bar (mean)", asSeen, unit: "%", peer: peer),
      Figure(
        section, "error of the bar (largest)", theirs.compactMap { $0.asSeen.errors.max() },
        unit: "%", peer: peer),
      Figure(section, "error of each of two bars (mean)", eachBar, unit: "%", peer: peer),
      Figure(
        section, "error of the end that is foreseen (mean)", ours.compactMap(\.errorsOfEnd.mean),
        unit: "%", note: "|seconds said − seconds left| of the whole; the peer foresees none"),
      Figure(
        section, "share of the time with an end foreseen", ours.map(\.shareWithEnd), unit: "%",
        better: .higher),
      Figure(section, "length of the runs", ours.map(\.length), unit: "s"),
      Figure(section, "length of the runs", theirs.map(\.length), unit: "s", peer: peer),
    ].compactMap(\.self)
  }
}
