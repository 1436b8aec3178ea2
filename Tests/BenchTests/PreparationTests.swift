import Glibc
import Testing

@testable import Bench

@Suite struct `What a section prepares` {
  @Test func `sleepers live until they are ended`() throws {
    let sleepers = try Sleepers(3)
    #expect(sleepers.processes.count == 3)
    #expect(sleepers.processes.allSatisfy { kill($0, 0) == 0 })
    sleepers.end()
    #expect(sleepers.processes.allSatisfy { kill($0, 0) == -1 })
  }

  @Test func `a workplace is private, has clean homes, and is removed with all in it`() throws {
    let workplace = try Workplace()
    let path = workplace.path
    var record = stat()
    #expect(unsafe stat(path, &record) == 0)
    #expect(record.st_mode & 0o777 == 0o700)
    let environment = try workplace.environment(home: "one")
    #expect(environment["TERM"] == "xterm-256color")
    #expect(environment["LANG"] == "C.UTF-8")
    for key in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
      let folder = try #require(environment[key])
      #expect(folder.hasPrefix(path + "/one"))
      let names = Set(SmallFile.names(in: folder))
      #expect(names.isSubset(of: ["config", "state", "runtime"]))
    }
    try SmallFile.write("text", to: path + "/one/file")
    #expect(SmallFile.text(path + "/one/file") == "text")
    workplace.remove()
    #expect(unsafe stat(path, &record) == -1)
  }
}
