import FoundationEssentials
import Support
import Testing

/// The unit that the service manager starts the engine by.
@Suite struct `The service unit` {
  private static let path = "\(#filePath)".replacing(
    "Tests/EndToEndTests/ServiceUnitTests.swift",
    with: "Sources/fettled/Service/fettled.service")

  /// The settings with their values; a setting that comes twice has both.
  private func settings() throws -> [String: [String]] {
    let text = try #require(TestFolder.text(of: Self.path))
    var settings: [String: [String]] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      settings[String(line[..<equals]), default: []].append(
        String(line[line.index(after: equals)...]))
    }
    return settings
  }

  @Test func `leaves workers alone and shows scripts the machine as it is`() throws {
    let settings = try settings()
    #expect(settings["KillMode"] == ["process"] && settings["OOMPolicy"] == ["continue"])
    // Each of these would give scripts another view of the file system, or take away what
    // packages need.
    for name in [
      "ProtectSystem", "ProtectHome", "ProtectProc", "PrivateDevices", "PrivateMounts",
      "ProtectKernelTunables", "ProtectKernelModules", "ProtectControlGroups", "ProtectHostname",
      "NoNewPrivileges", "RestrictSUIDSGID", "SystemCallArchitectures", "MemoryDenyWriteExecute",
    ] {
      #expect(settings[name] == nil, "\(name)")
    }
    #expect(settings["PrivateTmp"] == ["no"])
    #expect(settings["StateDirectoryMode"] == ["0711"], "apt's own user passes through")
  }

  @Test func `is started again however often it failed, and ends late while the machine goes down`()
    throws
  {
    let settings = try settings()
    #expect(settings["Restart"] == ["on-failure"] && settings["StartLimitIntervalSec"] == ["0"])
    #expect(settings["RestartSec"] == ["2"] && settings["RestartMaxDelaySec"] == ["300"])
    #expect(settings["RestartPreventExitStatus"] == ["64"])
    #expect(settings["TimeoutStopSec"] == ["15min"])
    // What it is ordered after is stopped after it.
    #expect(settings["After"]?.first?.contains("network.target dbus.service") == true)
  }

  @Test(.enabled(if: TestFolder.exists("/usr/bin/systemd-analyze")))
  func `is as tight as its own comment says`() async throws {
    let answer = try await ToolOutput.of([
      "/usr/bin/systemd-analyze", "security", "--no-pager", "--offline=yes", "--threshold=94",
      Self.path,
    ])
    #expect(answer.status == 0, "\(answer.output.suffix(200))\(answer.errors)")
    let text = try #require(TestFolder.text(of: Self.path))
    #expect(text.contains("systemd-analyze security says 9.4"))
  }
}
