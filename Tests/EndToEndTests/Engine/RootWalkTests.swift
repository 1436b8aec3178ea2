import Glibc
import Support
import Testing

/// Every command that root may run where somebody else has prepared everything; needs root.
@Suite(.scratchFolder, .timeLimit(.minutes(15)), .endsOrAborts, .enabled(if: geteuid() == 0))
struct `Root among files of somebody else` {
  /// One run of a command.
  private struct Run {
    var program: String
    var words: [String]
    var environment: [String: String]
  }

  private let own: ScratchFolder
  private let place: HostilePlace

  init() async throws {
    own = try #require(ScratchFolder.current)
    try own.write("precious\n", to: "victim/file")
    place = try await HostilePlace(victim: own.path("victim"))
  }

  /// Values that name something of the other user's, by what an argument's value is called.
  private func hostileValues(_ argument: ListedCommand.Argument) -> [String]? {
    switch argument.option == "--remove-at-end" ? "remove-at-end" : argument.value {
    case "folder":
      ["private", "tree", "state", "state/jobs/1", "empty", "new/folder"].map(place.path)
    case "path": [place.path("new.sock"), place.path("run/fettle/none.sock")]
    case "theme": [place.path("config/fettle/themes/t.toml"), "t"]
    case "scenario": [place.path("scenario.toml")]
    case "provider": ["simulated:" + place.path("scenario.toml")]
    case "remove-at-end": [place.path("discard"), place.path("empty")]
    default: nil
    }
  }

  /// A value that names no file, for an argument that must be there; nil for an unknown kind.
  private func harmlessValue(_ argument: ListedCommand.Argument) -> String? {
    switch argument.value {
    case "job", "number", "priority": "1"
    case "package", "name", "update", "user", "text", "token", "comment": "zoo"
    case "verb": "install"
    case "level": "never"
    case "states", "results", "act", "outcome", "time", "policy", "seconds", "line", "release": "x"
    case "word": "zoo"
    case "kind": "auto"
    case "arguments", "subcommands": ""
    default: nil
    }
  }

  /// All runs of a command: as it is, and with each of its arguments naming something of the other user's.
  private func runs(of command: ListedCommand, _ program: String) throws -> [Run] {
    for argument in command.arguments {
      try #require(
        hostileValues(argument) != nil || harmlessValue(argument) != nil,
        "say what \(program) \(command.words) means by '\(argument.value)'")
    }
    let required = command.arguments.filter { $0.option == nil && !$0.isOptional }
    let plain = required.map { hostileValues($0)?.first ?? harmlessValue($0) ?? "" }
    var runs = [
      Run(program: program, words: command.words + plain, environment: place.environment)
    ]
    for argument in command.arguments {
      for value in hostileValues(argument) ?? [] {
        var words = command.words
        if let option = argument.option {
          words += plain + [option, value]
        } else {
          words.append(value)
        }
        for environment in [ownEnvironment, place.environment] {
          runs.append(
            Run(
              program: program,
              words: words + (environment["HOME"] == own.path ? restrained(words) : []),
              environment: environment))
        }
      }
    }
    return runs
  }

  private var ownEnvironment: [String: String] {
    var environment = ToolOutput.plain
    environment["HOME"] = own.path
    environment["FETTLE_SOCKET"] = own.path("none.sock")
    environment["http_proxy"] = "http://127.0.0.1:1"
    return environment
  }

  /// What keeps an engine that is not refused from the machine itself.
  private func restrained(_ words: [String]) -> [String] {
    guard words.first == "engine" else { return [] }
    let safe = [
      ("--state", own.path("state")), ("--socket", own.path("engine.sock")),
      words.contains("--root") ? ("--provider", "apt") : ("--provider", "simulated:demo"),
    ]
    return safe.filter { !words.contains($0.0) }.flatMap { [$0.0, $0.1] }
  }

  @Test func `runs and changes nothing of theirs, whatever the command`() async throws {
    let record = place.record
    var all: [Run] = []
    for program in ["fettle", "fettled"] {
      for command in try await ListedCommand.all(of: EngineUnderTest.path(program)) {
        // See the test of its own.
        guard command.words != ["discard"] else { continue }
        all += try runs(of: command, program)
      }
    }
    // What fettle only passes on.
    all += all.filter { $0.program == "fettled" && ["engine", "root"].contains($0.words.first) }
      .map { Run(program: "fettle", words: $0.words, environment: $0.environment) }
    #expect(all.count > 100)
    for run in all {
      let answer = try await answer(run)
      let title =
        "\(run.program) \(run.words): \(answer.output.suffix(500))\(answer.errors.suffix(500))"
      if ["engine", "root", "work"].contains(run.words.first), run.words.count > 1 {
        #expect(answer.status != 0, "\(title)")
      }
      let changes = place.record.symmetricDifference(record).sorted()
      let isUntouched = changes.isEmpty && place.witnesses.isEmpty && !place.isConnected
      // What follows would only repeat it.
      try #require(isUntouched, "\(title): \(changes.prefix(5)) \(place.witnesses)")
    }
    #expect(TestFolder.text(of: own.path("victim/file")) == "precious\n")
  }

  @Test func `has a folder of theirs emptied with their rights only, no link is followed`()
    async throws
  {
    for name in ["discard", "state"] {
      let answer = try await answer(
        Run(
          program: "fettled", words: ["discard", place.path(name)], environment: ownEnvironment))
      #expect(answer.status == 0, "\(answer)")
      #expect(!TestFolder.exists(place.path(name)))
    }
    #expect(TestFolder.text(of: own.path("victim/file")) == "precious\n")
    #expect(place.witnesses.isEmpty)
  }

  @Test func `serves and crashes without their variables, fifos and programs`() async throws {
    let theirs = ["TZ", "LANGUAGE", "SWIFT_ROOT", "SWIFT_BACKTRACE", "PERL5OPT", "PERL5LIB"]
    let environment = ownEnvironment.merging(
      place.environment.filter { theirs.contains($0.key) }
    ) { _, their in their }
    let socket = ["--socket", own.path("engine.sock")]
    func engine(_ program: String) async throws -> RunningProgram {
      let engine = try RunningProgram(
        [EngineUnderTest.path(program), "engine", "--provider", "simulated:demo"]
          + ["--state", own.path("state")] + socket,
        environment: environment, stem: own.path(program), prefix: [])
      try await engine.until("ready") { $0.contains { $0.contains("ready") } }
      return engine
    }
    // What it becomes has the variables that it leaves.
    let becoming = try await engine("fettle")
    let variables = try #require(TestFolder.text(of: "/proc/\(becoming.pid)/environ"))
      .split(separator: "\0").compactMap { $0.split(separator: "=").first.map(String.init) }
    #expect(variables.contains("HOME"))
    #expect(Set(variables).isDisjoint(with: theirs))
    becoming.signal(SIGTERM)
    #expect(try await becoming.status(within: .seconds(60)) == 0)
    let crashing = try await engine("fettled")
    // Its notices have a local time.
    let answer = try await answer(
      Run(program: "fettle", words: ["install", "orbit"] + socket, environment: environment))
    #expect(answer.status == 0, "\(answer)")
    crashing.signal(SIGSEGV)
    #expect(try await crashing.status(within: .seconds(60)) == 128 + SIGSEGV)
    #expect(place.witnesses.isEmpty)
  }

  private func answer(_ run: Run) async throws -> Answer {
    let program = try RunningProgram(
      [EngineUnderTest.path(run.program)] + run.words, environment: run.environment,
      stem: own.path("run"), prefix: [])
    let status = try await program.status(within: .seconds(120))
    return Answer(status: status, output: program.output, errors: program.errors)
  }
}
