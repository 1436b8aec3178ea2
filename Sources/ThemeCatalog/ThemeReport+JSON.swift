extension ThemeReport {
  /// The report for programs: `theme check --json`.
  ///
  /// Figures are rounded down to hundredths; what the terminal's own colours decide is left
  /// out.
  package struct Sheet: Sendable, Encodable {
    /// One role.
    package struct Role: Sendable, Encodable {
      let role: String
      /// By colour level: `mono`, `16`, `256`, `truecolor`.
      let styles: [String: String]
      /// By background.
      let contrast: [String: Double]?
    }

    /// The states whose colours are most alike.
    package struct States: Sendable, Encodable {
      let vision: String
      let distance: Double
      let states: [String]
      /// Whether the theme has to keep the least distance for these eyes.
      let isRequired: Bool
    }

    /// Something that does not keep to the rules.
    package struct Finding: Sendable, Encodable {
      /// `contrast`, `distance` or `file`.
      let rule: String
      let message: String
      let file: String?
      let line: Int?
    }

    let name: String
    let kind: String
    let isSound: Bool
    let leastContrast: Double
    let leastDistance: Double
    let roles: [Role]
    let states: [States]
    let findings: [Finding]
  }

  /// The report for programs.
  package var sheet: Sheet {
    Sheet(
      name: name, kind: kind.rawValue, isSound: findings.isEmpty,
      leastContrast: max(Self.leastContrast, promise.contrast ?? 0),
      leastDistance: Self.leastDistance,
      roles: rows.map { row in
        Sheet.Role(
          role: row.role.name,
          styles: Dictionary(
            uniqueKeysWithValues: zip(
              ColorLevel.allCases.map(\.rawValue), row.styles.map { "\($0)" })),
          contrast: row.contrasts.map { contrasts in
            Dictionary(
              uniqueKeysWithValues: zip(
                Backdrop.all.map(\.name), contrasts.map(Self.hundredths)))
          })
      },
      states: ColorVision.allCases.compactMap { vision in
        closestStates[vision].map { pair in
          Sheet.States(
            vision: vision.rawValue, distance: Self.hundredths(pair.distance),
            states: [pair.one.name, pair.other.name],
            isRequired: vision == .full || promise.vision.contains(vision))
        }
      },
      findings: findings.map { finding in
        switch finding {
        case .faint:
          Sheet.Finding(rule: "contrast", message: "\(finding)", file: nil, line: nil)
        case .alike:
          Sheet.Finding(rule: "distance", message: "\(finding)", file: nil, line: nil)
        case .warning(let issue):
          Sheet.Finding(rule: "file", message: issue.message, file: issue.file, line: issue.line)
        }
      })
  }

  private static func hundredths(_ value: Double) -> Double {
    (value * 100 + 1e-7).rounded(.down) / 100
  }
}
