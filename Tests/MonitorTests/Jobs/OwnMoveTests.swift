import Canvas
import InstallJobs
import Testing

@testable import Monitor

@Suite struct `Keys after the selection moved by itself` {
  /// A monitor whose selected job, an ended one, is cleaned up by somebody at 200 s.
  private static func moved() throws -> (MonitorState, JobID) {
    var state = Scene.monitor()
    _ = state.update(.clock(Scene.at(200)))
    Scene.press([.character("G"), .up], in: &state)
    let before = try #require(state.selected)
    _ = state.update(
      Scene.event(before.rawValue, .cleanedUp(by: Requester(uid: 0, user: "root"))))
    let now = try #require(state.selected)
    #expect(now != before)
    return (state, now)
  }

  @Test(arguments: ["c", "r"] as [Character])
  func `a key that acts at once names the job first, and then means it`(key: Character) throws {
    var (state, job) = try Self.moved()
    #expect(Scene.press([.character(key)], in: &state).isEmpty)
    #expect(state.dialogue == nil)
    #expect(state.message?.text.contains("just moved to job \(job)") == true)
    Scene.press([.character(key)], in: &state)
    #expect(state.message?.text.contains("just moved") != true)
  }

  @Test func `who has had time to look is not asked`() throws {
    var (state, job) = try Self.moved()
    _ = state.update(.clock(Scene.at(201)))
    Scene.press([.character("c")], in: &state)
    #expect(state.message?.text.contains("just moved") != true)
    #expect(state.book[job]?.isCleaning == true || state.dialogue != nil)
  }

  @Test func `a move by hand asks nothing`() throws {
    var (state, _) = try Self.moved()
    Scene.press([.down, .character("c")], in: &state)
    #expect(state.message?.text.contains("just moved") != true)
  }
}
