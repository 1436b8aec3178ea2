internal import InstallJobs

extension PrivateRoot {
  /// What is wrong with the files of packages that a job says it has installed.
  ///
  /// A disk that lost its power may have a package in its database and holes in its files.
  func spoiltFiles(of job: JobSnapshot) -> [String] {
    (job.plan ?? []).compactMap { status in
      guard status.resultCode == .succeeded,
        let recipe = PackageRecipe.all.first(where: { $0.name == status.planned.name })
      else { return nil }
      let content = SmallFile.bytes("\(path)/usr/share/\(recipe.name)/file") ?? []
      let isWhole = content.count == recipe.size && content.allSatisfy { (65...90).contains($0) }
      return isWhole ? nil : "\(recipe.name) is \(status.resultCode), and its file is not whole"
    }
  }
}
