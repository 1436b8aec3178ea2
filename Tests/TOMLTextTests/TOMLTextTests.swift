import TOMLText
import Testing

@Suite struct `Text for the TOML parser` {
  @Test(arguments: [
    ("a = [1, \u{2028}, 2]", "a = [1, ?, 2]"), ("a = \u{2029}", "a = ?"), ("a\u{85}= 1", "a?= 1"),
    ("a = \"\"\u{2028}", "a = \"\"?"), ("a = ''\u{2028}'x'", "a = ''?'x'"),
    ("a = \"\\\"\"\u{2028}", "a = \"\\\"\"?"), ("a = '\\'\u{2028}", "a = '\\'?"),
    ("a = \"\"\"x\"\"\"\u{2028}", "a = \"\"\"x\"\"\"?"), ("# c\n\u{2028}", "# c\n?"),
    ("a = \"\"\"x\"\"\"\"\u{2028}", "a = \"\"\"x\"\"\"\"?"),
    ("a = '''x'''''\u{2028}", "a = '''x'''''?"),
    ("[[=x", "?[=x"), ("[\na = 1", "?\na = 1"), (" [ =]", " ? =]"), ("a = [}", "a = [?"),
    ("\u{FEFF}[=]", "\u{FEFF}?=]"), ("\u{FEFF}[\r]", "\u{FEFF}?\r]"),
    ("a = [{ b = 1 }, }]", "a = [{ b = 1 }, ?]"), ("a = 1\u{0}b = 2", "a = 1\u{1}b = 2"),
    ("a = \"\u{0}\"", "a = \"\u{1}\""), (#"["\u0000a"]"#, #"["\?0000a"]"#),
    (#"a = "\U00000000""#, #"a = "\?00000000""#),
  ])
  func `what would end the process or the text is replaced by what is refused`(
    text: String, parsable: String
  ) throws {
    #expect(try TOMLText.parsable(text) == parsable)
  }

  @Test(arguments: [
    "a = 1\n", "[a]\n[[ b.\"c\" ]]\nd = [\n  [1],\n  [ # x\n  ], [[{ e = [] }]]]\n[f]",
    "a = \"x\u{2028}y\"", "a = 'x\u{2028}y'",
    "a = \"\"\"x\n\u{2028}\"y\"\" \u{2028}\"\"\"",
    "a = '''\n\u{85}'''", #"a = '\u0000'"#, #"a = "\\u0000 \u0001""#, "# \u{2028}\na = \"\u{E4}\"",
    "a = \"\\\"\u{2028}\"",
  ])
  func `strings and comments stay as they are`(text: String) throws {
    #expect(try TOMLText.parsable(text) == text)
  }

  @Test(arguments: [
    ("a = 1979-05-27T", 1), ("a = 1979-05-27 3", 1), ("a = 1979-05-27", 1), ("a = 07:32", 1),
    ("a = 1979-05-27T07:32:00Z", 1), ("\n[t]\na = 1979-", 3), ("a = [\r\n  1,\n 7:\n]", 3),
    ("a = { 1-2 = 1, b = 1_9-0 }", 1), ("a = [[], 1-2]", 1), ("[a] # b\n[[b]]\nc=1-", 3),
    ("a = \"\"\"\n\\\n\"\"\"\nb = 1:", 4), ("a = \"x\n2-1 = 3\nb = 2-1", 3),
    ("a = 1e5-3", 1), ("\u{FEFF}a = 1-2", 1), ("a = # 1-2\n[b]\nc = 1-2", 3),
  ])
  func `dates and times are refused with their line`(text: String, line: Int) {
    let refusal = #expect(throws: TOMLText.Refusal.self) { try TOMLText.parsable(text) }
    #expect(refusal?.line == line)
    #expect(refusal?.problem == "dates and times are not used here; write the text in quotes")
  }

  @Test(arguments: [
    "a = -1", "a = 1e-5", "a = [1, -2, 1.5E-3, +4, 0x1e]", "2020-01-01 = 1", "a.2020-01 = -3",
    "[2020-01-01]\n[[ 1-2 ]]\na = 1", "a = \"2020-01-01\"", "a = ['07:32'] # 07:32",
    "a = { 1-2 = 3, 4-5 = { 6-7 = 8 } }", "a = \"\"\"\n1-2\n\"\"\"", "a = [\n# 1-2\n]\n1-2 = 1",
    "a = [1,\n]\n1-2 = [{ 1-2 = 3 }]",
  ])
  func `numbers, keys, strings and comments are no dates`(text: String) throws {
    #expect(try TOMLText.parsable(text) == text)
  }
}
