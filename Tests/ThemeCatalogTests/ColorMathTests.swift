import Canvas
import Testing
import ThemeCatalog

@Suite struct `Contrast figures` {
  @Test func `black on white is 21 and a colour on itself is 1`() {
    let (black, white) = (RGB(0, 0, 0), RGB(255, 255, 255))
    #expect(abs(black.contrast(with: white) - 21) < 0.001)
    #expect(abs(white.contrast(with: black) - 21) < 0.001)
    #expect(RGB(95, 135, 0).contrast(with: RGB(95, 135, 0)) == 1)
  }

  @Test(
    arguments: [
      (UInt8(32), 3.6), (64, 3.5), (166, 3.5), (133, 3.6), (244, 3.7), (161, 2.9), (136, 3.1),
    ])
  func `the measured colours have their measured contrast`(index: UInt8, measured: Double) throws {
    let color = try #require(RGB(.indexed(index)))
    let lowest = try #require(
      ThemeKind.neutral.backgrounds.map { color.contrast(with: $0) }.min())
    #expect(abs(lowest - measured) <= 0.06, "\(lowest)")
  }

  @Test func `the dark colours reach 4.8 on four dark backgrounds`() throws {
    let more = [RGB(0x28, 0x2C, 0x34)]
    for index in [UInt8(75), 78, 221] {
      let color = try #require(RGB(.indexed(index)))
      for background in ThemeKind.dark.backgrounds + more {
        #expect(color.contrast(with: background) >= 4.8)
      }
    }
  }

  @Test func `the five backgrounds belong to dark, to light, and all to neutral`() {
    #expect(ThemeKind.dark.backgrounds.count == 3)
    #expect(ThemeKind.light.backgrounds == [RGB(255, 255, 255), RGB(0xFD, 0xF6, 0xE3)])
    #expect(ThemeKind.neutral.backgrounds.count == 5)
  }

  @Test func `the colours that users set themselves have no figure`() {
    #expect(RGB(.terminalDefault) == nil)
    #expect(RGB(.indexed(15)) == nil)
    #expect(RGB(.indexed(16)) == RGB(0, 0, 0))
    #expect(RGB(.indexed(231)) == RGB(255, 255, 255))
    #expect(RGB(.indexed(255)) == RGB(238, 238, 238))
  }
}

@Suite struct `Colours as eyes see them` {
  private func least(_ indices: [UInt8], _ vision: ColorVision) -> Double {
    let colors = indices.compactMap { RGB(.indexed($0)) }
    var least = Double.infinity
    for (place, one) in colors.enumerated() {
      for other in colors[(place + 1)...] {
        least = min(least, one.distance(to: other, vision: vision))
      }
    }
    return least
  }

  @Test(
    arguments: [
      // An ordinary dark palette, done and failed.
      ([UInt8(78), 203], ColorVision.full, 113.0), ([78, 203], .deuteranopia, 16),
      ([78, 203], .protanopia, 32),
      // The palette for eyes that mix up red and green: running, done, failed, warnings.
      ([75, 255, 208, 227], .deuteranopia, 27), ([75, 255, 208, 227], .protanopia, 36),
      ([255, 227], .tritanopia, 11),
    ])
  func `the measured palettes have their measured distance`(
    indices: [UInt8], vision: ColorVision, measured: Double
  ) {
    #expect(abs(least(indices, vision) - measured) <= 1, "\(least(indices, vision))")
  }

  @Test func `greys stay as they are for all eyes`() {
    for vision in ColorVision.allCases {
      let (one, two) = (RGB(40, 40, 40), RGB(200, 200, 200))
      #expect(abs(one.distance(to: two, vision: vision) - one.distance(to: two)) < 0.1)
      #expect(one.distance(to: one, vision: vision) == 0)
    }
  }

  @Test func `black and white are a hundred apart`() {
    #expect(abs(RGB(0, 0, 0).distance(to: RGB(255, 255, 255)) - 100) < 0.1)
  }
}
