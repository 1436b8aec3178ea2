import Glibc
import HostSystem

/// Measures the share of an archive that a process has read.
///
/// dpkg reports nothing between the beginning and the end of an unpacking. The kernel reports the
/// position of dpkg-deb in the archive (`/proc/PID/fdinfo`, proc(5)), which is a good estimate of
/// the progress.
package struct UnpackGauge: Sendable {
  private let folder: String

  /// Creates a gauge for a process of the same user, by its process number.
  package init(process pid: Int32) { folder = "/proc/\(pid)" }

  /// Returns the share of its archive that the process has read, 0...1; nil when it has none open.
  package func share() -> Double? {
    for number in RootFiles.names(in: folder + "/fd") {
      guard let path = target("\(folder)/fd/\(number)"), path.hasSuffix(".deb"),
        let size = RootFiles.status("\(folder)/fd/\(number)")?.size, size > 0,
        let text = RootFiles.text(of: "\(folder)/fdinfo/\(number)", limit: 4096)
      else { continue }
      for line in text.split(separator: "\n") {
        guard let value = line.after("pos:"),
          let position = Int64(value.drop { $0 == "\t" || $0 == " " })
        else { continue }
        return min(1, Double(position) / Double(size))
      }
    }
    return nil
  }

  private func target(_ link: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink(link, start.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }
}
