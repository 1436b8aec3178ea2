internal import HostSystem
internal import Synchronization

/// A cache of the system's user accounts, looked up on separate threads.
///
/// The system's user database may be a service that hangs. A lookup waits at most for the time-out
/// and blocks only threads of this directory. A user whose lookup is not answered counts as
/// unknown, without a group. Answers are cached for a short time.
package final class AccountDirectory: Sendable {
  /// The account of a user.
  package struct Account: Sendable, Hashable {
    /// The user's name; the uid as text if the user has no name or is unknown.
    package var name: String
    /// Whether the user belongs to the group.
    package var isMember: Bool
    /// Whether the system has answered.
    package var isKnown: Bool

    package init(name: String, isMember: Bool, isKnown: Bool = true) {
      self.name = name
      self.isMember = isMember
      self.isKnown = isKnown
    }

    static func unknown(_ uid: UInt32) -> Account {
      Account(name: String(uid), isMember: false, isKnown: false)
    }
  }

  private typealias Waiter = CheckedContinuation<Account, Never>

  private struct State {
    var cache: [UInt32: (account: Account, end: ContinuousClock.Instant)] = [:]
    var waiters: [UInt32: [Int: Waiter]] = [:]
    var queue: [UInt32] = []
    var running: Set<UInt32> = []
    var threads = 0
    var lastWaiter = 0
  }

  private let find: @Sendable (UInt32) -> Account
  private let timeout: Duration
  private let lifetime: Duration
  private let state = Mutex(State())

  /// Largest number of threads, and so of lookups that can hang at the same time.
  private static let mostThreads = 4
  /// Largest number of users whose lookups wait for a thread.
  private static let mostQueued = 64
  private static let mostCached = 1024

  /// - Parameters:
  ///   - timeout: Time-out of a lookup.
  ///   - lifetime: Time for which an answer is cached.
  ///   - find: Looks up the account in the system; may block.
  package init(
    timeout: Duration = .seconds(2), lifetime: Duration = .seconds(2),
    find: @escaping @Sendable (UInt32) -> Account
  ) {
    self.timeout = timeout
    self.lifetime = lifetime
    self.find = find
  }

  /// The cached account; nil if it is absent or has expired.
  package func cached(_ uid: UInt32) -> Account? {
    state.withLock { state in
      guard let entry = state.cache[uid], ContinuousClock.now < entry.end else { return nil }
      return entry.account
    }
  }

  /// The account of a user, from the cache or the system.
  ///
  /// An unknown account if the system does not answer in time, if too many users wait already, or
  /// if the task is cancelled.
  package func account(of uid: UInt32) async -> Account {
    if let account = cached(uid) { return account }
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { enter($0, number, uid) }
    } onCancel: {
      giveUp(number, uid)
    }
  }

  private func enter(_ waiter: Waiter, _ number: Int, _ uid: UInt32) {
    let (isFull, needsThread) = state.withLock { state in
      if Task.isCancelled { return (true, false) }
      let isAwaited = state.running.contains(uid) || state.queue.contains(uid)
      guard isAwaited || state.queue.count < Self.mostQueued else { return (true, false) }
      state.waiters[uid, default: [:]][number] = waiter
      if !isAwaited { state.queue.append(uid) }
      // A thread that could not be started before leaves a queue that nothing serves.
      guard !isAwaited || state.threads == 0, state.threads < Self.mostThreads else {
        return (false, false)
      }
      state.threads += 1
      return (false, true)
    }
    if isFull { return waiter.resume(returning: .unknown(uid)) }
    // The timer starts after the waiter is registered, so that it always finds the waiter.
    Task { [timeout] in
      try? await Task.sleep(for: timeout)
      self.giveUp(number, uid)
    }
    if needsThread { startThread() }
  }

  private func startThread() {
    let thread = DetachedThread { self.serveQueue() }
    // The next thread that can be started serves the queue; the waiters have a time-out.
    if !thread.isRunning { state.withLock { $0.threads -= 1 } }
  }

  private func serveQueue() {
    while let uid = next() {
      let account = find(uid)
      let waiters = state.withLock { state in
        state.running.remove(uid)
        keep(account, of: uid, in: &state)
        return state.waiters.removeValue(forKey: uid) ?? [:]
      }
      for waiter in waiters.values { waiter.resume(returning: account) }
    }
  }

  private func next() -> UInt32? {
    state.withLock { state in
      while !state.queue.isEmpty {
        let uid = state.queue.removeFirst()
        // All waiters of this user have timed out.
        guard state.waiters[uid] != nil else { continue }
        state.running.insert(uid)
        return uid
      }
      state.threads -= 1
      return nil
    }
  }

  private func keep(_ account: Account, of uid: UInt32, in state: inout State) {
    let now = ContinuousClock.now
    if state.cache.count >= Self.mostCached {
      state.cache = state.cache.filter { now < $0.value.end }
      if state.cache.count >= Self.mostCached { state.cache = [:] }
    }
    state.cache[uid] = (account, now + lifetime)
  }

  private func giveUp(_ number: Int, _ uid: UInt32) {
    let waiter = state.withLock { state in
      let waiter = state.waiters[uid]?.removeValue(forKey: number)
      if state.waiters[uid]?.isEmpty == true { state.waiters[uid] = nil }
      return waiter
    }
    waiter?.resume(returning: .unknown(uid))
  }
}
