import InstallJobs
import Settings
import SimulatedProvider
import ThemeCatalog

/// Theme files.
struct ThemeTarget: FuzzTarget {
  static let name = "theme"

  var seeds: [[UInt8]] {
    [
      """
      [theme]
      name = "x"
      inherits = "neutral"
      kind = "dark"
      contrast = 4.5
      vision = ["deutan"]
      [palette]
      fg = ["#d0d0d0", 252, "white bold"]
      bg = ["default", "default", "default"]
      [roles]
      text = "fg on bg bold"
      title = "@text underline"
      [mono]
      text = "bold"
      """
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    TOMLWords.all + Role.allCases.map { "\"\($0.name)\" = " }
      + [
        "[theme]\n", "[palette]\n", "[roles]\n", "[mono]\n", "name = ", "inherits = ", "kind = ",
        "contrast = ", "vision = ", "\"neutral\"", "\"dark\"",
        "fg = [\"#ffffff\", 15, \"white\"]\n",
        "\"fg on bg\"", "\"@text\"", "\"@state bold\"",
      ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let reading = ThemeCatalog.parse(text, file: "x.toml")
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    for issue in reading.issues {
      try hold(!issue.message.isEmpty, "an issue says nothing")
      if issue.file == "x.toml", let line = issue.line {
        try hold((1...lines + 1).contains(line), "an issue is behind the end of its file: \(line)")
      }
    }
    try hold(
      (reading.theme == nil) == reading.issues.contains { $0.severity == .error },
      "a theme with errors can be used, or one without cannot")
    guard let theme = reading.theme else { return }
    for level in ColorLevel.allCases { _ = theme.theme(at: level) }
  }
}

/// Scenario files.
struct ScenarioTarget: FuzzTarget {
  static let name = "scenario"

  var seeds: [[UInt8]] {
    [
      """
      name = "x"
      seed = 3
      bytesPerSecond = 1000
      tickSeconds = 0.5
      [lock]
      holder = "apt"
      seconds = 3
      [defaults]
      unpack = [0.5, 2]
      [[package]]
      name = "a"
      version = "1:2-3"
      dependencies = ["b"]
      fails = { at = "configure", exitStatus = 3 }
      [[package]]
      name = "b"
      size = 1000
      trigger = { package = "man-db", seconds = 1 }
      question = { text = "why", default = "so" }
      [[job]]
      operation = "install"
      packages = ["a=1:2-3", "b"]
      priority = 3
      at = 1.5
      """
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    TOMLWords.all + [
      "[[package]]\n", "[[job]]\n", "[lock]\n", "[defaults]\n", "name = ", "version = ", "\"a\"",
      "size = ", "seconds = ", "packages = ", "[\"a\"]", "at = ", "\"configure\"", "seed = ",
      "stall = { at = \"unpack\" }\n", "dependencies = [\"a\"]\n",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let reading = Result { () throws(InstallationError) in
      try Scenario(parsing: text, file: "x.toml")
    }
    switch reading {
    case .success(let scenario):
      try hold(!scenario.packages.isEmpty, "a scenario without packages was read")
      for job in scenario.jobs {
        try hold((try? job.request.validated()) != nil, "a job that is not valid was read")
      }
    case .failure(let error):
      try hold(error.code == .invalidArgument, "a refusal has another code: \(error.code)")
      try hold(error.message.isShownSafely, "a refusal has controls: \(error.message)")
    }
  }
}

/// Settings files.
struct SettingsTarget: FuzzTarget {
  static let name = "settings"

  var seeds: [[UInt8]] {
    [
      """
      theme = "night"
      color = 256
      columns = ["phase", "by"]
      frame-rate = 10
      mouse = "on"
      [engine]
      root = "/"
      stallAfterSeconds = 60
      [keys]
      abort = ["x", "f9", "ctrl-x"]
      clean-up = []
      """
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    TOMLWords.all + Settings.choosableKeys.map { $0 + " = " }
      + [
        "[engine]\n", "[keys]\n", "root = ", "\"/\"", "\"on\"", "abort = ", "\"ctrl-x\"",
        "frame-rate",
      ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    let reading = Result { () throws(SettingsError) in
      try Settings.parse(text, file: "x.toml")
    }
    switch reading {
    case .success(let read):
      for warning in read.warnings {
        try hold(warning.isShownSafely, "a warning has controls: \(warning)")
      }
    case .failure(let error):
      try hold(error.description.isShownSafely, "an error has controls: \(error.description)")
    }
  }
}

/// The monitor's own memory.
struct MemoryTarget: FuzzTarget {
  static let name = "memory"

  var seeds: [[UInt8]] {
    ["[chosen]\ntheme = \"x\"\nascii = true\n[instead]\ntheme = \"y\"\n[view]\nsort = \"done\"\n"]
      .map { Array($0.utf8) }
  }
  var tokens: [String] {
    TOMLWords.all + Settings.choosableKeys.map { $0 + " = " }
      + ["[chosen]\n", "[instead]\n", "[view]\n", "sort = ", "\"done\"", "columns = [\"a\"]\n"]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let memory = MonitorMemory(text: String(decoding: input, as: UTF8.self))
    try hold(MonitorMemory(text: memory.text) == memory, "memory written again is another")
  }
}

enum TOMLWords: Sendable {
  static let all = [
    "=", " = ", "\n", "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "]]", "{", "}", ",", ".", "#",
    "true", "1979-05-27T07:32:00Z", "07:32:00", "1979-05-27", "0x1F", "inf", "-nan", "1_000",
    "1e400",
    "\\u0000", "\\U0010FFFF", "\\n", "a.b.c = 1\n", "[a.b]\n", "x = [[[[1]]]]\n",
    "{ a = { b = 1 } }",
  ]
}
