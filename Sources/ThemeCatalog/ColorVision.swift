import Canvas

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A kind of colour vision: full, or without one type of cone.
///
/// The matrices are those of Machado, Oliveira and Fernandes (2009) for full severity.
package enum ColorVision: String, Sendable, Hashable, CaseIterable {
  case full
  case protanopia
  case deuteranopia
  case tritanopia

  /// Returns linear light as this vision perceives it, each channel from 0 to 1.
  func seen(_ light: [Double]) -> [Double] {
    let rows: [[Double]]
    switch self {
    case .full:
      return light
    case .protanopia:
      rows = [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
      ]
    case .deuteranopia:
      rows = [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
      ]
    case .tritanopia:
      rows = [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
      ]
    }
    return rows.map { row in
      min(1, max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2]))
    }
  }
}

extension RGB {
  /// Returns the distance in CIE 1976 L*a*b* as eyes with `vision` perceive it; 2.3 is just
  /// noticeable.
  package func distance(to other: RGB, vision: ColorVision = .full) -> Double {
    let (one, two) = (lab(vision), other.lab(vision))
    var sum = 0.0
    for index in 0..<3 { sum += (one[index] - two[index]) * (one[index] - two[index]) }
    return sum.squareRoot()
  }

  private func lab(_ vision: ColorVision) -> [Double] {
    let light = vision.seen(linear)
    let x = 0.4124564 * light[0] + 0.3575761 * light[1] + 0.1804375 * light[2]
    let y = 0.2126729 * light[0] + 0.7151522 * light[1] + 0.0721750 * light[2]
    let z = 0.0193339 * light[0] + 0.1191920 * light[1] + 0.9503041 * light[2]
    // The white point D65 (daylight).
    let parts = [x / 0.95047, y, z / 1.08883].map { part in
      part > 0.008856 ? cbrt(part) : 7.787 * part + 16.0 / 116
    }
    return [
      116 * parts[1] - 16, 500 * (parts[0] - parts[1]), 200 * (parts[1] - parts[2]),
    ]
  }
}

extension Theme {
  /// The states that an operator must tell apart at a glance: running, done, failed and done with
  /// warnings.
  package static let keyStates: [Role] = [.stateRunning, .stateDone, .stateFailed, .stateWarn]

  /// Returns the two of ``keyStates`` with the most similar colours, and their distance; nil when
  /// the terminal's own colours are used.
  package func closestStates(vision: ColorVision = .full) -> StateDistance? {
    let colors = Self.keyStates.compactMap { role in
      RGB(style(role).foreground).map { (role: role, color: $0) }
    }
    guard colors.count == Self.keyStates.count else { return nil }
    var closest: StateDistance?
    for (index, one) in colors.enumerated() {
      for two in colors[(index + 1)...] {
        let distance = one.color.distance(to: two.color, vision: vision)
        if distance < closest?.distance ?? .infinity {
          closest = StateDistance(one: one.role, other: two.role, distance: distance)
        }
      }
    }
    return closest
  }
}

/// The distance between the colours of two states.
package struct StateDistance: Sendable, Hashable {
  /// The state that comes first in the order of roles.
  package let one: Role
  /// The other state.
  package let other: Role
  /// The distance in CIE 1976 L*a*b*; 2.3 is just noticeable.
  package let distance: Double
}
