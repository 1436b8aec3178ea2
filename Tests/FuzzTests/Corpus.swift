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
    "replay": texts(
      #"{"seq":1,"at":"2026-01-01T12:00:00.000Z","type":"submitted","job":1,"snapshot":{"lastAct"#
        + #"ivityAt":null,"totalDownloadBytes":4096,"rebootReasons":[],"error":{"detail":"exit statu"#
        + #"s 3","class":"needsHuman","hint":"look","message":"cannot configure b","code":"packageFa"#
        + #"iled","update":"b"},"repairs":[],"comment":"nightly","endsInSeconds":null,"rebootRequire"#
        + #"d":false,"etaSpreadSeconds":4,"expected":{"spreadSeconds":4,"packageSeconds":30.5,"downl"#
        + #"oadSeconds":2},"operation":"install","currentStepIndex":1,"overdue":{"stage":"configure""#
        + #","update":"a","since":"2026-01-01T12:00:00.000Z","usualSeconds":5},"activity":null,"star"#
        + #"tsInSeconds":null,"options":{"purgesConfiguration":false,"conffiles":"keep","priority":0"#
        + #","isForced":false,"whenBusy":"queue","lockTimeout":30,"clientName":"unknown","ignoresPen"#
        + #"dingReboot":false,"notBefore":"2026-01-01T12:00:00.000Z","comment":"nightly"},"state":"c"#
        + #"ompleted","resultCode":4,"submittedAt":"2026-01-01T12:00:00.000Z","endedAt":"2026-01-01T"#
        + #"12:01:00.000Z","abortPreview":{"disposition":"accepted","stopsAfter":null,"etaSeconds":n"#
        + #"ull},"downloadedBytes":0,"waitingFor":{"holder":{"command":"apt","canYield":false,"pid":"#
        + #"7},"kind":"lock","message":"held"},"isCleanedUp":false,"planCount":-1,"id":1,"startedAt""#
        + #":"2026-01-01T12:00:00.000Z","queuePosition":null,"currentUpdateIndex":0,"requestedBy":{""#
        + #"user":"root","uid":0},"exitStatus":null,"abort":{"requestedBy":{"uid":0,"user":"root"},""#
        + #"requestedAt":"2026-01-01T12:00:00.000Z","disposition":"accepted","stopsAfter":"a","etaSe"#
        + #"conds":3},"updateSteps":[1,null],"etaSeconds":12.5,"percentComplete":41.5,"bytesPurSecon"#
        + #"d":2097152,"provider":"apt","updates":[{"toVersion":"2","name":"b","percentComplete":0,""#
        + #"phaseTimes":{},"architecture":"all","security":false,"resultCode":0,"note":null,"origin""#
        + #":null,"installedSize":0,"requiresReboot":false,"phase":"pending","error":null,"fromVersi"#
        + #"on":"1","downloadedBytes":0,"action":"upgrade","requested":true,"downloadSize":0},{"toVe"#
        + #"rsion":null,"name":"c","percentComplete":0,"phaseTimes":{},"architecture":"","security":"#
        + #"false,"resultCode":0,"note":"alreadyInstalled","origin":null,"installedSize":0,"requires"#
        + #"Reboot":false,"phase":"pending","error":null,"fromVersion":null,"downloadedBytes":0,"act"#
        + #"ion":"install","requested":true,"downloadSize":0}],"clientName":"unknown","isStalled":fa"#
        + #"lse}}"#
        + "\n"
        + #"{"update":{"toVersion":"1:2-3","name":"a","percentComplete":0,"phaseTimes":{},"architect"#
        + #"ure":"amd64","security":false,"resultCode":0,"note":null,"origin":"Debian:bookworm/main""#
        + #","installedSize":9216,"requiresReboot":false,"phase":"downloading","error":null,"fromVer"#
        + #"sion":null,"downloadedBytes":9223372036854775807,"action":"install","requested":false,"d"#
        + #"ownloadSize":4096},"job":1,"at":"2026-01-01T12:00:00.000Z","seq":3,"type":"update","inde"#
        + #"x":0}"#),
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
