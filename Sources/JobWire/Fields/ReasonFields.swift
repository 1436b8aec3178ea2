internal import InstallJobs

extension AbortDisposition: TupleValue {
  static func blank(after previous: AbortDisposition?) -> AbortDisposition {
    .accepted(stopsAfter: nil)
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    var word = self.word
    try fields.text(&word)
    switch word {
    case "accepted":
      var (stopsAfter, seconds): (String?, Double?) = (nil, nil)
      if case .accepted(let name, let eta) = self { (stopsAfter, seconds) = (name, eta) }
      try fields.text(&stopsAfter)
      try fields.real(&seconds)
      self = .accepted(stopsAfter: stopsAfter, etaSeconds: seconds)
    case "refused":
      var refusal = AbortRefusal(.finalStep, "")
      if case .refused(let reason) = self { refusal = reason }
      try fields.word(&refusal.code)
      try fields.text(&refusal.message)
      self = .refused(reason: refusal)
    case "alreadyCompleted": self = .alreadyCompleted
    default: throw fields.malformed
    }
  }
}

extension WaitReason: TupleValue {
  static func blank(after previous: WaitReason?) -> WaitReason { WaitReason(.job, "") }

  mutating func visit<Fields: TupleFields>(_ fields: inout Fields) throws {
    try fields.word(&kind)
    try fields.text(&message)
    try fields.job(&job)
    var (pid, command) = (holder?.pid, holder?.command)
    try fields.integer(&pid)
    try fields.text(&command)
    try fields.word(&cause)
    var (uid, user) = (by?.uid, by?.user)
    try fields.integer(&uid)
    try fields.text(&user)
    try fields.time(&since)
    var canYield = holder?.canYield ?? false
    try fields.flag(&canYield)
    guard Fields.isReading else { return }
    holder = pid.map { LockHolder(pid: $0, command: command) }
    holder?.canYield = canYield
    by = uid.flatMap { uid in user.map { Requester(uid: uid, user: $0) } }
  }
}

extension ExpectedWork: TupleValue {
  static func blank(after previous: ExpectedWork?) -> ExpectedWork {
    ExpectedWork(downloadSeconds: 0, packageSeconds: 0, spreadSeconds: 0)
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.real(&packageSeconds)
    try fields.real(&spreadSeconds)
    try fields.real(&downloadSeconds, default: 0)
  }
}

extension OverdueStage: TupleValue {
  static func blank(after previous: OverdueStage?) -> OverdueStage {
    OverdueStage(.prepare, of: nil, usualSeconds: 0, since: Timestamp(milliseconds: 0))
  }

  mutating func visit(_ fields: inout some TupleFields) throws {
    try fields.newerWord(&stage)
    try fields.real(&usualSeconds)
    try fields.time(&since)
    try fields.text(&update)
  }
}
