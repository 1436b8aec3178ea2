import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `What dpkg's lines mean` {
  @Test(arguments: [
    ("chain", ["p1", "q2", "q3"], [UpdatePhase.unpacking, .unpacked, .configuring, .done]),
    ("upgrade", ["alpha"], [.unpacking, .unpacked, .configuring, .done]),
    ("removal", ["conf"], [.removing, .done]),
    ("purge", ["conf", "delta"], [.removing, .done]),
    ("awaited-trigger", ["poker"], [.unpacking, .unpacked, .configuring, .triggers, .done]),
    ("trigger", ["teller"], [.unpacking, .unpacked, .configuring, .done]),
    ("failing-postinst", ["bad"], [.unpacking, .unpacked, .configuring]),
    ("failing-preinst", ["badpre"], [.unpacking]),
    ("failing-prerm", ["badrm"], [.removing]),
    ("aborted", ["p1"], [.unpacking, .unpacked, .configuring, .done]),
  ])
  func `a recorded run gives each package's phases`(
    name: String, packages: [String], phases: [UpdatePhase]
  ) throws {
    let stream = try RecordedStream(name)
    let reports = Self.reports(stream)
    for package in packages {
      #expect(Self.phases(of: package, in: reports, stream.job.plan) == phases)
    }
  }

  @Test func `both architectures of a package get their own phases`() throws {
    let stream = try RecordedStream("two-architectures")
    let reports = Self.reports(stream)
    #expect(stream.job.plan.steps.count == 2)
    for step in 0...1 {
      #expect(reports.contains(.phase(step: step, .unpacking)))
      #expect(reports.contains(.phase(step: step, .done)))
    }
  }

  @Test func `a trigger of a package outside the plan begins and ends`() throws {
    for name in ["trigger", "awaited-trigger"] {
      let triggers = Self.reports(try RecordedStream(name)).compactMap { report -> String?? in
        if case .trigger(let owner) = report { .some(owner) } else { nil }
      }
      #expect(triggers.count == 2)
      #expect(triggers.last == .some(nil))
    }
  }

  @Test(arguments: [
    ("failing-postinst", "cannot configure bad", "post-installation script, exit status 3"),
    ("failing-preinst", "cannot unpack badpre", "pre-installation script, exit status 4"),
    ("failing-prerm", "cannot remove badrm", "pre-removal script, exit status 5"),
    (
      "file-conflict", "cannot unpack fc",
      "trying to overwrite '/usr/share/alpha/file', which is also in package alpha 2.0"
    ),
  ])
  func `E8, E9: a failure names its package and says why`(
    name: String, message: String, detail: String
  ) throws {
    let failures = Self.reports(try RecordedStream(name)).compactMap { report in
      if case .failed(let step?, let error) = report { (step, error) } else { nil }
    }
    #expect(failures.count == 1)
    #expect(failures.first?.1.message == message)
    #expect(failures.first?.1.detail == detail)
    #expect(failures.first?.1.code == .packageFailed)
  }

  @Test(arguments: RecordedStream.names)
  func `a line that comes twice changes no phase`(name: String) throws {
    let stream = try RecordedStream(name)
    let once = Self.reports(stream)
    let twice = Self.reports(stream, lines: stream.lines.flatMap { [$0, $0] })
    for step in stream.job.plan.steps {
      #expect(
        Self.phases(of: step.name, in: once, stream.job.plan)
          == Self.phases(of: step.name, in: twice, stream.job.plan))
    }
  }

  @Test func `an old version that serves a trigger before its upgrade is not done`() {
    let plan = JobPlan(requests: [], steps: [Self.step("alpha", .upgrade)])
    var interpreter = DpkgInterpreter(plan: plan)
    for line in [
      "status: alpha: triggers-pending", "processing: trigproc: alpha",
      "status: alpha: half-configured", "status: alpha: installed",
    ] {
      let reports = interpreter.reports(for: line)
      #expect(!reports.contains { if case .phase = $0 { true } else { false } })
    }
  }

  @Test(arguments: [
    ("alpha_1%3a2.0-1_all.deb", 0), ("/tmp/apt-dpkg-install-x/7-alpha_1%3a2.0-1_all.deb", 0),
    ("/var/cache/apt/archives/libfoo_1.0_i386.deb", 2), ("libfoo:i386", 2), ("libfoo", 1),
    ("alpha", 0), ("alpha:amd64", 0), ("7-zip", 3), ("7-zip_1_amd64.deb", 3),
    ("nobody", nil), ("/a/nobody_1_all.deb", nil), ("libfoo:arm64", nil), ("", nil),
  ])
  func `names of packages and archives lead to their steps`(word: String, step: Int?) {
    var plan = JobPlan(
      requests: [],
      steps: [
        Self.step("alpha", .install), Self.step("libfoo", .install, "amd64"),
        Self.step("libfoo", .install, "i386"), Self.step("7-zip", .install, "amd64"),
      ])
    plan.archives[3] = PlannedArchive(fileName: "7-zip_1_amd64.deb", size: 1, hash: nil, uri: "")
    #expect(PlanNames(plan, native: "amd64").step(named: word) == step)
  }

  @Test func `a disk that is full while a package is unpacked is told as that`() {
    let plan = JobPlan(requests: [], steps: [Self.step("alpha", .install)])
    var interpreter = DpkgInterpreter(plan: plan)
    let reports = interpreter.reports(
      for: "status: alpha : error : cannot copy extracted data for './a' to '/a.dpkg-new': "
        + "failed to write (No space left on device)")
    guard case .failed(0, let error)? = reports.first else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .noSpace)
    #expect(error.message == "cannot unpack alpha")
    #expect(error.hint?.contains("free some space") == true)
  }

  @Test func `what a failing package prints is made fit to be shown`() {
    let plan = JobPlan(requests: [], steps: [Self.step("alpha", .install)])
    var interpreter = DpkgInterpreter(plan: plan)
    let reports = interpreter.reports(for: "status: \u{1B}]0;x\u{7} : error : \u{1B}[2J\u{202E}boo")
    guard case .failed(nil, let error)? = reports.first else {
      Issue.record("no failure")
      return
    }
    for text in [error.message, error.detail ?? ""] {
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
    }
    #expect(error.detail?.contains("boo") == true)
  }

  private static func step(
    _ name: String, _ action: PlannedAction, _ architecture: String = "all"
  ) -> PlannedUpdate { PlannedUpdate(name: name, architecture: architecture, action: action) }

  private static func reports(
    _ stream: RecordedStream, lines: [Substring]? = nil
  ) -> [WorkReport] {
    var interpreter = DpkgInterpreter(plan: stream.job.plan, native: "amd64")
    return (lines ?? stream.lines).flatMap { interpreter.reports(for: $0) }
  }

  private static func phases(
    of name: String, in reports: [WorkReport], _ plan: JobPlan
  ) -> [UpdatePhase] {
    var phases: [UpdatePhase] = []
    for case .phase(let step, let phase) in reports where plan.steps[step].name == name {
      if phases.last != phase { phases.append(phase) }
    }
    return phases
  }
}
