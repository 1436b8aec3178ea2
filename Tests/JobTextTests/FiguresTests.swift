import InstallJobs
import JobText
import Testing

@Suite struct `Figures for people` {
  private static let noon = Timestamp(milliseconds: 1_767_268_800_000)

  @Test(arguments: [
    (-5.0, "0%"), (0, "0%"), (41.99, "41%"), (99.999, "99%"), (100, "100%"), (.nan, "0%"),
    (.infinity, "100%"),
  ])
  func `per cent is rounded down and bounded`(_ value: Double, _ text: String) {
    #expect(Figures.percent(value) == text)
  }

  @Test(arguments: [
    (Int64(-1), "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_949, "99.9 kB"), (99_999, "100 kB"),
    (999_499, "999 kB"), (999_999, "1.0 MB"), (6_200_000, "6.2 MB"), (1_500_000_000_000, "1.5 TB"),
    (.max, "9223372 TB"),
  ])
  func `bytes have three digits and a unit`(_ bytes: Int64, _ text: String) {
    #expect(Figures.bytes(bytes) == text)
  }

  @Test(arguments: [
    (0.0, "0s"), (59.4, "59s"), (60, "1m00s"), (125, "2m05s"), (601, "10m"), (3600, "1h00m"),
    (50_520, "14h02m"), (90_000, "1d01h"), (-3, "0s"),
  ])
  func `a duration is short and modest`(_ seconds: Double, _ text: String) {
    #expect(Figures.duration(seconds) == text)
  }

  @Test func `arrived bytes never look like all of them`() {
    #expect(Figures.bytes(6_199_999, of: 6_200_000) == "6.1/6.2 MB")
    #expect(Figures.bytes(7_000_000, of: 6_200_000) == "6.2/6.2 MB")
    #expect(Figures.bytes(748_592, of: 748_592) == "749/749 kB")
    #expect(Figures.bytes(12, of: 700) == "12/700 B")
  }

  @Test func `times are those of the operator's clock`() {
    #expect(Figures.time(Self.noon, offset: 0) == "12:00:00")
    #expect(Figures.time(Self.noon, offset: 3600 * 13 + 60) == "01:01:00")
    #expect(Figures.time(Timestamp(milliseconds: 0), offset: -1) == "23:59:59")
  }
  @Test(arguments: [
    (50_520.0, 6, "14h02m"), (50_520, 5, "14h"), (97_200, 5, "1d03h"), (1_050_000, 6, "12d03h"),
    (1_050_000, 5, "12d"), (599, 5, "9m59s"), (599, 4, "9m"),
  ])
  func `a length of time fits its column in whole units`(
    _ seconds: Double, _ columns: Int, _ text: String
  ) {
    #expect(Figures.duration(seconds, columns: columns) == text)
  }

  @Test func `rough times are told in rough steps`() {
    let told = [0.0, 3, 42.4, 59, 61, 598, 700, 7000].map { Figures.forecast($0) }
    #expect(told == ["5s", "5s", "40s", "1m00s", "1m00s", "10m", "12m", "1h57m"])
  }
}
