// swift-tools-version: 6.2

import PackageDescription

// Programs of somebody else's: they use the library products and nothing else of the repository.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "fettle", path: "../..")],
  targets: [
    .executableTarget(
      name: "JobLife", dependencies: [.product(name: "InstallJobs", package: "fettle")]),
    .executableTarget(
      name: "AgentSample", dependencies: [.product(name: "InstallJobs", package: "fettle")]),
    .executableTarget(
      name: "Members",
      dependencies: [
        .product(name: "InstallJobs", package: "fettle"),
        .product(name: "InstallJobsTesting", package: "fettle"),
      ]),
  ]
)
