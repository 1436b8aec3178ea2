import InstallJobs

/// A job being written on the compose screen: what to do with which packages, the plan of it, and
/// whether it was submitted.
///
/// Nothing is submitted that was not seen: Enter asks for the plan first, and submits only while
/// the plan shown is that of what stands in the fields.
struct ComposeDraft: Sendable, Hashable {
  /// The fields in their order.
  enum Field: Int, Sendable, Hashable, CaseIterable {
    case operation
    case packages
    case comment
    case priority
  }

  /// How the plan of what was written stands.
  enum Planning: Sendable, Hashable {
    case none
    case asked(JobRequest)
    case planned(JobRequest, JobPlan)
    case refused(InstallationError)
    case submitting(JobRequest)
  }

  /// What a key means for the world outside.
  enum Outcome: Sendable, Hashable {
    case typing
    case leave
    case plan(JobRequest)
    case submit(JobRequest)
    case fetchUpgradable
    case invalid(InstallationError)
    /// The plan has no room to be seen, so it is not submitted.
    case tooSmall
  }

  /// What can be asked for here.
  static let operations: [JobOperation] = [
    .install, .reinstall, .upgrade, .remove, .purge, .repair,
  ]

  private(set) var field = Field.packages
  private(set) var operation: JobOperation
  private(set) var packages: LineEdit
  private(set) var comment = LineEdit()
  private(set) var priority = LineEdit("0")
  private(set) var planning = Planning.none
  /// What could be upgraded, once it is known; shown to pick from.
  private(set) var candidates: [PlannedUpdate] = []
  /// The names picked from the candidates.
  private(set) var picks: Set<String> = []
  /// The candidate that Space picks; nil while a field has the keys.
  private(set) var pick: Int?
  /// The first line of the plan shown.
  private(set) var planTop = 0

  init(_ operation: JobOperation = .install, packages: String = "") {
    self.operation = operation
    self.packages = LineEdit(packages)
  }

  /// Whether Enter would hand the job in.
  var isReady: Bool {
    guard case .planned(let planned, _) = planning, let now = try? request() else { return false }
    return planned == now
  }

  /// Whether there is a list to pick from.
  var isPicking: Bool { operation == .upgrade && !candidates.isEmpty }

  /// The field that has the cursor; nil while the list has the keys.
  var edited: LineEdit? {
    guard pick == nil else { return nil }
    return switch field {
    case .operation: nil
    case .packages: packages
    case .comment: comment
    case .priority: priority
    }
  }

  /// What stands in the fields as a request.
  ///
  /// - Throws: what is wrong with a name, or with the priority.
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

  /// Takes a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - rows: Lines of the plan that the window can show; without one nothing is submitted.
  ///   - columns: The room for each of them.
  /// - Returns: What it means for the world outside.
  mutating func handle(_ key: Key, rows: Int, columns: Int) -> Outcome {
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
      if field == .operation { return turn(by: key == .left ? -1 : 1) }
      edit(key)
    default: edit(key)
    }
    return .typing
  }

  /// Puts pasted text into the field that has the cursor.
  mutating func paste(_ text: String) {
    change { $0.insert(text) }
  }

  private mutating func enter(canShow: Bool) -> Outcome {
    do {
      let request = try request()
      if case .planned(let planned, let plan) = planning, planned == request {
        guard canShow || plan.steps.isEmpty else { return .tooSmall }
        planning = .submitting(request)
        return .submit(request)
      }
      if case .submitting(request) = planning { return .typing }
      planning = .asked(request)
      planTop = 0
      return .plan(request)
    } catch {
      planning = .refused(error)
      return .invalid(error)
    }
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

  private mutating func turn(by step: Int) -> Outcome {
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

  /// No answer will come: the engine is gone.
  mutating func lose() {
    switch planning {
    case .asked, .submitting: planning = .none
    case .none, .planned, .refused: break
    }
  }

  /// Forgets the plan, so that the next Enter asks for it again.
  mutating func forgetPlan() { planning = .none }

  /// Forgets why it was refused: that was said of what stood in the fields then.
  mutating func forgetRefusal() {
    if case .refused = planning { planning = .none }
  }

  // MARK: What came of it

  private func lastPlanTop(_ rows: Int, _ columns: Int) -> Int {
    guard case .planned(_, let plan) = planning else { return 0 }
    return PlanLines(plan, columns: columns, rows: rows).lastTop(rows: rows)
  }

  /// Takes the plan of a request; an answer to an older question is not shown.
  mutating func apply(_ plan: JobPlan, of request: JobRequest) -> Bool {
    guard case .asked(request) = planning else { return false }
    planning = .planned(request, plan)
    return true
  }

  /// Takes the refusal of a request.
  mutating func apply(_ error: InstallationError, of request: JobRequest) -> Bool {
    guard planning == .asked(request) || planning == .submitting(request) else { return false }
    planning = .refused(error)
    return true
  }

  /// Takes what could be upgraded.
  mutating func offer(_ updates: [PlannedUpdate]) { candidates = updates }
}
