import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct Columns {
  static func placed(
    _ columns: Int, _ choice: ColumnChoice = .standard, isHistory: Bool = false
  ) -> [JobColumn] {
    JobColumn.arranged(columns: columns, digits: 4, isHistory: isHistory, wanted: choice).map(\.id)
  }

  @Test func `columns stand in the order of the settings, each as wide as always`() {
    let choice = ColumnChoice([.by, .done, .job, .time, .what])
    #expect(Self.placed(80, choice) == [.mark, .by, .bar, .percent, .job, .tail, .what])
    let usual = JobColumn.arranged(columns: 80, digits: 4, isHistory: false)
    let other = JobColumn.arranged(
      columns: 80, digits: 4, isHistory: false, wanted: ColumnChoice(usualReversed))
    for track in usual where track.id != .what {
      #expect(other.first { $0.id == track.id }?.length == track.length)
    }
    // None lies on another, and all lie in the window.
    for (left, right) in zip(other, other.dropFirst()) {
      #expect(left.start + left.length < right.start)
    }
    #expect(other.allSatisfy { $0.start + $0.length <= 80 })
  }

  private var usualReversed: [ColumnChoice.Column] { ColumnChoice.Column.allCases.reversed() }

  @Test func `what has no room leaves in the usual order, wherever it stands`() {
    let choice = ColumnChoice([.by, .speed, .phase, .time, .done, .what, .job])
    for columns in 20...200 {
      for isHistory in [false, true] {
        #expect(
          Set(Self.placed(columns, choice, isHistory: isHistory))
            == Set(Self.placed(columns, isHistory: isHistory)), "\(columns)")
      }
    }
    #expect(!Self.placed(62).contains(.by) && Self.placed(62).contains(.what))
  }

  @Test func `names of the settings are taken as they stand, or not at all`() {
    let (choice, problem) = ColumnChoice.parse(["what", "job", "by"])
    // What must be there and is not named comes first.
    #expect(choice.shown == [.done, .what, .job, .by] && problem == nil)
    let unknown = ColumnChoice.parse(["job", "colour"])
    #expect(unknown.choice == .standard)
    #expect(
      unknown.problem
        == "no column 'colour' (columns: job, what, phase, done, speed, time, by);"
        + " the usual ones are shown")
    let twice = ColumnChoice.parse(["by", "job", "by"])
    #expect(twice.choice == .standard)
    #expect(twice.problem == "column 'by' is there twice; the usual ones are shown")
  }

  @Test func `the history has the end where the queue has the speed, hidden or not`() {
    let choice = ColumnChoice([.job, .speed, .what, .done])
    let history = Self.placed(80, choice, isHistory: true)
    #expect(history == [.mark, .job, .ended, .what, .bar, .percent])
    let hidden = ColumnChoice([.job, .what, .done])
    #expect(Self.placed(80, hidden, isHistory: true).contains(.ended))
    #expect(!Self.placed(80, hidden).contains(.speed))
  }

  @Test func `a hidden column comes back to its place`() {
    var choice = ColumnChoice.standard
    for column in ColumnChoice.Column.allCases {
      choice.toggle(column)
      #expect(choice.shown.contains(column) == column.isAlwaysShown)
      choice.toggle(column)
      #expect(choice == .standard)
    }
  }

  @Test func `the settings move a column, keep the order and stay on its row`() {
    var state = MonitorState(size: Size(columns: 80, rows: 24))
    Scene.press([.character(",")] + Array(repeating: .down, count: 3), in: &state)
    var wanted = Preferences()
    let isMoved = wanted.columns.move(.phase, by: -1)
    #expect(isMoved)
    #expect(Scene.press([.character("<")], in: &state) == [.keep(wanted)])
    #expect(state.settings.row == .column(.phase))
    #expect(state.preferences.columns.shown.prefix(3) == [.job, .phase, .what])
    Scene.press([.character("<")], in: &state)
    #expect(Scene.press([.character("<")], in: &state).isEmpty)
    #expect(state.message?.isAlert == true)
    // A hidden column goes to the end of the rows and cannot be moved.
    Scene.press([.character(" ")], in: &state)
    #expect(state.settings.row == .column(.phase))
    #expect(SettingsPage.rows(state.preferences)[7] == .column(.phase))
    #expect(Scene.press([.character(">")], in: &state).isEmpty)
    // What must be there is not hidden.
    Scene.press(Array(repeating: .up, count: 6), in: &state)
    #expect(state.settings.row == .column(.job))
    #expect(Scene.press([.right], in: &state).isEmpty)
  }

  @Test func `the settings name the keys that move a column as they are bound`() {
    let table = ActionTable.standard.binding(.columnLeft, to: [.control("p")])
      .binding(.columnRight, to: [.control("n")])
    for (actions, keys) in [(ActionTable.standard, "< >"), (table, "Ctrl-P Ctrl-N")] {
      var state = MonitorState(size: Size(columns: 120, rows: 24), actions: actions)
      Scene.press([.character(",")], in: &state)
      let text = Composing.text(state)
      #expect(text.contains("\(keys) Move") && text.contains("\(keys) moves it; leaves where"))
    }
    let unbound = table.binding(.columnLeft, to: []).binding(.columnRight, to: [])
    var state = MonitorState(size: Size(columns: 120, rows: 24), actions: unbound)
    Scene.press([.character(",")], in: &state)
    let text = Composing.text(state)
    #expect(!text.contains("Move") && !text.contains("moves it"))
  }

  @Test func `settings that are not as they are by themselves have a sign`() {
    var state = MonitorState(
      size: Size(columns: 80, rows: 24), preferences: Preferences(theme: "dark"),
      standard: Preferences(theme: "dark"), themes: ["dark", "mono"])
    func changed() -> [String] {
      Composing.text(state).split(separator: "\n").filter {
        $0.dropFirst().first == "*" && !$0.contains("default")
      }
      .map { String($0.dropFirst(2).prefix(12)) }
    }
    Scene.press([.character(",")], in: &state)
    #expect(changed().isEmpty && !Composing.text(state).contains("* differs"))
    Scene.press([.right], in: &state)
    Scene.press(Array(repeating: .down, count: 8) + [.right], in: &state)
    #expect(changed() == ["theme       ", "frames a sec"])
    #expect(Composing.text(state).contains("* differs from the default"))
    Scene.press([.left], in: &state)
    #expect(changed() == ["theme       "])
    // What is hidden has the sign, not what moves up for it; two that change places both have it.
    Scene.press(Array(repeating: .up, count: 5) + [.right], in: &state)
    #expect(changed() == ["theme       ", "column PHASE"])
    Scene.press([.left, .character("<")], in: &state)
    #expect(changed() == ["theme       ", "column PHASE", "column WHAT "])
  }

  @Test func `a slow link has neither chart nor pulse, and one frame a second`() throws {
    var preferences = Preferences()
    preferences.isSlowLink = true
    #expect(preferences.shownRate == 1 && preferences.frameRate == 10)
    for isSlow in [false, true] {
      preferences.isSlowLink = isSlow
      var verifying = Scene.running(
        Scene.job(1050, [Scene.planned("curl")]), .finalizing, percent: 97, step: nil)
      verifying.bytesPerSecond = 2_000_000
      var state = MonitorState(size: Size(columns: 120, rows: 40), preferences: preferences)
      _ = state.update(.snapshotBegin)
      _ = state.update(.snapshot([verifying]))
      _ = state.update(.snapshotEnd(seq: 40))
      for (second, rate) in [1.0, 5, 9].enumerated() {
        _ = state.update(
          Scene.event(
            1050,
            .progress(
              JobProgressTick(
                percentComplete: 97, currentUpdateIndex: nil, currentStepIndex: nil,
                downloadedBytes: 0, bytesPerSecond: rate * 1_000_000, etaSeconds: nil,
                lastActivityAt: nil, isStalled: false, abortPreview: .accepted(stopsAfter: nil),
                steps: [])), at: 200 + Double(second) * 5))
      }
      #expect(state.wantsTick == !isSlow)
      let chart = Composing.text(state).split(separator: "\n")[1]
      let rate = try #require(chart.firstRange(of: "MB/s"))
      let hasChart = chart[rate.upperBound...].contains { "▁▂▃▄▅▆▇█".contains($0) }
      #expect(hasChart == !isSlow)
    }
  }
}
