import Glibc
import HostSystem
import InstallJobs
import JobServer
import Support
import Testing

@Suite(.scratchFolder) struct `The engine's state folders` {
  private func mode(_ path: String) -> mode_t {
    var record = stat()
    return unsafe stat(path, &record) == 0 ? record.st_mode & 0o7777 : 0
  }

  @Test func `new ones can be passed through, and show nothing`() throws {
    let state = try #require(ScratchFolder.current).path("state")
    try StateFolders(path: state).make()
    #expect(mode(state) == 0o711 && mode(state + "/jobs") == 0o711)
    #expect(mode(state + "/archives") == 0o700 && mode(state + "/cache") == 0o700)
  }

  @Test(arguments: ["state/", "state//", "/state", "./state/."])
  func `however their path is spelled, they are as private`(spelling: String) throws {
    let scratch = try #require(ScratchFolder.current)
    let folders = StateFolders(path: scratch.path + "/" + spelling)
    try folders.make()
    let state = scratch.path("state")
    #expect(folders.path == state)
    #expect(mode(state) == 0o711 && mode(state + "/jobs") == 0o711)
    #expect(mode(state + "/archives") == 0o700)
  }

  @Test func `a path that does not begin at the root begins at the present folder`() throws {
    guard let here = unsafe getcwd(nil, 0) else { throw FixtureError("no present folder") }
    defer { unsafe free(here) }
    let folder = unsafe String(cString: here)
    for spelling in ["state", "./state", "state/", "..//state"] {
      let path = StateFolders(path: spelling).path
      #expect(path == folder + (spelling.hasPrefix("..") ? "/../state" : "/state"))
    }
    #expect(AbsolutePath.of("/") == "/" && AbsolutePath.of("//a/./b//") == "/a/b")
  }

  @Test func `a folder beside them is not taken for one of theirs`() throws {
    let scratch = try #require(ScratchFolder.current)
    let base = scratch.path("state")
    try StateFolders.make(base + "-of-others", mode: 0o700, below: base)
    #expect(mode(base + "-of-others") & 0o055 != 0)
    try StateFolders.make(base + "/own", mode: 0o700, below: base)
    #expect(mode(base) == 0o700 && mode(base + "/own") == 0o700)
  }

  @Test(arguments: ["a\"b", "a\\b", "a\nb", "a\u{7F}b"])
  func `a path that apt's configuration cannot name is refused`(name: String) throws {
    let scratch = try #require(ScratchFolder.current)
    let error = #expect(throws: InstallationError.self) {
      try StateFolders(path: scratch.path(name)).make()
    }
    #expect(error?.code == .invalidArgument)
    #expect(mode(scratch.path(name)) == 0)
  }

  @Test func `old ones are opened to pass through and no further`() throws {
    let state = try #require(ScratchFolder.current).path("state")
    for path in [state, state + "/jobs"] { unsafe mkdir(path, 0o700) }
    unsafe chmod(state + "/jobs", 0o750)
    let folders = StateFolders(path: state)
    try folders.make()
    let passage = folders.allowTraversal()
    #expect(passage.opened == [state, state + "/jobs"])
    #expect(folders.allowTraversal().opened.isEmpty)
    #expect(mode(state) == 0o701 && mode(state + "/jobs") == 0o751)
    #expect(mode(state + "/archives") == 0o700 && mode(state + "/cache") == 0o700)
  }

  @Test func `a folder above that bars the way is named and left alone`() throws {
    let scratch = try #require(ScratchFolder.current)
    let above = scratch.path("above")
    unsafe mkdir(above, 0o700)
    unsafe chmod(scratch.path, 0o711)
    let folders = StateFolders(path: above + "/state")
    try folders.make()
    #expect(folders.allowTraversal().barred == above)
    #expect(mode(above) == 0o700)
    unsafe chmod(above, 0o711)
    #expect(folders.allowTraversal().barred == nil)
  }
}
