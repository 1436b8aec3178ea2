package import Canvas

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A colour as light: red, green and blue in sRGB.
package struct RGB: Sendable, Hashable {
  /// The amount of red in sRGB.
  package let red: UInt8
  /// The amount of green in sRGB.
  package let green: UInt8
  /// The amount of blue in sRGB.
  package let blue: UInt8

  /// A colour from its three sRGB channels.
  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The light of a colour that is the same on every terminal.
  ///
  /// Nil for the terminal's default and for the first 16, which users set themselves.
  package init?(_ color: Color) {
    switch color {
    case .terminalDefault, .indexed(0..<16):
      return nil
    case .indexed(let index) where index >= 232:
      let grey = 8 + 10 * (index - 232)
      self.init(grey, grey, grey)
    case .indexed(let index):
      let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
      let cube = Int(index) - 16
      self.init(steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
    case .rgb(let red, let green, let blue):
      self.init(red, green, blue)
    }
  }

  /// Red, green and blue as amounts of light from 0 to 1.
  private var linear: [Double] {
    [red, green, blue].map { channel in
      let value = Double(channel) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
  }

  /// The relative luminance of WCAG 2.1, from 0 to 1.
  package var luminance: Double {
    let light = linear
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
  }

  /// The contrast ratio of WCAG 2.1, from 1 to 21.
  package func contrast(with other: RGB) -> Double {
    let (one, two) = (luminance, other.luminance)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)
  }

  /// The distance in CIE 1976 L*a*b* as eyes with `vision` see it; 2.3 is just noticeable.
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
    // The white of daylight, D65.
    let parts = [x / 0.95047, y, z / 1.08883].map { part in
      part > 0.008856 ? cbrt(part) : 7.787 * part + 16.0 / 116
    }
    return [
      116 * parts[1] - 16, 500 * (parts[0] - parts[1]), 200 * (parts[1] - parts[2]),
    ]
  }
}

/// How eyes see colour: fully, or without one kind of cone.
///
/// The matrices are those of Machado, Oliveira and Fernandes (2009) for full severity.
package enum ColorVision: String, Sendable, Hashable, CaseIterable {
  case full
  case protanopia
  case deuteranopia
  case tritanopia

  /// Linear light as it is seen, each channel from 0 to 1.
  fileprivate func seen(_ light: [Double]) -> [Double] {
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

extension ThemeKind {
  /// The backgrounds that a theme of this kind has to be readable on.
  package var backgrounds: [RGB] {
    let dark = [RGB(0, 0, 0), RGB(0x1E, 0x1E, 0x1E), RGB(0, 0x2B, 0x36)]
    let light = [RGB(255, 255, 255), RGB(0xFD, 0xF6, 0xE3)]
    switch self {
    case .dark: return dark
    case .light: return light
    case .neutral, .mono: return dark + light
    }
  }
}

extension Theme {
  /// The lowest contrast of `role` on the backgrounds that the theme is made for.
  ///
  /// Nil where the terminal's own colours decide.
  package func contrast(of role: Role) -> Double? {
    let style = style(role)
    if let background = RGB(style.background), let foreground = RGB(style.foreground) {
      return foreground.contrast(with: background)
    }
    guard let foreground = RGB(style.foreground) else { return nil }
    return kind.backgrounds.map { foreground.contrast(with: $0) }.min()
  }

  /// The smallest distance between the colours of the four states that matter most: running,
  /// done, failed and done with warnings; nil where the terminal's own colours decide.
  package func stateDistance(vision: ColorVision = .full) -> Double? {
    let colors = [Role.stateRunning, .stateDone, .stateFailed, .stateWarn]
      .compactMap { RGB(style($0).foreground) }
    guard colors.count == 4 else { return nil }
    var least: Double?
    for (index, one) in colors.enumerated() {
      for two in colors[(index + 1)...] {
        let distance = one.distance(to: two, vision: vision)
        least = min(least ?? distance, distance)
      }
    }
    return least
  }
}
