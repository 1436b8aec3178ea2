internal import Dispatch
import Glibc
import Synchronization

/// Which input is being read, for the one that ends the process or never ends.
enum InputAtWork: Sendable {
  private struct Place: Sendable {
    var target = ""
    var index = 0
    var input: [UInt8] = []
  }

  private static let place = Mutex(Place())
  private static let reading = Atomic<Int>(0)

  /// Notes the input that is read next.
  static func begin(_ input: [UInt8], of target: String, index: Int) {
    place.withLock { $0 = Place(target: target, index: index, input: input) }
    reading.add(1, ordering: .relaxed)
  }

  /// Names the input when the process is ended by a trap, a bad address or an abort.
  static func reportCrashes() {
    for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      Glibc.signal(signal) { number in
        // Not safe in a signal handler; the process is at its end, and mostly it works.
        InputAtWork.say("ended by signal \(number)")
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Ends the process with the input named when one takes longer than `limit` seconds.
  static func reportHangs(after limit: UInt32) {
    DispatchQueue(label: "hangs").async {
      var seen = -1
      while true {
        sleep(limit)
        let now = reading.load(ordering: .relaxed)
        if now == seen {
          say("still reading after \(limit) seconds")
          _exit(1)
        }
        seen = now
      }
    }
  }

  private static func say(_ what: String) {
    let text = place.withLockIfAvailable { place in
      "\(what): \(place.target) at index \(place.index)\n  \(InputLiteral.text(of: place.input))\n"
    }
    let bytes = Array((text ?? "\(what)\n").utf8)
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
