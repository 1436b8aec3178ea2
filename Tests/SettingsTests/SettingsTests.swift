import Settings
import Support
import Testing

@Suite struct `A settings file` {
  @Test func `Every key is read`() throws {
    let read = try Settings.parse(
      """
      theme = "sea"
      color = 256
      ascii = true
      mouse = "off"
      frameRate = 20
      columns = ["id", "state"]
      motion = "calm"
      function-bar = "letters"
      confirmations = "always"
      escape-delay = 40
      readOnly = true
      slow-link = true

      [keys]
      abort = "ctrl-x"
      clean-up-finished = []

      [engine]
      root = "/srv/root"
      state = "/srv/state"
      socket = "/run/x.sock"
      everybodyMayLook = true
      stallAfterSeconds = 90
      requiresRebootFirst = true
      keepDays = 30
      keep-jobs = 500
      keepMegabytes = 100
      """, file: "c")
    var wanted = Settings()
    wanted.theme = "sea"
    wanted.color = .palette
    wanted.ascii = true
    wanted.mouse = false
    wanted.frameRate = 20
    wanted.columns = ["id", "state"]
    wanted.motion = .calm
    wanted.functionBar = .letters
    wanted.confirmations = .always
    wanted.escapeDelay = 40
    wanted.readOnly = true
    wanted.slowLink = true
    wanted.keys = [
      KeyBinding(action: "abort", keys: [try #require(KeyName("Ctrl-X"))], file: "c", line: 15),
      KeyBinding(action: "clean-up-finished", keys: [], file: "c", line: 16),
    ]
    wanted.engine.root = "/srv/root"
    wanted.engine.state = "/srv/state"
    wanted.engine.socket = "/run/x.sock"
    wanted.engine.everybodyMayLook = true
    wanted.engine.stallAfterSeconds = 90
    wanted.engine.requiresRebootFirst = true
    wanted.engine.keepDays = 30
    wanted.engine.keepJobs = 500
    wanted.engine.keepMegabytes = 100
    #expect(read.settings == wanted)
    #expect(read.warnings.isEmpty)
    #expect(
      read.problem(with: "columns", "no such column").description
        == "c:6: columns: no such column")
    #expect(read.places["functionBar"]?.line == 8)
    #expect(read.places["engine.socket"]?.line == 21)
  }

  @Test(arguments: [
    ("ascii = 1", "c:1: ascii: must be true or false, not the number 1"),
    ("\ncolor = \"red\"", "c:2: color: must be one of \"auto\", \"never\", \"16\", \"256\", "),
    ("frameRate = 0", "c:1: frameRate: must be a whole number from 1 to 20, not the number 0"),
    ("\nrate = 21", "c:2: frameRate: must be a whole number from 1 to 20, not the number 21"),
    ("frame-rate = 21", "c:1: frameRate: must be a whole number from 1 to 20, not the number 21"),
    ("frameRate = 21", "c:1: frameRate: must be a whole number from 1 to 20, not the number 21"),
    ("frameRate = 2.5", "c:1: frameRate: must be a whole number from 1 to 20"),
    ("theme = [\"a\"]", "c:1: theme: must be the name or path of a theme, not a list"),
    ("theme = \"\"", "c:1: theme: must be the name or path"),
    ("engine = 3", "c:1: engine: must be a table [engine], not the number 3"),
    ("[engine]\n\nroot = \"srv\"", "c:3: engine.root: must be an absolute path, not \"srv\""),
    ("[engine]\nsocket = true", "c:2: engine.socket: must be an absolute path in quotes, not true"),
    ("engine.stallAfterSeconds = 0", "c:1: engine.stallAfterSeconds: must be seconds from 1"),
    ("[engine]\nstate = 2020-01-01", "c:2: engine.state: dates and times are not used here"),
    ("columns = \"id\"", "c:1: columns: must be a list of column names, not the text"),
    ("columns = []", "c:1: columns: must be a list of column names, not an empty list"),
    ("columns = [\"id\", 3]", "c:1: columns: must be a list of column names, not with"),
    ("motion = \"some\"", "c:1: motion: must be one of \"full\", \"calm\", not the text \"some\""),
    ("functionBar = 1", "c:1: functionBar: must be one of \"fkeys\", \"letters\", \"both\""),
    ("confirmations = true", "c:1: confirmations: must be one of \"always\", \"dangerous\""),
    ("escape-delay = 1001", "c:1: escapeDelay: must be a whole number from 0 to 1000"),
    ("readOnly = \"yes\"", "c:1: readOnly: must be true or false, not the text \"yes\""),
    ("keys = 1", "c:1: keys: must be a table [keys], not the number 1"),
    ("[keys]\n\nabort = 9", "c:3: keys.abort: must be a key in quotes, or a list of keys"),
    ("[keys]\nabort = [\"x\", \"hyper-x\"]", "c:2: keys.abort: \"hyper-x\" is not a key; keys are"),
    ("rate = 5\nframeRate = 6", "c:1: frameRate: is there twice, in two spellings"),
    (
      "[engine]\nstall-after-seconds = 5\nstallAfterSeconds = 6",
      "c:2: engine.stallAfterSeconds: is there twice"
    ),
    ("theme = \"a\"\nascii = ", "c:2: "), ("theme = \"\\u001b[2J\"", "c:1: theme: must be the"),
  ])
  func `A mistake is named with file, line and key`(text: String, message: String) {
    let error = #expect(throws: SettingsError.self) { _ = try Settings.parse(text, file: "c") }
    let shown = error?.description ?? ""
    #expect(shown.contains(message), "\(shown)")
    #expect(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }

  @Test func `A socket path longer than the kernel takes is refused`() {
    let path = "/" + String(repeating: "a", count: 107)
    let error = #expect(throws: SettingsError.self) {
      _ = try Settings.parse("[engine]\nsocket = \"\(path)\"", file: "c")
    }
    #expect(error?.problem == "must have at most 107 bytes, not 108")
  }

  @Test func `What can be used is used, the rest is a warning, and nothing is allowed by it`() {
    let read = Settings.usable("ascii = 1\ntheme = \"mine\"\nnope = 2\n", file: "c")
    #expect(read.settings.theme == "mine")
    #expect(read.settings.ascii == nil)
    #expect(read.settings.readOnly == nil)
    #expect(read.warnings.count == 2)
    #expect(read.warnings[0].hasPrefix("c:1: ascii: must be true or false"))
    #expect(read.warnings[0].hasSuffix("; the default is used"))
    #expect(read.warnings[1].hasPrefix("c:3: nope: unknown key"))
    let half = Settings.usable("theme = 1979-05-27T\n", file: "c")
    #expect(half.settings == Settings())
    #expect(half.warnings.count == 1)
    #expect(Settings.usable("readOnly = \"yes\"", file: "c").settings.readOnly == true)
    #expect(Settings.usable("read-only = true\nx = ", file: "c").settings.readOnly == true)
  }

  @Test func `An unknown key is a warning`() throws {
    let read = try Settings.parse(
      "ascii = true\ncolour = 1\n[engine]\nrate = 5\n[more]\nx = 1", file: "c")
    #expect(read.settings.ascii == true)
    #expect(read.warnings.count == 3)
    #expect(read.warnings[0].hasPrefix("c:2: colour: unknown key, ignored (known here: ascii, "))
    #expect(read.warnings[1].hasPrefix("c:4: engine.rate: unknown key, ignored (known here: every"))
    #expect(read.warnings[2].hasPrefix("c:5: more: unknown key"))
  }

  @Test(.scratchFolder) func `The user's file wins key by key`() throws {
    let folder = try #require(ScratchFolder.current)
    let user = try folder.write(
      "theme = \"mine\"\n[engine]\nroot = \"/r\"\n[keys]\nabort = []", to: "user.toml")
    let system = try folder.write(
      """
      theme = "theirs"
      ascii = true
      keys = { abort = "a", retry = "b" }
      [engine]
      root = "/"
      state = "/s"
      """, to: "system.toml")
    let read = try SettingsPlaces.read([user, folder.path("absent.toml"), system])
    #expect(read.settings.theme == "mine")
    #expect(read.settings.ascii == true)
    #expect(read.settings.engine.root == "/r")
    #expect(read.settings.engine.state == "/s")
    #expect(read.settings.keys.map(\.action) == ["abort", "retry"])
    #expect(read.settings.keys.first?.keys == [])
    #expect(read.problem(with: "theme", "broken").description == "\(user):1: theme: broken")
    #expect(read.problem(with: "ascii", "odd").description == "\(system):2: ascii: odd")
  }
}

@Suite struct `The places of files` {
  @Test func `The XDG variables name them`() {
    let places = SettingsPlaces(environment: [
      "HOME": "/home/u", "XDG_CONFIG_HOME": "/c/", "XDG_STATE_HOME": "/s",
      "XDG_RUNTIME_DIR": "/run/user/1",
    ])
    #expect(places.settingsFiles == ["/c/fettle/config.toml", "/etc/fettle/config.toml"])
    #expect(places.themeFolders == ["/c/fettle/themes", "/usr/share/fettle/themes"])
    #expect(places.userState == "/s/fettle")
    #expect(places.monitorMemory == "/s/fettle/monitor.toml")
    #expect(places.userSocket == "/run/user/1/fettle/engine.sock")
  }

  @Test func `Without them the home folder does, and a relative path counts as unset`() {
    let places = SettingsPlaces(environment: ["HOME": "/home/u", "XDG_CONFIG_HOME": "c"])
    #expect(
      places.settingsFiles == ["/home/u/.config/fettle/config.toml", "/etc/fettle/config.toml"])
    #expect(places.userState == "/home/u/.local/state/fettle")
    #expect(places.userSocket == nil)
    #expect(
      SettingsPlaces(environment: [:]).settingsFiles == ["/etc/fettle/config.toml"])
  }
}
