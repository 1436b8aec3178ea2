import Canvas
import Foundation
import Monitor
import Testing
import ThemeCatalog

/// Screens kept as text, one file a scene and look; with `FETTLE_REWRITE_GOLDEN` set they are
/// written instead of compared.
enum Golden {
  static let sizes = [
    Size(columns: 120, rows: 40), Size(columns: 80, rows: 24), Size(columns: 40, rows: 12),
    Size(columns: 20, rows: 5), Size(columns: 19, rows: 4),
  ]

  static let looks: [(name: String, look: DrawStyle)] = [
    ("256", DrawStyle(theme: ThemeCatalog.standard.theme(at: .indexed256))),
    ("truecolor", DrawStyle(theme: ThemeCatalog.standard.theme(at: .truecolor))),
    ("16", DrawStyle(theme: ThemeCatalog.standard.theme(at: .ansi16))),
    ("mono", DrawStyle(theme: ThemeCatalog.standard.theme(at: .mono))),
    ("ascii", DrawStyle(theme: ThemeCatalog.standard.theme(at: .mono), blocks: .ascii)),
  ]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden")

  /// Compares what a scene looks like in a look at `sizes` with what is kept.
  static func check(
    _ scene: String, look: String, sizes: [Size], _ draw: (Size, DrawStyle) -> Canvas,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let look = try #require(looks.first { $0.name == look }, sourceLocation: sourceLocation)
    let text = sizes.map { size in
      draw(size, look.look).dump(letters: look.look.theme.letters)
    }.joined(separator: "\n")
    let file = folder.appendingPathComponent("\(scene).\(look.name).txt")
    if ProcessInfo.processInfo.environment["FETTLE_REWRITE_GOLDEN"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let kept = try String(contentsOf: file, encoding: .utf8)
    guard kept != text else { return }
    let (old, new) = (
      kept.split(separator: "\n", omittingEmptySubsequences: false),
      text.split(separator: "\n", omittingEmptySubsequences: false)
    )
    var difference = ""
    for index in 0..<max(old.count, new.count) {
      let (before, after) = (
        index < old.count ? old[index] : "", index < new.count ? new[index] : ""
      )
      if before != after { difference += "\(index + 1)\n- \(before)\n+ \(after)\n" }
    }
    Issue.record("\(scene).\(look.name) differs:\n\(difference)", sourceLocation: sourceLocation)
  }
}
