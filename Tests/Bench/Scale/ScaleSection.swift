/// What one job, one event and one frame cost when there are many, and how much memory many take.
struct ScaleSection: Section {
  static let name = "scale"

  /// The sizes that are measured.
  static func sizes(_ effort: Effort) -> [Int] {
    effort == .full ? [1, 10, 100, 1_000, 10_000, 100_000] : [1, 10, 100, 1_000]
  }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let sizes = Self.sizes(effort)
    say("frames with up to \(sizes.last ?? 0) jobs and packages")
    let frames = try await onOwnThread { Self.frames(sizes, rounds: effort.rounds) }
    let workplace = try Workplace()
    defer { workplace.remove() }
    let history = try await HistoryScale(workplace: workplace, effort: effort).measure(sizes, say)
    let updates = try await UpdateScale(workplace: workplace, effort: effort).measure(sizes, say)
    let followed = try await FollowedJobScale(workplace: workplace, effort: effort).measure(say)
    let sessions = try await SessionScale(workplace: workplace, effort: effort).measure(say)
    return frames + history + updates + followed + sessions
  }

  /// The monitor's own work, without terminal and engine.
  private static func frames(_ sizes: [Int], rounds: Int) -> [Figure] {
    var jobs = ScaleFigures(of: "jobs")
    var packages = ScaleFigures(of: "packages in one job")
    for (isJobs, size) in sizes.map({ (true, $0) }) + sizes.map({ (false, $0) }) {
      var scaling = isJobs ? FrameScaling(jobs: size) : FrameScaling(jobs: 1, packages: size)
      let costs = (0..<rounds).map { _ in scaling.cost(frames: 10) }
      let (frame, event) = (costs.map(\.frame.milliseconds), costs.map(\.event.milliseconds))
      if isJobs {
        jobs.add("time of a frame", at: size, frame, unit: "ms")
        jobs.add("time of an event in the monitor", at: size, event, unit: "ms")
      } else {
        packages.add("time of a frame", at: size, frame, unit: "ms")
        packages.add("time of an event in the monitor", at: size, event, unit: "ms")
      }
    }
    jobs.compare(
      "time of a frame", 100_000, with: 1_000, target: 1.3,
      note: "processor time of the events of up to 36 jobs and one canvas of 120x40")
    packages.compare("time of a frame", 100_000, with: 1_000)
    return jobs.figures + packages.figures
  }
}
