import Glibc
import Testing

@testable import Bench

@Suite struct `Counters of a process` {
  @Test func `threads are added up, new ones from their beginning, ended ones left out`() {
    let before = ProcessCounters([
      "1": .init(processorTime: .milliseconds(100), waits: 10),
      "2": .init(processorTime: .milliseconds(50), waits: 5),
    ])
    let after = ProcessCounters([
      "1": .init(processorTime: .milliseconds(130), waits: 12),
      "3": .init(processorTime: .milliseconds(7), waits: 1),
    ])
    #expect(after.since(before) == .init(processorTime: .milliseconds(37), waits: 3))
  }

  @Test func `the kernel's files are read`() {
    #expect(ProcessCounters.processorTime("16000123 42 7\n") == .nanoseconds(16_000_123))
    #expect(ProcessCounters.processorTime("") == nil)
    let status = "Name:\tfettle\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t3\n"
    #expect(ProcessCounters.figure("voluntary_ctxt_switches", in: status) == 17)
    #expect(ProcessCounters.figure("nonvoluntary_ctxt_switches", in: status) == 3)
    #expect(ProcessCounters.figure("Threads", in: status) == nil)
    let memory = ProcessMemory(
      "5565-7ffe ---p [rollup]\nRss:    1000 kB\nPss:     600 kB\nAnonymous:  90 kB\n")
    #expect(memory?.resident == 1_024_000)
    #expect(memory?.proportional == 614_400)
    #expect(ProcessMemory("Rss: 1 kB\n") == nil)
  }

  @Test func `a running process has counters and memory, one that is not there has none`() throws {
    let own = try ProcessCounters(of: getpid())
    #expect(own.since(ProcessCounters([:])).processorTime > .zero)
    #expect(try ProcessMemory(of: getpid()).resident > 0)
    #expect(throws: CannotMeasure.self) { try ProcessCounters(of: Int32.max) }
    #expect(throws: CannotMeasure.self) { try ProcessMemory(of: Int32.max) }
  }
}
