import InstallJobs

extension LearnedCosts {
  /// The expected duration of all work of a plan; nil when any part is unknown.
  ///
  /// Packages are independent of each other, so the squares of their deviations are added. All
  /// archives of a host share the same connection, so their deviations are added directly.
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

  /// The expected duration of fetching a plan's archives without installing them; nil when unknown.
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
  /// Number of standard deviations in a spread: about 19 of 20 ends lie within it.
  static let spread = 2.0

  /// The square of the deviation, which is additive for independent durations.
  var square: Double { deviation * deviation }
}

extension CostStage {
  /// The stages of a step, in order.
  static func stages(of step: PlannedUpdate) -> [CostStage] {
    step.action.unpacks
      ? [.unpack, .configure] : [step.action == .configure ? .configure : .remove]
  }
}

extension Double {
  /// The value rounded to tenths: learned durations are no more precise, and lists are long.
  var inTenths: Double { (self * 10).rounded() / 10 }
}
