import ArgumentParser
import InstallJobs
import Testing

@testable import fettle

@Suite struct `Times that are typed` {
  private static let now = "2026-03-01T00:30:00Z"

  @Test(arguments: [
    ("today", 0, "2026-03-01T00:00:00.000Z"), ("yesterday", 0, "2026-02-28T00:00:00.000Z"),
    ("today", -3600, "2026-02-28T01:00:00.000Z"), ("today", 7200, "2026-02-28T22:00:00.000Z"),
    ("2026-01-31", 3600, "2026-01-30T23:00:00.000Z"),
    ("2026-01-31T18:30:00+01:00", 7200, "2026-01-31T17:30:00.000Z"),
  ])
  func `may be a day of this machine where they lie in the past`(
    text: String, offset: Int, meant: String
  ) throws {
    let now = try #require(Timestamp(Self.now))
    #expect(try TypedTime.past(text, now: now, offset: { _ in offset }).description == meant)
  }

  @Test(arguments: [
    ("2026-03-01", "2026-02-28T23:00:00.000Z"), ("2026-03-29", "2026-03-28T23:00:00.000Z"),
    ("2026-03-30", "2026-03-29T22:00:00.000Z"), ("today", "2026-03-29T22:00:00.000Z"),
    ("yesterday", "2026-03-28T23:00:00.000Z"),
  ])
  func `begin by the clock of their day, also where clocks were set since`(
    text: String, meant: String
  ) throws {
    let now = try #require(Timestamp("2026-03-30T10:00:00Z"))
    let change = try #require(Timestamp("2026-03-29T01:00:00Z"))
    let moment = try TypedTime.past(text, now: now) { $0 < change ? 3600 : 7200 }
    #expect(moment.description == meant)
  }

  @Test(arguments: ["tuesday", "2h ago", "2026-02-30", "", "18:30"])
  func `are refused with an example`(text: String) {
    for read in [TypedTime.exact, { try TypedTime.past($0) }] {
      let error = #expect(throws: ValidationError.self) { _ = try read(text) }
      #expect(error?.message.contains("'\(text)' is not a time") == true)
      #expect(error?.message.contains("2026-01-31T18:30:00+01:00") == true)
    }
  }

  @Test(arguments: ["today", "2026-01-31"])
  func `name the moment where something is to be done`(text: String) {
    #expect(throws: ValidationError.self) { try TypedTime.exact(text) }
  }
}
