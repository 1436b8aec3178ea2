import Testing

@testable import AptProvider

@Suite struct `Where versions can be had` {
  private let places = VersionPlaces(
    parsing: """
      alpha:
        Installed: 1.0
        Candidate: 1.1
        Version table:
           1.1 500
              500 http://deb.example.org/debian-security bookworm-security/main amd64 Packages
              500 http://deb.example.org/debian bookworm/main amd64 Packages
       *** 1.0 100
              100 /var/lib/dpkg/status
      beta:i386:
        Installed: (none)
        Candidate: 3
        Version table:
           3 -1
               -1 http://other.example.org ./ Packages

      """,
    sources: """
      Package files:
       500 http://deb.example.org/debian-security bookworm-security/main amd64 Packages
           release v=12,o=Debian,a=stable-security,n=bookworm-security,l=Debian-Security,c=main,b=amd64
           origin deb.example.org
       500 http://deb.example.org/debian bookworm/main amd64 Packages
           release v=12.5,o=Debian,a=stable,n=bookworm,l=Debian,c=main,b=amd64
      Pinned packages:

      """)

  @Test func `each has its sources in apt's order, by what their release calls itself`() {
    #expect(
      places.places(of: "alpha", "1.1") == [
        .init(
          origin: "Debian:bookworm-security/main",
          releases: ["stable-security", "bookworm-security", "12"], isSecurity: true),
        .init(
          origin: "Debian:bookworm/main", releases: ["stable", "bookworm", "12.5"],
          isSecurity: false),
      ])
  }

  @Test func `a version that is only installed has none`() {
    #expect(places.places(of: "alpha", "1.0").isEmpty)
    #expect(places.places(of: "beta", "3").isEmpty)
  }

  @Test func `a source without a release file goes by its address`() {
    #expect(
      places.places(of: "beta:i386", "3")
        == [.init(origin: "http://other.example.org ./", isSecurity: false)])
  }

  @Test(arguments: ["stable", "bookworm", "12.5", "stable-security"])
  func `a release is meant by suite, codename or version`(release: String) {
    #expect(places.newest(of: "alpha", from: release) == "1.1")
    #expect(places.newest(of: "alpha", from: "sid") == nil)
  }

  @Test func `the newest security update is one that the preferences allow`() {
    #expect(places.newestSecurity(of: "alpha") == "1.1")
    #expect(places.hasSecuritySource)
    let forbidden = VersionPlaces(
      parsing: """
        alpha:
          Version table:
             1.2 -1
                 -1 copy:/security ./ Packages
             1.1 500
                500 copy:/security ./ Packages

        """,
      sources: """
        Package files:
         500 copy:/security ./ Packages
             release o=Debian,a=stable-security,n=bookworm-security,l=Debian-Security,c=

        """)
    #expect(forbidden.newestSecurity(of: "alpha") == "1.1")
  }
}
