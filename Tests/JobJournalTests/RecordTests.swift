import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

private let hostile = [
  "",
  "plain",
  "it's \"quoted\" -- ; DROP TABLE jobs",
  "a\0b",
  "a\0c",
  "\0",
  "\u{1B}[2J\u{07}\r\n\t\u{7F}\u{9B}31m",
  "\u{202E}gnp.exe\u{2066}",
  "\u{FFFD}\u{FEFF}\u{1F469}\u{200D}\u{1F4BB}e\u{301}",
  String(repeating: "x", count: 100_000),
]

@Suite struct `What the journal is told` {
  let scratch: JournalScratch
  let journal: Journal

  init() throws {
    scratch = try JournalScratch()
    journal = try scratch.open()
  }

  @Test(arguments: hostile) func `comes back byte for byte`(text: String) throws {
    var fixture = JobFixture([text], token: text, installed: [text + "!"])
    fixture.requester.user = text
    fixture.request.options.comment = text
    fixture.plan.steps[0].origin = text
    fixture.plan.warnings = [UpdateWarning(.unspecified, text)]
    var job = try fixture.submit(to: journal).snapshot
    var status = job.updates[0]
    status.error = InstallationError(
      .packageFailed, text, update: text, detail: text, hint: text)
    let events = try journal.append(
      [
        EventDraft(job.id, .update(index: 1, status: status)), EventDraft(job.id, job.end(.failed)),
      ],
      offsets: [job.id: [text: 1]], at: .noon())
    job = job.replaying(events)
    let entry = AuditEntry(
      at: .noon(), requester: fixture.requester, pid: 1, command: text, act: text, job: job.id,
      outcome: text)
    try journal.audit(entry)
    let sample = DurationSample(
      at: .noon(), package: text, version: text, stage: text, seconds: 1.5, bytes: 7, host: text)
    _ = try journal.append([], samples: [sample], at: .noon(0))
    try journal.close()

    let again = try scratch.open()
    #expect(try again.job(job.id, withPlan: true) == job)
    #expect(try again.job(token: text)?.id == job.id)
    #expect(try again.request(of: job.id) == fixture.request)
    #expect(try again.plan(of: job.id) == fixture.plan)
    #expect(try again.events(after: 1, limit: 9) == events)
    #expect(try again.offsets(of: job.id) == [text: 1])
    #expect(try again.history(HistoryFilter(package: text, user: text), limit: 9).count == 1)
    #expect(try again.auditEntries(limit: 9) == [entry])
    #expect(try again.durations(of: text, package: text, limit: 9) == [sample])
  }

  @Test func `is told apart after a NUL`() throws {
    for text in hostile { try JobFixture(token: text).submit(to: journal) }
    #expect(try journal.count() == hostile.count)
    for (index, text) in hostile.enumerated() {
      #expect(try journal.job(token: text)?.id == JobID(index + 1))
    }
  }
}

@Suite struct `The record of acts` {
  @Test func `is read back the last first, in windows, also for one job`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    let entries = (0..<6).map { number in
      AuditEntry(
        at: .noon(Double(number)), requester: Requester(uid: .max, user: "u\(number)"),
        pid: number == 0 ? nil : 42, command: number == 1 ? nil : "fettle", act: "abort",
        job: number.isMultiple(of: 2) ? JobID(77) : nil, outcome: "notPermitted")
    }
    for entry in entries { try journal.audit(entry) }
    #expect(try journal.auditEntries(limit: 9) == entries.reversed())
    #expect(try journal.auditEntries(limit: 2, offset: 1) == [entries[4], entries[3]])
    #expect(try journal.auditEntries(of: JobID(77), limit: 2) == [entries[4], entries[2]])
    #expect(try journal.auditEntries(limit: 0) == [])
    #expect(code { try journal.auditEntries(limit: 1, offset: -1) } == .invalidIndex)
  }

  @Test func `refusals of strangers push out nobody else's`() throws {
    let scratch = try JournalScratch()
    let journal = try Journal.open(
      at: scratch.path,
      auditRetention: AuditRetention(acts: 3, refusals: 3, strangers: 2, days: 10, interval: 1))
    func audit(_ outcome: String, _ kind: AuditKind) throws {
      try journal.audit(
        AuditEntry(
          at: .noon(), requester: Requester(uid: 1, user: "u"), pid: nil, command: nil, act: "a",
          job: nil, outcome: outcome, kind: kind))
    }
    try audit(AuditEntry.permitted, .act)
    try audit("busy", .refusal)
    for number in 0..<50 { try audit("s\(number)", .stranger) }
    #expect(
      try journal.auditEntries(limit: 99).map(\.outcome) == ["s49", "s48", "busy", "permitted"])
  }

  @Test func `the record of acts keeps the newest, and refusals push no act out`() throws {
    let scratch = try JournalScratch()
    let journal = try Journal.open(
      at: scratch.path,
      auditRetention: AuditRetention(acts: 3, refusals: 2, days: 10, interval: 4))
    func audit(_ act: String, _ outcome: String, day: Double = 0) throws {
      try journal.audit(
        AuditEntry(
          at: Timestamp.noon().advanced(bySeconds: day * 86_400),
          requester: Requester(uid: 1, user: "u"), pid: nil, command: nil, act: act, job: nil,
          outcome: outcome))
    }
    for act in ["a", "b", "c", "d"] { try audit(act, AuditEntry.permitted) }
    #expect(try journal.auditEntries(limit: 99).map(\.act) == ["d", "c", "b"])
    for number in 0..<8 { try audit("r\(number)", "notPermitted") }
    #expect(try journal.auditEntries(limit: 99).map(\.act) == ["r7", "r6", "d", "c", "b"])
    for _ in 0..<4 { try audit("late", "notPermitted", day: 11) }
    #expect(try journal.auditEntries(limit: 99).map(\.act) == ["late", "late"])
  }
}

@Suite struct `Learned durations` {
  @Test func `are found by stage and package, the last learned first`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    let samples = (0..<6).map { number in
      DurationSample(
        at: .noon(Double(number)), package: number < 3 ? "alpha" : "beta", version: "1.\(number)",
        stage: number.isMultiple(of: 2) ? "unpack" : "configure", seconds: Double(number) / 3,
        bytes: 1 << 40, host: "h")
    }
    _ = try journal.append([], samples: Array(samples[..<4]), at: .noon(0))
    _ = try journal.append([], samples: Array(samples[4...]), at: .noon(0))
    #expect(try journal.durations(of: "unpack", limit: 9) == [samples[4], samples[2], samples[0]])
    #expect(try journal.durations(of: "unpack", package: "alpha", limit: 1) == [samples[2]])
    #expect(try journal.durations(of: "triggers", limit: 9) == [])
    #expect(code { try journal.durations(of: "unpack", limit: -1) } == .invalidIndex)
  }

  @Test func `of each package and stage the newest twenty are kept, of each host its own`() throws {
    let scratch = try JournalScratch()
    let journal = try scratch.open()
    defer { withExtendedLifetime(scratch) {} }
    func sample(_ number: Int, _ package: String, _ stage: String, host: String) -> DurationSample {
      DurationSample(
        at: .noon(Double(number)), package: package, version: "1", stage: stage,
        seconds: Double(number), bytes: 0, host: host)
    }
    for number in 0..<50 {
      let samples = [
        sample(number, "alpha", "unpack", host: "m"), sample(number, "", "download", host: "near"),
      ]
      _ = try journal.append([], samples: samples, at: .noon(0))
    }
    let others = [
      sample(1, "beta", "unpack", host: "m"), sample(1, "", "download", host: "far"),
    ]
    _ = try journal.append([], samples: others, at: .noon(0))
    let alpha = try journal.durations(ofPackages: ["alpha", "nothing", ""])
    #expect(alpha.map(\.seconds) == (30..<50).reversed().map(Double.init))
    #expect(try journal.durations(ofPackages: ["beta"]).count == 1)
    let hosts = try journal.durations(of: "download", limit: 99).map(\.host)
    #expect(hosts == ["far"] + Array(repeating: "near", count: 20))
  }
}
