import AptProvider
import ArgumentParser
import Glibc
import HostSystem
import InstallJobs
import JobServer

/// The command `fettled root`, which runs in place of `fettle root`.
struct RootCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "root", abstract: "Make, check, update and repair package roots.",
    subcommands: [Create.self, Check.self, Update.self, Repair.self])

  /// The command `fettle root create`.
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a private package root: databases only, no hooks of the host.",
      discussion: """
        Into such a root packages can be installed without rights. Their scripts run without chroot
        and can touch whatever you can touch, which is why root must not use it.
        """)

    @Argument(help: "The folder; it must be empty or not exist.") var folder: String
    @Flag(help: "Take the host's sources; count its installed packages as satisfied.")
    var likeHost = false
    @Flag(help: "Begin with an empty package database (the default).") var empty = false
    @Option(help: ArgumentHelp("A line of sources.list; repeatable.", valueName: "line"))
    var source: [String] = []

    func validate() throws {
      if likeHost, empty { throw ValidationError("--like-host and --empty exclude each other") }
    }

    func run() async throws {
      // Root's engine refuses a private root, so the command fails before the root is created.
      guard geteuid() != 0 else {
        throw InstallationError(
          .notPermitted,
          "cannot make the private root \(folder) as root: package scripts would act on the host",
          class: .needsHuman,
          hint: "run this as the ordinary user who is to use it; 'fettle try' is safe for root too")
      }
      let path = AbsolutePath.of(folder)
      let root = try await PackageRoot.create(at: path, likeHost: likeHost, sources: source)
      Output.answer("made a private root at \(root.path)")
    }
  }

  /// The command `fettle root update`.
  struct Update: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch the package index of a root anew, as 'apt-get update' does for the machine.",
      discussion: """
        Whoever may install packages into the root may do it: the user who owns a private root, root
        for every other one. It needs no engine, and a running one sees the new index at once.
        """)

    @Argument(help: "The folder.") var folder: String

    func run() async throws {
      let root = try PackageRoot(at: AbsolutePath.of(folder))
      let provider = AptProvider(root: root, workerExecutable: "/proc/self/exe")
      try await provider.refreshIndex(needsAll: true)
      Output.answer("the package index of \(root.path) is fresh")
    }
  }

  /// The command `fettle root repair`.
  struct Repair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Configure what interrupted or failed work left, as 'dpkg --configure -a' does.",
      discussion: """
        dpkg gets the options that the root needs, and nothing is asked: changed configuration files stay
        as they are. The user who owns a private root may do it, root for every other one.
        """)

    @Argument(help: "The folder; / is the machine itself.") var folder: String

    func run() async throws {
      let root = try PackageRoot(at: AbsolutePath.of(folder))
      let provider = AptProvider(root: root, workerExecutable: "/proc/self/exe")
      let words = try await provider.configureLeftovers()
      Output.answer(words + "nothing is left to be configured in \(root.path)")
    }
  }

  /// The command `fettle root check`.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say whether a folder is a sound package root, and what is half done in it.",
      discussion: "Half done packages are told, and no failure: 'fettle doctor' fails for them.")

    @Argument(help: "The folder.") var folder: String

    func run() async throws {
      let root = try PackageRoot(at: AbsolutePath.of(folder))
      let kind =
        switch root.kind {
        case .system: "the machine itself"
        case .chroot: "a system tree of its own"
        case .privateRoot: "a private root"
        }
      let provider = AptProvider(root: root, workerExecutable: "/proc/self/exe")
      let lines = try await provider.leftovers()?.map { finding in
        "\n" + finding.message + (finding.hint.map { "\n  hint: " + $0 } ?? "")
      }
      let rest =
        lines?.joined()
        ?? "\nwhether its packages are whole cannot be told: somebody works on it, or its locks may"
        + " not be read"
      Output.answer("\(root.path) is a sound package root: \(kind)" + rest)
    }
  }
}
