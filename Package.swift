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
    .target(name: "HostSystem", dependencies: ["CProcess", "InstallJobs"]),
    .testTarget(
      name: "HostSystemTests", dependencies: ["InstallJobs", "Support", "HostSystem", "fettled"]),

    .target(name: "PackageProvider", dependencies: ["CProcess", "InstallJobs", "HostSystem"]),

    .target(
      name: "AptProvider",
      dependencies: ["CProcess", "InstallJobs", "PackageProvider", "HostSystem"],
      resources: [.embedInCode("Scripts")]
    ),
    .testTarget(
      name: "AptProviderTests",
      dependencies: [
        "AptProvider", "CProcess", "InstallJobs", "PackageProvider", "Support", "HostSystem",
        "fettled",
      ],
      resources: [.copy("Follow/Streams")]
    ),

    .target(
      name: "SimulatedProvider",
      dependencies: [
        "InstallJobs",
        "PackageProvider",
        "HostSystem",
        .product(name: "SystemPackage", package: "swift-system"),
        "TOMLText",
      ],
      resources: [.embedInCode("Scenarios")]
    ),
    .testTarget(
      name: "SimulatedProviderTests",
      dependencies: ["InstallJobs", "PackageProvider", "SimulatedProvider", "Support"]
    ),

    .target(
      name: "JobJournal",
      dependencies: [.product(name: "GRDB", package: "GRDB.swift"), "InstallJobs", "HostSystem"]
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
        "InstallJobs", "JobJournal", .product(name: "Logging", package: "swift-log"),
        "PackageProvider", "HostSystem",
      ]
    ),
    .testTarget(
      name: "JobEngineTests",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"), "InstallJobs", "JobEngine", "JobJournal",
        "PackageProvider", "SimulatedProvider", "Support", "HostSystem",
      ]
    ),

    // MARK: Wire, server, client

    .target(name: "JobWire", dependencies: ["InstallJobs"]),
    .testTarget(name: "JobWireTests", dependencies: ["InstallJobs", "JobWire", "Support"]),

    .target(
      name: "JobTransport",
      dependencies: [
        "CProcess", .product(name: "FlyingSocks", package: "FlyingFox"), "InstallJobs", "JobWire",
      ]
    ),
    .testTarget(
      name: "JobTransportTests",
      dependencies: ["InstallJobs", "JobTransport", "JobWire", "Support"]),

    .target(
      name: "JobServer",
      dependencies: [
        "CProcess", "InstallJobs", "JobEngine", "JobJournal", "JobTransport",
        "JobWire", .product(name: "Logging", package: "swift-log"), "PackageProvider",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        "HostSystem", .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]
    ),
    .testTarget(
      name: "JobServerTests",
      dependencies: [
        "InstallJobs", "JobClient", "JobEngine", "JobJournal", "JobServer", "JobTransport",
        "JobWire", .product(name: "Logging", package: "swift-log"), "PackageProvider",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"), "SimulatedProvider",
        "Support", "HostSystem",
      ]
    ),

    .target(
      name: "JobClient", dependencies: ["InstallJobs", "JobTransport", "JobWire", "HostSystem"]),

    // MARK: The monitor

    .target(name: "Canvas"),
    .testTarget(name: "CanvasTests", dependencies: ["Canvas", "Support"]),

    .target(
      name: "ThemeCatalog",
      dependencies: ["Canvas", "HostSystem", "TOMLText"],
      resources: [.embedInCode("Themes")]
    ),
    .testTarget(name: "ThemeCatalogTests", dependencies: ["Canvas", "Support", "ThemeCatalog"]),

    .target(name: "JobText", dependencies: ["Canvas", "InstallJobs"]),
    .testTarget(name: "JobTextTests", dependencies: ["InstallJobs", "JobText"]),

    .target(name: "Monitor", dependencies: ["Canvas", "InstallJobs", "JobText", "ThemeCatalog"]),
    .testTarget(
      name: "MonitorTests",
      dependencies: [
        "AptProvider", "Canvas", "InstallJobs", "JobEngine", "JobText", "Monitor",
        "PackageProvider", "Support", "Terminal", "ThemeCatalog", "fettle",
      ],
      resources: [.copy("Golden")]
    ),

    .target(
      name: "CNcurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]
    ),
    .target(name: "Terminal", dependencies: ["CNcurses", "Canvas", "HostSystem"]),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Canvas", "Support", "Terminal", "terminal-fixture"]
    ),

    // MARK: Executables

    .target(
      name: "TOMLText", dependencies: ["HostSystem", .product(name: "TOMLKit", package: "TOMLKit")]),
    .testTarget(name: "TOMLTextTests", dependencies: ["TOMLText"]),

    .target(
      name: "Settings",
      dependencies: ["HostSystem", "TOMLText"]),
    .testTarget(name: "SettingsTests", dependencies: ["Settings", "Support"]),

    .executableTarget(
      name: "fettle",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"), "CProcess", "Canvas",
        "InstallJobs", "JobClient", "JobText", "JobWire", "Monitor", "Settings", "HostSystem",
        "Terminal", "ThemeCatalog",
      ]
    ),
    .executableTarget(
      name: "fettled",
      dependencies: [
        "AptProvider", .product(name: "ArgumentParser", package: "swift-argument-parser"),
        "CProcess", "InstallJobs", "JobEngine", "JobJournal", "JobServer",
        .product(name: "Logging", package: "swift-log"), "PackageProvider", "Settings",
        "SimulatedProvider", "HostSystem",
      ],
      exclude: ["Service"]
    ),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Bench", "Canvas", "InstallJobs", "JobClient", "Monitor", "Settings", "Support",
        "fettle", "fettled",
      ]
    ),

    .testTarget(
      name: "RealAptTests",
      dependencies: [
        "AptProvider", "InstallJobs", "JobClient", "PackageProvider", "Support", "fettled",
      ]
    ),

    // MARK: Figures and proofs

    .target(
      name: "NeighbourPrograms", dependencies: ["HostSystem"],
      path: "Tests/Support/NeighbourPrograms"),

    .target(
      name: "Bench",
      dependencies: [
        "CProcess", "Canvas", "InstallJobs", "JobClient", "JobEngine", "JobJournal", "JobServer",
        "JobWire", .product(name: "Logging", package: "swift-log"),
        "Monitor", "NeighbourPrograms", "HostSystem", "ThemeCatalog",
      ], path: "Tests/Bench"),
    .testTarget(name: "BenchTests", dependencies: ["Bench", "InstallJobs", "Support"]),
    .executableTarget(
      name: "fettle-bench",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"), "Bench", "HostSystem",
      ], path: "Tests/fettle-bench"),

    .target(
      name: "Fuzz",
      dependencies: [
        "AptProvider", "Canvas", "InstallJobs", "JobText", "JobWire", "Monitor", "PackageProvider",
        "Settings", "SimulatedProvider", "Terminal", "ThemeCatalog",
      ], path: "Tests/Fuzz"),
    .testTarget(name: "FuzzTests", dependencies: ["Fuzz"]),
    .executableTarget(
      name: "fettle-fuzz",
      dependencies: ["Fuzz", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Tests/fettle-fuzz"),

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
