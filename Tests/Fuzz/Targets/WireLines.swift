import InstallJobs
import JobWire

/// Lines of the wire that others are made from.
enum WireLines: Sendable {
  static let requests = [
    #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"product":"fettle","version":1}}"#,
    #"{"jsonrpc":"2.0","id":"a","method":"submit","params":{"operation":"install","updates":"#
      + #"[{"name":"hello","version":"1:2.10-3","architecture":"amd64"},{"name":"tree"}],"options":"#
      + #"{"priority":5,"notBefore":"2026-01-31T23:59:59.000Z","stopBy":"2026-02-01T08:00:00+02:00","#
      + #""lockTimeout":1.5,"stopWithin":10,"proxy":"http://p.example:3128","comment":"x","token":"t"}}}"#,
    #"{"jsonrpc":"2.0","id":2,"method":"plan","params":{"operation":"remove","updates":"#
      + #"[{"name":"x","archive":{"fileName":"x.deb","sha256":"00","size":12}}]}}"#,
    #"{"jsonrpc":"2.0","id":3,"method":"subscribe","params":{"from":7,"jobs":[1,2],"window":50}}"#,
    #"{"jsonrpc":"2.0","id":4,"method":"upload","params":{"archive":{"fileName":"x.deb","sha256":"#
      + #""0f","size":3},"offset":0,"bytes":"AAEC"}}"#,
    #"{"jsonrpc":"2.0","id":5,"method":"history","params":{"limit":10,"filter":{"user":"root"}}}"#,
    #"{"jsonrpc":"2.0","id":6,"method":"log","params":{"job":1,"offset":0,"limit":4096}}"#,
    #"{"jsonrpc":"2.0","id":7,"method":"events","params":{"job":1,"after":3,"limit":16}}"#,
    #"{"jsonrpc":"2.0","method":"jobs","params":{"states":["queued","installing"]}}"#,
    #"{"jsonrpc":"2.0","method":"cancel","params":{"id":"a"}}"#,
    #"{"jsonrpc":"2.0","id":null,"method":"status"}"#,
    #"{"jsonrpc":"2.0","id":9,"method":"nosuch"}"#,
  ]

  static var messages: [[UInt8]] {
    let codec = WireCodec()
    var compact = WireCodec()
    compact.writesRows = true
    let ticks = SampleJobs.events.filter { event in
      if case .progress = event.payload { event.job != nil } else { false }
    }
    let arrays: [WireNotification] = [
      .snapshot(subscription: 1, jobs: SampleJobs.snapshots), .ticks(subscription: 1, ticks),
    ]
    let notifications: [WireNotification] =
      [
        .snapshot(subscription: 1, jobs: SampleJobs.snapshots),
        .snapshotEnd(subscription: 1, seq: 9),
      ]
      + SampleJobs.events.map { .event(subscription: 1, $0) }
      + [.part(text: "{\"a\":\"\u{E4}\u{1F600}\\", last: true)]
    let replies = [
      try? codec.reply(.number(1), HelloReply(epoch: "e", lastSeq: 4, rights: .act)),
      try? codec.reply(nil, WireFault.notJSON), try? codec.reply(.text("x"), SampleJobs.snapshots),
    ]
    return notifications.compactMap { try? codec.notification($0) } + replies.compactMap(\.self)
      + arrays.compactMap { try? compact.notification($0) }
  }

  static let words =
    WireRequests.types.map { $0.method }
    + [
      "{", "}", "[", "]", ",", ":", "\"", "\\u0000", "\\ud800", "\\udc00\\ud800", "null", "true",
      "1e400", "-0", "1.0", "\"jsonrpc\":\"2.0\"", "\"id\":1", "\"method\":", "\"params\":{",
      "\"updates\":[", "\"name\":\"a=1\"", "\"name\":\"a:b\"", "\"version\":\"1:a\"",
      "\"architecture\":\"b\"", "\"updateSteps\":[]", "\"updates\":[]", "\"plan\":null",
      "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:60-99:99", "2026-02-30T00:00:00Z",
      "9223372036854775807", "[[[[[[[[[[[[[[[[", "\"nan\"", "\"inf\"",
    ]
}
