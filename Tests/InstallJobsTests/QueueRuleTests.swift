import InstallJobs
import Testing

@Suite struct `The rule of the queue` {
  private static let now = Timestamp(milliseconds: 1_700_000_000_000)
  private static let later = now.advanced(bySeconds: 60)

  @Test func `a higher priority starts first, whatever number it has`() {
    let ranks = [100, 1, 0, -1, -100, .min].map(QueueRule.rank)
    #expect(ranks == ranks.sorted() && Set(ranks).count == ranks.count)
  }

  @Test(
    arguments: [
      (nil, nil, false, nil), (nil, now, false, nil), (nil, later, false, .time(later)),
      (JobID(3), nil, false, .job(JobID(3))), (JobID(3), later, false, .job(JobID(3))),
      (JobID(3), later, true, .time(later)), (JobID(3), now, true, nil),
    ] as [(JobID?, Timestamp?, Bool, StartCondition?)])
  func `a job waits for the end of another one, then for its time`(
    after: JobID?, start: Timestamp?, isOver: Bool, expected: StartCondition?
  ) {
    let found = QueueRule.unmetCondition(after: after, notBefore: start, at: Self.now) { _ in
      isOver
    }
    #expect(found == expected)
  }
}
