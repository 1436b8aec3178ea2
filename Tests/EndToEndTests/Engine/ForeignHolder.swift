import Support

extension EngineUnderTest {
  /// A program that is none of ours and holds a lock of the package database.
  ///
  /// - Parameters:
  ///   - name: The program's file name.
  ///   - lock: The lock's file name.
  ///   - notesTermination: Whether SIGTERM is noted, as unattended-upgrades does, or ends it.
  /// - Returns: The program, which says `held`, and `asked` or `not asked` at its end, and the file
  ///   whose coming lets it end.
  /// - Throws: `FixtureError` when it does not come to hold the lock.
  func foreignHolder(
    _ name: String, of lock: String = "lock-frontend", notesTermination: Bool = false
  ) async throws -> (program: RunningProgram, end: String) {
    let path = folder.path(name)
    let handler =
      notesTermination ? "signal.signal(signal.SIGTERM, lambda *_: asked.append(1))" : ""
    try TestFolder.write(
      """
      #!/usr/bin/python3
      import fcntl, os, signal, sys, time
      asked = []
      \(handler)
      lock = open(sys.argv[1], "w")
      fcntl.lockf(lock, fcntl.LOCK_EX)
      print("held", flush=True)
      while not os.path.exists(sys.argv[2]):
          time.sleep(0.05)
      print("asked" if asked else "not asked", flush=True)

      """, to: path, mode: 0o755)
    let end = folder.path(name + ".end")
    let program = try launch(path, [root + "/var/lib/dpkg/" + lock, end])
    try await program.until("held") { $0.contains("held") }
    return (program, end)
  }
}
