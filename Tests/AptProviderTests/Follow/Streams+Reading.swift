import AptProvider
import FoundationEssentials
import PackageProvider
import Support

/// A job recorded from a real run: plan and streams.
struct RecordedStream {
  let job: RecordedJob
  let lines: [Substring]
  let sequence: String
  let calls: [Substring]

  init(_ name: String) throws {
    let folder =
      #filePath.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/Streams/"
    func text(_ entry: JobFolder.Entry) throws -> String {
      guard let text = TestFolder.text(of: folder + name + "/" + entry.rawValue) else {
        throw FixtureError("no \(entry.rawValue) of \(name)")
      }
      return text
    }
    job = try JSONDecoder().decode(RecordedJob.self, from: Data(try text(.plan).utf8))
    lines = try text(.dpkgStatus).split(separator: "\n")
    calls = try text(.calls).split(separator: "\n")
    sequence = try text(.sequence)
  }

  static let names = [
    "aborted", "awaited-trigger", "chain", "dependencies", "failing-postinst", "failing-preinst",
    "failing-prerm", "file-conflict", "purge", "removal", "trigger", "two-architectures", "upgrade",
  ]
}
