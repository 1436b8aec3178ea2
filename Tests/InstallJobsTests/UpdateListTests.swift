import InstallJobs
import Testing

@Suite struct `The lists of a job` {
  private final class Settable { var updates: [Update] = [] }

  private func canBeSet<Root, Value>(_ path: KeyPath<Root, Value>) -> Bool {
    path is ReferenceWritableKeyPath<Root, Value>
  }

  @Test func `L4: none of them can be set`() {
    #expect(canBeSet(\Settable.updates), "a property that can be set is told apart")
    #expect(!canBeSet(\InstallationJob.updates))
    #expect(!canBeSet(\InstallationJob.plan))
    #expect(!canBeSet(\InstallationJob.options))
    #expect(!canBeSet(\InstallationJob.userInfo))
  }
}
