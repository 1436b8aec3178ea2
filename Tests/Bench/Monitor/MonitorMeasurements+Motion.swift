// Ten frames a second: bytes, processor, memory.
extension MonitorMeasurements {
  @Sendable func motion() async throws -> [Figure] {
    let few = try await motion(moving: 8)
    let many = try await motion(moving: 36)
    let all = try await motion(moving: 36, rows: 80)
    let memory = many.memory
    return [
      bytes(few, "bytes a frame (mean), 8 bars move", target: 600),
      bytes(
        many, "bytes a frame (mean), 36 bars move", target: 2_500,
        note: "120x40 has room for \(many.wordsShown) of the 36"),
      bytes(
        all, "bytes a frame (mean), 36 bars move at 120x80",
        note: "\(all.wordsShown) of the 36 shown"),
      figure("frames a second, 36 bars move", [many.framesPerSecond], "1/s", better: .higher),
      figure(
        "processor (mean), 36 of \(Self.jobs) jobs move", many.processorShares, "%",
        value: many.processorShares.mean, target: 3, note: "ten times a second"),
      figure(
        "memory, \(Self.jobs) jobs", [megabytes(memory.resident)], "MB", target: 20,
        note: "resident; proportional \(FigureTable.text(megabytes(memory.proportional))) MB, "
          + "in no file \(FigureTable.text(megabytes(memory.anonymous))) MB"),
    ].compactMap(\.self)
  }

  private func motion(moving: Int, rows: Int = 40) async throws -> MonitorWatch.Motion {
    try await watching(moving: moving) { ours, queue in
      try watch(ours).motion(rows: rows, counting: (1...moving).map { "package-\($0) " }) {
        queue.engine.beat()
      }
    }
  }

  private func bytes(
    _ motion: MonitorWatch.Motion, _ name: String, target: Double? = nil,
    peer: MonitorProgram? = nil, note: String? = nil
  ) -> Figure? {
    let frames = motion.frames.map(Double.init)
    return figure(
      name, frames, "bytes", value: frames.mean, target: target, peer: peer, note: note)
  }

  @Sendable func peersInMotion() async throws -> [Figure] {
    try await onOwnThread {
      try peers.installed.flatMap { peer in
        let motion = try watch(peer).motion()
        return [
          bytes(motion, "bytes a frame (mean), asked for ten a second", peer: peer),
          figure(
            "frames a second, asked for ten", [motion.framesPerSecond], "1/s", better: .higher,
            peer: peer),
          figure(
            "processor (mean), asked for ten frames a second", motion.processorShares, "%",
            value: motion.processorShares.mean, peer: peer),
          figure("memory", [megabytes(motion.memory.resident)], "MB", peer: peer),
        ].compactMap(\.self)
      }
    }
  }

  private func megabytes(_ bytes: Int) -> Double { Double(bytes) / 1e6 }
}
