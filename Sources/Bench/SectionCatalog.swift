/// The sections there are, in the order in which `all` runs them.
enum SectionCatalog: Sendable {
  static let all: [any Section.Type] = [
    MonitorSection.self, ChaosSection.self, ChrootSection.self, PowerCutSection.self,
    AbortsSection.self,
    SoakSection.self, SiegeSection.self,
  ]

  /// The sections that the words name, each once, in the order of the words.
  ///
  /// - Throws: ``CannotMeasure`` for no word, or a word that names no section.
  static func named(_ words: [String]) throws(CannotMeasure) -> [any Section.Type] {
    let names = all.map { $0.name }.joined(separator: ", ")
    guard !words.isEmpty else {
      throw CannotMeasure("no section is named", hint: "name some of \(names), or all")
    }
    var chosen: [any Section.Type] = []
    for word in words {
      let found = word == "all" ? all : all.filter { $0.name == word }
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
