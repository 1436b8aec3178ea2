import CNcurses
import Canvas
import Dispatch
import Glibc

/// Input and signals.
extension Terminal {
  /// Maximum number of bytes and key codes read before other work gets its turn.
  private static let burst = 8_192

  func listen(signals: Int32) {
    // A duplicate descriptor: no other code can close it while the source watches it.
    let descriptor = fcntl(options.input, F_DUPFD_CLOEXEC, 3)
    let keys = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    keys.setCancelHandler { Glibc.close(descriptor) }
    keys.setEventHandler { [weak self] in
      MainActor.assumeIsolated { self?.readKeys() }
    }
    sources.append(keys)
    if signals >= 0 {
      let notices = DispatchSource.makeReadSource(fileDescriptor: signals, queue: .main)
      notices.setEventHandler { [weak self] in
        MainActor.assumeIsolated { self?.readSignals(signals) }
      }
      sources.append(notices)
    }
    for source in sources { source.activate() }
  }

  func endListening() {
    for source in sources { source.cancel() }
    sources = []
  }

  // MARK: Keys

  /// Reads all waiting keys, so that five keys in one write give five events.
  private func readKeys() {
    guard state == .active else { return }
    guard cn_poll(options.input) != cn_gone else { return hangUp() }
    bursts += 1
    defer { noticeReplies() }
    if readWaitingInput(push) { return }
    // ncurses may have buffered bytes for which the descriptor is no longer readable.
    DispatchQueue.main.async { [weak self] in
      MainActor.assumeIsolated { self?.readKeys() }
    }
  }

  /// Decodes the waiting input.
  ///
  /// - Returns: Whether all of it was read; if not, other work gets its turn first.
  @discardableResult
  func readWaitingInput(_ take: (TerminalEvent) -> Void) -> Bool {
    for _ in 0..<Self.burst {
      let code = cn_next_key()
      guard code != ERR else {
        for event in decoder.endBurst() { take(event) }
        return true
      }
      for event in decoder.receive(code) {
        take(event)
        guard state == .active else { return true }
      }
      watchPaste()
    }
    return false
  }

  private func push(_ event: TerminalEvent) {
    switch event {
    case .mouse(let mouse):
      queue.push(.mouse(clicks.receive(mouse, at: ContinuousClock.now - opened)))
    case .key(.control("z")): suspend()
    case .key(.control("l")): repaint()
    default: queue.push(event)
    }
  }

  /// Ends a paste without an end after two seconds without input.
  private func watchPaste() {
    guard decoder.isPasting, !isWatchingPaste else { return }
    isWatchingPaste = true
    let seen = bursts
    DispatchQueue.main.asyncAfter(deadline: .now() + 2) { [weak self] in
      MainActor.assumeIsolated {
        guard let self, self.state != .over else { return }
        self.isWatchingPaste = false
        guard self.bursts == seen else { return self.watchPaste() }
        for event in self.decoder.endPaste() { self.queue.push(event) }
      }
    }
  }

  // MARK: Signals

  private func readSignals(_ descriptor: Int32) {
    var signals = [UInt8](repeating: 0, count: 64)
    let count = unsafe signals.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    for signal in signals.prefix(max(0, count)) where state == .active {
      switch Int32(signal) {
      case SIGWINCH:
        rescue_heard_resize()
        adoptSize()
      case SIGTSTP: suspend()
      case SIGCONT:
        // The process was stopped without notice, and a shell may have used the terminal since.
        leave()
        resume()
      case SIGHUP: hangUp()
      default: terminate(signal: Int32(signal))
      }
    }
  }

  private func adoptSize() {
    let measured = Self.measure(options.output)
    guard measured != size else { return }
    size = measured
    cn_resize(Int32(size.rows), Int32(size.columns))
    forgetFrame()
    queue.push(.resize(size))
  }

  /// Gives the terminal back and stops the process, as Ctrl-Z does; returns when it continues.
  package func suspend() {
    leave()
    rescue_stop()
    resume()
  }

  private func leave() {
    state = .left
    rescue_disarm()
    write(leaveModes)
    cn_leave()
    rescue_release_errors()
  }

  private func resume() {
    if options.holdsErrors { rescue_hold_errors() }
    state = .active
    rescue_arm()
    adoptSize()
    write(enterModes)
    repaint()
    queue.push(.resumed)
  }

  private func hangUp() {
    endListening()
    // Needed if only the signal came; harmless if the terminal is gone.
    rescue_restore()
    cn_abandon()
    queue.push(.hangup)
    // The end of the input may come before the SIGHUP with the same meaning.
    finish(keepingHangUp: true)
  }

  private func terminate(signal: Int32) {
    queue.push(.terminate(signal: signal))
    close()
  }
}
