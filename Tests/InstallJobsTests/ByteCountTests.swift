import InstallJobs
import Testing

@Suite struct `Counts that a peer states` {
  static let sums: [([Int64], Int64)] = [
    ([1, 2], 3), ([.max, 1], .max), ([.max, .min, 5], .max), ([-7, 4], 4),
  ]

  @Test(arguments: sums)
  func `are added without running out of figures`(counts: [Int64], total: Int64) {
    #expect(counts.total == total)
  }
}
