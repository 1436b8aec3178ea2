import Canvas
import InstallJobs

extension MonitorState {
  /// Opens the compose screen, with what was last written where nothing else is given.
  mutating func openCompose(_ new: ComposeDraft? = nil) -> [Intent] {
    if let new {
      draft = new
    } else if draft.operation == .repair {
      // That was asked for by its own key, and names no packages.
      draft = ComposeDraft()
    }
    draft.forgetRefusal()
    screens = [screens.first ?? .queue, .compose]
    // An Enter that was typed ahead must not submit what it did not see.
    if draft.isReady { return [.discardInput] }
    return draft.operation == .upgrade && draft.candidates.isEmpty ? [.fetchUpgradable] : []
  }

  /// Opens a repair and asks what it would do at once.
  mutating func planRepair() -> [Intent] {
    _ = openCompose(ComposeDraft(.repair))
    return compose(.enter)
  }

  /// A key on the compose screen, where letters are text.
  mutating func compose(_ key: Key) -> [Intent] {
    acknowledge()
    if case .function(let number) = key, number != 1 {
      if number == 10 { return [.quit] }
      return []
    }
    if key == .function(1) {
      help = HelpView()
      return []
    }
    let layout = ComposeLayout(draft, FrameLayout(self, size: size).list)
    switch draft.handle(key, rows: layout.planRows, columns: layout.planColumns) {
    case .typing: return []
    case .leave:
      screens.removeLast()
      return []
    case .plan(let request): return send(.plan(request))
    case .submit(let request):
      if let action = actions.action(.compose), let reason = disabledReason(action) {
        draft.forgetPlan()
        message = Message(text: "not submitted: \(reason)", isAlert: true)
        return []
      }
      return [.submit(request)]
    case .fetchUpgradable: return send(.fetchUpgradable)
    case .invalid(let error):
      message = Message(text: error.description, isAlert: true)
      return []
    case .tooSmall:
      message = Message(text: "not submitted: the window has no room for the plan", isAlert: true)
      return []
    }
  }

  /// Asks the engine, or says that there is none.
  private mutating func send(_ intent: Intent) -> [Intent] {
    if link.isLive { return [intent] }
    draft.lose()
    message = Message(text: "not connected to the engine", isAlert: true)
    return []
  }

  /// Takes what the engine says to the draft.
  mutating func apply(plan: JobPlan, of request: JobRequest) -> [Intent] {
    // What was typed while the plan was not to be seen must not submit it.
    draft.apply(plan, of: request) ? [.discardInput] : []
  }

  mutating func apply(refusal error: InstallationError, of request: JobRequest) {
    guard !draft.apply(error, of: request) || screen != .compose else { return }
    message = Message(text: error.description, isAlert: true)
  }

  mutating func apply(submitted job: JobSnapshot, of request: JobRequest?) -> [Intent] {
    var intents: [Intent] = []
    if draft.isSubmitting(request) {
      draft = ComposeDraft()
      if screen == .compose {
        screens = [.queue]
        // What was being typed was text; on the list it would be keys.
        intents = [.discardInput]
      }
    }
    isFollowing = false
    wanted = job.id
    showAnswer("job \(job.id) is in the queue: \(JobWords(entry: JobStore.Entry(job: job)).what)")
    return intents
  }
}
