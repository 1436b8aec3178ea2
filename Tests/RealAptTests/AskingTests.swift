import InstallJobs
import Support
import Testing

/// What becomes of packages whose scripts want an answer: nobody gives one, and nothing hangs.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Packages that ask` {
  // All that can be seen of a script that reads is that it fails: its input is at its end. So the code
  // is not `needsInput`, which is for what is known beforehand.
  @Test(arguments: ["read answer", "read answer < /dev/tty", "stty -g > /dev/null"])
  func `A34: a script that reads finds no input and no terminal, fails and does not hang`(
    question: String
  ) async throws {
    let asking = PackageFixture("asks", scripts: [.postinst: "\(question) || exit 7"])
    try await RealEngine.run([asking]) { engine in
      let result = try await engine.install("asks")
      #expect(result.code == .failed && result["asks"]?.code == .failed)
      #expect(result.error?.code == .packageFailed && result.error?.update == "asks")
      #expect(result.error?.detail == "post-installation script, exit status 7")
      #expect(result.repairs == [.finishConfiguration])
    }
  }

  @Test(.enabled(if: TestFolder.exists("/usr/share/debconf/confmodule")))
  func `A34: a question by debconf is answered with its default at once`() async throws {
    let database = """
      Config: config
      Templates: templates

      Name: config
      Driver: File
      Filename: /var/lib/config.dat

      Name: templates
      Driver: File
      Filename: /var/lib/templates.dat

      """
    let template = """
      Template: asks/name
      Type: string
      Default: of the package
      Description: Which name?

      """
    let script = """
      . /usr/share/debconf/confmodule
      db_x_loadtemplatefile "$DPKG_ROOT/usr/share/asks/templates" asks
      db_input critical asks/name || true
      db_go
      db_get asks/name
      echo "$RET" > "$DPKG_ROOT/answer"
      """
    let asking = PackageFixture(
      "asks",
      files: [
        .init("etc/debconf.conf", database), .init("usr/share/asks/templates", template),
      ], scripts: [.postinst: script])
    try await RealEngine.run([asking]) { engine in
      let result = try await engine.install("asks")
      #expect(result.code == .succeeded)
      #expect(engine.text("answer") == "of the package\n")
    }
  }
}
