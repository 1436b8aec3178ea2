import Canvas
import InstallJobs
import JobText

extension MonitorState {
  /// Opens the compose screen, with the last draft unless a new one is given.
  mutating func openCompose(_ new: ComposeDraft? = nil) -> [Intent] {
    if let new {
      draft = new
    } else if draft.operation == .repair {
      // A repair has a key of its own and names no packages.
      draft = ComposeDraft()
    }
    draft.forgetRefusal()
    screens = [screens.first ?? .queue, .compose]
    // Enter typed ahead must not submit a plan that was not visible yet.
    if draft.isReady { return [.discardInput] }
    return draft.operation == .upgrade && draft.candidates.isEmpty ? [.fetchUpgradable] : []
  }

  /// Opens a repair and requests its plan at once.
  mutating func planRepair() -> [Intent] {
    _ = openCompose(ComposeDraft(.repair))
    return compose(.enter)
  }

  /// Handles a key on the compose screen, where letters are text.
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
    case .askConsent(let names):
      message = Message(
        text: "\(JobEnding.list(names)) would be removed, which the job does not name:"
          + " y consents and submits, any other key goes back", isAlert: true)
      return [.discardInput]
    case .fetchUpgradable: return send(.fetchUpgradable)
    case .invalid(let error):
      message = Message(text: error.description, isAlert: true)
      return []
    case .tooSmall:
      message = Message(text: "not submitted: the window has no room for the plan", isAlert: true)
      return []
    }
  }

  /// Sends a request to the engine, or reports that there is no connection.
  private mutating func send(_ intent: Intent) -> [Intent] {
    if link.isLive { return [intent] }
    draft.dropPendingRequest()
    message = Message(text: "not connected to the engine", isAlert: true)
    return []
  }

  /// Applies a plan from the engine.
  mutating func apply(plan: JobPlan, of request: JobRequest) -> [Intent] {
    // Keys typed before the plan was visible must not submit it.
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
        // Text typed ahead for a field would act as keys on the list.
        intents = [.discardInput]
      }
    }
    isFollowing = false
    jobToSelect = job.id
    showAnswer(
      "job \(job.id) is in the queue: \(JobWords(job).packages)")
    return intents
  }
}
