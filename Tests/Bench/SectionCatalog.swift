/// The sections there are.
enum SectionCatalog: Sendable {
  /// Those that measure beside a peer or against a bound, in the order in which `all` runs them.
  static let figures: [any Section.Type] = [
    InstallSection.self, QueueSection.self, EngineSection.self, LatencySection.self,
    MonitorSection.self,
    TruthSection.self,
    ScaleSection.self, WaitSection.self,
  ]
  /// Those that prove promises, some for an hour or as root only; each is asked for by its name.
  static let proofs: [any Section.Type] = [
    ChaosSection.self, ChrootSection.self, PowerCutSection.self, PlugSection.self,
    AbortsSection.self, SoakSection.self, SiegeSection.self, AttackSection.self,
  ]
  private static let known = figures + proofs

  /// The sections that the words name, each once, in the order of the words.
  ///
  /// - Throws: ``CannotMeasure`` for no word, or a word that names no section.
  static func named(_ words: [String]) throws(CannotMeasure) -> [any Section.Type] {
    let names = known.map { $0.name }.joined(separator: ", ")
    guard !words.isEmpty else {
      throw CannotMeasure("no section is named", hint: "name some of \(names), or all")
    }
    var chosen: [any Section.Type] = []
    for word in words {
      let found = word == "all" ? figures : known.filter { $0.name == word }
      guard !found.isEmpty else {
        throw CannotMeasure("there is no section '\(word)'", hint: "name some of \(names), or all")
      }
      for section in found where !chosen.contains(where: { $0 == section }) {
        chosen.append(section)
      }
    }
    return chosen
  }
}
