import InstallJobs
import JobText

/// The jobs of a list in sorted order.
///
/// Lookups are binary searches.
struct JobOrder: Sendable {
  /// A job's sort key: by section, then rank, then text, then number.
  struct Place: Sendable, Hashable, Comparable {
    var section: Int
    var rank: Int64
    var text = ""
    var id: Int
    /// Whether texts and numbers sort in descending order; equal for all places of a list.
    var isDescending = false

    init(section: Int, rank: Int64, id: Int) {
      self.section = section
      self.rank = rank
      self.id = id
    }

    static func < (left: Place, right: Place) -> Bool {
      if left.section != right.section { return left.section < right.section }
      if left.rank != right.rank { return left.rank < right.rank }
      if left.text != right.text {
        return left.isDescending ? left.text > right.text : left.text < right.text
      }
      return left.isDescending ? left.id > right.id : left.id < right.id
    }

    /// The job.
    ///
    /// In newest-first lists `id` is the negated job number.
    var job: JobID { JobID(id < 0 ? 0 &- id : id) }

    // A hostile peer can send the least integer, whose negation overflows. `~` and `0 &-` do not
    // trap on it as `-` does.

    /// The place in the queue: jobs at work, waiting jobs by priority and number, then ended jobs:
    /// failed or interrupted, with errors, succeeded or aborted, each group newest first.
    ///
    /// A failure keeps its place until it is cleaned up, even after a user has viewed it, so that
    /// rows do not move when a job is viewed.
    static func queue(_ job: JobSnapshot) -> Place {
      if job.state.isFinal {
        let isPartial = JobMark.ended(job) == .warned
        return ended(job, section: isPartial ? 3 : job.isProblem ? 2 : 4)
      }
      if job.state != .queued { return Place(section: 0, rank: 0, id: job.id.rawValue) }
      return Place(section: 1, rank: QueueRule.rank(of: job.options.priority), id: job.id.rawValue)
    }

    /// The place in the history, newest first.
    static func history(_ job: JobSnapshot) -> Place { ended(job, section: 0) }

    private static func ended(_ job: JobSnapshot, section: Int) -> Place {
      let time = job.endedAt ?? job.submittedAt
      return Place(section: section, rank: -time.milliseconds, id: 0 &- job.id.rawValue)
    }
  }

  private(set) var places: [Place] = []

  init() {}
  init(_ places: [Place]) { self.places = places.sorted() }

  /// Number of jobs.
  var count: Int { places.count }

  /// The job at `index`, which must be valid.
  subscript(index: Int) -> JobID { places[index].job }

  /// The first index whose place is not less than `place`.
  func lowerBound(_ place: Place) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of `place`; nil if it is not in the list.
  func index(of place: Place) -> Int? {
    let index = lowerBound(place)
    return index < places.count && places[index] == place ? index : nil
  }

  /// Moves a job from one place to another; nil means not in the list.
  mutating func move(from old: Place?, to new: Place?) {
    guard old != new else { return }
    if let old { remove(old) }
    if let new { insert(new) }
  }

  mutating func insert(_ place: Place) {
    let index = lowerBound(place)
    guard index == places.count || places[index] != place else { return }
    places.insert(place, at: index)
  }

  mutating func remove(_ place: Place) {
    guard let index = index(of: place) else { return }
    places.remove(at: index)
  }
}
