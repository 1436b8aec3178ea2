import Canvas

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension RGB {
  /// Red, green and blue as amounts of light from 0 to 1.
  var linear: [Double] {
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
}

/// A common terminal background on which themes are measured.
package struct Backdrop: Sendable, Hashable {
  /// The name in reports.
  package let name: String
  /// Its colour.
  package let color: RGB
  /// The kind of theme for this background, `dark` or `light`.
  package let kind: ThemeKind

  /// The five measured backgrounds: pure black, a soft black, both of Solarized, white.
  package static let all = [
    Backdrop(name: "black", color: RGB(0, 0, 0), kind: .dark),
    Backdrop(name: "#1e1e1e", color: RGB(0x1E, 0x1E, 0x1E), kind: .dark),
    Backdrop(name: "sol-dark", color: RGB(0, 0x2B, 0x36), kind: .dark),
    Backdrop(name: "white", color: RGB(255, 255, 255), kind: .light),
    Backdrop(name: "sol-light", color: RGB(0xFD, 0xF6, 0xE3), kind: .light),
  ]

  /// Returns whether a theme of `kind` must be readable on this background.
  package func fits(_ kind: ThemeKind) -> Bool {
    kind == self.kind || kind == .neutral || kind == .mono
  }
}

extension ThemeKind {
  /// The backgrounds on which a theme of this kind must be readable.
  package var backgrounds: [RGB] { Backdrop.all.filter { $0.fits(self) }.map(\.color) }
}

extension Theme {
  /// Returns the contrast of `role` on a background, or on the role's own background colour if it
  /// has one.
  ///
  /// Nil when the terminal's own colours are used.
  package func contrast(of role: Role, on backdrop: RGB) -> Double? {
    let style = style(role)
    guard let foreground = RGB(style.foreground) else { return nil }
    return foreground.contrast(with: RGB(style.background) ?? backdrop)
  }

  /// Returns the lowest contrast of `role` on the backgrounds of the theme's kind.
  ///
  /// Nil when the terminal's own colours are used.
  package func contrast(of role: Role) -> Double? {
    kind.backgrounds.compactMap { contrast(of: role, on: $0) }.min()
  }
}
