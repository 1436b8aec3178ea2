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
          sockets[place] = connect()
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

  private func connect() -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | 0o2004000, 0)
    guard socket >= 0 else { return -1 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(socket)
      return -1
    }
    return socket
  }

  private func greet(_ socket: Int32, _ manner: Manner) {
    switch manner {
    case .silent, .garbage, .endless: return
    case .halfLine: send(#"{"jsonrpc":"2.0","id":1,"method":"sub"#, to: socket)
    case .deaf:
      let product = #""product":"\#(WireProtocol.product)","version":\#(WireProtocol.version)"#
      send(
        #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{\#(product)}}"# + "\n"
          + #"{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"from":0}}"# + "\n",
        to: socket)
    }
  }

  /// Does its harm once; false when the engine has shown it the door.
  private func act(on socket: Int32, _ manner: Manner) -> Bool {
    switch manner {
    case .garbage: return send("{]\u{1b}[2J\u{0}garbage\n", to: socket)
    case .endless: return send(String(repeating: "[", count: 65_536), to: socket)
    case .silent, .halfLine, .deaf:
      var entry = pollfd(fd: socket, events: 0, revents: 0)
      return unsafe poll(&entry, 1, 0) == 0
    }
  }

  /// Sends what there is room for; false when the connection is gone.
  @discardableResult
  private func send(_ text: String, to socket: Int32) -> Bool {
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 || errno == EAGAIN
  }
}
