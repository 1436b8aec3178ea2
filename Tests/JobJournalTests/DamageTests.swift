import FoundationEssentials
import Glibc
import InstallJobs
import Support
import Testing

@testable import JobJournal

/// A journal whose file was damaged anywhere, in any way that a disk or a person can.
@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `A damaged journal` {
  /// Numbers that look random and are the same in every run.
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  /// The bytes of a journal with some history.
  private static func sound() throws -> Data {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    for number in 0..<12 {
      let job = try JobFixture(["alpha", "beta"], token: "t\(number)").submit(to: journal).snapshot
      _ = try journal.append(job.life(), offsets: [job.id: ["log": 7]], at: .noon(1))
      try journal.audit(
        AuditEntry(
          at: .noon(), requester: Requester(uid: 1000, user: "ada"), pid: 7, command: "fettle",
          act: "submit", job: job.id, outcome: AuditEntry.permitted))
    }
    try JobFixture().submit(to: journal)
    try journal.close()
    return try #require(try scratch.contents()["journal.sqlite"])
  }

  /// Opens a journal as an engine does and reads everything; errors must be the journal's own.
  ///
  /// - Returns: Whether it was refused.
  private func use(_ bytes: Data, _ what: String) throws -> Bool {
    let scratch = try JournalScratch()
    try scratch.put(bytes)
    var isRefused = false
    func attempt(_ body: () throws -> Void) throws {
      do { try body() } catch let error as InstallationError {
        isRefused = true
        #expect(error.hint != nil && !error.message.isEmpty, "\(what): \(error)")
      }
    }
    try attempt {
      let journal = try scratch.open()
      try attempt { try journal.verify() }
      guard !isRefused else { return }
      try attempt { _ = try journal.liveJobs() }
      for job in 1...13 {
        try attempt { _ = try journal.job(JobID(job), withPlan: true) }
        try attempt { _ = try journal.request(of: JobID(job)) }
        try attempt { _ = try journal.plan(of: JobID(job)) }
        try attempt { _ = try journal.offsets(of: JobID(job)) }
      }
      try attempt { _ = try journal.jobs() }
      try attempt { _ = try journal.events(after: 0, limit: 1000) }
      try attempt { _ = try journal.history(HistoryFilter(), after: nil, limit: 100) }
      try attempt { _ = try journal.auditEntries(limit: 100) }
    }
    // Whatever it was, it is still there for somebody who knows better.
    #expect(try scratch.contents()["journal.sqlite"] != nil, "\(what)")
    return isRefused
  }

  @Test func `that was met while an engine uses it takes nothing more`() throws {
    let scratch = try JournalScratch()
    try scratch.put(try Self.sound())
    let journal = try scratch.open()
    let length = try #require(try scratch.contents()["journal.sqlite"]).count
    let noise = [UInt8](repeating: 0xFF, count: length - 4096)
    let file = unsafe Glibc.open(scratch.path, O_WRONLY | O_CLOEXEC)
    #expect(unsafe pwrite(file, noise, noise.count, 4096) == noise.count)
    _ = Glibc.close(file)
    let met = #expect(throws: InstallationError.self) { try journal.verify() }
    #expect(met?.code == .journal && met?.hint?.hasPrefix("stop the engine, move") == true)
    let refusal = #expect(throws: InstallationError.self) {
      try JobFixture(["gamma"], token: "later").submit(to: journal)
    }
    #expect(refusal?.code == .journal && refusal?.hint == met?.hint)
  }

  @Test func `whose file was taken away takes nothing more, until it is back`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    let job = try JobFixture(["alpha"]).submit(to: journal).snapshot
    func refusal() -> InstallationError? {
      #expect(throws: InstallationError.self) {
        try JobFixture(["beta"]).submit(to: journal)
      }
    }
    let files = FileManager.default
    try files.moveItem(atPath: scratch.path, toPath: scratch.path + ".away")
    #expect(refusal()?.message.contains("it or its write-ahead file was removed") == true)
    #expect(throws: InstallationError.self) { try journal.verify() }
    try files.copyItem(atPath: scratch.path + ".away", toPath: scratch.path)
    #expect(refusal()?.code == .journal)
    try files.removeItem(atPath: scratch.path)
    try files.moveItem(atPath: scratch.path + ".away", toPath: scratch.path)
    try journal.verify()
    let next = try JobFixture(["beta"]).submit(to: journal).snapshot
    #expect(next.id == JobID(job.id.rawValue + 1))
  }

  @Test func `whose write-ahead file was taken away takes nothing more`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    try JobFixture(["alpha"]).submit(to: journal)
    try FileManager.default.removeItem(atPath: scratch.path + "-wal")
    let refusal = #expect(throws: InstallationError.self) {
      try JobFixture(["beta"]).submit(to: journal)
    }
    #expect(refusal?.message.contains("or its write-ahead file was removed") == true)
  }

  @Test(arguments: 0..<4)
  func `with bits turned anywhere is refused or read, and ends no process`(seed: UInt64) throws {
    let sound = try Self.sound()
    let isRefused = try use(sound, "sound")
    #expect(!isRefused)
    var random = Seeded(state: seed)
    var refused = 0
    for round in 0..<60 {
      var bytes = sound
      // Few bits hit texts and numbers, many hit what holds pages together.
      for _ in 0..<[1, 4, 64][round % 3] {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if try use(bytes, "seed \(seed), round \(round)") { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test(arguments: 0..<4)
  func `cut off anywhere, or with a hole, is refused or empty`(seed: UInt64) throws {
    let sound = try Self.sound()
    var random = Seeded(state: seed)
    for round in 0..<25 {
      let place = Int.random(in: 1..<sound.count, using: &random)
      let what = "seed \(seed), round \(round), cut at \(place)"
      let isRefused = try use(sound.prefix(place), what)
      #expect(isRefused, "\(what)")
      var holed = sound
      let end = min(sound.count, place + 4096)
      holed.replaceSubrange(place..<end, with: repeatElement(0, count: end - place))
      _ = try use(holed, "seed \(seed), round \(round), hole at \(place)")
    }
  }
}
