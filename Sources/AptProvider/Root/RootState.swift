internal import Glibc
import HostSystem

/// The state of the files that determine apt's behaviour, at one moment.
///
/// Consists of paths, sizes, modification times and inodes, so that no file is read. That is enough
/// because dpkg and apt replace these files and do not write into them.
struct RootState: Sendable, Hashable {
  private var traces: [String: RootFiles.Trace] = [:]

  /// Reads the state of files, and of the files in folders; missing paths are left out.
  init(of paths: [String]) {
    for path in paths {
      guard let trace = RootFiles.status(path) else { continue }
      guard trace.mode & S_IFMT == S_IFDIR else {
        traces[path] = trace
        continue
      }
      for name in RootFiles.names(in: path) where name != "lock" {
        guard let inner = RootFiles.status(path + "/" + name), inner.mode & S_IFMT == S_IFREG else {
          continue
        }
        traces[path + "/" + name] = inner
      }
    }
  }

  /// Sixteen hexadecimal digits for the state.
  var fingerprint: String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for (path, trace) in traces.sorted(by: { $0.key < $1.key }) {
      for byte in "\(path) \(trace.inode) \(trace.size) \(trace.modified)\n".utf8 {
        digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension PackageRoot {
  /// The files and folders that determine which packages are available.
  var indexFiles: [String] {
    ["etc/apt/sources.list", "etc/apt/preferences", "var/lib/apt/lists"].map { path($0) }
      + ["etc/apt/sources.list.d", "etc/apt/preferences.d"].map { path($0) }
  }

  /// The files and folders that determine apt's behaviour.
  var decidingFiles: [String] {
    indexFiles + [statusFile, adminDirectory + "/updates", path("var/lib/apt/extended_states")]
      + ["etc/apt/apt.conf", "etc/apt/apt.conf.d", "var/lib/dpkg/arch"].map { path($0) }
  }
}

extension PackageRoot {
  /// The file name of apt's package cache for the present index and package database.
  ///
  /// apt recognises a changed database or list by size and by the second of the last change. That
  /// is too little: an upgrade right after an installation, or after a refresh of the index, was
  /// planned from the earlier state (measured).
  var digestName: String {
    "pkgcache-" + RootState(of: indexFiles + [statusFile]).fingerprint + ".bin"
  }

  /// Removes package caches of earlier states; a process that has one open can still read it.
  func removeOldDigests(in cache: String) {
    let present = digestName
    for name in RootFiles.names(in: cache)
    where name.hasPrefix("pkgcache") && name.hasSuffix(".bin") && name != present {
      unsafe unlink(cache + "/" + name)
    }
  }
}
