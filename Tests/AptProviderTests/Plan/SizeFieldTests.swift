import InstallJobs
import Testing

@testable import AptProvider

@Suite struct `Sizes that packages state` {
  @Test(arguments: [
    ("0", 0), ("1234", 1234), ("", 0), ("-5", 0), ("1 kB", 0), ("9223372036854775807", 1 << 46),
    ("99999999999999999999", 1 << 46),
  ])
  func `are held where counting with them has room`(text: String, bytes: Int64) {
    #expect(SizeField.bytes(text) == bytes)
    #expect(SizeField.kibibytes(text) == min(bytes, 1 << 36))
  }

  @Test func `an index with the largest number of all is read`() {
    let index = PackageIndex(
      parsing: "Package: a\nVersion: 1\nArchitecture: all\nInstalled-Size: 9223372036854775807\n",
      wanted: ["a"])
    #expect((index.records["a"]?.first?.installedSize ?? 0) * 1024 == 1 << 46)
  }
}

@Suite struct `Records of an index` {
  // apt puts no empty line behind a record that ends in a carriage return.
  @Test func `a record that runs into the next one gives it none of its fields`() {
    let index = PackageIndex(
      parsing: """
        Package: a
        Version: 1
        Architecture: all
        Size: 7
        \r
        Package: b
        Version: 2
        Architecture: all
        Filename: pool/b.deb

        """, wanted: ["a", "b"])
    #expect(index.records["a"]?.map(\.version) == ["1"])
    #expect(index.records["a"]?.first?.fileName == nil)
    #expect(index.records["b"]?.map(\.version) == ["2"])
    #expect(index.records["b"]?.first?.downloadSize == 0)
  }
}
