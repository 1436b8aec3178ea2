extension JobPlan {
  /// Whether the job marks packages that are installed already.
  package var hasMarks: Bool { requests.contains { $0.marksManual == true } }

  /// The steps that the requester must consent to: removals of packages that the request does not
  /// name.
  public var stepsThatNeedConsent: [PlannedUpdate] {
    steps.filter { $0.action.removes && !$0.requested }
  }

  /// The packages of ``stepsThatNeedConsent`` as ``PlanningOptions/consentedRemovals`` names them.
  public var removalsThatNeedConsent: [String] {
    stepsThatNeedConsent.map { "\($0.name):\($0.architecture)" }
  }

  /// Refuses a plan that removes packages without the requester's consent.
  ///
  /// A download-only job removes nothing, whatever its plan has.
  ///
  /// - Throws: `needsConsent` with the names of the packages.
  package func requireConsent(for request: JobRequest) throws(InstallationError) {
    let consented = Set(request.options.planning.consentedRemovals)
    let removed = stepsThatNeedConsent.filter {
      !consented.contains("\($0.name):\($0.architecture)")
    }
    .map(\.name)
    guard !removed.isEmpty, !request.options.planning.allowsRemovals,
      !request.options.isDownloadOnly
    else { return }
    let asked = request.updates.map { "'\($0.name)'" }.joined(separator: ", ")
    let names =
      removed.prefix(5).joined(separator: ", ")
      + (removed.count > 5 ? " and \(removed.count - 5) more" : "")
    throw InstallationError(
      .needsConsent,
      "cannot \(request.operation.rawValue) \(asked.isEmpty ? "everything" : asked) without consent: "
        + "\(names) would be removed", class: .needsHuman, update: removed.first,
      hint: "see the plan with --plan; consent with --allow-removals")
  }
}
