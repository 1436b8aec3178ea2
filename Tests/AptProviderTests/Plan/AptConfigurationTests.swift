import AptProvider
import Glibc
import InstallJobs
import Support
import Testing

@Suite struct `apt's configuration` {
  private let install = AptConfiguration.Use.install(
    archives: "/job/archives", gate: "/job/gate.sh", intentionGate: "/job/a gate")

  /// What apt makes of a configuration: its own dump, as `NAME "VALUE"`.
  private func dump(_ configuration: AptConfiguration, _ use: AptConfiguration.Use)
    async throws -> [String]
  {
    let folder = try TestFolder()
    try TestFolder.write(configuration.text(for: use), to: folder.path("apt.conf"))
    let run = try await TestUser.run(
      ["/usr/bin/apt-config", "dump"],
      environment: configuration.environment(configurationFile: folder.path("apt.conf")))
    try run.expectSuccess("apt-config")
    #expect(run.errors.isEmpty)
    return run.output.split(separator: "\n").map { String($0.prefix { $0 != ";" }) }
  }

  @Test func `the gate stands first among dpkg's options, the job's values win`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let parts = repository.root + "/etc/apt/apt.conf.d/"
    try TestFolder.write(
      """
      DPkg::Options { "--force-confnew"; };
      DPkg::Lock::Timeout "77";
      DPkg::Use-Pty "1";
      APT::Status-Fd "9";
      Dir::Cache::archives "/elsewhere";
      APT::Install-Recommends "false";
      """, to: parts + "99own")
    try TestFolder.write(
      "APT::Immediate-Configure-All \"true\";\n", to: repository.root + "/etc/apt/apt.conf")
    let root = try PackageRoot(at: repository.root, for: TestUser.id)
    let lines = try await dump(AptConfiguration(root: root), install)
    let options = lines.filter { $0.hasPrefix("DPkg::Options:: ") }
      .map { String($0.dropFirst(16).dropFirst().dropLast()) }
    #expect(options.first == "/job/gate.sh")
    #expect(lines.contains(#"DPkg::Pre-Install-Pkgs:: "command /bin/sh '/job/a gate'""#))
    #expect(lines.contains(#"DPkg::Tools::Options::command::Version "3""#))
    #expect(options.last == "--status-fd=4")
    #expect(options.contains("--force-confold") && options.contains("--force-confdef"))
    for option in root.dpkgOptions { #expect(options.contains(option)) }
    for wanted in [
      "Dir::Bin::dpkg \"/bin/sh\"", "DPkg::Lock::Timeout \"2\"", "DPkg::Use-Pty \"0\"",
      "APT::Status-Fd \"3\"", "APT::Keep-Fds:: \"4\"", "APT::Immediate-Configure-All \"false\"",
      "Dir::Cache::archives \"/job/archives\"", "APT::Sandbox::User \"root\"",
      "APT::Install-Recommends \"false\"", "Dir \"\(repository.root)/\"",
    ] { #expect(lines.contains(wanted)) }
  }

  @Test func `a private root never sees the host's settings`() async throws {
    let repository = try await PackageRepository([PackageFixture("alpha")])
    let lines = try await dump(
      AptConfiguration(root: try PackageRoot(at: repository.root, for: TestUser.id)), .query)
    for hook in ["DPkg::Pre-Invoke::", "DPkg::Post-Invoke::", "DPkg::Pre-Install-Pkgs::"] {
      #expect(!lines.contains { $0.hasPrefix(hook) })
    }
    #expect(!lines.contains { $0.hasPrefix("APT::Update::Post-Invoke") })
  }

  @Test func `commands of a tree's own settings are not run on the host`() async throws {
    let folder = try TestFolder()
    for name in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt", "usr/bin", "bin",
      "etc/apt/apt.conf.d",
    ] { try TestFolder.makeFolder(folder.path(name)) }
    for name in ["var/lib/dpkg/status", "usr/bin/dpkg", "bin/sh"] {
      try TestFolder.write("", to: folder.path(name))
    }
    try TestFolder.write(
      """
      DPkg::Pre-Invoke { "evil"; }; // "a comment
      /* another { */
      APT { Install-Recommends "false"; Architectures { "amd64"; "evil\\"; }; Compressor::evil
        { Name "evil"; Binary "/evil"; }; };
      Binary::apt-get { DPkg { Post-Invoke { "evil"; }; }; };
      AptCli::Hooks::Install:: "/evil";
      acquire::HTTP::proxy-auto-detect "/evil";
      Acquire::http::Proxy "evil";
      acquire::HTTPS::proxy "http://proxy.example:3128/";
      Acquire::Languages:: none;
      Dir::Bin { Methods "/evil"; apt-key "/evil"; solvers:: "/evil"; };
      Dir { Bin::dpkg "/evil"; Etc::sourcelist "/evil"; };
      DPkg::Options:: "--pre-invoke=evil"; DPkg::Tools::Options::evil::Version "3";
      APT::Install-Suggests "no; DPkg::Pre-Invoke:: evil";
      #include "\(folder.path)/evil.conf";
      """, to: folder.path("etc/apt/apt.conf.d/50hook"))
    try TestFolder.write(
      "APT::Update::Pre-Invoke:: \"evil\";\n", to: folder.path("evil.conf"))
    try TestFolder.write("Acquire::Retries 7;\n", to: folder.path("etc/apt/apt.conf"))
    try TestFolder.write(
      "Acquire::Retries 8;\n", to: folder.path("etc/apt/apt.conf.d/60retries.disabled"))
    let lines = try await dump(
      AptConfiguration(root: try PackageRoot(at: folder.path, for: TestUser.id)), install)
    #expect(!lines.contains { $0.contains("evil") })
    for wanted in [
      "APT::Install-Recommends \"false\"", "APT::Architectures:: \"amd64\"",
      "Acquire::https::Proxy \"http://proxy.example:3128/\"", "Acquire::Languages:: \"none\"",
      "Acquire::Retries \"7\"", "Dir::Bin::methods \"/usr/lib/apt/methods\"",
    ] { #expect(lines.contains(wanted), "\(wanted)") }
  }

  @Test func `what a tree needs of its own settings is carried over, and no more`() async throws {
    let folder = try TestFolder()
    for name in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt", "usr/bin", "bin",
      "etc/apt", "etc/ssl",
    ] { try TestFolder.makeFolder(folder.path(name)) }
    for name in [
      "var/lib/dpkg/status", "usr/bin/dpkg", "bin/sh", "etc/ssl/own.pem", "usr/bin/detect",
      "usr/bin/loose",
    ] { try TestFolder.write("", to: folder.path(name)) }
    unsafe chmod(folder.path, 0o755)
    for (name, mode) in [("usr/bin/detect", 0o755), ("usr/bin/loose", 0o777)] {
      unsafe chmod(folder.path(name), mode_t(mode))
    }
    unsafe symlink("/etc/passwd", folder.path("etc/ssl/evil.pem"))
    try TestFolder.write(
      """
      Acquire::https::CaInfo "/etc/ssl/own.pem";
      Acquire::https::mirror.example::CaInfo "/etc/ssl/own.pem";
      Acquire::https::evil.example::CaInfo "/etc/ssl/evil.pem";
      Acquire { http { Proxy { near.example "DIRECT"; far.example "http://p.example:1/"; }; }; };
      Acquire::http::Proxy::evil.example "file:/evil";
      Acquire::http::Proxy-Auto-Detect "/usr/bin/detect";
      Acquire::https::Proxy-Auto-Detect "/usr/bin/loose";
      DPkg::Options { "--force-unsafe-io"; "--path-exclude=/usr/share/doc/*"; "--force-confnew";
        "--force-script-chrootless"; "--force-overwrite,not-root"; "--admindir=/evil"; };
      DPkg::Options "--log=/evil";
      """, to: folder.path("etc/apt/apt.conf"))
    try TestFolder.handAll(folder.path, to: 0)
    let root = try PackageRoot(at: folder.path, for: TestUser.id)
    let lines = try await dump(AptConfiguration(root: root), install)
    for wanted in [
      "Acquire::https::CaInfo \"\(root.path)/etc/ssl/own.pem\"",
      "Acquire::https::mirror.example::CaInfo \"\(root.path)/etc/ssl/own.pem\"",
      "Acquire::http::Proxy::near.example \"DIRECT\"",
      "Acquire::http::Proxy::far.example \"http://p.example:1/\"",
      "DPkg::Options:: \"--force-unsafe-io\"",
      "DPkg::Options:: \"--path-exclude=/usr/share/doc/*\"",
    ] { #expect(lines.contains(wanted), "\(wanted)") }
    for unwanted in ["evil", "loose", "confnew", "chrootless", "not-root", "passwd"] {
      #expect(!lines.contains { $0.contains(unwanted) }, "\(unwanted)")
    }
    // The program of a tree that somebody else than root can change is not run.
    let detector = "Acquire::http::Proxy-Auto-Detect \"\(root.path)/usr/bin/detect\""
    #expect(lines.contains(detector) == (geteuid() == 0))
    try TestFolder.handAll(folder.path("usr/bin"))
    #expect(!AptConfiguration(root: root).text(for: install).contains("/usr/bin/detect"))
    let options = lines.filter { $0.hasPrefix("DPkg::Options:: ") }
    #expect(options.first == "DPkg::Options:: \"/job/gate.sh\"")
    #expect(options.last == "DPkg::Options:: \"--status-fd=4\"")
    #expect(options.contains("DPkg::Options:: \"--force-confold\""))
  }

  @Test(arguments: [
    #"a";DPkg::Pre-Invoke:: "id>injected"#, #"a\";DPkg::Pre-Invoke:: "id>injected"#,
    "a\n#injected", "a\u{7F}injected", "injected \u{E9}",
  ])
  func `where a link of a tree leads cannot break out of its line`(name: String) async throws {
    let folder = try TestFolder()
    for name in [
      "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt", "usr/bin", "bin", "etc/apt",
    ] { try TestFolder.makeFolder(folder.path(name)) }
    for name in ["var/lib/dpkg/status", "usr/bin/dpkg", "bin/sh", "etc/\(name)"] {
      try TestFolder.write("", to: folder.path(name), mode: 0o755)
    }
    for link in ["ca.pem", "detect"] { unsafe symlink(name, folder.path("etc/\(link)")) }
    unsafe chmod(folder.path, 0o755)
    try TestFolder.write(
      """
      Acquire::https::CaInfo "/etc/ca.pem";
      Acquire::http::Proxy-Auto-Detect "/etc/detect";
      Acquire::Retries "7";
      """, to: folder.path("etc/apt/apt.conf"))
    try TestFolder.handAll(folder.path, to: 0)
    let lines = try await dump(
      AptConfiguration(root: try PackageRoot(at: folder.path, for: TestUser.id)), install)
    #expect(lines.contains("Acquire::Retries \"7\""))
    #expect(!lines.contains { $0.contains("injected") })
    #expect(!lines.contains { $0.hasPrefix("DPkg::Pre-Invoke::") })
  }

  @Test func `the system keeps its own settings`() async throws {
    let configuration = AptConfiguration(root: try PackageRoot(at: "/"))
    let plain = try await TestUser.run(["/usr/bin/apt-config", "dump"])
    let own = Set(
      plain.output.split(separator: "\n").map { String($0.prefix { $0 != ";" }) }
        .filter { $0.hasPrefix("DPkg::Post-Invoke::") || $0.hasPrefix("APT::NeverAutoRemove") })
    let lines = Set(try await dump(configuration, install))
    #expect(own.isSubset(of: lines))
    #expect(lines.contains("Dir \"/\""))
    #expect(!lines.contains { $0.contains("--force-script-chrootless") })
  }

  @Test(arguments: [
    (ConffilePolicy.keep, ["--force-confdef", "--force-confold"]),
    (.new, ["--force-confnew"]), (.ask, []),
  ])
  func `A33: the policy for configuration files is said in dpkg's words`(
    policy: ConffilePolicy, words: [String]
  ) async throws {
    let folder = try TestFolder(isHandedOver: false)
    let root = try await PackageRoot.create(at: folder.path("root"), likeHost: false)
    let text = AptConfiguration(root: root, conffiles: policy).text(for: install)
    let found = text.split(separator: "\n").filter { $0.contains("--force-conf") }
    #expect(found == words.map { "DPkg::Options:: \"\($0)\";" })
  }

  @Test func `A33: an edited configuration file stays, the new one lies beside it`() async throws {
    let repository = try await PackageRepository()
    try await repository.apt("install", "conf=1.0").expectSuccess("conf")
    try TestFolder.write("edited\n", to: repository.root + "/etc/conf.ini")
    let kept = try await repository.perform(.upgrade, "conf")
    #expect(kept.work.status == 0, "\(kept.work.output)")
    #expect(TestFolder.text(of: repository.root + "/etc/conf.ini") == "edited\n")
    #expect(TestFolder.exists(repository.root + "/etc/conf.ini.dpkg-dist"))
  }

  @Test func `A5: a job's proxy is its own, and cannot break out of its line`() async throws {
    let folder = try TestFolder(isHandedOver: false)
    let root = try await PackageRoot.create(at: folder.path("root"), likeHost: false)
    let configuration = AptConfiguration(root: root, proxy: "http://proxy.example:3128/")
    let lines = try await dump(configuration, .download(archives: "/job/archives"))
    #expect(lines.contains("Acquire::http::Proxy \"http://proxy.example:3128/\""))
    #expect(lines.contains("Debug::NoLocking \"true\""))
    #expect(configuration.environment["http_proxy"] == "http://proxy.example:3128/")
    let evil = AptConfiguration(root: root, proxy: "x\"; DPkg::Pre-Invoke {\"id\";}; y \"")
    #expect(!evil.text(for: .query).contains("Pre-Invoke"))
  }

  @Test func `the environment holds nothing of the engine's own`() async throws {
    let root = try PackageRoot(at: "/")
    let environment = AptConfiguration(root: root).environment(configurationFile: "/x")
    #expect(environment["LC_ALL"] == "C.UTF-8")
    #expect(environment["DEBIAN_FRONTEND"] == "noninteractive")
    #expect(environment["NEEDRESTART_MODE"] == "l")
    #expect(environment["APT_CONFIG"] == "/x")
    #expect(environment["HOME"] == "/")
    #expect(environment["USER"] == nil && environment["LANG"] == nil)
  }
}
