import Foundation
import InstallJobs
import Testing

@Suite struct `An error of the library` {
  @Test func `says its message to who knows errors only by Foundation`() {
    let error: any Error = InstallationError(.busy, "job 3 is at work", hint: "wait for it")
    #expect(error.localizedDescription == "job 3 is at work")
    #expect((error as? any LocalizedError)?.recoverySuggestion == "wait for it")
  }
}
