// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "fettle",
  products: [
    .library(name: "InstallJobs", targets: ["InstallJobs", "JobClient"]),
    .library(name: "InstallJobsTesting", targets: ["InstallJobsTesting"]),
    .executable(name: "fettle", targets: ["fettle"]),
    .executable(name: "fettled", targets: ["fettled"]),
  ],
  dependencies: [
    .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // MARK: The public API

    .target(name: "InstallJobs"),
    .testTarget(
      name: "InstallJobsTests", dependencies: ["InstallJobs", "InstallJobsTesting", "Support"]),
    .target(name: "InstallJobsTesting", dependencies: ["InstallJobs"]),

    // MARK: The engine

    .target(name: "CProcess"),
    .target(name: "FileTrust", dependencies: ["CProcess"]),
    .testTarget(name: "FileTrustTests", dependencies: ["FileTrust", "Support"]),

    .target(
      name: "PackageTools",
      dependencies: [
        "CProcess",
        "FileTrust",
        "InstallJobs",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
        "TOMLText",
        .product(name: "TOMLKit", package: "TOMLKit"),
      ],
      resources: [.embedInCode("Scenarios"), .embedInCode("Scripts")]
    ),
    .testTarget(
      name: "PackageToolsTests",
      dependencies: ["CProcess", "InstallJobs", "PackageTools", "Support", "fettled"],
      resources: [.copy("Status/Streams")]
    ),

    .target(
      name: "JobJournal",
      dependencies: ["FileTrust", "InstallJobs", .product(name: "GRDB", package: "GRDB.swift")]
    ),
    .testTarget(
      name: "JobJournalTests",
      dependencies: [
        "InstallJobs", "JobJournal", "Support", .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),

    .target(
      name: "JobEngine",
      dependencies: [
        "FileTrust",
        "InstallJobs",
        "JobJournal",
        "PackageTools",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "JobEngineTests",
      dependencies: [
        "InstallJobs", "JobEngine", "JobJournal", "PackageTools", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),

    // MARK: Wire, server, client

    .target(name: "JobWire", dependencies: ["InstallJobs"]),
    .testTarget(name: "JobWireTests", dependencies: ["InstallJobs", "JobWire", "Support"]),

    .target(
      name: "JobTransport",
      dependencies: [
        "CProcess", "FileTrust", "InstallJobs", "JobWire",
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]
    ),
    .testTarget(
      name: "JobTransportTests",
      dependencies: ["InstallJobs", "JobTransport", "JobWire", "Support"]),

    .target(
      name: "JobServer",
      dependencies: [
        "CProcess",
        "FileTrust",
        "InstallJobs",
        "JobEngine",
        "JobJournal",
        "JobTransport",
        "JobWire",
        "PackageTools",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]
    ),
    .testTarget(
      name: "JobServerTests",
      dependencies: [
        "FileTrust", "InstallJobs", "JobClient", "JobEngine", "JobJournal", "JobServer",
        "JobTransport", "JobWire", "PackageTools", "Support",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),

    .target(
      name: "JobClient", dependencies: ["FileTrust", "InstallJobs", "JobTransport", "JobWire"]),

    // MARK: The monitor

    .target(name: "Canvas"),
    .testTarget(name: "CanvasTests", dependencies: ["Canvas", "Support"]),

    .target(
      name: "ThemeCatalog",
      dependencies: [
        "Canvas", "FileTrust", "TOMLText", .product(name: "TOMLKit", package: "TOMLKit"),
      ],
      resources: [.embedInCode("Themes")]
    ),
    .testTarget(name: "ThemeCatalogTests", dependencies: ["Canvas", "Support", "ThemeCatalog"]),

    .target(name: "JobScreen", dependencies: ["Canvas", "InstallJobs", "ThemeCatalog"]),
    .testTarget(
      name: "JobScreenTests",
      dependencies: [
        "Canvas", "InstallJobs", "JobEngine", "JobScreen", "PackageTools", "Support", "Terminal",
        "ThemeCatalog", "fettle",
      ],
      resources: [.copy("Golden")]
    ),

    .target(
      name: "CNcurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]
    ),
    .target(name: "Terminal", dependencies: ["CNcurses", "Canvas", "FileTrust"]),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Canvas", "Support", "Terminal", "terminal-fixture"]
    ),

    // MARK: Executables

    .target(name: "TOMLText"),
    .testTarget(name: "TOMLTextTests", dependencies: ["TOMLText"]),

    .target(
      name: "Settings",
      dependencies: ["FileTrust", "TOMLText", .product(name: "TOMLKit", package: "TOMLKit")]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings", "Support"]),

    .executableTarget(
      name: "fettle",
      dependencies: [
        "CProcess",
        "Canvas",
        "FileTrust",
        "InstallJobs",
        "JobClient",
        "JobScreen",
        "JobTransport",
        "JobWire",
        "Settings",
        "Terminal",
        "ThemeCatalog",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
    .executableTarget(
      name: "fettled",
      dependencies: [
        "CProcess",
        "FileTrust",
        "InstallJobs",
        "JobEngine",
        "JobJournal",
        "JobServer",
        "PackageTools",
        "Settings",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Service"]
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Bench", "InstallJobs", "JobClient", "JobScreen", "Settings", "Support", "fettle",
        "fettled",
      ]
    ),

    .testTarget(
      name: "RealAptTests",
      dependencies: ["InstallJobs", "JobClient", "PackageTools", "Support", "fettled"]
    ),

    // MARK: Figures and proofs

    .target(name: "NeighbourPrograms", dependencies: ["FileTrust"]),

    .target(
      name: "Bench",
      dependencies: [
        "CProcess",
        "Canvas",
        "InstallJobs",
        "JobClient",
        "JobEngine",
        "JobJournal",
        "JobScreen",
        "JobServer",
        "JobWire",
        "NeighbourPrograms",
        "PackageTools",
        "ThemeCatalog",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(name: "BenchTests", dependencies: ["Bench", "InstallJobs", "Support"]),
    .executableTarget(
      name: "fettle-bench",
      dependencies: [
        "Bench", "FileTrust", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),

    .target(
      name: "Fuzz",
      dependencies: [
        "Canvas", "InstallJobs", "JobScreen", "JobWire", "PackageTools", "Settings", "Terminal",
        "ThemeCatalog",
      ]
    ),
    .testTarget(name: "FuzzTests", dependencies: ["Fuzz"]),
    .executableTarget(
      name: "fettle-fuzz",
      dependencies: ["Fuzz", .product(name: "ArgumentParser", package: "swift-argument-parser")]
    ),

    // MARK: What the tests stand on

    .systemLibrary(
      name: "CVTerm", path: "Tests/Support/CVTerm", pkgConfig: "vterm",
      providers: [.apt(["libvterm-dev"])]
    ),
    .target(
      name: "Support",
      dependencies: [
        "CVTerm",
        "InstallJobs",
        "NeighbourPrograms",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Support/Support"
    ),
    .executableTarget(
      name: "terminal-fixture", dependencies: ["Canvas", "Terminal"],
      path: "Tests/Support/TerminalFixture"
    ),
  ]
)

/// Settings for every Swift target: the language as it will be, and no warning left standing.
let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

let targetsOfC = ["CNcurses", "CProcess", "CVTerm"]
for target in package.targets where !targetsOfC.contains(target.name) {
  target.swiftSettings = swiftSettings
  if target.type == .regular {
    target.swiftSettings?.append(.treatWarning("ExplicitSendable", as: .error))
  }
}
