import Glibc

/// Runs targets from the command line.
package struct FuzzProgram: Sendable {
  private let targets: [any FuzzTarget]
  private let run: FuzzRun

  /// A program that runs the targets with these names, all of them when none is named.
  ///
  /// - Throws: ``BrokenPromise`` for a name that is no target's.
  package init(_ names: [String], run: FuzzRun) throws(BrokenPromise) {
    var targets: [any FuzzTarget] = []
    for name in names {
      guard let target = FuzzCatalog.named(name) else {
        throw BrokenPromise(
          "there is no target '\(name)'; known: \(FuzzCatalog.names.joined(separator: ", "))")
      }
      targets.append(target)
    }
    self.targets = targets.isEmpty ? FuzzCatalog.all : targets
    self.run = run
  }

  /// Runs the targets and prints what came of them; says whether every promise was kept.
  package func perform() -> Bool {
    InputAtWork.reportCrashes()
    InputAtWork.reportHangs(after: 20)
    print(FuzzReport.heading)
    var results: [FuzzRun.Result] = []
    for target in targets {
      let result = run.result(of: target)
      results.append(result)
      print(FuzzReport.row(result))
      // What is known counts even when the next target ends the process.
      fflush(nil)
    }
    print(FuzzReport.sum(results))
    for result in results { for line in FuzzReport.failures(result) { print(line) } }
    return results.allSatisfy { $0.failureCount == 0 }
  }
}
