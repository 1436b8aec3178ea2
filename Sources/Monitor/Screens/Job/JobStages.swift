import InstallJobs
import JobText

/// The stages of a job in their order, each with its status.
struct JobStages: Sendable, Hashable {
  /// The status of a stage.
  enum Status: Sendable, Hashable {
    case ahead
    case running(String)
    case waiting(String)
    case paused(String)
    case done
    case ended(JobMark)
  }

  private(set) var stages: [(name: String, standing: Status)] = []

  static func == (left: JobStages, right: JobStages) -> Bool {
    left.stages.elementsEqual(right.stages) { $0.name == $1.name && $0.standing == $1.standing }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(stages.count) }

  init(_ words: JobWords) {
    let (job, mark) = (words.job, words.mark)
    stages.append(("plan", .done))
    var fetch = Status.done
    var work = Status.ahead
    var verify = Status.ahead
    let steps = words.step.map { " " + $0 } ?? ""
    // Several archives are fetched at a time, so bytes show the progress, not a package number.
    let bytes = " " + Figures.bytes(job.downloadedBytes, of: job.totalDownloadBytes)
    // Evaluated only if needed, since it may visit every package.
    var isFetching: Bool {
      job.totalDownloadBytes > 0 && words.current?.phase ?? .downloading <= .downloaded
        && !job.hasBegunPackage
    }
    switch job.state {
    case .queued: fetch = .ahead
    case .downloading: fetch = .running(bytes)
    case .waitingForLock: work = .waiting(" waits for the lock")
    case .stopping where isFetching: fetch = .running(bytes)
    case .installing, .stopping:
      work = .running(steps + Self.phase(words, beside: job.verb))
    case .waitingForInput: work = .waiting(steps + " needs an answer")
    case .suspended where job.hasBegunPackage: work = .paused(steps)
    case .suspended where job.totalDownloadBytes > 0: fetch = .paused("")
    case .suspended: work = .paused("")
    case .finalizing: (work, verify) = (.done, .running(""))
    case .completed where job.resultCode == .succeeded: (work, verify) = (.done, .done)
    case .completed where job.options.isDownloadOnly:
      fetch = .ended(mark)
      verify = job.startedAt != nil ? .done : .ahead
    case .interrupted where job.options.isDownloadOnly: fetch = .ended(mark)
    case .completed, .interrupted:
      let isFetched = job.downloadedBytes >= job.totalDownloadBytes
      fetch = isFetched ? .done : .ended(mark)
      work = isFetched ? .ended(mark) : .ahead
      verify = job.state == .completed && job.startedAt != nil ? .done : .ahead
    }
    let isDownload = job.options.isDownloadOnly
    if isDownload || job.totalDownloadBytes > 0 { stages.append(("fetch", fetch)) }
    if !isDownload { stages.append((job.operation.verb, work)) }
    stages.append(("verify", verify))
  }

  /// The phase of the package at work, if it says more than the name of the stage.
  private static func phase(_ words: JobWords, beside verb: String) -> String {
    guard let word = words.current?.phase.work, word != verb else { return "" }
    return " " + word
  }
}

extension JobSnapshot {
  /// Whether any package has been unpacked, configured or removed, or is at work, beyond its fetch.
  fileprivate var hasBegunPackage: Bool {
    (plan ?? updates).contains { $0.phase > .downloaded }
  }
}
