import Glibc
import Support
import Testing

/// A program of its own on a terminal of its own, ended in every way.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct RestoreTests {
  @Test(arguments: [
    SIGTERM, SIGINT, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP, SIGUSR1, SIGALRM,
    SIGXCPU, SIGSYS,
  ])
  func `a signal ends the program, and the terminal is as it was`(signal: Int32) async throws {
    try await withProgram { program, terminal in
      program.signal(signal)
      return .signal(signal)
    }
  }

  @Test func `a hang-up signal ends the program, and the terminal is as it was`() async throws {
    try await withProgram { program, terminal in
      program.signal(SIGHUP)
      return .exit(4)
    }
  }

  @Test(arguments: [("q", 0), ("e", 3)] as [(String, Int32)])
  func `closing and exit without closing leave the terminal as it was`(key: String, status: Int32)
    async throws
  {
    try await withProgram { program, terminal in
      terminal.send(key)
      return .exit(status)
    }
  }

  @Test(arguments: [("t", "a planted trap"), ("wq", "noise on standard error")])
  func `what went to standard error is printed after the screen is gone`(
    keys: String, message: String
  ) async throws {
    try await withProgram { program, terminal in
      terminal.send(keys)
      return keys == "t" ? .signal(SIGILL) : .exit(0)
    } afterwards: { output in
      let parts = output.components(cutBy: "\u{1b}[?1049l")
      #expect(!parts[0].contains(message))
      #expect(parts.last?.contains(message) == true)
    }
  }

  @Test func `abort leaves the terminal as it was`() async throws {
    try await withProgram { program, terminal in
      terminal.send("a")
      return .signal(SIGABRT)
    }
  }

  @Test func `a program that hangs ends at the second signal, and the terminal is as it was`()
    async throws
  {
    try await withProgram { program, terminal in
      terminal.send("s")
      await terminal.wait { String(decoding: $0, as: UTF8.self).contains("hanging") }
      program.signal(SIGTERM)
      program.signal(SIGINT)
      return nil
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a program that hangs ends by one signal too, and the terminal is as it was`(
    signal: Int32
  ) async throws {
    try await withProgram { program, terminal in
      terminal.send("s")
      await terminal.wait { String(decoding: $0, as: UTF8.self).contains("hanging") }
      program.signal(signal)
      return .signal(signal)
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a program whose terminal takes nothing ends by one signal, modes given back`(
    signal: Int32
  ) async throws {
    let terminal = PseudoTerminal()
    let before = Modes(terminal.modes)
    let program = try start(on: terminal)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    terminal.stall()
    terminal.send("pppp")
    // More than any frame but those; the rest of them fits nowhere.
    try await eventually("a full terminal") { terminal.unreadCount > 3_000 }
    program.signal(signal)
    #expect(await program.end() == .signal(signal))
    #expect(Modes(terminal.modes) == before)
    terminal.recover()
  }

  @Test(arguments: ["vt100", "linux", "screen-256color"])
  func `other terminals get their modes back too`(type: String) async throws {
    let terminal = PseudoTerminal()
    let before = Modes(terminal.modes)
    let program = try start(on: terminal, type: type)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    program.signal(SIGSEGV)
    #expect(await program.end() == .signal(SIGSEGV))
    #expect(Modes(terminal.modes) == before)
  }

  @Test(arguments: [
    ["LANG": "C"], ["LANG": "POSIX"], ["LC_ALL": "xx_YY.UTF-8"], ["LC_ALL": "C"], [:],
    ["LANG": "C.UTF-8", "LC_CTYPE": "no-such-locale"],
  ])
  func `any locale gives a screen, with C.UTF-8 for text where the named one is of no use`(
    locale: [String: String]
  ) async throws {
    let terminal = PseudoTerminal()
    let program = try start(on: terminal, locale: locale)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("text UTF-8") }
    terminal.send("q")
    #expect(await program.end() == .exit(0))
  }

  /// Whether locales can be made here.
  private static let canMakeLocales =
    unsafe access("/usr/bin/localedef", X_OK) == 0
    && access("/usr/share/i18n/charmaps/ISO-8859-1.gz", R_OK) == 0

  @Test(.enabled(if: canMakeLocales), .scratchFolder)
  func `a locale with another charset gets letters that every charset has`() async throws {
    let name = "de_DE.ISO-8859-1"
    let folder = try #require(ScratchFolder.current).path
    let terminal = PseudoTerminal()
    let making = TerminalProgram(
      "/usr/bin/localedef", ["-c", "-i", "de_DE", "-f", "ISO-8859-1", "\(folder)/\(name)"],
      on: terminal, environment: ["PATH": "/usr/bin:/bin"])
    try #require(await making.end() == .exit(0))
    let program = try start(on: terminal, locale: ["LOCPATH": folder, "LC_ALL": name])
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("text ASCII") }
    terminal.send("q")
    #expect(await program.end() == .exit(0))
  }

  @Test func `a terminal that takes nothing for a while is right again as soon as it does`()
    async throws
  {
    try await withProgram { program, terminal in
      terminal.stall()
      terminal.send("pppj")
      terminal.recover()
      await terminal.wait { String(decoding: $0, as: UTF8.self).contains("4 key") }
      let emulator = EmulatedTerminal(columns: 80, rows: 24)
      emulator.feed(terminal.output)
      #expect(emulator.line(0) == "size 80x24 as xterm-256color")
      #expect(emulator.line(5).hasPrefix("4 key"))
      terminal.send("q")
      return .exit(0)
    }
  }

  @Test func `ten thousand changes of size end in the last one`() async throws {
    let terminal = PseudoTerminal()
    let before = Modes(terminal.modes)
    let program = try start(on: terminal)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    var numbers = RepeatableNumbers(seed: 5)
    for _ in 0..<10_000 {
      terminal.resize(
        columns: Int.random(in: 1...300, using: &numbers),
        rows: Int.random(in: 1...100, using: &numbers))
    }
    terminal.resize(columns: 77, rows: 21)
    await terminal.wait { bytes in
      let emulator = EmulatedTerminal(columns: 77, rows: 21)
      emulator.feed(bytes)
      return emulator.line(0) == "size 77x21 as xterm-256color"
    }
    program.signal(SIGTERM)
    #expect(await program.end() == .signal(SIGTERM))
    #expect(Modes(terminal.modes) == before)
  }

  @Test func `a vanished terminal ends the program`() async throws {
    let terminal = PseudoTerminal()
    let program = try start(on: terminal)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    terminal.vanish()
    #expect(await program.end() == .exit(4))
  }

  @Test func `the window's size changes reach a program through the kernel's own signal`()
    async throws
  {
    try await withProgram { program, terminal in
      terminal.resize(columns: 111, rows: 33)
      await terminal.wait { String(decoding: $0, as: UTF8.self).contains("11x33") }
      terminal.send("q")
      return .exit(0)
    }
  }

  @Test(arguments: [false, true])
  func `the stop key stops the program once, and continuing it paints a screen of the new size`(
    keepsFirstThread: Bool
  ) async throws {
    let terminal = PseudoTerminal()
    let shell = TerminalProgram(
      "/bin/sh", on: terminal,
      environment: [
        "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "PS1": "ready> ",
      ])
    terminal.send(try fixture + "\n")
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    #expect(Modes(terminal.modes).isRaw)
    if keepsFirstThread {
      // A thread that takes no signal at that moment has the kernel keep one for later.
      terminal.send("b")
      await terminal.wait { String(decoding: $0, as: UTF8.self).contains("1 key") }
    }
    terminal.send("\u{1a}")
    // A shell at its prompt has done with the terminal's modes.
    await terminal.wait { String(decoding: $0, as: UTF8.self).shows("ready> ", after: "Stopped") }
    #expect(!Modes(terminal.modes).isRaw)
    #expect(
      String(decoding: terminal.output, as: UTF8.self)
        .shows("\u{1b}[?1049l", after: "\u{1b}[?1049h"))
    terminal.resize(columns: 95, rows: 31)
    terminal.send("fg\n")
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("resumed") }
    #expect(Modes(terminal.modes).isRaw)
    let emulator = EmulatedTerminal(columns: 95, rows: 31)
    emulator.feed(terminal.output)
    #expect(emulator.line(0) == "size 95x31 as xterm-256color")
    terminal.send("q")
    await terminal.wait {
      String(decoding: $0, as: UTF8.self).shows("\u{1b}[?1049l", after: "\u{1b}[?1049h")
    }
    terminal.vanish()
    _ = await shell.end()
  }

  // MARK: The stage

  private var fixture: String {
    get throws {
      let folder = try #require(CommandLine.arguments.first).components(cutBy: "/").dropLast()
      return folder.joined(separator: "/") + "/terminal-fixture"
    }
  }

  private func start(
    on terminal: PseudoTerminal, type: String = "xterm-256color",
    locale: [String: String] = ["LANG": "C.UTF-8"]
  ) throws -> TerminalProgram {
    var environment = ["TERM": type, "PATH": "/usr/bin:/bin"]
    environment.merge(locale) { $1 }
    return TerminalProgram(try fixture, ["mouse"], on: terminal, environment: environment)
  }

  private func withProgram(
    body: (TerminalProgram, PseudoTerminal) async -> TerminalProgram.End?,
    afterwards: (String) -> Void = { _ in }
  ) async throws {
    let terminal = PseudoTerminal()
    let before = Modes(terminal.modes)
    let program = try start(on: terminal)
    await terminal.wait { String(decoding: $0, as: UTF8.self).contains("80x24") }
    #expect(Modes(terminal.modes) != before)
    let expected = await body(program, terminal)
    let end = await program.end()
    if let expected { #expect(end == expected) }
    #expect(Modes(terminal.modes) == before)
    let output = String(decoding: await terminal.drain(), as: UTF8.self)
    #expect(output.shows("\u{1b}[?1049l", after: "\u{1b}[?1049h"))
    let emulator = EmulatedTerminal(columns: 80, rows: 24)
    emulator.feed(Array(output.utf8))
    #expect(emulator.modes == EmulatedTerminal.Modes())
    #expect(output.shows("\u{1b}[?1000l", after: "\u{1b}[?1000h"))
    #expect(output.shows("\u{1b}[?1006l", after: "\u{1b}[?1006h"))
    #expect(output.shows("\u{1b}[?2004l", after: "\u{1b}[?2004h"))
    #expect(output.shows("\u{1b}[?1l", after: "\u{1b}[?1h"))
    #expect(
      output.components(cutBy: "\u{1b}[?25l").last?.contains("\u{1b}[?25h") == true
        || output.components(cutBy: "\u{1b}[?25l").last?.contains("\u{1b}[?12l\u{1b}[?25h") == true)
    afterwards(output)
  }
}

/// The modes of a terminal, comparable.
private struct Modes: Equatable {
  var flags: [UInt32]
  var characters: [UInt8]
  var isRaw: Bool { flags[3] & UInt32(ICANON | ECHO | ISIG) == 0 }

  init(_ modes: termios) {
    flags = [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
    characters = unsafe withUnsafeBytes(of: modes.c_cc) { unsafe Array($0) }
  }
}

extension String {
  /// The parts between the places where `text` stands.
  fileprivate func components(cutBy text: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    let wanted = Array(text.utf8)
    var rest = Array(utf8)[...]
    while let first = rest.first {
      if rest.starts(with: wanted) {
        parts.append([])
        rest = rest.dropFirst(wanted.count)
      } else {
        parts[parts.count - 1].append(first)
        rest = rest.dropFirst()
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a text stands somewhere after the last `earlier`, which does stand there.
  fileprivate func shows(_ text: String, after earlier: String) -> Bool {
    let parts = components(cutBy: earlier)
    return parts.count > 1 && parts.last?.components(cutBy: text).count ?? 0 > 1
  }
}
