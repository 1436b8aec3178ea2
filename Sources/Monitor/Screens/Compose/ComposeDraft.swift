import Canvas
import InstallJobs

/// The job in the fields of the compose screen: operation, packages, its plan, and whether it was
/// submitted.
///
/// Enter asks for the plan first. It submits only while the plan shown belongs to the present
/// content of the fields, so that every submitted plan was visible.
struct ComposeDraft: Sendable, Hashable {
  /// The fields in their order.
  enum Field: Int, Sendable, Hashable, CaseIterable {
    case operation
    case packages
    case comment
    case priority
  }

  /// The state of the plan for the content of the fields.
  enum Planning: Sendable, Hashable {
    case none
    case requested(JobRequest)
    case planned(JobRequest, JobPlan)
    case refused(InstallationError)
    case submitting(JobRequest)
  }

  /// The effect of a key outside the draft.
  enum Outcome: Sendable, Hashable {
    case typing
    case leave
    case plan(JobRequest)
    case submit(JobRequest)
    /// The plan removes these packages, which the request does not name: `y` consents and submits.
    case askConsent([String])
    case fetchUpgradable
    case invalid(InstallationError)
    /// The window has no room for the plan, so the job is not submitted.
    case tooSmall
  }

  /// The operations to choose from.
  static let operations: [JobOperation] = [
    .install, .reinstall, .upgrade, .remove, .purge, .repair,
  ]

  private(set) var field = Field.packages
  private(set) var operation: JobOperation
  private(set) var packages: LineEdit
  private(set) var comment = LineEdit()
  private(set) var priority = LineEdit("0")
  private(set) var planning = Planning.none
  /// The possible upgrades to pick from; empty until they are known.
  private(set) var candidates: [PlannedUpdate] = []
  /// The names picked from the candidates.
  private(set) var picks: Set<String> = []
  /// The index of the candidate that Space picks; nil while a field has the focus.
  private(set) var pick: Int?
  /// Whether the next key answers the question about removals.
  private(set) var isAskingConsent = false
  /// The first plan line shown.
  private(set) var planTop = 0

  init(_ operation: JobOperation = .install, packages: String = "") {
    self.operation = operation
    self.packages = LineEdit(packages)
  }

  /// Whether Enter would submit the job.
  var isReady: Bool {
    guard case .planned(let planned, _) = planning, let now = try? request() else { return false }
    return planned == now
  }

  /// Whether there is a list to pick from.
  var isPicking: Bool { operation == .upgrade && !candidates.isEmpty }

  /// The content of the fields as a request.
  ///
  /// - Throws: The error in a package name or in the priority.
  func request() throws(InstallationError) -> JobRequest {
    var updates: [Update] = []
    for word in packages.text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      updates.append(try Update(parsing: String(word)))
    }
    updates += picks.sorted().map { Update($0) }
    var options = InstallationOptions()
    options.clientName = "fettle"
    options.comment = comment.text.isEmpty ? nil : comment.text
    guard let priority = Int(priority.text.isEmpty ? "0" : priority.text) else {
      throw InstallationError(
        .invalidArgument, "'\(priority.text)' is not a priority", class: .fatal,
        hint: "use a number from -100 to 100")
    }
    options.priority = priority
    return try JobRequest(operation, updates, options: options).validated()
  }

  /// Handles a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - rows: Plan lines that the window can show; with 0 nothing is submitted.
  ///   - columns: Width of a plan line.
  /// - Returns: The effect outside the draft.
  mutating func handle(_ key: Key, rows: Int, columns: Int) -> Outcome {
    if isAskingConsent {
      isAskingConsent = false
      return key == .character("y") ? submit(consenting: true) : .typing
    }
    switch key {
    case .escape, .control("c"): return .leave
    case .enter: return enter(canShow: rows > 0)
    case .tab: return move(by: 1)
    case .backTab: return move(by: -1)
    case .down where pick != nil: pick = min((pick ?? 0) + 1, candidates.count - 1)
    case .up where pick != nil: pick = (pick ?? 0) == 0 ? nil : (pick ?? 1) - 1
    case .down: return move(by: 1)
    case .up: return move(by: -1)
    case .pageDown: planTop = min(planTop + max(1, rows), lastPlanTop(rows, columns))
    case .pageUp: planTop = max(0, planTop - max(1, rows))
    case .character(" ") where pick != nil: toggle()
    case .left, .right, .character(" "):
      if field == .operation { return changeOperation(by: key == .left ? -1 : 1) }
      edit(key)
    default: edit(key)
    }
    return .typing
  }

  /// Inserts pasted text into the field with the cursor.
  mutating func paste(_ text: String) {
    change { $0.insert(text) }
  }

  private mutating func enter(canShow: Bool) -> Outcome {
    do {
      let request = try request()
      if case .planned(let planned, let plan) = planning, planned == request {
        guard canShow || plan.steps.isEmpty else { return .tooSmall }
        let removed = plan.stepsThatNeedConsent.map(\.name)
        guard removed.isEmpty else {
          isAskingConsent = true
          return .askConsent(removed)
        }
        return submit(consenting: false)
      }
      if case .submitting(request) = planning { return .typing }
      planning = .requested(request)
      planTop = 0
      return .plan(request)
    } catch {
      planning = .refused(error)
      return .invalid(error)
    }
  }

  /// Submits the planned request.
  private mutating func submit(consenting: Bool) -> Outcome {
    guard case .planned(var request, let plan) = planning else { return .typing }
    // The consent holds for the packages that were shown.
    if consenting { request.options.planning.consentedRemovals = plan.removalsThatNeedConsent }
    planning = .submitting(request)
    return .submit(request)
  }

  private mutating func move(by step: Int) -> Outcome {
    let last = Field.allCases.count - 1
    if pick != nil {
      pick = nil
      field = step > 0 ? .operation : Field(rawValue: last) ?? .packages
    } else if step > 0, field.rawValue == last, isPicking {
      pick = 0
    } else if step < 0, field.rawValue == 0, isPicking {
      pick = candidates.count - 1
    } else {
      field = Field(rawValue: (field.rawValue + step + last + 1) % (last + 1)) ?? .packages
    }
    return .typing
  }

  private mutating func changeOperation(by step: Int) -> Outcome {
    let all = Self.operations
    let index = (all.firstIndex(of: operation) ?? 0) + step
    operation = all[(index + all.count) % all.count]
    picks = []
    forgetRefusal()
    return operation == .upgrade && candidates.isEmpty ? .fetchUpgradable : .typing
  }

  private mutating func toggle() {
    guard let pick, candidates.indices.contains(pick) else { return }
    let name = candidates[pick].name
    if picks.remove(name) == nil { picks.insert(name) }
    forgetRefusal()
    self.pick = min(pick + 1, candidates.count - 1)
  }

  private mutating func edit(_ key: Key) { change { _ = $0.handle(key) } }

  private mutating func change(_ body: (inout LineEdit) -> Void) {
    guard pick == nil else { return }
    let before = [packages.text, comment.text, priority.text]
    switch field {
    case .operation: break
    case .packages: body(&packages)
    case .comment: body(&comment)
    case .priority: body(&priority)
    }
    if before != [packages.text, comment.text, priority.text] { forgetRefusal() }
  }

  /// Whether this request is being submitted.
  func isSubmitting(_ request: JobRequest?) -> Bool {
    request.map { planning == .submitting($0) } ?? false
  }

  /// Drops a pending request, because the connection to the engine is lost.
  mutating func dropPendingRequest() {
    switch planning {
    case .requested, .submitting: planning = .none
    case .none, .planned, .refused: break
    }
  }

  /// Drops the plan, so that the next Enter asks for it again.
  mutating func forgetPlan() { planning = .none }

  /// Drops a refusal, because the fields have changed since.
  mutating func forgetRefusal() {
    if case .refused = planning { planning = .none }
  }

  // MARK: Replies

  private func lastPlanTop(_ rows: Int, _ columns: Int) -> Int {
    guard case .planned(_, let plan) = planning else { return 0 }
    return PlanLines(plan, columns: columns, rows: rows).lastTop(rows: rows)
  }

  /// Applies the plan of a request; returns false for the reply to an earlier request.
  mutating func apply(_ plan: JobPlan, of request: JobRequest) -> Bool {
    guard case .requested(request) = planning else { return false }
    planning = .planned(request, plan)
    return true
  }

  /// Applies the refusal of a request; returns false for the reply to an earlier request.
  mutating func apply(_ error: InstallationError, of request: JobRequest) -> Bool {
    guard planning == .requested(request) || planning == .submitting(request) else { return false }
    planning = .refused(error)
    return true
  }

  /// Sets the possible upgrades.
  mutating func setCandidates(_ updates: [PlannedUpdate]) { candidates = updates }
}
