/// Inputs that once broke a promise, by target.
enum Corpus: Sendable {
  static let all: [String: [[UInt8]]] = [
    "date": texts(
      "keys.a = 1979-05-27T", "keys.a = 1979-05-27 3", "keys.a = ['a', 07:32:", "keys.a = 1979-05-",
      "keys.\u{2028}=9-", "\u{FEFF}[\r"),
    "lines": texts("a\n0123456789abc"),
    "memory": texts("a = 1979-05-27T", "a = 1979-05-27 3"),
    "plan": texts(
      #"{"steps":[],"archives":{},"requests":[{"update":{"name":"b"},"step":256}],"#
        + #""installedSizeChange":-9223372036854775808,"fingerprint":"","warnings":[]}"#,
      #"{"steps":[],"requests":[],"installedSizeChange":0,"fingerprint":"","warnings":[],"archives":"#
        + #"{"0":{"size":9223372036854775807,"uri":"","fileName":"a"},"#
        + #""1":{"size":9223372036854775807,"uri":"","fileName":"b"}}}"#),
    "sanitiser": texts("\u{1F3FB}", "\u{2028}\u{1F3FB}", "a\u{1B}[m\u{1F3FB}"),
    "scenario": texts(
      #"["\u0000a"]"#,
      "a = [}", "[[=", "a = [1, \u{2028}]",
      "name=\"x\"\n[[package]]\nname=\"a\"\nversion=\"1\"\ndependencies=[\"\u{2028}\"]",
      "a = 1979-05-27T", "a = 1979-05-27 3"),
    "settings": texts(
      "a = [}", "[[=", "a = \u{85}", "theme = \"x\"\u{0}\n[", "[keys]\na=[\"f\u{2028}\"]",
      "a = 1979-05-27T", "a = 1979-05-27 3"),
    "theme": texts(
      "[[=\"state.held\"", "[theme]\nvision = [\"deutan\", \u{2028}]", "[\n",
      "a = 1979-05-27T", "a = 1979-05-27 3"),
    "time": texts(
      "9999-12-30T06:22:25.5-82:92", "0000-01-01T00:00:00+23:59", "2000-09-31T10:56:27.4Z"),
    "update": texts("0:a", "a=1", "a=1:b"),
  ]

  private static func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
}
