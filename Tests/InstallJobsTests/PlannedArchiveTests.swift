import InstallJobs
import Testing

@Suite struct `The address of an archive` {
  @Test(arguments: [
    ("http://user:pass@mirror:8080/a.deb", "http://mirror:8080/a.deb"),
    ("http://user@mirror/pool/a@b.deb", "http://mirror/pool/a@b.deb"),
    ("http://user:p@ss@mirror/a.deb", "http://mirror/a.deb"),
  ])
  func `is shown without the name and the password before its host`(uri: String, shown: String) {
    let archive = PlannedArchive(fileName: "a.deb", size: 1, hash: nil, uri: uri)
    #expect(archive.hasCredentials && archive.withoutCredentials.uri == shown)
    #expect(
      JobPlan(requests: [], steps: [], archives: [3: archive]).withoutCredentials.archives[3]?.uri
        == shown)
  }

  @Test(arguments: [
    "http://mirror/pool/a@b.deb", "copy:/srv/a@b.deb", "file:///srv/u:p@b.deb", "", "://", "@",
  ])
  func `without either stays as it is`(uri: String) {
    let archive = PlannedArchive(fileName: "a.deb", size: 1, hash: nil, uri: uri)
    #expect(!archive.hasCredentials && archive.withoutCredentials == archive)
  }
}
