import Glibc
import HostSystem
package import InstallJobs

/// Findings that all providers share.
extension Checkup.Finding {
  /// Creates the finding about a pending restart, naming the packages that asked for it.
  package init(restart marker: RebootMarker) {
    guard marker.isSet else {
      self.init(.restart, .sound, "no restart is needed")
      return
    }
    let names = marker.packages.isEmpty ? "" : " for \(marker.packages.joined(separator: ", "))"
    self.init(
      .restart, .attention, "a restart of the machine is needed\(names)",
      hint: "restart it when that suits; jobs go on until then unless the engine's settings say no")
  }

  /// Free bytes below which nothing works reliably: dpkg rewrites its database, the engine its
  /// journal.
  private static let leastSpace: Int64 = 16 << 20
  /// Free bytes below which an ordinary job may not fit.
  private static let littleSpace: Int64 = 256 << 20

  /// Returns the finding about free space on the file system of a folder, or of its nearest
  /// existing parent.
  ///
  /// - Parameters:
  ///   - folder: An absolute path.
  ///   - purpose: The use of the space, for the message.
  /// - Returns: The finding.
  package static func space(at folder: String, for purpose: String) -> Checkup.Finding {
    var place = folder
    while !RootFiles.isFolder(place), let slash = place.lastIndex(of: "/"), place != "/" {
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
    let shown = Sanitised.line(folder, limit: 200)
    var record = statvfs()
    guard unsafe statvfs(place, &record) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      return Checkup.Finding(
        .space, .unknown, "the room for \(purpose) in \(shown) cannot be told: \(reason)")
    }
    if record.f_flag & UInt(ST_RDONLY) != 0 {
      return Checkup.Finding(
        .space, .fault, "the file system of \(shown), for \(purpose), is read-only",
        hint: "see the kernel's log for the reason, then mount it for writing")
    }
    return space(
      bytes: Int64(clamping: UInt64(record.f_bavail) &* UInt64(record.f_frsize)),
      files: record.f_files == 0 ? nil : UInt64(record.f_favail), at: shown, for: purpose)
  }

  /// Returns the finding for an amount of free space.
  ///
  /// - Parameters:
  ///   - bytes: Free bytes for an ordinary user.
  ///   - files: Number of files that can be created; nil where the file system does not count them.
  ///   - folder: The folder, for the message.
  ///   - purpose: The use of the space, for the message.
  /// - Returns: The finding.
  package static func space(
    bytes: Int64, files: UInt64?, at folder: String, for purpose: String
  ) -> Checkup.Finding {
    let hint =
      "free some space: 'fettle cleanup --finished' removes what jobs that are over have left, and on"
      + " the machine itself 'apt-get clean' the archives of apt"
    let message = "\(bytes >> 20) MiB are free for \(purpose) in \(folder)"
    if let files, files < 1000 {
      return Checkup.Finding(
        .space, files < 100 ? .fault : .attention,
        "only \(files) more files can be made for \(purpose) in \(folder)", hint: hint)
    }
    if bytes < leastSpace { return Checkup.Finding(.space, .fault, "only " + message, hint: hint) }
    if bytes < littleSpace {
      return Checkup.Finding(.space, .attention, "only " + message, hint: hint)
    }
    return Checkup.Finding(.space, .sound, message)
  }

  /// Returns the finding about packages that running work is changing.
  ///
  /// - Parameters:
  ///   - count: Number of these packages.
  ///   - present: Number of all present packages.
  ///   - work: The work of the asking engine's own job; nil for work of a foreign process.
  /// - Returns: The finding, with the verdict `attention`.
  package static func packagesInProgress(
    _ count: Int, of present: Int, during work: PresentWork?
  ) -> Checkup.Finding {
    let who = work.map { "job \($0.job)" } ?? "somebody"
    return Checkup.Finding(
      .packages, .attention,
      "\(count) of \(present) packages \(count == 1 ? "is" : "are") in the middle of something while \(who) works",
      hint: "ask again when the \(work == nil ? "package lock is free" : "job is over")")
  }
}

/// The flag of statvfs(3) for a file system that is mounted read-only.
private let ST_RDONLY = 1
