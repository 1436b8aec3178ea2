extension PackageFixture {
  /// The packages that most tests work with.
  ///
  /// - `alpha` 1.0 and 2.0, `beta`, `gamma` (scripts pause), `delta` (nothing), `omega` (depends on
  ///   `alpha`)
  /// - `p1` <- `q2` <- `q3`: a chain of pre-dependencies, scripts pause
  /// - `lib` <- `app`, `rival` (conflicts with `lib`), `nd` (depends on what does not exist)
  /// - `ess` (essential), `prot` (protected), `libc6` 1.0 and 2.0 (exclusive by policy)
  /// - `conf` 1.0 and 2.0 (configuration file), `fc` (ships a file of `alpha`)
  /// - `bad` (postinst exits 3), `badpre` (preinst exits 4), `badrm` (prerm exits 5), `kernelish` (asks
  ///   for a restart), `wrong` (index has a wrong hash)
  /// - `watcher` / `poker` (trigger, awaited), `listener` / `teller` (trigger, not awaited)
  /// - `twin` (Multi-Arch: same, native and foreign), `large` (4 MiB that do not compress)
  ///
  /// - Parameter pause: Seconds that the scripts of the slow ones take.
  /// - Returns: About thirty descriptions; building them all takes well under a second.
  package static func standard(pause: Double = 0) -> [PackageFixture] {
    let slow: [Script: String] = pause > 0 ? [.postinst: "sleep \(pause)"] : [:]
    return [
      PackageFixture("alpha", "1.0", scripts: slow), PackageFixture("alpha", "2.0", scripts: slow),
      PackageFixture("beta", scripts: slow), PackageFixture("gamma", scripts: slow),
      PackageFixture("delta"), PackageFixture("omega", fields: ["Depends": "alpha"]),
      PackageFixture("p1", scripts: slow),
      PackageFixture("q2", fields: ["Pre-Depends": "p1"], scripts: slow),
      PackageFixture("q3", fields: ["Pre-Depends": "q2"], scripts: slow),
      PackageFixture("lib"), PackageFixture("app", fields: ["Depends": "lib"]),
      PackageFixture("rival", fields: ["Conflicts": "lib"]),
      PackageFixture("nd", fields: ["Depends": "no-such-package (>= 2)"]),
      PackageFixture("ess", fields: ["Essential": "yes"]),
      PackageFixture("prot", fields: ["Protected": "yes"]),
      PackageFixture("libc6", "1.0"), PackageFixture("libc6", "2.0"),
    ] + troubled + triggering + [
      PackageFixture("twin", architecture: "native", fields: ["Multi-Arch": "same"]),
      PackageFixture("twin", architecture: "foreign", fields: ["Multi-Arch": "same"]),
      PackageFixture("large", files: [File("usr/share/large/file", "large\n", size: 4 << 20)]),
    ]
  }

  private static var troubled: [PackageFixture] {
    let marks = """
      mkdir -p "$DPKG_ROOT/run"
      : > "$DPKG_ROOT/run/reboot-required"
      echo kernelish >> "$DPKG_ROOT/run/reboot-required.pkgs"
      """
    return ["1.0", "2.0"].map { version in
      PackageFixture(
        "conf", version, files: [File("etc/conf.ini", "version = \(version)\n")],
        conffiles: ["/etc/conf.ini"])
    } + [
      PackageFixture("fc", files: [File("usr/share/alpha/file", "stolen\n")]),
      PackageFixture("bad", scripts: [.postinst: "exit 3"]),
      PackageFixture("badpre", scripts: [.preinst: "exit 4"]),
      PackageFixture("badrm", scripts: [.prerm: "exit 5"]),
      PackageFixture("kernelish", scripts: [.postinst: marks]),
      PackageFixture("wrong").withWrongHash,
    ]
  }

  private static var triggering: [PackageFixture] {
    [
      PackageFixture(
        "watcher", scripts: [.postinst: "echo \"$1\" >> \"$DPKG_ROOT/watched\""],
        triggers: "interest-await /usr/share/watched\n"),
      PackageFixture("poker", files: [File("usr/share/watched/poker", "poke\n")]),
      PackageFixture(
        "listener", scripts: [.postinst: "echo \"$1\" >> \"$DPKG_ROOT/listened\""],
        triggers: "interest-noawait /usr/share/listened\n"),
      PackageFixture("teller", files: [File("usr/share/listened/teller", "tell\n")]),
    ]
  }
}
