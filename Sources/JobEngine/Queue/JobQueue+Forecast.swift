import InstallJobs

// Expected start and end times of waiting jobs: the sum of the work ahead of each job, in queue
// order. Jobs that cannot start yet (paused, scheduled for later, or waiting for another job) are
// skipped and have no times.
extension JobQueue {
  /// The expected start and end, as far as known, of every job that has a queue position.
  func times(
    by forecast: QueueForecast, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> [JobID: QueueForecast.Times] {
    var times: [JobID: QueueForecast.Times] = [:]
    var ahead = QueueLoad()
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      times[entry.id] = forecast.times(of: entry.load, behind: ahead)
      ahead = ahead.followed(by: entry.load)
    }
    return times
  }

  /// The expected start and end of one job; nil for a job without a queue position.
  func times(
    of id: JobID, by forecast: QueueForecast, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> QueueForecast.Times? {
    var ahead = QueueLoad()
    for entry in entries where canBegin(entry, at: time, isOver: isOver) {
      if entry.id == id { return forecast.times(of: entry.load, behind: ahead) }
      ahead = ahead.followed(by: entry.load)
    }
    return nil
  }
}
