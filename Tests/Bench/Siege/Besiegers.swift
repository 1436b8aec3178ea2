internal import Glibc
internal import JobWire
internal import Synchronization

/// A crowd at an engine's socket that keeps its connections and means no good.
///
/// Most of it costs the machine nothing by itself: what a job takes longer beside it is the
/// engine's doing.
final class Besiegers: Sendable {
  /// What one of the crowd does.
  enum Manner: Sendable, Hashable, CaseIterable {
    /// Connects and says nothing.
    case silent
    /// Sends half a request and waits.
    case halfLine
    /// Subscribes to everything from the beginning and never reads.
    case deaf
    /// Sends lines that are no requests, ten times a second, and never reads.
    case garbage
    /// Sends a line that does not end, 64 KiB ten times a second.
    case endless
  }

  /// How many came.
  static let crowd = 1_000
  private let path: String
  private let stop = StopSign()
  private let open = Mutex(0)

  /// A crowd that is not there yet.
  init(at socket: String) { path = socket }

  /// How many connections were open when it was last looked.
  var standing: Int { open.withLock { $0 } }

  /// Comes, stays and does its harm until ``leave()``, which is to be called.
  ///
  /// Blocks; whoever is turned away comes again ten times a second, forty at a time.
  func besiege() {
    // Each with its place among the manners; -1 for those that are outside.
    var sockets = [Int32](repeating: -1, count: Self.crowd)
    defer { for socket in sockets where socket >= 0 { close(socket) } }
    var turn = 0
    while !stop.isRaised {
      var attempts = 0
      for place in sockets.indices {
        if sockets[place] >= 0 {
          if !act(on: sockets[place], manner(of: place)) {
            close(sockets[place])
            sockets[place] = -1
          }
        } else if attempts < (turn == 0 ? Self.crowd : 40) {
          attempts += 1
          sockets[place] = PeerSocket.connect(to: path)
          if sockets[place] >= 0 { greet(sockets[place], manner(of: place)) }
        }
      }
      turn += 1
      let count = sockets.count { $0 >= 0 }
      open.withLock { $0 = count }
      usleep(100_000)
    }
  }

  /// Ends the siege.
  func leave() { stop.raise() }

  private func manner(of place: Int) -> Manner {
    // Few shout, for their shouting costs the machine something; the others stand there.
    switch place % 50 {
    case 0: .garbage
    case 1: .endless
    case let rest: [Manner.silent, .halfLine, .deaf][rest % 3]
    }
  }

  private func greet(_ socket: Int32, _ manner: Manner) {
    switch manner {
    case .silent, .garbage, .endless: return
    case .halfLine: PeerSocket.send(#"{"jsonrpc":"2.0","id":1,"method":"sub"#, to: socket)
    case .deaf:
      let product = #""product":"\#(WireProtocol.product)","version":\#(WireProtocol.version)"#
      PeerSocket.send(
        #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{\#(product)}}"# + "\n"
          + #"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"from":0}}"# + "\n",
        to: socket)
    }
  }

  /// Does its harm once; false when the engine has shown it the door.
  private func act(on socket: Int32, _ manner: Manner) -> Bool {
    switch manner {
    case .garbage: return PeerSocket.send("{]\u{1b}[2J\u{0}garbage\n", to: socket)
    case .endless: return PeerSocket.send(String(repeating: "[", count: 65_536), to: socket)
    case .silent, .halfLine, .deaf:
      return PeerSocket.isOpen(socket)
    }
  }
}
