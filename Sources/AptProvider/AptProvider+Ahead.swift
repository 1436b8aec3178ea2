internal import CProcess
internal import Glibc
import HostSystem
internal import InstallJobs
package import PackageProvider

// Archives of a waiting job are fetched while another job's packages are installed.
extension AptProvider {
  /// True: archives come from a source, and fetching them needs no package lock.
  package var fetchesAhead: Bool { true }

  /// Fetches archives of a job that has not started into its folder; see
  /// ``PackageProvider/fetchAhead(_:leavingOut:)``.
  ///
  /// Runs `apt-helper download-file` for the archives that the frozen plan names, with their
  /// hashes. apt-get would choose archives by the present package database, which the running job
  /// changes. This function or the job itself resumes an interrupted download.
  ///
  /// Skips archives whose address contains a password, because every user can read a program's
  /// arguments. The job fetches these with apt-get.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - steps: Steps whose archives are left out.
  /// - Returns: Whether all archives of the other steps are present.
  package func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool {
    let preparation = JobPreparation(of: work, on: packageRoot, cache: cache)
    let archives = work.folder.path(.archives)
    func missing() -> [PlannedArchive] {
      work.plan.archives.filter { step, archive in
        !steps.contains(step) && archive.hash != nil && !archive.hasCredentials
          && RootFiles.status("\(archives)/\(archive.fileName)")?.size != archive.size
      }.values.sorted { $0.fileName < $1.fileName }
    }
    let isWhole = !work.plan.archives.contains { step, archive in
      !steps.contains(step) && archive.hasCredentials
    }
    guard !missing().isEmpty else { return isWhole }
    guard (try? packageRoot.checkRights()) != nil, (try? preparation.writeForFetching()) != nil
    else { return false }
    if !work.fetchesAnew {
      await KeptArchives(folder: work.folder).reuse(work.plan, leavingOut: steps)
    }
    let wanted = missing()
    guard !wanted.isEmpty else { return isWhole }
    guard let free = RootFiles.freeBytes(at: archives),
      free / 2 > wanted.reduce(0, { [$0, $1.size].total })
    else { return false }
    // `arriving` is locked by this process until the archives are where the worker looks for them.
    // `fetching` is locked by the process that fetches, which may outlive this process.
    guard work.folder.makeLock(.fetching), work.folder.makeLock(.arriving),
      let arriving = work.folder.open(.arriving, O_RDWR), file_lock(arriving.number, 0) == 0
    else { return false }
    defer { withExtendedLifetime(arriving) {} }
    // Two downloads at a time from each host: while one archive is checked, the other one arrives.
    // apt-helper contacts all hosts of its list at the same time and fetches one archive at a time
    // from each.
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

  /// Fetches archives one after the other; an empty list is a success.
  private func fetch(
    _ wanted: [PlannedArchive], for work: JobWork, _ preparation: JobPreparation
  ) async -> Bool {
    guard !wanted.isEmpty else { return true }
    // A shared lock for all processes that fetch ahead; the job's own download waits for all of
    // them.
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

  /// Divides archives into two lists of about the same size in bytes.
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

  /// Moves a fetched and checked archive into the folder from which packages are installed.
  ///
  /// A file that another user fetched may still be open for writing by that user, so it is copied
  /// and its hash checked again.
  private static func receive(
    _ archive: PlannedArchive, from partial: String, into archives: String
  ) async -> Bool {
    let (source, target) = ("\(partial)/\(archive.fileName)", "\(archives)/\(archive.fileName)")
    var record = stat()
    guard let file = Descriptor(opening: source, O_RDONLY | O_NOFOLLOW),
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
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let target = Descriptor(opening: path, flags, mode: 0o644) else { return false }
    return file.send(to: target, count: count)
  }
}
