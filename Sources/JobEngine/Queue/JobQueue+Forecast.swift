import InstallJobs

// When jobs that wait begin and end: what is before each of them, summed up in their order. Jobs that
// are held, or whose own time or job has not come, are passed and have no time.
extension JobQueue {
  /// When every job that has a place begins and ends, as far as that is known.
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

  /// The same of one job.
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
