import InstallJobs
import Testing

@Suite struct `Reading the names of updates` {
  private static func from(_ release: String, architecture: String? = nil) -> Update {
    var update = Update("hello", architecture: architecture)
    update.release = release
    return update
  }

  @Test(arguments: [
    ("hello", Update("hello")),
    ("hello=2.10-3", Update("hello", version: "2.10-3")),
    ("hello:i386", Update("hello", architecture: "i386")),
    ("hello=2.10-3:amd64", Update("hello", version: "2.10-3", architecture: "amd64")),
    ("hello:amd64=2.10-3", Update("hello", version: "2.10-3", architecture: "amd64")),
    ("vim=2:9.0.1378-2", Update("vim", version: "2:9.0.1378-2")),
    ("vim=2:9.0.1378-2:amd64", Update("vim", version: "2:9.0.1378-2", architecture: "amd64")),
    ("g++", Update("g++")), ("my_exporter", Update("my_exporter")), ("BigTool", Update("bigtool")),
    ("docky=5:20.10*", Update("docky", version: "5:20.10*")),
    ("hello/stable-backports", from("stable-backports")),
    ("hello:i386/bookworm", from("bookworm", architecture: "i386")),
    ("libstdc++6=12.2.0-14+deb12u1", Update("libstdc++6", version: "12.2.0-14+deb12u1")),
  ])
  func `name, version and architecture are told apart`(text: String, expected: Update) throws {
    #expect(try Update(parsing: text) == expected)
  }

  @Test(arguments: [
    "", "-rf", "--force-yes", "hello;reboot", "hello world", "$(reboot)", "a`b`", "hello\nworld",
    "\u{1B}[2Jhello", "-hello", "hello=", "hello=*", "\u{212A}", "hello:", "hello=-1",
    "hello=1.0;x", "hello:AMD64", "hello/", "hello/-o", "hello/a b", "hello=1/stable",
    "../hello.deb", "hello|cat", "h\u{202E}ello", "hello\u{0}", "hello=1\u{7}",
  ])
  func `what cannot name a package is refused and shown escaped`(text: String) throws {
    let error = try #require(throws: InstallationError.self) { try Update(parsing: text) }
    #expect(error.code == .notApplicable)
    #expect(error.hint != nil)
    #expect(error.message.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
  }

  @Test func `a name of 10,000 characters is refused in a short sentence`() throws {
    let name = String(repeating: "a", count: 10_000)
    let error = try #require(throws: InstallationError.self) { try Update(parsing: name) }
    #expect(error.code == .notApplicable)
    #expect(error.message.count < 200)
  }

  @Test(arguments: [
    Update("hello=1"), Update("hello:i386"), Update("hello", version: "1:amd64"),
    Update("hello", version: "1", architecture: "i386=2"),
  ])
  func `parts that join to the text of another update are not valid`(update: Update) {
    let error = #expect(throws: InstallationError.self) { try update.validate() }
    #expect(error?.code == .notApplicable)
  }

  @Test func `what is written out reads back the same`() throws {
    let update = Update("hello", version: "1:2.10-3", architecture: "amd64")
    #expect(try Update(parsing: update.description) == update)
    let released = Self.from("sid", architecture: "amd64")
    #expect(try Update(parsing: released.description) == released)
    try released.validate()
  }
}

@Suite struct `Checking requests` {
  @Test func `A13: an empty request is refused`() {
    let error = #expect(throws: InstallationError.self) {
      try JobRequest(.install, []).validated()
    }
    #expect(error?.code == .noUpdates)
  }

  @Test func `an upgrade of everything needs no names`() throws {
    #expect(try JobRequest(.upgrade, []).validated().updates.isEmpty)
  }

  @Test func `L5: the same update twice is sent once, first one first`() throws {
    let request = JobRequest(.install, [Update("beta"), Update("alpha"), Update("beta")])
    #expect(try request.validated().updates == [Update("beta"), Update("alpha")])
  }

  @Test func `L6: two versions of one package contradict each other`() {
    let request = JobRequest(
      .install, [Update("alpha", version: "1.0"), Update("alpha", version: "2.0")])
    let error = #expect(throws: InstallationError.self) { try request.validated() }
    #expect(error?.code == .contradiction)
    #expect(error?.update == "alpha")
  }

  @Test func `the same package for two architectures is no contradiction`() throws {
    let updates = [
      Update("libfoo", architecture: "amd64"), Update("libfoo", architecture: "i386"),
    ]
    #expect(try JobRequest(.install, updates).validated().updates == updates)
  }

  @Test(arguments: [-101, 101, Int.max])
  func `a priority outside its range is refused`(priority: Int) {
    var options = InstallationOptions()
    options.priority = priority
    let request = JobRequest(.install, [Update("alpha")], options: options)
    let error = #expect(throws: InstallationError.self) { try request.validated() }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `a hostile name that did not come through the parser is refused all the same`() {
    let request = JobRequest(.install, [Update("--option=Dir::Bin::dpkg")])
    #expect(throws: InstallationError.self) { try request.validated() }
  }
}
