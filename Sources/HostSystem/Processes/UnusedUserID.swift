internal import Glibc

/// User ids that no tool assigns, for package scripts that must have no rights.
package enum UnusedUserID: Sendable {
  /// The candidate ids, the preferred range first.
  ///
  /// 70000 to 79999: neither adduser (Debian policy 9.2.2: from 65536 on only by the
  /// administrator's own choice) nor systemd (UIDS-GIDS: 65536 to 524287 is unused) assigns them,
  /// and subordinate ids begin at 100000 (login.defs). 60600 to 61183, for containers with 65536
  /// ids: between systemd's homed users and its dynamic users, 61184 to 65519; Debian's assignments
  /// there have an account.
  private static let ranges: [ClosedRange<UInt32>] = [70_000...79_999, 60_600...61_183]

  /// Returns whether ``find()`` may return an id.
  package static func contains(_ id: UInt32) -> Bool { ranges.contains { $0.contains(id) } }

  /// Returns an id that no account, group, process or range of subordinate ids has and that this
  /// process may become.
  ///
  /// Nil when no id is free, or when the used ids cannot be determined.
  package static func find() -> UInt32? {
    let sources = "/etc/nsswitch.conf"
    let text = RootFiles.text(of: sources)
    guard text != nil || !RootFiles.exists(sources), !handsOutElsewhere(text ?? "") else {
      return nil
    }
    var subordinate: [Range<UInt64>] = []
    for path in ["/etc/subuid", "/etc/subgid"] {
      guard let ranges = handedOut(by: path) else { return nil }
      subordinate += ranges
    }
    let taken = processOwners()
    let mapped = ["/proc/self/uid_map", "/proc/self/gid_map"].map {
      mappedRanges(RootFiles.text(of: $0) ?? "")
    }
    for range in ranges {
      let start = UInt32(getpid()) % UInt32(range.count)
      for step in 0..<UInt32(range.count) {
        let id = range.lowerBound + (start + step) % UInt32(range.count)
        guard !taken.contains(id), !subordinate.contains(where: { $0.contains(UInt64(id)) }),
          mapped.allSatisfy({ $0.contains { $0.contains(UInt64(id)) } })
        else { continue }
        if unsafe getpwuid(id) == nil, unsafe getgrgid(id) == nil { return id }
      }
    }
    return nil
  }

  /// Returns whether another source than the files assigns subordinate ids, from the text of
  /// nsswitch.conf(5): a line `subid: SOURCE`.
  static func handsOutElsewhere(_ text: String) -> Bool {
    text.split(separator: "\n").contains { line in
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == ":" }
      return words.first == "subid" && words.dropFirst() != ["files"]
    }
  }

  /// Returns the ids in a file such as `/etc/subuid`; empty when the file does not exist, nil when
  /// it cannot be read to its end.
  static func handedOut(by path: String) -> [Range<UInt64>]? {
    let limit = 1 << 24
    guard let bytes = RootFiles.bytes(of: path, limit: limit) else {
      return RootFiles.exists(path) ? nil : []
    }
    guard bytes.count < limit else { return nil }
    return subordinateRanges(String(decoding: bytes, as: UTF8.self))
  }

  /// Parses ids from lines `NAME:START:COUNT` (subuid(5)).
  static func subordinateRanges(_ text: String) -> [Range<UInt64>] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 3, let start = UInt64(fields[1]), let count = UInt64(fields[2]) else {
        return nil
      }
      return range(from: start, count: count)
    }
  }

  /// Parses the ids inside a user namespace from lines `INSIDE OUTSIDE COUNT` (user_namespaces(7)).
  static func mappedRanges(_ text: String) -> [Range<UInt64>] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ").compactMap { UInt64($0) }
      return fields.count == 3 ? range(from: fields[0], count: fields[2]) : nil
    }
  }

  // Ids have at most 32 bits, also if a file has larger numbers.
  private static func range(from start: UInt64, count: UInt64) -> Range<UInt64>? {
    let end: UInt64 = 1 << 32
    guard start < end else { return nil }
    return start..<start + min(count, end - start)
  }

  private static func processOwners() -> Set<UInt32> {
    var owners: Set<UInt32> = []
    for name in RootFiles.names(in: "/proc")
    where name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let trace = RootFiles.status("/proc/" + name) { owners.insert(trace.owner) }
    }
    return owners
  }
}
