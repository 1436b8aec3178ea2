import InstallJobs
import Testing

@Suite struct `The address of an archive` {
  @Test(arguments: [
    ("http://user:pass@mirror:8080/a.deb", "http://mirror:8080/a.deb"),
    ("http://user@mirror/pool/a@b.deb", "http://mirror/pool/a@b.deb"),
    ("http://user:p@ss@mirror/a.deb", "http://mirror/a.deb"),
    ("http://user:pa/ss@mirror/a.deb", "http://mirror/a.deb"),
    ("http://user:pa?ss@mirror/a.deb", "http://mirror/a.deb"),
    ("http://user:p%40ss%2F@mirror/a.deb", "http://mirror/a.deb"),
  ])
  func `is shown without the name and the password before its host`(uri: String, shown: String) {
    let archive = PlannedArchive(fileName: "a.deb", size: 1, hash: nil, uri: uri)
    #expect(archive.hasCredentials && archive.withoutCredentials.uri == shown)
    #expect(
      JobPlan(requests: [], steps: [], archives: [3: archive]).withoutCredentials.archives[3]?.uri
        == shown)
  }

  @Test(arguments: [
    "http://mirror/pool/a@b.deb", "http://mirror:8080/a@b.deb", "http://[::1]:80/a@b.deb",
    "copy:/srv/a@b.deb", "file:///srv/u:p@b.deb", "", "://", "@",
  ])
  func `without either stays as it is`(uri: String) {
    let archive = PlannedArchive(fileName: "a.deb", size: 1, hash: nil, uri: uri)
    #expect(!archive.hasCredentials && archive.withoutCredentials == archive)
  }
}

@Suite struct `The address of a proxy` {
  @Test(arguments: [
    ("http://user:pass@proxy:3128", "http://***@proxy:3128"),
    ("https://user@proxy/", "https://***@proxy/"),
    ("http://user:pa/ss@proxy:3128", "http://***@proxy:3128"),
    ("http://user:12/34@proxy", "http://***@proxy"),
    ("http://user:p@s/s?w#rd@proxy", "http://***@proxy"),
    ("http://user:p%40ss%2F@proxy", "http://***@proxy"),
    ("http://proxy:3128", "http://proxy:3128"), ("http://proxy/a", "http://proxy/a"),
    ("http://proxy:1/?pw=secret", "http://proxy:1/?***"),
    ("http://proxy#secret", "http://proxy#***"),
    ("http://user:pass@proxy/a?key=secret", "http://***@proxy/a?***"),
    ("http://proxy/?a=b@c", "http://***@c"),
  ])
  func `is shown without name and password before its host, and without a query behind it`(
    proxy: String, shown: String
  ) {
    var options = InstallationOptions()
    options.proxy = proxy
    #expect(options.withoutSecrets.proxy == shown)
    #expect(options.withoutSecrets.withoutSecrets == options.withoutSecrets)
  }
}
