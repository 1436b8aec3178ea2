import AptProvider
import InstallJobs
import PackageProvider

/// Lines of dpkg's status descriptor.
struct DpkgStatusTarget: FuzzTarget {
  static let name = "dpkg-status"

  var seeds: [[UInt8]] { StatusLines.dpkg.map { Array($0.utf8) } }
  var tokens: [String] { StatusLines.dpkgWords }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    let text = String(decoding: input, as: UTF8.self)
    guard let line = DpkgStatusLine(text) else { return }
    switch line {
    case .state(let package, let state):
      try hold(
        DpkgStatusLine("status: \(Self.written(package)): \(state.rawValue)") == line,
        "a state written again is another line")
      try Self.check(package)
    case .processing(let action, let package):
      try hold(
        DpkgStatusLine("processing: \(action.rawValue): \(Self.written(package))") == line,
        "an action written again is another line")
      try Self.check(package)
    case .error(let subject, let text):
      try hold(
        DpkgStatusLine("status: \(subject) : error : \(text)") == line,
        "an error written again is another line")
    case .conffilePrompt(let path):
      try hold(
        DpkgStatusLine("status: \(path) : conffile-prompt : x") == line,
        "a question written again is another line")
    }
  }

  private static func written(_ package: DpkgPackageName) -> String {
    package.name + (package.architecture.map { ":" + $0 } ?? "")
  }

  private static func check(_ package: DpkgPackageName) throws(BrokenPromise) {
    try hold(!package.name.isEmpty, "a package has no name")
    try hold(package.name.utf8.allSatisfy { $0 > 0x20 }, "a name holds blanks or controls")
  }
}

/// What dpkg's lines mean for a plan.
struct InterpreterTarget: FuzzTarget {
  static let name = "interpreter"

  var seeds: [[UInt8]] { [Array(StatusLines.dpkg.joined(separator: "\n").utf8)] }
  var tokens: [String] { StatusLines.dpkgWords + StatusLines.dpkg.map { $0 + "\n" } }

  private static let plan = JobPlan(
    requests: [],
    steps: [
      PlannedUpdate(name: "hello", architecture: "amd64", action: .install),
      PlannedUpdate(name: "libc6", architecture: "i386", action: .upgrade),
      PlannedUpdate(name: "tzdata", architecture: "all", action: .purge),
    ],
    archives: [0: PlannedArchive(fileName: "hello_2.10-3_amd64.deb", size: 1, hash: nil, uri: "")])

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    var interpreter = DpkgInterpreter(plan: Self.plan, native: "amd64")
    let text = String(decoding: input, as: UTF8.self)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let reports = interpreter.reports(for: line)
      try hold(!reports.isEmpty, "a line reports nothing, not even life")
      for report in reports { try Self.check(report) }
    }
  }

  private static func check(_ report: WorkReport) throws(BrokenPromise) {
    switch report {
    case .phase(let step, _):
      try hold(plan.steps.indices.contains(step), "a phase of a step that is not planned")
    case .failed(_, let error):
      for text in [error.message, error.detail ?? ""] {
        try hold(text.isShownSafely, "an error has control characters: \(text.debugDescription)")
        try hold(text.unicodeScalars.count < 800, "an error is too long to be shown")
      }
    default: break
    }
  }
}

enum StatusLines: Sendable {
  static let dpkg = [
    "status: hello: half-installed", "status: libc6:i386: triggers-awaited",
    "status: hello : error : installed hello package post-installation script subprocess "
      + "returned error exit status 3",
    "status: /var/cache/7-hello_1%3a2.10-3_amd64.deb : error : No space left on device",
    "status: hello : error : script subprocess was killed by signal (Killed), leaving unconfigured",
    "status: /etc/hello.conf : conffile-prompt : '/etc/hello.conf' '/etc/hello.conf.dpkg-new' 1 1",
    "processing: install: hello", "processing: trigproc: man-db", "processing: purge: tzdata",
    "processing: upgrade: libc6:i386", "status: tzdata: not-installed",
  ]
  static let dpkgWords =
    DpkgStatusLine.State.allCases.map(\.rawValue) + DpkgStatusLine.Action.allCases.map(\.rawValue)
    + [
      "status: ", "processing: ", " : error : ", " : conffile-prompt : ", ": ", ":", " ", "hello",
      "libc6", "i386", "amd64", ".deb", "/", " script subprocess ", "returned error exit status ",
      "was killed by signal ", "_", "%3a", "7-", "\u{301}", "\u{FFFD}",
    ]
}

extension String {
  /// Whether it has no control characters and no separators of lines.
  var isShownSafely: Bool {
    unicodeScalars.allSatisfy {
      $0.properties.generalCategory != .control && $0 != "\u{2028}" && $0 != "\u{2029}"
    }
  }
}
