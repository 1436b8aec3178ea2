import InstallJobs
import Support
import Testing

/// Texts are English, in whatever language the engine runs, and so is what it reads of apt and dpkg.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `The language of an engine` {
  /// gettext follows `LANGUAGE` also where the locale is C.UTF-8, which every machine has.
  private static let german = [
    "LC_ALL": "C.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_MESSAGES": "de_DE.UTF-8",
  ]

  private static let hasTranslations = ["apt", "dpkg"].allSatisfy {
    TestFolder.exists("/usr/share/locale/de/LC_MESSAGES/\($0).mo")
  }

  /// What an engine says of jobs that fail, each in its way, without the place of its root.
  private func texts(_ variables: [String: String]) async throws -> [String] {
    let texts = Locked<[String]>([])
    try await RealEngine.run(variables: variables) { engine in
      func note(_ error: InstallationError?) {
        let parts = [
          error?.code.rawValue, error?.message, error?.detail, error?.hint, error?.update,
        ]
        texts.change {
          $0 += parts.map { ($0 ?? "-").replacing(engine.repository.folder.path, with: "") }
        }
      }
      func refuse(_ names: String...) async {
        do {
          _ = try await engine.session.makeInstaller().plan(
            JobRequest(.install, names.map { Update($0) }))
          Issue.record("\(names) is not refused")
        } catch { note(error) }
      }
      await refuse("nosuch")
      await refuse("nd")
      await refuse("rival", "lib")
      for name in ["alpha=1.0", "bad", "badpre", "fc", "wrong"] {
        let result = try await engine.install(name)
        texts.change { $0.append("\(name): \(result.code) \(result.exitStatus ?? -1)") }
        note(result.error)
      }
      let job = try #require(try await engine.session.jobs().last)
      let log = TestFolder.text(of: engine.repository.folder.path("state/jobs/\(job.id)/log"))
      texts.change { $0.append(log.map { "\($0.contains("Fehler"))" } ?? "no log") }
    }
    return texts.value
  }

  @Test(.enabled(if: hasTranslations))
  func `A6: changes neither its words nor what it reads of apt and dpkg`() async throws {
    let repository = try await PackageRepository([])
    let environment = ToolOutput.plain.merging(Self.german) { $1 }
      .merging(["APT_CONFIG": repository.configuration]) { $1 }
    let apt = try await TestUser.run(
      ["/usr/bin/apt-get", "install", "nosuch"], environment: environment)
    #expect(apt.errors.contains("Paket nosuch kann nicht gefunden werden"), "\(apt.errors)")

    let english = try await texts([:])
    #expect(try await texts(Self.german) == english)
    #expect(english.contains("post-installation script, exit status 3"), "\(english)")
    #expect(english.last == "false")
  }
}
