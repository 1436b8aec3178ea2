import InstallJobs

extension LearnedCosts {
  /// What the whole work on a plan is expected to take; nil where any part of it is not known.
  ///
  /// Packages do not depend on each other, so the squares of their deviations add up; all archives of
  /// one host come by the same way, so theirs add up as they are.
  func expectedWork(on plan: JobPlan) -> ExpectedWork? {
    let name = plan.requests.first?.update.name ?? ""
    guard let opening = cost(of: .prepare, ofJobFor: name),
      let closing = cost(of: .conclude, ofJobFor: name)
    else { return nil }
    var packages = opening.seconds + closing.seconds
    var squares = opening.square + closing.square
    for step in plan.steps {
      for stage in CostStage.stages(of: step) {
        guard let cost = cost(of: stage, of: step) else { return nil }
        packages += cost.seconds
        squares += cost.square
      }
    }
    guard let downloads = expectedDownload(of: plan, for: name) else { return nil }
    squares += downloads.square
    return ExpectedWork(
      downloadSeconds: downloads.seconds.inTenths, packageSeconds: packages.inTenths,
      spreadSeconds: (LearnedCost.spread * squares.squareRoot()).inTenths)
  }

  /// What fetching a plan's archives and no more is expected to take; nil where that is not known.
  func expectedTransfers(of plan: JobPlan) -> ExpectedWork? {
    expectedDownload(of: plan, for: plan.requests.first?.update.name ?? "").map { cost in
      ExpectedWork(
        downloadSeconds: cost.seconds.inTenths, packageSeconds: 0,
        spreadSeconds: (LearnedCost.spread * cost.deviation).inTenths)
    }
  }

  private func expectedDownload(of plan: JobPlan, for name: String) -> LearnedCost? {
    guard !plan.archives.isEmpty else { return LearnedCost(seconds: 0, deviation: 0) }
    guard var whole = cost(of: .connect, ofJobFor: name) else { return nil }
    for archive in plan.archives.values {
      guard let cost = expectedCost(ofTransfer: archive) else { return nil }
      whole.seconds += cost.seconds
      whole.deviation += cost.deviation
    }
    return whole
  }
}

extension LearnedCost {
  /// How many standard deviations a spread is: some nineteen of twenty ends lie within it.
  static let spread = 2.0

  /// The square of the deviation: what adds up for lengths that do not depend on each other.
  var square: Double { deviation * deviation }
}

extension CostStage {
  /// The stages of a step, in their order.
  static func stages(of step: PlannedUpdate) -> [CostStage] {
    step.action.unpacks
      ? [.unpack, .configure] : [step.action == .configure ? .configure : .remove]
  }
}

extension Double {
  /// Rounded to tenths: nothing that was learned is known better, and lists are long.
  var inTenths: Double { (self * 10).rounded() / 10 }
}
