import FoundationEssentials
import GRDB
import Glibc
import InstallJobs
import Testing

@testable import JobJournal

/// A folder for one test's journals, removed at the end.
final class JournalScratch: Sendable {
  let folder: String

  init() throws {
    var template = Array(
      "\(FileManager.default.temporaryDirectory.path)/journal.XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else {
      throw InstallationError(.internal, "no scratch folder", hint: "look at TMPDIR")
    }
    folder = unsafe String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var path: String { "\(folder)/state/journal.sqlite" }

  func open() throws -> Journal { try Journal.open(at: path) }

  /// Opens what a machine would find that lost power now, with `lost` bytes of the write-ahead file
  /// not yet on the disk.
  func openAfterCrash(losing lost: Int = 0) throws -> Journal {
    let copy = "\(folder)/after-\(lost)"
    try FileManager.default.createDirectory(
      atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for suffix in ["", "-wal"] {
      let source = try Data(contentsOf: URL(filePath: path + suffix))
      let kept = suffix.isEmpty ? source : source.dropLast(lost)
      try kept.write(to: URL(filePath: "\(copy)/journal.sqlite\(suffix)"))
    }
    return try Journal.open(at: "\(copy)/journal.sqlite")
  }

  /// Every file beside the journal with its content.
  func contents() throws -> [String: Data] {
    let state = "\(folder)/state"
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: state) {
      files[name] = try Data(contentsOf: URL(filePath: "\(state)/\(name)"))
    }
    return files
  }

  /// Writes `bytes` as the journal's file.
  func put(_ bytes: Data) throws {
    try FileManager.default.createDirectory(
      atPath: "\(folder)/state", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try bytes.write(to: URL(filePath: path))
  }
}

extension Timestamp {
  /// A fixed day, `seconds` after midnight.
  static func noon(_ seconds: Double = 0) -> Timestamp {
    Timestamp(milliseconds: 1_780_000_000_000).advanced(bySeconds: seconds)
  }
}

/// A request for packages with a plan in which each has one dependency.
struct JobFixture: Sendable {
  var request: JobRequest
  var plan: JobPlan
  var requester = Requester(uid: 1000, user: "ada")

  init(_ names: [String] = ["alpha"], token: String? = nil, installed: [String] = []) {
    var options = InstallationOptions()
    options.token = token
    options.clientName = "tests"
    request = JobRequest(.install, (names + installed).map { Update($0) }, options: options)
    var steps: [PlannedUpdate] = []
    var rows: [JobPlan.Request] = []
    for name in names {
      for (part, asked) in [("lib\(name)", false), (name, true)] {
        steps.append(
          PlannedUpdate(
            name: part, architecture: "all", action: .install, toVersion: "1.0", downloadSize: 1000,
            installedSize: 4096, origin: "Debian:bookworm/main", requested: asked))
      }
      rows.append(JobPlan.Request(update: Update(name), step: steps.count - 1))
    }
    for name in installed {
      rows.append(
        JobPlan.Request(
          update: Update(name), step: nil, note: .alreadyInstalled, foundVersion: "0.9"))
    }
    plan = JobPlan(
      requests: rows, steps: steps,
      archives: [0: PlannedArchive(fileName: "a.deb", size: 1000, hash: nil, uri: "file:/a.deb")],
      installedSizeChange: 8192, fingerprint: "index 1",
      warnings: [UpdateWarning(.unspecified, "careful")])
  }

  @discardableResult func submit(
    to journal: Journal, at time: Timestamp = .noon()
  ) throws -> Submission {
    try journal.submit(
      request, plan: plan, requestedBy: requester, provider: "simulated", at: time)
  }
}

extension JobSnapshot {
  /// The life of a job, package by package, to its end.
  func life(ending code: OperationResultCode = .succeeded) -> [EventDraft] {
    var steps = plan ?? []
    var drafts = [
      EventDraft(
        id, .state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "alpha"))))
    ]
    for phase in [UpdatePhase.unpacking, .configuring, .done] {
      for index in steps.indices {
        steps[index].phase = phase
        steps[index].percentComplete = phase == .done ? 100 : 40
        steps[index].resultCode = phase == .done ? code : .inProgress
        drafts.append(EventDraft(id, .update(index: index, status: steps[index])))
      }
    }
    return drafts + [
      EventDraft(
        id,
        .abortRequested(
          AbortRecord(
            requestedAt: .noon(3), requestedBy: Requester(uid: 0, user: "root"),
            disposition: .accepted(stopsAfter: nil)))),
      EventDraft(id, .abortWithdrawn(by: Requester(uid: 0, user: "root"))),
      EventDraft(
        id,
        end(
          code,
          updates: updateSteps.enumerated().map { position, step in
            var status = step.map { steps[$0] } ?? updates[position]
            // The final word on an update may differ from the last event of its package.
            status.requiresReboot = position == 0
            return status
          })),
    ]
  }

  func end(_ code: OperationResultCode, updates: [UpdateStatus]? = nil) -> JobEvent.Payload {
    .completed(
      JobOutcome(
        state: .completed, resultCode: code, percentComplete: code == .succeeded ? 100 : 50,
        error: code == .failed ? InstallationError(.packageFailed, "it failed") : nil,
        requiresReboot: true, rebootReasons: ["alpha"], exitStatus: 0,
        repairs: [.reinstall("alpha"), .finishConfiguration], updates: updates ?? self.updates))
  }

  /// This snapshot after `events`, by the rule that every client uses.
  func replaying(_ events: [JobEvent]) -> JobSnapshot {
    events.reduce(into: self) { $0.apply($1) }
  }
}

/// The code of what `body` throws, or nil.
func code(_ body: () throws -> some Any) -> InstallationError.Code? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? InstallationError)?.code
  }
}
