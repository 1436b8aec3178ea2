import InstallJobs
import JobScreen

/// Tells the time when something shown changes by itself; nobody is woken for anything else.
@MainActor
final class Alarm {
  private let mailbox: Mailbox
  private let time: SteadyTime
  private var awaited: Timestamp?
  private var waiting: Task<Void, Never>?

  /// - Parameters:
  ///   - mailbox: Where the time is told.
  ///   - time: The clock of this machine.
  init(_ mailbox: Mailbox, _ time: SteadyTime) {
    self.mailbox = mailbox
    self.time = time
  }

  /// Tells the time at `moment`, and at no other; nil tells none.
  func set(_ moment: Timestamp?) {
    guard moment != awaited else { return }
    waiting?.cancel()
    awaited = moment
    waiting = moment.map { moment in
      Task { [mailbox, time] in
        guard (try? await Task.sleep(for: time.duration(until: moment))) != nil else { return }
        mailbox.post(.clock(max(time.now, moment)))
      }
    }
  }
}
