internal import CProcess
internal import Glibc
internal import JobWire
internal import Synchronization

/// Many users at an engine's socket who mean harm: each connection is one of another user's.
///
/// Blocks the thread that it works on, which acts as these users one after the other.
final class StrangerCrowd: Sendable {
  /// What they do.
  enum Act: Sendable, Hashable {
    /// They connect and say nothing, or half of a greeting.
    case occupySeats
    /// They send lines that never end.
    case sendHalfLines
    /// One user greets on many connections and has plans made whose answers nobody reads.
    case haveManyPlansMade
    /// They greet, follow all jobs and ask for them again and again, and read nothing.
    case lookAtEverything
  }

  private let path: String
  private let act: Act
  private let users: [uid_t]
  private let stop = StopSign()
  private let seats: Int
  private let harm = Mutex(0)
  private let planLine: String

  /// - Parameters:
  ///   - path: The socket.
  ///   - act: What they do.
  ///   - users: Who they are: numbers that nobody has.
  ///   - package: A package whose installation can be planned.
  init(at path: String, _ act: Act, users: [uid_t], package: String) {
    self.path = path
    self.act = act
    self.users = users
    seats = act == .occupySeats ? 1_000 : 60
    let request = #"{"operation":"install","updates":[{"name":"\#(package)"}]}"#
    planLine = #"{"jsonrpc":"2.0","id":2,"method":"plan","params":\#(request)}"# + "\n"
  }

  /// Attacks until ``leave()``; who is turned away comes again.
  ///
  /// - Throws: ``CannotMeasure`` where the thread cannot act as others.
  func attack() throws(CannotMeasure) {
    var sockets = [Int32](repeating: -1, count: seats)
    defer { for socket in sockets where socket >= 0 { close(socket) } }
    while !stop.isRaised {
      var attempts = 0
      for place in sockets.indices where !stop.isRaised {
        if sockets[place] < 0, attempts < 100 {
          attempts += 1
          sockets[place] = try connect(as: users[place % users.count])
        }
        guard sockets[place] >= 0 else { continue }
        guard !goOn(sockets[place], place) else {
          harm.withLock { $0 += 1 }
          continue
        }
        close(sockets[place])
        sockets[place] = -1
      }
      usleep(50_000)
    }
  }

  /// How often they have done harm up to now: sent something, or held a connection for one more round.
  var harmDone: Int { harm.withLock { $0 } }

  /// Ends the attack.
  func leave() { stop.raise() }

  private func connect(as user: uid_t) throws(CannotMeasure) -> Int32 {
    guard thread_act_as(user) == 0 else { throw CannotMeasure("cannot act as user \(user)") }
    defer { thread_act_as(0) }
    let socket = PeerSocket.connect(to: path)
    guard socket >= 0 else { return -1 }
    if act == .haveManyPlansMade || act == .lookAtEverything {
      PeerSocket.send(
        #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"product":"\#(WireProtocol.product)""#
          + #","version":\#(WireProtocol.version)}}"# + "\n", to: socket)
    }
    return socket
  }

  /// Does harm once more; false when the engine has closed the connection.
  private func goOn(_ socket: Int32, _ place: Int) -> Bool {
    switch act {
    case .occupySeats:
      return place.isMultiple(of: 2) ? PeerSocket.isOpen(socket) : PeerSocket.send("{", to: socket)
    case .sendHalfLines:
      return PeerSocket.send(String(repeating: "[", count: 65_536), to: socket)
    case .haveManyPlansMade:
      return PeerSocket.send(String(repeating: planLine, count: 20), to: socket)
    case .lookAtEverything:
      return PeerSocket.send(Self.lookLines, to: socket)
    }
  }

  /// Subscriptions to everything and to a thousand jobs by their numbers, from the first event on and
  /// with all plans, and what else costs much to answer.
  private static let lookLines: String = {
    let numbers = (1...1_000).map { "\($0)" }.joined(separator: ",")
    let requests = [
      #""subscribe","params":{"from":0}"#, #""subscribe","params":{}"#,
      #""subscribe","params":{"jobs":[\#(numbers)],"plans":true}"#,
      #""jobs","params":{}"#, #""history","params":{}"#, #""status","params":{}"#,
    ]
    return requests.map { #"{"jsonrpc":"2.0","id":2,"method":\#($0)}"# + "\n" }.joined()
  }()
}
