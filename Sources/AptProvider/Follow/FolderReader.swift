import FoundationEssentials
import HostSystem
package import InstallJobs
package import PackageProvider

/// Reads the lines that have been appended to a job folder's files, as reports.
///
/// Does no waiting and starts no tasks: the caller decides when to read. Reports about downloads
/// come from file sizes and are repeated after a restart; all other reports come from streams and
/// are not repeated.
package struct FolderReader: Sendable {
  /// Maximum number of bytes of dpkg's lines in one batch, about 250 lines.
  ///
  /// The first lines of a burst are recorded and shown while the next ones are read. dpkg prints no
  /// line of this length.
  private static let chunk = 16_384
  /// A number of lines that exceeds dpkg's lines about one package, triggers included.
  private static let linesOfStep = 64

  private let folder: JobFolder
  private let plan: JobPlan
  private let root: String
  private var interpreter: DpkgInterpreter
  private var stages: GrowingFile
  private var dpkg: GrowingFile
  private var apt: GrowingFile
  private var log: GrowingFile
  private var downloads: DownloadSizes
  private var isDownloading = false
  private var unpackingStep: Int?

  /// Creates a reader that continues at offsets returned by an earlier reader.
  ///
  /// Reads the lines before the offsets again without reporting them, because the meaning of a line
  /// depends on earlier lines.
  ///
  /// - Parameters:
  ///   - folder: The job's folder.
  ///   - plan: The job's plan.
  ///   - offsets: The number of bytes read of each file already.
  ///   - root: The prefix of paths that dpkg names; empty where it works on `/`.
  package init(
    folder: JobFolder, plan: JobPlan, offsets: StreamOffsets = [:], root: String = ""
  ) {
    func file(_ entry: JobFolder.Entry, mostLines: Int = GrowingFile.mostLines) -> GrowingFile {
      GrowingFile(
        folder.path(entry), from: offsets[entry.rawValue] ?? 0, mostLines: mostLines)
    }
    self.folder = folder
    self.plan = plan
    self.root = root
    interpreter = DpkgInterpreter(plan: plan)
    stages = file(.stages)
    let dpkgLines = GrowingFile.mostLines / 4 + plan.steps.count * Self.linesOfStep
    dpkg = file(.dpkgStatus, mostLines: dpkgLines)
    // A high limit: apt reports downloads several times a second, for hours.
    apt = file(.status, mostLines: 1 << 18)
    log = file(.log)
    downloads = DownloadSizes(plan: plan, folder: folder.path(.archives))
    for note in Self.notes(before: stages) { isDownloading = note == .downloading }
    var earlier = GrowingFile(dpkg.path, mostLines: dpkgLines)
    while earlier.offset < dpkg.offset {
      let lines = earlier.lines()
      guard !lines.isEmpty else { break }
      for line in lines { _ = interpreter.reports(for: line) }
    }
  }

  /// The number of bytes read of each file.
  package var offsets: StreamOffsets {
    [
      JobFolder.Entry.stages.rawValue: stages.offset,
      JobFolder.Entry.dpkgStatus.rawValue: dpkg.offset,
      JobFolder.Entry.status.rawValue: apt.offset, JobFolder.Entry.log.rawValue: log.offset,
    ]
  }

  /// The names of files that another process has truncated while the reader followed them.
  var cutFiles: [String] { lineFiles.filter(\.1.isCut).map(\.0.rawValue) }

  /// The names of files that are longer than the reader's limit.
  var overlongFiles: [String] { lineFiles.filter(\.1.isOverlong).map(\.0.rawValue) }

  private var lineFiles: [(JobFolder.Entry, GrowingFile)] {
    [(.stages, stages), (.dpkgStatus, dpkg), (.status, apt)]
  }

  /// The step that dpkg unpacks now, and the size of its archive in bytes; nil when there is none.
  var unpacking: (step: Int, size: Int64)? {
    guard let step = unpackingStep, let archive = plan.archives[step] else { return nil }
    return (step, archive.size)
  }

  /// Returns the present lengths of the files that a reader reads.
  static func lengths(in folder: JobFolder) -> StreamOffsets {
    var lengths: StreamOffsets = [:]
    for entry in [JobFolder.Entry.stages, .dpkgStatus, .status, .log] {
      lengths[entry.rawValue] = RootFiles.status(folder.path(entry))?.size ?? 0
    }
    return lengths
  }

  /// How the work ended; set when `exit` existed before the last reading and that reading found all
  /// status files read to their ends.
  package private(set) var end: WorkEnd?
  /// Whether the last reading found all status files read to their ends.
  ///
  /// The log does not count, because a process that a package's script left running may write to it
  /// without end.
  package private(set) var isExhausted = false

  /// Reads new lines and returns their reports; nil when there are none.
  ///
  /// dpkg's lines are read first and reported last, and archive sizes the other way round. So an
  /// archive is always reported as downloaded before dpkg unpacks it.
  package mutating func next() -> WorkBatch? {
    let exit = folder.value(WorkEnd.self, of: .exit)
    let before = offsets
    let dpkgLines = dpkg.lines(chunk: Self.chunk)
    var reports: [WorkReport] = []
    var mayHaveArrived = isDownloading
    let notes = stages.lines()
    for line in notes {
      guard let note = try? JSONDecoder().decode(WorkNote.self, from: Data(line.utf8)) else {
        continue
      }
      if case .holderProgress = note {} else { isDownloading = note == .downloading }
      mayHaveArrived = mayHaveArrived || isDownloading
      reports.append(note.report)
    }
    if mayHaveArrived { reports += downloads.changes() }
    for line in dpkgLines { reports += interpreter.reports(for: line).map(withRootPrefix) }
    for case .phase(let step, let phase) in reports {
      if phase == .unpacking {
        unpackingStep = step
      } else if step == unpackingStep {
        unpackingStep = nil
      }
    }
    let hasAptLines = !apt.lines().isEmpty
    if hasAptLines { reports.append(.alive) }
    // Archive sizes do not count either, because a process that was left running may change them
    // without end.
    isExhausted = offsets == before && dpkgLines.isEmpty && notes.isEmpty && !hasAptLines
    if let length = log.grown() { reports.append(.log(length: length)) }
    if exit != nil, isExhausted { end = exit }
    let rest = reports.filter { $0 != .alive }
    let isAlive = rest.isEmpty && !reports.isEmpty
    guard offsets != before || !reports.isEmpty else { return nil }
    return WorkBatch(isAlive ? [.alive] : rest, offsets: offsets)
  }

  /// Adds the root's prefix to a path in a report, so that the path is valid outside the root.
  private func withRootPrefix(_ report: WorkReport) -> WorkReport {
    if case .conffile(let step, let path) = report {
      .conffile(step: step, path: root + path)
    } else {
      report
    }
  }

  private static func notes(before file: GrowingFile) -> [WorkNote] {
    var earlier = GrowingFile(file.path)
    guard file.offset > 0 else { return [] }
    return earlier.lines().compactMap {
      try? JSONDecoder().decode(WorkNote.self, from: Data($0.utf8))
    }
  }
}

extension WorkNote {
  fileprivate var report: WorkReport {
    switch self {
    case .downloading: .stage(.downloading)
    case .waitingForLock(let holder): .stage(.waitingForLock(holder))
    case .holderProgress(let words): .holderProgress(Sanitised.line(words, limit: 160))
    case .installing: .stage(.installing)
    case .finishing: .alive
    }
  }
}
