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
    ("a = [{ b = 1 }, }]", "a = [{ b = 1 }, ?]"), ("a = 1\u{0}b = 2", "a = 1\u{1}b = 2"),
    ("a = \"\u{0}\"", "a = \"\u{1}\""),
  ])
  func `what would end the process or the text is replaced by what is refused`(
    text: String, parsable: String
  ) {
    #expect(TOMLText.parsable(text) == parsable)
  }

  @Test(arguments: [
    "a = 1\n", "[a]\n[[ b.\"c\" ]]\nd = [\n  [1],\n  [ # x\n  ], [[{ e = [] }]]]\n[f]",
    "a = \"x\u{2028}y\"", "a = 'x\u{2028}y'",
    "a = \"\"\"x\n\u{2028}\"y\"\" \u{2028}\"\"\"",
    "a = '''\n\u{85}'''", "# \u{2028}\na = \"\u{E4}\"", "a = \"\\\"\u{2028}\"",
  ])
  func `strings and comments stay as they are`(text: String) {
    #expect(TOMLText.parsable(text) == text)
  }
}
