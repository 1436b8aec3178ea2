import FoundationEssentials
import HostSystem
package import InstallJobs
package import PackageProvider

/// Reads what has come into a job folder since the last time, as reports.
///
/// No waiting, no tasks: whoever wakes it up decides when. Reports about downloads come from the
/// sizes of files and are repeated after a restart; all others come from streams and are not.
package struct FolderReader: Sendable {
  /// The most bytes of dpkg's lines that are read at once, some 250 lines.
  ///
  /// The first of a burst are recorded and shown while the next are read. No line of dpkg is so long.
  private static let chunk = 16_384
  /// More lines than dpkg prints about one package, its triggers among them.
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

  /// A reader that goes on from offsets that an earlier one returned.
  ///
  /// What lies before them is read once more, silently, because the meaning of a line depends on
  /// those before it.
  ///
  /// - Parameters:
  ///   - folder: The job's folder.
  ///   - plan: Its plan.
  ///   - offsets: How far the files have been read.
  ///   - root: What stands before paths that dpkg names; empty where it works on `/`.
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
    // Downloads are told of several times a second, for hours.
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

  /// How far the files have been read.
  package var offsets: StreamOffsets {
    [
      JobFolder.Entry.stages.rawValue: stages.offset,
      JobFolder.Entry.dpkgStatus.rawValue: dpkg.offset,
      JobFolder.Entry.status.rawValue: apt.offset, JobFolder.Entry.log.rawValue: log.offset,
    ]
  }

  /// The files of the folder that somebody has cut short under the reader.
  var cutFiles: [String] { lineFiles.filter(\.1.isCut).map(\.0.rawValue) }

  /// The files of the folder that have more than is read of them.
  var overlongFiles: [String] { lineFiles.filter(\.1.isOverlong).map(\.0.rawValue) }

  private var lineFiles: [(JobFolder.Entry, GrowingFile)] {
    [(.stages, stages), (.dpkgStatus, dpkg), (.status, apt)]
  }

  /// The step that is being unpacked, and the size of its archive in bytes, if any.
  var unpacking: (step: Int, size: Int64)? {
    guard let step = unpackingStep, let archive = plan.archives[step] else { return nil }
    return (step, archive.size)
  }

  /// The present lengths of the files that are read.
  static func lengths(in folder: JobFolder) -> StreamOffsets {
    var lengths: StreamOffsets = [:]
    for entry in [JobFolder.Entry.stages, .dpkgStatus, .status, .log] {
      lengths[entry.rawValue] = RootFiles.trace(folder.path(entry))?.size ?? 0
    }
    return lengths
  }

  /// How the work ended, when `exit` was there before the last reading began and all status files
  /// were read to their ends.
  package private(set) var end: WorkEnd?
  /// Whether the last reading found the status files read to their ends.
  ///
  /// The log has no say in it: what a package leaves behind may write there for ever.
  package private(set) var isExhausted = false

  /// What is new; nil when nothing is.
  ///
  /// Read are dpkg's lines first and the sizes of archives last, reported they are the other way
  /// round. So an archive from which dpkg unpacks has always been reported as downloaded before.
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
    for line in dpkgLines { reports += interpreter.reports(for: line).map(placed) }
    for case .phase(let step, let phase) in reports {
      if phase == .unpacking {
        unpackingStep = step
      } else if step == unpackingStep {
        unpackingStep = nil
      }
    }
    let hasTold = !apt.lines().isEmpty
    if hasTold { reports.append(.alive) }
    // Archives have no say in it either: a process that is left behind may change them for ever.
    isExhausted = offsets == before && dpkgLines.isEmpty && notes.isEmpty && !hasTold
    if let length = log.grown() { reports.append(.log(length: length)) }
    if exit != nil, isExhausted { end = exit }
    let rest = reports.filter { $0 != .alive }
    let isAlive = rest.isEmpty && !reports.isEmpty
    guard offsets != before || !reports.isEmpty else { return nil }
    return WorkBatch(isAlive ? [.alive] : rest, offsets: offsets)
  }

  /// A report with the path that dpkg names as it is from outside the root.
  private func placed(_ report: WorkReport) -> WorkReport {
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
