import InstallJobs
import Testing

@Suite struct `Times` {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (951_827_696_789, "2000-02-29T12:34:56.789Z"),
    (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
  ])
  func `are written in UTC with milliseconds and read back`(milliseconds: Int64, text: String) {
    let time = Timestamp(milliseconds: milliseconds)
    #expect(time.description == text)
    #expect(Timestamp(text) == time)
  }

  @Test(arguments: [
    ("2026-01-31T23:59:59Z", 1_769_903_999_000),
    ("2026-02-01T01:59:59+02:00", 1_769_903_999_000),
    ("2026-01-31 18:29:59.5-05:30", 1_769_903_999_500),
  ])
  func `offset and fraction may differ`(text: String, milliseconds: Int64) {
    #expect(Timestamp(text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "now", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z",
    "2026-02-30T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:60-00:00",
    "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60",
    "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx",
  ])
  func `anything else is not a time`(text: String) {
    #expect(Timestamp(text) == nil)
  }
}
