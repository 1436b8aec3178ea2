import AptProvider
import Testing

@Suite struct `Where unpacking is divided` {
  @Test func `a package that was never timed ends its group`() {
    let groups = groups(of: "Inst a\nInst b\nInst c\nInst d\nConf a\nConf b\nConf c\nConf d") {
      $0 == "b" ? nil : 0.1
    }
    #expect(groups.text == "b_1_all.deb\ta:all\tb:all\n")
  }

  @Test func `packages are taken together while configuring them stays short`() {
    let groups = groups(of: "Inst a\nInst b\nInst c\nInst d\nInst e") { _ in 0.9 }
    #expect(groups.groups.map(\.names) == [["a:all", "b:all"], ["c:all", "d:all"]])
  }

  @Test func `one that takes long stands alone`() {
    let groups = groups(of: "Inst a\nInst b\nInst c") { $0 == "b" ? 60 : 0.1 }
    #expect(groups.groups.map(\.end) == ["a_1_all.deb", "b_1_all.deb"])
  }

  @Test func `many that were never timed are taken together by a few`() {
    let names = (0..<50).map { "p\($0)" }
    let groups = WorkGroups(
      of: WorkSequence.steps(printed: printed(names.map { "Inst \($0)" }.joined(separator: "\n"))),
      archives: names.map { archive($0, nil) })
    #expect(groups.groups.allSatisfy { $0.names.count == 5 })
    #expect(groups.groups.count == 9)
  }

  @Test func `a job says how long a stop may have to wait`() {
    func ends(_ seconds: Double) -> [String] {
      groups(of: "Inst a\nInst b\nInst c\nInst d\nInst e", within: seconds) { _ in 0.9 }
        .groups.map { String($0.end.prefix(1)) }
    }
    #expect(ends(0) == ["a", "b", "c", "d"])
    #expect(ends(2) == ["b", "d"])
    #expect(ends(3) == ["c"])
    #expect(ends(10).isEmpty)
  }

  @Test func `where each is to be configured by itself, so are many that were never timed`() {
    let names = (0..<50).map { "p\($0)" }
    let order = printed(names.map { "Inst \($0)" }.joined(separator: "\n"))
    let groups = WorkGroups(
      of: WorkSequence.steps(printed: order), archives: names.map { archive($0, nil) }, within: 0)
    #expect(groups.groups.count == 49)
  }

  @Test func `no group ends where dependencies are unmet`() {
    let groups = groups(of: "Inst a [b:all ]\nInst b\nInst c") { _ in nil }
    #expect(groups.groups.map(\.names) == [["a:all", "b:all"]])
  }

  @Test func `no group ends before what earlier work left unconfigured is configured`() {
    #expect(groups(of: "Inst a\nInst b\nInst c\nConf a\nConf b\nConf old") { _ in nil }.isEmpty)
    let groups = groups(of: "Inst a\nConf old\nInst b\nInst c\nConf a\nConf b") { _ in nil }
    #expect(groups.groups.map(\.names) == [["a:all", "b:all"]])
  }

  @Test func `where apt configures or removes next it does so itself`() {
    let groups = groups(of: "Inst a\nConf a\nInst b\nRemv x\nInst c\nInst d") { _ in nil }
    #expect(groups.groups.map(\.names) == [["b:all", "c:all"]])
  }

  @Test func `what comes last is left to apt`() {
    #expect(groups(of: "Inst a\nConf a") { _ in nil }.isEmpty)
    #expect(groups(of: "Remv a") { _ in nil }.isEmpty)
  }

  @Test func `an order that names something else is not divided`() {
    let groups = WorkGroups(
      of: WorkSequence.steps(printed: printed("Inst x\nInst b\nInst c")),
      archives: [archive("b", nil), archive("c", nil)])
    #expect(groups.isEmpty)
  }

  private func groups(
    of order: String, within limit: Double = WorkGroups.longest, seconds: (String) -> Double?
  ) -> WorkGroups {
    let names = ["a", "b", "c", "d", "e"]
    return WorkGroups(
      of: WorkSequence.steps(printed: printed(order)),
      archives: names.map { archive($0, seconds($0)) }, within: limit)
  }

  /// `Inst a [b]` in apt's words.
  private func printed(_ order: String) -> String {
    order.split(separator: "\n").map { line in
      let words = line.split(separator: " ", maxSplits: 2)
      let broken = words.count > 2 ? " " + words[2] : ""
      return words[0] == "Remv" ? "Remv x [1]" : "\(words[0]) \(words[1]) (1 x [all])\(broken)"
    }.joined(separator: "\n")
  }

  private func archive(_ name: String, _ seconds: Double?) -> WorkOrder.Archive {
    WorkOrder.Archive(
      package: name, architecture: "all", path: "/archives/\(name)_1_all.deb",
      configuringSeconds: seconds)
  }
}
