import Glibc
import InstallJobs
import JobClient
import JobServer
import Support
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Peers that mean harm` {
  @Test func `a thousand connections, half of them with half a line, and one client is served`()
    async throws
  {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let path = served.path
      let crowd = await onOwnThread {
        (0..<1000).map { number in
          let socket = RawSocket.connect(to: path)
          if number.isMultiple(of: 2) { socket?.send(#"{"jsonrpc":"2.0","id":0,"meth"#) }
          return socket
        }
      }
      let backend = EngineBackend(client)
      let job = try await backend.submit(JobRequest(.install, [Update("hello")]))
      #expect(try await backend.job(job.id).id == job.id)
      #expect(served.server.connectionCount <= ServerLimits().connectionsPerUser)
      // As soon as they are gone there is room again.
      #expect(crowd.count == 1000)
      await leave(crowd)
      try await eventually("room") { served.server.connectionCount == 1 }
      let another = try await served.connect()
      await another.close()
      await client.close()
    }
  }

  private func leave(_ crowd: [RawSocket?]) async {
    await onOwnThread { for socket in crowd { socket?.endSending() } }
  }

  @Test(arguments: [
    String(repeating: "[", count: 500_000), String(repeating: #"{"a":"#, count: 100_000),
    #"{"jsonrpc":"2.0","id":1,"method":"jobs","params":"#
      + String(repeating: "[", count: 500_000) + String(repeating: "]", count: 500_000) + "}",
    #"{"jsonrpc":"2.0","id":1,"method":"submit","params":{"operation":"install","updates":"#
      + String(repeating: #"[{"name":"#, count: 50_000),
    #"{"jsonrpc":"2.0","id":1e400,"method":"jobs"}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"job","params":{"job":99999999999999999999999}}"#,
    "\u{0}\u{1B}]0;owned\u{07}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\u{202E}\u{9B}\"}",
  ])
  func `a line that is deep, large or no text is answered, and the connection goes on`(line: String)
    async throws
  {
    try await ServedEngine.run { served in
      let socket = try await served.raw()
      let answer = try #require(await socket.ask(line))
      #expect(answer.contains("\"error\""), "\(answer.prefix(200))")
      // Nothing of it comes back unescaped, nor much of it.
      #expect(answer.utf8.count < 2000)
      #expect(!answer.unicodeScalars.contains { $0.properties.generalCategory == .control })
      #expect(!answer.unicodeScalars.contains { $0.properties.generalCategory == .format })
      let jobs = try #require(await socket.ask(RawLines.request(2, "jobs")))
      #expect(jobs.contains("\"result\":[]"))
    }
  }
}
