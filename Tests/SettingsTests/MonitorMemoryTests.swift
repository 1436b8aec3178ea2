import FoundationEssentials
import Glibc
import Settings
import Support
import Testing

@Suite struct `What the monitor keeps` {
  private func settings(_ text: String) throws -> Settings {
    try Settings.parse(text, file: "c").settings
  }

  private func memory(_ chosen: String, keys: [String], over files: Settings) throws
    -> MonitorMemory
  {
    var memory = MonitorMemory()
    for key in keys { memory.choose(key, in: try settings(chosen), files: files) }
    return memory
  }

  @Test func `a choice counts until the file says something else`() throws {
    let before = try settings("theme = \"dark\"\nframeRate = 5")
    let memory = try memory("theme = \"fjord\"", keys: ["theme"], over: before)
    #expect(memory.applied(to: before).theme == "fjord")
    #expect(memory.applied(to: before).frameRate == 5)
    #expect(memory.choices(over: before) == ["theme"])
    for edited in ["theme = \"light\"", "", "theme = \"fjord\""] {
      let after = try settings(edited)
      #expect(memory.applied(to: after) == after)
      #expect(memory.pruned(for: after) == MonitorMemory())
    }
    let otherwise = try settings("theme = \"dark\"\nframeRate = 20")
    #expect(memory.applied(to: otherwise).theme == "fjord")
  }

  @Test func `a choice over a file that says nothing, and its taking back`() throws {
    var memory = try memory("motion = \"calm\"", keys: ["motion"], over: Settings())
    #expect(memory.applied(to: Settings()).motion == .calm)
    memory.forget("motion")
    #expect(memory == MonitorMemory())
  }

  @Test func `every choice comes back as it was written`() throws {
    let chosen = """
      theme = "a \\"b\\" \\\\ c"
      color = "256"
      ascii = true
      columns = ["id", "state"]
      frameRate = 7
      slowLink = true
      motion = "calm"
      mouse = true
      functionBar = "both"
      confirmations = "always"
      bell = false
      escapeDelay = 0
      readOnly = true
      """
    let files = try settings("theme = \"x\"\ncolumns = [\"name\"]")
    var memory = try memory(chosen, keys: Settings.choosableKeys, over: files)
    memory.view = ["sort": "state", "last-theme": "fjord"]
    let again = MonitorMemory(text: memory.text)
    #expect(again == memory)
    #expect(again.applied(to: files) == (try settings(chosen)))
    #expect(again.choices(over: files) == Settings.choosableKeys)
  }

  @Test(
    arguments: [
      "not toml [", "[chosen]\nframeRate = 99", "chosen = 3", "[view]\nsort = 7",
      "[chosen]\nnosuch = 1", "[view]\n\"a b\" = \"x\"", "[chosen]\nkeys = { abort = \"x\" }",
    ])
  func `what is not understood is left out`(text: String) {
    #expect(MonitorMemory(text: text) == MonitorMemory())
  }

  @Test func `a damaged line costs that line alone`() throws {
    let memory = MonitorMemory(
      text: "[chosen]\nframeRate = 99\ntheme = \"fjord\"\n[view]\nsort = \"id\\u001b\"")
    #expect(memory.applied(to: Settings()).theme == "fjord")
    #expect(memory.applied(to: Settings()).frameRate == nil)
    #expect(memory.view["sort"]?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
  }
}

@Suite(.scratchFolder) struct `The file of what the monitor keeps` {
  private let folder: ScratchFolder

  init() throws { folder = try #require(ScratchFolder.current) }

  private func memory(_ sort: String) -> MonitorMemory {
    var memory = MonitorMemory()
    memory.view["sort"] = sort
    return memory
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `is made for its owner alone, with the folders on its way`() throws {
    let path = folder.path("state/fettle/monitor.toml")
    try memory("id").write(path)
    #expect(MonitorMemory.read(path) == memory("id"))
    #expect(mode(path) == 0o600)
    #expect(mode(folder.path("state/fettle")) == 0o700)
    try memory("state").write(path)
    #expect(MonitorMemory.read(path) == memory("state"))
    #expect(TestFolder.names(in: folder.path("state/fettle")) == ["monitor.toml"])
  }

  @Test func `a link stays a link and what it points to is replaced`() throws {
    try folder.write("", to: "dots/monitor.toml")
    let link = folder.path("monitor.toml")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "dots/monitor.toml")
    try memory("id").write(link)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "dots/monitor.toml")
    #expect(MonitorMemory.read(folder.path("dots/monitor.toml")) == memory("id"))
  }

  @Test func `what is no file is neither read nor replaced`() throws {
    let pipe = folder.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let loop = folder.path("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    for path in [pipe, loop, folder.path] {
      #expect(MonitorMemory.read(path) == MonitorMemory())
      let error = #expect(throws: SettingsError.self) { try memory("id").write(path) }
      #expect(error?.file == path)
    }
    var status = stat()
    #expect(unsafe lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a folder that cannot be made is told and nothing is left`() throws {
    try folder.write("", to: "blocked")
    let path = folder.path("blocked/monitor.toml")
    let error = #expect(throws: SettingsError.self) { try memory("id").write(path) }
    #expect(error?.problem.contains(folder.path("blocked")) == true)
    #expect(TestFolder.names(in: folder.path) == ["blocked"])
  }
}
