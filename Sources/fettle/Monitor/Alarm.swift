import InstallJobs
import Monitor

/// Posts a clock event at the next moment at which something shown changes by itself.
@MainActor
final class Alarm {
  private let mailbox: Mailbox
  private let time: MonotonicTime
  private var awaited: Timestamp?
  private var waiting: Task<Void, Never>?

  /// - Parameters:
  ///   - mailbox: Receives the clock events.
  ///   - time: The clock of this machine.
  init(_ mailbox: Mailbox, _ time: MonotonicTime) {
    self.mailbox = mailbox
    self.time = time
  }

  /// Posts a clock event at `moment` and replaces the moment set before; nil posts none.
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
