import Settings
import Testing

@Suite struct `Names of keys` {
  @Test(
    arguments: [
      ("x", "x"), ("X", "X"), (" ", "Space"), ("space", "Space"), ("ctrl-x", "Ctrl-X"),
      ("Ctrl-X", "Ctrl-X"), ("^l", "Ctrl-L"), ("alt-x", "Alt-x"), ("Alt-X", "Alt-X"),
      ("f9", "F9"), ("F12", "F12"), ("page-up", "PgUp"), ("PgDn", "PgDn"), ("enter", "Enter"),
      ("esc", "Esc"), ("shift-tab", "Shift-Tab"), ("ß", "ß"), ("/", "/"), ("^", "^"), ("f", "f"),
    ])
  func `are read in the ways people write them`(text: String, name: String) {
    #expect(KeyName(text)?.description == name)
    #expect(KeyName(name)?.description == name)
  }

  @Test(
    arguments: [
      "", "xx", "f0", "f13", "f01", "f+1", "ctrl-", "ctrl-1", "ctrl-ö", "ctrl-xy", "alt- ",
      "\u{1B}", "\u{7}", "hyper-x", "  ",
    ])
  func `what is not a key is none`(text: String) { #expect(KeyName(text) == nil) }
}

@Suite struct `Keys from the settings` {
  private func key(_ text: String) throws -> KeyName { try #require(KeyName(text)) }

  private func actions() throws -> [KeyBindings.Action] {
    [
      KeyBindings.Action(name: "abort", keys: [try key("x"), try key("f9")]),
      KeyBindings.Action(name: "retry", keys: [try key("r")]),
      KeyBindings.Action(name: "filter", keys: [try key("f4")], screens: ["queue"]),
      KeyBindings.Action(name: "log-wrap", keys: [try key("w")], screens: ["log"]),
    ]
  }

  private func bindings(_ text: String) throws -> KeyBindings {
    let settings = try Settings.parse("[keys]\n" + text, file: "c").settings
    return KeyBindings(settings.keys, over: try actions())
  }

  @Test func `one key, several, none`() throws {
    let bound = try bindings("abort = \"ctrl-x\"\nretry = []\nfilter = [\"f\", \"F5\", \"f\"]")
    #expect(bound.problems.isEmpty)
    #expect(bound.changed["abort"] == [try key("ctrl-x")])
    #expect(bound.changed["retry"] == [])
    #expect(bound.changed["filter"] == [try key("f"), try key("f5")])
    #expect(bound.keys(of: try actions()[3]) == [try key("w")])
  }

  @Test func `a key is taken from the action that had it by itself, and this is told`() throws {
    let bound = try bindings("\nretry = \"x\"")
    #expect(bound.changed == ["retry": [try key("x")], "abort": [try key("f9")]])
    #expect(
      bound.problems.map(\.description)
        == ["c:3: keys.retry: x was the key of abort, which has it no more"])
  }

  @Test func `two actions may change places`() throws {
    let bound = try bindings("abort = \"r\"\nretry = \"x\"")
    #expect(bound.problems.isEmpty)
    #expect(bound.changed == ["abort": [try key("r")], "retry": [try key("x")]])
  }

  @Test func `of two lines that want the same key the first gets it`() throws {
    let bound = try bindings("retry = \"k\"\nabort = [\"k\", \"K\"]")
    #expect(bound.changed == ["retry": [try key("k")], "abort": [try key("K")]])
    #expect(
      bound.problems.map(\.description)
        == ["c:3: keys.abort: k is already the key of retry in line 2, ignored here"])
  }

  @Test func `actions of different screens may share a key`() throws {
    let bound = try bindings("log-wrap = \"f4\"")
    #expect(bound.problems.isEmpty)
    #expect(bound.changed == ["log-wrap": [try key("f4")]])
    #expect(try bindings("log-wrap = \"x\"").changed["abort"] == [try key("f9")])
  }

  @Test func `an action that does not exist is told with the one that is meant`() throws {
    let bound = try bindings("abrot = \"k\"\nnothing-like-it = \"k\"\nbarot = \"k\"\nabo = \"k\"")
    #expect(bound.changed.isEmpty)
    #expect(
      bound.problems.map(\.description) == [
        "c:2: keys.abrot: no such action, ignored (did you mean abort?)",
        "c:3: keys.nothing-like-it: no such action, ignored",
        // As for commands: one letter in three, and what begins so is near.
        "c:4: keys.barot: no such action, ignored",
        "c:5: keys.abo: no such action, ignored (did you mean abort?)",
      ])
  }
}
