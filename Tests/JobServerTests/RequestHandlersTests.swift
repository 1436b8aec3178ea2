import JobWire
import Testing

@testable import JobServer

@Suite struct `The requests that the server handles` {
  @Test func `every request of the list has its handling`() {
    // 'subscribe' sends its reply itself, and 'cancel' is handled when it is read.
    let others = WireRequests.types.filter { RequestHandlers.all[$0.method] == nil }
    #expect(others.map { $0.method } == ["subscribe", "cancel"])
  }
}
