import TOMLText
import Testing

@Suite struct `A TOML document` {
  @Test func `has the line of each key, also in tables, arrays of tables and quotes`() throws {
    let document = try TOMLDocument(
      """
      a = 1
      # b = 2
      [engine]
        "x.y" = 3
      p.q = 4
      [[package]]
      name = "one"
      [[package]]
      name = "two"
      fails = { at = "unpack" }
      [package.stall]
      seconds = 5
      """)
    let lines: [([String], Int?)] = [
      (["a"], 1), (["b"], nil), (["engine"], 3), (["engine", "x.y"], 4), (["engine", "p"], 5),
      (["engine", "p", "q"], 5), (["engine", "missing"], 3), (["package[0]", "name"], 7),
      (["package[1]", "name"], 9), (["package[1]", "fails", "at"], 10),
      (["package[1]", "stall", "seconds"], 12),
    ]
    for (path, line) in lines { #expect(document.line(of: path) == line, "\(path)") }
    #expect(document.root["engine"]?.table?["x.y"]?.integer == 3)
    #expect(document.root["package"]?.list?.last?.table?["name"]?.text == "two")
  }

  @Test(
    arguments: [
      ("a = [1,", 1, nil), ("\n[t]\nb = 2026-01-01", 3, ["t", "b"]), ("a = 1\nb = ", 2, nil),
    ] as [(String, Int, [String]?)])
  func `that cannot be read has a line`(text: String, line: Int, path: [String]?) {
    let fault = #expect(throws: TOMLFault.self) { try TOMLDocument(text) }
    #expect(fault?.line == line && fault?.path == path)
  }

  @Test(arguments: [
    ("3", "must be X, not the number 3"), ("2.5", "must be X, not the number 2.5"),
    ("true", "must be X, not true"), ("[]", "must be X, not an empty list"),
    ("[1]", "must be X, not a list"), ("{ b = 1 }", "must be X, not a table"),
    (#""\u001b[2J""#, "must be X, not the text \"?[2J\""),
  ])
  func `says what a value is instead of what is wanted`(text: String, problem: String) throws {
    #expect(try TOMLDocument("a = \(text)").root["a"]?.mismatch("X") == problem)
  }
}
