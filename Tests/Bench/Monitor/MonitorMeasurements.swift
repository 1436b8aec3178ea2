internal import InstallJobs

/// The parts of the monitor's section, in the order in which they run.
struct MonitorMeasurements: Sendable {
  typealias Part = @Sendable () async throws -> [Figure]

  let workplace: Workplace
  let peers: MonitorPeers
  let effort: Effort
  let stop: StopSign
  static let jobs = MonitorSection.jobs

  /// What is measured, in words, and how.
  var parts: [(String, Part)] {
    [
      ("the jobs on the wire", wire),
      ("the first frame", openings),
      ("keys", keys),
      ("rest", rest),
      ("motion", motion),
      ("the motion of the peers", peersInMotion),
      ("frames with 1000 and 100000 jobs", scaling),
    ]
  }

  // MARK: The wire

  @Sendable private func wire() async throws -> [Figure] {
    let rounds = effort.rounds
    return try await onOwnThread {
      let jobs = ScriptedQueue(count: Self.jobs, moving: 36).snapshots.map(\.withoutPlan)
      var rows: [RowCost] = []
      var objects: [RowCost] = []
      for _ in 0..<rounds {
        rows.append(try RowCost(of: jobs, asRows: true))
        objects.append(try RowCost(of: jobs, asRows: false))
      }
      func against(_ cost: (RowCost) -> Duration) -> String? {
        objects.map { cost($0).milliseconds }.median.map { median in
          "processor time; as objects, for a client that announces nothing, "
            + FigureTable.text(median) + " ms"
        }
      }
      return [
        figure(
          "writing \(Self.jobs) jobs", rows.map(\.encoding.milliseconds), "ms",
          note: against(\.encoding)),
        figure(
          "reading \(Self.jobs) jobs", rows.map(\.decoding.milliseconds), "ms",
          note: against(\.decoding)),
        figure("bytes of \(Self.jobs) jobs", rows.map { Double($0.bytes) }, "bytes"),
      ].compactMap(\.self)
    }
  }

  // MARK: The first frame

  @Sendable private func openings() async throws -> [Figure] {
    try await watching(moving: 36) { ours, _ in
      var runs: [String: [MonitorWatch.Opening]] = [:]
      let load = SmallFile.text("/proc/loadavg")?.split(separator: " ").first
      for _ in 0..<effort.pairs {
        for monitor in [ours] + peers.installed {
          runs[monitor.title, default: []].append(try watch(monitor).opening())
        }
      }
      let own = runs[ours.title] ?? []
      let notes = [load.map { "load average \($0)" }, peers.note].compactMap(\.self)
      var figures = [
        figure("first byte", own.map(\.firstByte.milliseconds), "ms"),
        figure(
          "first full frame, \(Self.jobs) jobs", own.map(\.wholeFrame.milliseconds), "ms",
          note: notes.joined(separator: "; ")),
        figure("bytes of the first frame", own.map { Double($0.bytes) }, "bytes"),
      ]
      for peer in peers.installed {
        let theirs = runs[peer.title] ?? []
        var pairs = PairedSamples()
        for (mine, other) in zip(own, theirs) {
          pairs.add(ours: mine.wholeFrame.milliseconds, theirs: other.wholeFrame.milliseconds)
        }
        let isJudge = peer.title.hasPrefix("htop")
        figures += [
          figure(
            "first full frame, \(MonitorSection.sleepers) processes",
            theirs.map(\.wholeFrame.milliseconds), "ms", peer: peer),
          figure(
            "first full frame against the peer's", pairs.ratios, "ratio",
            target: isJudge ? 1 : nil, peer: peer),
        ]
      }
      return figures.compactMap(\.self)
    }
  }

  // MARK: Keys

  @Sendable private func keys() async throws -> [Figure] {
    try await watching(moving: 36) { ours, _ in
      try ([ours] + peers.installed).flatMap { monitor in
        let answers = try watch(monitor).keys().map(\.milliseconds)
        let peer = monitor.title == ours.title ? nil : monitor
        return [
          figure(
            "key to first byte, half of the keys", answers, "ms", value: answers.percentile(0.5),
            peer: peer),
          figure(
            "key to first byte, 95 % of the keys", answers, "ms", value: answers.percentile(0.95),
            target: peer == nil ? 10 : nil, peer: peer),
        ].compactMap(\.self)
      }
    }
  }

  // MARK: Rest

  @Sendable private func rest() async throws -> [Figure] {
    try await watching(moving: 36) { ours, _ in
      let rest = try watch(ours).rest()
      return [
        figure("bytes while nothing happens", [Double(rest.bytes)], "bytes", target: 0),
        figure("wake-ups while nothing happens", rest.wakeUps.map(Double.init), "1/s", target: 1),
      ].compactMap(\.self)
    }
  }

  // MARK: Scaling

  @Sendable private func scaling() async throws -> [Figure] {
    let rounds = effort.rounds
    return try await onOwnThread {
      var few = FrameScaling(jobs: 1_000)
      var many = FrameScaling(jobs: 100_000)
      var pairs = PairedSamples()
      for _ in 0..<rounds {
        let small = few.time(frames: 10)
        pairs.add(ours: many.time(frames: 10).milliseconds, theirs: small.milliseconds)
      }
      return [
        figure(
          "frame time, 100000 jobs against 1000", pairs.ratios, "ratio", target: 1.3,
          note: "processor time of 36 events and one canvas, without terminal"),
        figure("frame time, 100000 jobs", pairs.pairs.map(\.ours), "ms"),
        figure("frame time, 1000 jobs", pairs.pairs.map(\.theirs), "ms"),
      ].compactMap(\.self)
    }
  }

  // MARK: Tools

  /// Serves a queue, of which some jobs are at work, and measures on a thread of its own.
  func watching<Value: Sendable>(
    moving: Int,
    _ body: @escaping @Sendable (_ ours: MonitorProgram, _ queue: ServedQueue) throws -> Value
  ) async throws -> Value {
    let workplace = workplace
    return try await ServedQueue.serve(
      ScriptedQueue(count: Self.jobs, moving: moving), in: workplace
    ) { queue in
      try await onOwnThread {
        try body(try MonitorProgram.fettle(on: queue, jobs: Self.jobs, in: workplace), queue)
      }
    }
  }

  func watch(_ monitor: MonitorProgram) -> MonitorWatch {
    MonitorWatch(monitor: monitor, effort: effort, stop: stop)
  }

  func figure(
    _ name: String, _ samples: [Double], _ unit: String, value: Double? = nil,
    target: Double? = nil, better: Figure.Better = .lower, peer: MonitorProgram? = nil,
    note: String? = nil
  ) -> Figure? {
    Figure(
      MonitorSection.name, name, samples, value: value, unit: unit, target: target,
      better: better, peer: peer?.title, note: note)
  }
}
