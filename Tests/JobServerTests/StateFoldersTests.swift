import Glibc
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

  @Test func `old ones are opened to pass through and no further`() throws {
    let state = try #require(ScratchFolder.current).path("state")
    for path in [state, state + "/jobs"] { unsafe mkdir(path, 0o700) }
    unsafe chmod(state + "/jobs", 0o750)
    let folders = StateFolders(path: state)
    try folders.make()
    _ = folders.letOthersThrough()
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
    #expect(folders.letOthersThrough() == above)
    #expect(mode(above) == 0o700)
    unsafe chmod(above, 0o711)
    #expect(folders.letOthersThrough() == nil)
  }
}
