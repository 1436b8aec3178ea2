import Canvas
import Monitor
import Settings
import Testing

@Suite struct `Keys of the monitor in the settings` {
  @Test func `every key that an action has can be written in the settings, and means that key`() {
    for action in ActionTable.standard.actions {
      for key in action.keys {
        #expect(KeyName(key.name)?.description == key.name, "\(action.name)")
        #expect(Key(named: key.name) == key, "\(action.name)")
      }
    }
  }

  @Test(
    arguments: [
      "page-up", "pgdn", "^x", "ctrl-x", "alt-X", "F12", "space", "shift-tab", "del", "ins",
      "escape", "return", "backspace", "home", "up", "left", "Q", "?",
    ])
  func `what the settings take the monitor understands`(text: String) throws {
    let name = try #require(KeyName(text))
    let key = try #require(Key(named: name.description))
    #expect(key.name == name.description)
  }
}
