extension ThemeReport {
  /// The report in JSON, for `theme check --json`.
  ///
  /// Numbers are rounded down to hundredths; values that depend on the terminal's own colours are
  /// omitted.
  package struct Sheet: Sendable, Encodable {
    /// One role.
    package struct Role: Sendable, Encodable {
      let role: String
      /// The styles by colour level: `mono`, `16`, `256`, `truecolor`.
      let styles: [String: String]
      /// The contrast by background.
      let contrast: [String: Double]?
    }

    /// The states with the most similar colours.
    package struct States: Sendable, Encodable {
      let vision: String
      let distance: Double
      let states: [String]
      /// Whether the theme must keep the least distance for this vision.
      let isRequired: Bool
    }

    /// A violation of a rule.
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

  /// The report in JSON.
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
