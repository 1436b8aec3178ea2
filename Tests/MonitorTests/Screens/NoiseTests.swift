import Canvas
import Glibc
import InstallJobs
import Support
import Testing

@testable import Monitor
@testable import Terminal
@testable import fettle

/// What nobody would type, from the bytes of the terminal to the intents of the monitor.
///
/// `FETTLE_FULL_NOISE=1` takes a million bytes instead of the part that fits into any test run.
@Suite struct Noise {
  private static var isFull: Bool { unsafe getenv("FETTLE_FULL_NOISE") != nil }

  @Test func `random bytes do not crash the monitor, and nothing dangerous is done unasked`() {
    var numbers = RepeatableNumbers(seed: 17)
    var decoder = KeyDecoder()
    decoder.usesMouse = true
    decoder.expectsReplies = true
    var state = Scene.monitor()
    // What a monitor listens to, besides any byte: letters, whole keys, the ends of a paste.
    var heard = "xacC*u \u{1b}[]\r\t<;M15~Oqhjk3124z/\\fG".utf8.map { [Int32($0)] }
    for key in ["A", "B", "C", "D", "5~", "6~", "H", "F", "Z", "<0;9;9M", "<65;9;9M"] {
      heard.append("\u{1b}[\(key)".utf8.map { Int32($0) })
    }
    heard += [[KeyDecoder.pasteBegin], [KeyDecoder.pasteEnd], [KeyDecoder.pasteEnd]]
    var acts = 0
    var questions = 0
    for count in 0..<(Self.isFull ? 1_000_000 : 60_000) {
      // Half of them as they come, half of what a monitor may listen to.
      let codes =
        Bool.random(using: &numbers)
        ? [Int32(UInt8.random(in: 0...255, using: &numbers))]
        : heard.randomElement(using: &numbers) ?? []
      var events = codes.flatMap { decoder.receive($0) }
      if count % 7 == 0 { events += decoder.endBurst() }
      if count % 500 == 0 { events += decoder.endPaste() }
      for event in events {
        let question = state.dialogue
        let intents = state.update(Self.monitorEvent(event))
        if intents.contains(.discardInput) { questions += 1 }
        for intent in intents {
          if case .plan(let request) = intent {
            _ = state.update(.planned(request, JobPlan(requests: [], steps: [])))
          }
          if case .submit = intent { #expect(event == .key(.enter), "\(event) gave \(intent)") }
          guard Self.isDangerous(intent) else { continue }
          acts += 1
          #expect(question != nil && Self.confirms(event, question), "\(event) gave \(intent)")
        }
      }
      // Half a second goes by now and then: questions grow old, ages are shown.
      if count % 40 == 0 { _ = state.update(.clock(Scene.at(200 + Double(count) / 80))) }
      if count % 997 == 0 { _ = state.render(state.size, Golden.looks[count % 2].look) }
      // Everything anew, so that there is always something to abort and to clean up.
      if count % 2_000 == 0 {
        state = Scene.monitor()
        state.preferences.columns = ColumnChoice(
          ColumnChoice.Column.allCases.shuffled(using: &numbers))
      }
    }
    #expect(acts > 10 && questions > acts)
  }

  @Test func `ten thousand random sizes give a canvas each, with keys in between`() {
    var numbers = RepeatableNumbers(seed: 23)
    var state = Scene.monitor()
    let keys: [Key] = [
      .down, .pageUp, .end, .enter, .escape, .tab, .character("?"), .character("4"),
      .character("3"), .character("1"), .character("x"), .character("/"), .character("*"),
    ]
    for count in 0..<(Self.isFull ? 10_000 : 1_500) {
      let size = Size(
        columns: Int.random(in: 1...200, using: &numbers),
        rows: Int.random(in: 1...60, using: &numbers))
      _ = state.update(.resize(size))
      if let key = keys.randomElement(using: &numbers) { _ = state.update(.key(key)) }
      let canvas = state.render(size, Golden.looks[count % Golden.looks.count].look)
      #expect(canvas.size == size)
    }
  }

  private static func monitorEvent(_ event: TerminalEvent) -> MonitorEvent {
    switch event {
    case .key(let key): .key(key)
    case .paste(let text): .paste(text)
    case .mouse(let event): .mouse(event)
    case .replies, .resize, .resumed, .hangup, .terminate: .tick
    }
  }

  /// Several jobs at once, or the abort of one.
  private static func isDangerous(_ intent: Intent) -> Bool {
    switch intent {
    case .requestAbort: true
    case .cleanUp(let ids): ids.count > 1
    default: false
    }
  }

  private static func confirms(_ event: TerminalEvent, _ question: Dialogue?) -> Bool {
    switch event {
    case .key(.character(let character)): character == question?.letter
    case .key(.enter): question?.focus == .act
    default: false
    }
  }
}
