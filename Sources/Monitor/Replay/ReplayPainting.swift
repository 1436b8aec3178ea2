import Canvas
import InstallJobs
import JobText
import ThemeCatalog

/// The title and time line of a replay, which distinguish it from a live screen.
extension Painter {
  /// `REPLAY of job 12 · 12:03:04 · +12s of 1m48s · playing 4x · hello 2.10-3`.
  mutating func replayTitle(_ replay: Replay, _ state: MonitorState, _ layout: FrameLayout) {
    let columns = layout.title.size.columns
    let margin = columns >= 60 ? 1 : 0
    canvas.restyle(layout.title) { [style = style(.titleAlert)] in $0 = style }
    var end = columns - margin
    for flag in flags(of: replay, state, isWide: columns >= 60).reversed() {
      let width = TextWidth.columns(flag)
      guard end - width > (columns >= 60 ? 52 : 34) else { continue }
      end = putRight(flag, endingAt: end, 0, .titleAlert) - 2
    }
    let words = Self.standing(of: replay, offset: state.timeOffset, columns: end - margin)
    let column = put(words, margin, 0, .titleAlert, to: end)
    guard let entry = replay.book[replay.job] else { return }
    let what = JobWords(entry: entry).requestedPackages + " · by \(entry.job.requestedBy.user)"
    if end - column >= 16 { put(" · " + what, column, 0, .title, to: end) }
  }

  /// Job, time, progress and speed, in the longest form that fits.
  private static func standing(of replay: Replay, offset: Int, columns: Int) -> String {
    let time = Figures.time(replay.moment, offset: offset)
    let date = Figures.date(replay.moment, offset: offset)
    // Recordings below ten seconds show tenths of seconds.
    let isShort = replay.length < 9.95
    let gone = isShort ? Figures.shortDuration(replay.elapsed) : Figures.elapsed(replay.elapsed)
    let all = isShort ? Figures.shortDuration(replay.length) : Figures.elapsed(replay.length)
    let pace = replay.isPlaying ? "playing" : replay.isAtEnd ? "end" : "paused"
    let sign = replay.isPlaying ? ">" : "||"
    let speed = "\(replay.speed)x"
    let forms = [
      "REPLAY of job \(replay.job) · \(date) · +\(gone) of \(all) · \(pace) \(speed)",
      "REPLAY of job \(replay.job) · \(time) · +\(gone) of \(all) · \(pace) \(speed)",
      "REPLAY \(replay.job) \(time) +\(gone) of \(all) \(pace) \(speed)",
      "REPLAY \(replay.job) \(time) +\(gone)/\(all) \(pace) \(speed)",
      "REPLAY \(replay.job) \(time) +\(gone)/\(all) \(sign)\(speed)",
      "REPLAY \(replay.job) +\(gone) \(sign)\(speed)",
      "REPLAY +\(gone)",
    ]
    // The date is shown from 96 columns on.
    let fitting = forms.dropFirst(columns >= 96 ? 0 : 1).first { $0.count <= columns }
    return fitting ?? "REPLAY"
  }

  private func flags(of replay: Replay, _ state: MonitorState, isWide: Bool) -> [String] {
    var flags: [String] = []
    if !state.link.isLive { flags.append(isWide ? "engine not heard" : "LOST") }
    if replay.recording.job.provider.isSimulated { flags.append(isWide ? "SIMULATED" : "SIM") }
    return flags
  }

  /// Draws the position of the moment between begin and end, in the line for messages.
  mutating func replayScale(_ replay: Replay, _ state: MonitorState, _ row: Int) {
    let columns = canvas.size.columns
    let margin = columns >= 60 ? 1 : 0
    let offset = state.timeOffset
    var (start, end) = (margin, columns - margin)
    if columns >= 40 {
      start = put(Figures.time(replay.recording.begin, offset: offset), start, row, .textDim) + 1
      end =
        putRight(
          Figures.time(replay.recording.end, offset: offset), endingAt: end, row, .textDim) - 1
    }
    bar(
      .measured(replay.fraction), start, row, columns: max(0, end - start), state: .notice,
      isStarted: true)
  }
}
