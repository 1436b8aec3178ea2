import Glibc
import Support
import Testing

@testable import Bench

@Suite(.timeLimit(.minutes(2)), .endsOrAborts) struct `A program on a terminal` {
  private let environment = ["PATH": "/usr/bin:/bin", "TERM": "xterm-256color"]

  private func shell(_ script: String, stop: StopSign = StopSign()) throws -> WatchedProgram {
    try WatchedProgram("/bin/sh", ["-c", script], environment: environment, stop: stop)
  }

  private func wait(for word: String, of program: WatchedProgram) -> Bool {
    program.read(until: .seconds(60)) { ScreenText(program.output).shows([word]) }
  }

  @Test func `it is read, typed to, and seen to end`() throws {
    let program = try shell(#"printf '\033[1mready\033[m'; read word; printf "got $word""#)
    #expect(wait(for: "ready", of: program))
    program.type("this\n")
    #expect(wait(for: "got this", of: program))
    program.read(until: .seconds(60))
    #expect(!program.isOpen)
    #expect(program.log.byteCount == program.output.count)
  }

  @Test func `it has a terminal of the given size of its own`() throws {
    let program = try shell("stty size < /dev/tty")
    #expect(wait(for: "40 120", of: program))
  }

  @Test(arguments: [("", "[ B"), (#"\033[?1h"#, "O B")])
  func `the key that goes down is sent in the form that the program asked for`(
    request: String, form: String
  ) throws {
    let program = try shell(
      """
      stty raw -echo
      printf '\(request)ready'
      dd bs=1 count=3 2>/dev/null | od -An -c | tr -s ' '
      """)
    #expect(wait(for: "ready", of: program))
    program.pressDown()
    #expect(wait(for: "033 " + form, of: program))
  }

  @Test func `a raised sign ends every wait`() throws {
    let stop = StopSign()
    let program = try shell("exec sleep 900", stop: stop)
    stop.raise()
    #expect(!program.read(until: .seconds(900)))
    program.read(for: .seconds(900), every: .milliseconds(100)) {}
    #expect(program.isOpen)
  }

  @Test func `it ends with its value`() throws {
    var program: WatchedProgram? = try shell("exec sleep 900")
    let process = try #require(program?.process)
    #expect(kill(process, 0) == 0)
    program = nil
    #expect(kill(process, 0) == -1)
  }

  @Test func `what is no program is named`() {
    let error = #expect(throws: CannotMeasure.self) {
      try WatchedProgram("/nonexistent/program", [], environment: [:])
    }
    #expect(error?.message.contains("/nonexistent/program") == true)
  }
}
