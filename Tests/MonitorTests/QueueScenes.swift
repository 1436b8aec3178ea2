import Canvas
import InstallJobs

@testable import Monitor

extension Scene {
  static let root = Requester(uid: 0, user: "root")
  static let pause = QueuePause(.request, by: root, since: at(120))

  /// A queued job that somebody holds.
  static func heldInQueue(_ job: JobSnapshot) -> JobSnapshot {
    var job = job
    var reason = WaitReason(.paused, "held by ops")
    reason.by = ops
    reason.since = at(130)
    job.waitingFor = reason
    return job
  }

  /// An upgrade at work, four jobs that wait, the second of them held.
  static var waiting: [JobSnapshot] {
    var running = upgrade
    running.lastActivityAt = at(150)
    let names = ["redis-server", "cups", "curl", "vim"]
    let jobs = names.enumerated().map { job(1051 + $0, [planned($1)]) }
    return [running] + jobs.enumerated().map { $0 == 1 ? heldInQueue($1) : $1 }
  }

  /// The same with archives of two that wait fetched, or on their way.
  static var fetchedAhead: [JobSnapshot] {
    var jobs = waiting
    jobs[1].activity = "its archives are here"
    jobs[3].activity = "its archives are being fetched"
    return jobs
  }

  static func engineEvent(_ notice: EngineNotice, at seconds: Double = 160) -> MonitorEvent {
    .event(JobEvent(seq: 41, at: at(seconds), job: nil, payload: .engine(notice)))
  }
}

extension Screens {
  /// Screens of a queue that somebody keeps from going on.
  static let queueing: [Case] = [
    Case(name: "queue-paused") { size in
      var state = Scene.monitor(Scene.waiting, size: size)
      _ = state.update(Scene.engineEvent(EngineNotice(paused: Scene.pause)))
      return state
    },
    Case(name: "queue-held") { size in
      var state = Scene.monitor(Scene.waiting, size: size)
      Scene.press([.down, .down], in: &state)
      return state
    },
    Case(name: "queue-ahead") { size in
      var state = Scene.monitor(Scene.fetchedAhead, size: size)
      Scene.press([.down], in: &state)
      return state
    },
    Case(name: "job-held-fetch") { size in
      var job = Scene.nginx
      job.state = .suspended
      job.waitingFor = Scene.heldInQueue(job).waitingFor
      job.waitingFor?.message = "held by ops, no package was begun"
      job.bytesPerSecond = nil
      var state = Scene.monitor([job], size: size)
      Scene.press([.enter], in: &state)
      return state
    },
  ]
}
