internal import CProcess
internal import Glibc
import HostSystem
internal import InstallJobs
package import PackageProvider

// Archives of a job that waits, fetched while another job's packages are at work.
extension AptProvider {
  /// Archives come from elsewhere, and need no lock.
  package var fetchesAhead: Bool { true }

  /// Fetches archives of a job that has not begun into its folder; see
  /// ``PackageProvider/fetchAhead(_:leavingOut:)``.
  ///
  /// Fetched is what the frozen plan names, checked against its hashes, by `apt-helper
  /// download-file`: what apt-get would fetch depends on packages that are changing right now. A
  /// cut-off file is resumed, by this or by the job itself.
  ///
  /// Everybody can read a program's arguments, so what is fetched with a password in its address is
  /// left to apt-get, in the job's turn.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - steps: Steps whose archives are not wanted.
  /// - Returns: Whether all that is wanted is there.
  package func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool {
    let preparation = JobPreparation(of: work, on: packageRoot, cache: cache)
    let archives = work.folder.path(.archives)
    func missing() -> [PlannedArchive] {
      work.plan.archives.filter { step, archive in
        !steps.contains(step) && archive.hash != nil && !archive.hasCredentials
          && RootFiles.trace("\(archives)/\(archive.fileName)")?.size != archive.size
      }.values.sorted { $0.fileName < $1.fileName }
    }
    let isWhole = !work.plan.archives.contains { step, archive in
      !steps.contains(step) && archive.hasCredentials
    }
    guard !missing().isEmpty else { return isWhole }
    guard (try? packageRoot.checkRights()) != nil, (try? preparation.writeForFetching()) != nil
    else { return false }
    if !work.fetchesAnew {
      await KeptArchives(folder: work.folder).lend(work.plan, leavingOut: steps)
    }
    let wanted = missing()
    guard !wanted.isEmpty else { return isWhole }
    guard let free = RootFiles.freeBytes(at: archives),
      free / 2 > wanted.reduce(0, { [$0, $1.size].total })
    else { return false }
    // Held until the archives lie where the worker looks for them; the other one by whatever fetches,
    // also when this process is gone.
    guard work.folder.makeLock(.fetching), work.folder.makeLock(.arriving),
      let arriving = work.folder.open(.arriving, O_RDWR), file_lock(arriving.number, 0) == 0
    else { return false }
    defer { withExtendedLifetime(arriving) {} }
    // Two at a time from each host: while one is checked, the other one comes. apt-helper asks all hosts
    // of its list at the same time, each for one archive after the other.
    let (first, second) = Self.halves(of: wanted)
    async let others = fetch(second, for: work, preparation)
    let isFetched = await fetch(first, for: work, preparation)
    guard await others, isFetched, !Task.isCancelled else { return false }
    for archive in wanted {
      guard await Self.receive(archive, from: archives + "/partial", into: archives) else {
        return false
      }
    }
    return isWhole
  }

  /// Fetches archives one after the other; none is a success.
  private func fetch(
    _ wanted: [PlannedArchive], for work: JobWork, _ preparation: JobPreparation
  ) async -> Bool {
    guard !wanted.isEmpty else { return true }
    // Shared by all that fetch ahead; the job's own download waits for every one of them.
    var arguments = WorkOrder.underLock(work.folder.path(.fetching), isShared: true)
    arguments += ["/usr/lib/apt/apt-helper", "download-file"]
    for archive in wanted {
      let target = work.folder.path(.archives) + "/partial/" + archive.fileName
      arguments += [archive.uri, target, archive.hash ?? ""]
    }
    let run = try? await Tool(arguments[0]).run(
      Array(arguments.dropFirst()), environment: preparation.fetchingEnvironment,
      to: "fetch archives ahead", limits: .fetching)
    return run?.status == 0
  }

  /// Parts archives into two lists of about the same size in bytes.
  private static func halves(
    of archives: [PlannedArchive]
  ) -> ([PlannedArchive], [PlannedArchive]) {
    var lists: ([PlannedArchive], [PlannedArchive]) = ([], [])
    var sizes: (Int64, Int64) = (0, 0)
    for archive in archives.sorted(by: { $0.size > $1.size }) {
      if sizes.0 <= sizes.1 {
        lists.0.append(archive)
        sizes.0 = [sizes.0, archive.size].total
      } else {
        lists.1.append(archive)
        sizes.1 = [sizes.1, archive.size].total
      }
    }
    return lists
  }

  /// Moves an archive that was fetched and checked to those that are installed from.
  ///
  /// What another user fetched may still be open to that one, and lies here for long: it is copied and
  /// looked at once more.
  private static func receive(
    _ archive: PlannedArchive, from partial: String, into archives: String
  ) async -> Bool {
    let (source, target) = ("\(partial)/\(archive.fileName)", "\(archives)/\(archive.fileName)")
    var record = stat()
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let file = Descriptor(unsafe open(source, flags)),
      unsafe fstat(file.number, &record) == 0, record.st_mode & S_IFMT == S_IFREG,
      record.st_size == archive.size
    else { return false }
    var folder = stat()
    if unsafe lstat(partial, &folder) == 0, folder.st_uid == geteuid() {
      return unsafe rename(source, target) == 0
    }
    let copy = target + ".new"
    unsafe unlink(copy)
    guard Self.copy(file, to: copy, count: Int(archive.size)),
      let digest = try? await FileDigest.sha256(of: copy), archive.hash == "SHA256:" + digest,
      unsafe rename(copy, target) == 0
    else {
      unsafe unlink(copy)
      return false
    }
    unsafe unlink(source)
    return true
  }

  private static func copy(_ file: Descriptor, to path: String, count: Int) -> Bool {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let target = Descriptor(unsafe open(path, flags, 0o644)) else { return false }
    return RootFiles.send(file, to: target, count: count)
  }
}
