import Canvas
import InstallJobs
import Testing

@testable import JobText
@testable import Monitor

/// Lines that have no room for all that could be said.
@Suite struct PartsOfLines {
  private static let look = Golden.looks[0].look

  private static func fitted(_ columns: Int) -> String {
    FittedLine(
      [
        LinePart("12", weight: 90), LinePart("libreoffice", weight: 80, isName: true),
        LinePart("3 running", "3run", weight: 50), LinePart("started 18:22", weight: 10),
      ], columns: columns, look: look
    ).text
  }

  @Test(arguments: [
    (100, "12  libreoffice  3 running  started 18:22"), (40, "12  libreoffice  3 running"),
    (25, "12  libreoffice  3run"), (20, "12  libreoffice"), (14, "12  libreoffi…"), (8, "12  lib…"),
    (7, "12"), (2, "12"), (1, ""), (0, ""),
  ])
  func `what matters least leaves first and whole, only a name is cut`(
    _ columns: Int, _ text: String
  ) {
    #expect(Self.fitted(columns) == text)
  }

  /// Words of titles that would mean something else, or nothing, when cut.
  private static let words = Set([
    "fettle", "live", "history", "running", "failed", "queued", "done", "started", "by",
    "following", "SIM", "filt", "Settings", "New", "job", "read-only", "filtered", "interrupted",
    "SIMULATED", "queue",
  ]).union(JobMark.allCases.map(\.shortWord))

  @Test(arguments: Screens.cases)
  func `no title ends in the middle of a word, at any width`(_ scene: Screens.Case) {
    for columns in Array(stride(from: 20, to: 70, by: 3)) + [72, 80, 90, 100, 110, 120] {
      let state = scene.make(Size(columns: columns, rows: 24))
      // Help, and a question where it takes the whole window, have a title of their own.
      guard state.help == nil, state.dialogue == nil || columns >= 36 else { continue }
      let title = Titles.title(state)
      for word in title.split(separator: " ") where !word.contains("…") {
        let isBegun = Self.words.contains { $0.hasPrefix(word) && $0 != word }
        // `in`, `a` and the like begin words by chance: what is cut ends the line's left part.
        #expect(!isBegun || Self.words.contains { $0 == word } || word.count < 3, "\(title)")
      }
      #expect(title.count { $0 == "…" } <= 2, "\(title)")
    }
  }

  @Test(arguments: [120, 80, 60, 40, 20])
  func `the number and the state of the link are always there`(_ columns: Int) {
    var state = Scene.monitor(size: Size(columns: columns, rows: 24))
    Scene.press([.enter], in: &state)
    #expect(Titles.title(state).contains("1042") && Titles.title(state).contains("libc6".prefix(4)))
    _ = state.update(.link(.lost(retryIn: 3)))
    #expect(Titles.title(state).contains("LOST") && Titles.title(state).contains("1042"))
    Scene.press([.escape], in: &state)
    #expect(Titles.title(state).contains("LOST"))
  }

  @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12)])
  func `why a job failed and what to do is read whole on its screen`(_ size: Size) {
    var state = Scene.monitor(Scene.queue.filter { $0.id == JobID(1038) }, size: size)
    Scene.press([.enter], in: &state)
    let text = state.render(size, Self.look).text.split(separator: "\n").joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    #expect(text.contains("cpp-12: its post-installation script failed"))
    #expect(text.contains("fettle doctor says what to do"))
    #expect(text.contains("post-installation script, exit status 3"))
  }

  @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12)])
  func `a refusal is read whole, and the row it is about stays in sight`(_ size: Size) {
    var state = Scene.monitor(size: size)
    Scene.press([.character("G")], in: &state)
    let error = InstallationError(
      .notPermitted, "user ops may look at jobs of this engine but may not change any of them",
      class: .fatal, hint: "an administrator adds the user to the group fettle")
    _ = state.update(.failed(error))
    let lines = state.render(size, Self.look).text.split(separator: "\n")
    let text = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(text.contains(error.description))
    #expect(lines.contains { $0.hasPrefix(">") })
    Scene.press([.character("z")], in: &state)
    #expect(!state.render(size, Self.look).text.contains("administrator"))
  }

  @Test func `what an abort would do is read whole in its question`() {
    var job = Scene.upgrade
    job.abortPreview = .accepted(
      stopsAfter: "postgresql-client-common-with-a-name-that-does-not-end", etaSeconds: 20)
    let size = Size(columns: 40, rows: 12)
    var state = Scene.monitor([job], size: size)
    Scene.press([.character("x")], in: &state)
    let inside = state.render(size, Self.look).text.split(separator: "\n")
      .compactMap { $0.split(separator: "│").dropFirst().first }
      .joined(separator: " ").filter { $0 != " " }
    #expect(
      inside.contains(
        "stopsafterpostgresql-client-common-with-a-name-that-does-not-end(about20s)"))
  }

  @Test func `what has taken for a day says so uncut`() {
    for (columns, text) in [(120, "14h02m"), (80, "14h02m"), (40, "14h")] {
      var job = Scene.running(
        Scene.job(
          8, [Scene.planned("old", nil, from: "1.0", size: 0, action: .remove)], operation: .remove),
        .installing, percent: 10)
      job.plan?[0].phase = .removing
      job.plan?[0].phaseTimes.record(.removing, at: Scene.at(100))
      var state = Scene.monitor([job], size: Size(columns: columns, rows: 24))
      Scene.press([.enter], in: &state)
      _ = state.update(.clock(Scene.at(200)))
      _ = state.update(Scene.event(8, .log(offset: 0, text: ""), at: 200))
      _ = state.update(.clock(Scene.at(100 + 50_520)))
      let row = state.render(state.size, Self.look).text.split(separator: "\n").dropFirst(3).first {
        $0.contains(" old ")
      }
      #expect(row?.split(separator: " ").contains(Substring(text)) == true, "\(row ?? "")")
    }
  }

  @Test(arguments: [40, 60])
  func `keys that matter most are named first where not all have room`(_ columns: Int) {
    for keys in [[], [Key.enter], [.character("3")], [.character("4")], [.character("5")]] {
      var state = Scene.monitor(size: Size(columns: columns, rows: 20))
      Scene.press(keys, in: &state)
      let bar = FunctionBar(state, columns: columns)
      let named = bar.items.compactMap { $0.action?.id }
      let isEnded = state.selected.flatMap { state.book[$0]?.job.state.isFinal } ?? false
      let most: Set<Action.ID> = isEnded ? [.help, .cleanUp] : [.help, .abort, .cleanUp, .find]
      #expect(most.isSubset(of: named), "\(keys)")
      #expect(named.contains(state.screen.isList ? .quit : .back), "\(keys)")
      #expect(bar.end <= columns)
    }
  }

  @Test func `the way back from settings and from a new job is named in the smallest bar`() {
    for keys in [[Key.character(",")], [.character("i")]] {
      var state = Scene.monitor(size: Size(columns: 40, rows: 12))
      Scene.press(keys, in: &state)
      let labels = FunctionBar(state, columns: 40).items.map(\.label)
      #expect(labels.contains("Esc Back") && labels.contains("help"), "\(labels)")
    }
  }
}
