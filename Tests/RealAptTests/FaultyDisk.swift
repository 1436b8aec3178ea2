import Glibc
import Support

/// A state folder whose reads, writes or syncs fail with EIO while a test says so.
///
/// A library that is loaded into the engine stands in front of the C library's calls.
struct FaultyDisk: Sendable {
  enum Fault: String, Sendable, CaseIterable {
    case read, write, sync
  }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/types.h>
    #include <unistd.h>

    static char flags[4000];
    /* The engine clears its environment. */
    __attribute__((constructor)) static void begin(void) {
      const char *folder = getenv("FAULTY_FLAGS");
      if (folder) snprintf(flags, sizeof flags, "%s", folder);
    }
    static int fails(int descriptor, const char *fault) {
      char link[64], path[4096], flag[4096];
      int saved = errno, result = 0;
      if (!flags[0]) return 0;
      snprintf(flag, sizeof flag, "%s/%s", flags, fault);
      if (access(flag, F_OK) == 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0) {
          path[length] = 0;
          result = strstr(path, "/state/") != 0;
        }
      }
      errno = result ? EIO : saved;
      return result;
    }
    #define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
    ssize_t read(int d, void *b, size_t n) {
      return fails(d, "read") ? -1 : REAL(read)(d, b, n);
    }
    ssize_t pread(int d, void *b, size_t n, off_t o) {
      return fails(d, "read") ? -1 : REAL(pread)(d, b, n, o);
    }
    ssize_t pread64(int d, void *b, size_t n, off64_t o) {
      return fails(d, "read") ? -1 : REAL(pread64)(d, b, n, o);
    }
    ssize_t write(int d, const void *b, size_t n) {
      return fails(d, "write") ? -1 : REAL(write)(d, b, n);
    }
    ssize_t pwrite(int d, const void *b, size_t n, off_t o) {
      return fails(d, "write") ? -1 : REAL(pwrite)(d, b, n, o);
    }
    ssize_t pwrite64(int d, const void *b, size_t n, off64_t o) {
      return fails(d, "write") ? -1 : REAL(pwrite64)(d, b, n, o);
    }
    int fsync(int d) { return fails(d, "sync") ? -1 : REAL(fsync)(d); }
    int fdatasync(int d) { return fails(d, "sync") ? -1 : REAL(fdatasync)(d); }
    """#

  /// Whether there is a C compiler.
  static var canBeMade: Bool { unsafe access("/usr/bin/cc", X_OK) == 0 }

  private let flags: TestFolder

  /// What the engine's environment needs besides.
  let variables: [String: String]

  /// Builds the library.
  static func build() async throws -> FaultyDisk {
    let flags = try TestFolder()
    try TestFolder.write(source, to: flags.path("faults.c"))
    let library = flags.path("faults.so")
    try await ToolOutput.of([
      "/usr/bin/cc", "-shared", "-fPIC", "-o", library, flags.path("faults.c"), "-ldl",
    ]).expectSuccess("cc")
    return FaultyDisk(
      flags: flags, variables: ["LD_PRELOAD": library, "FAULTY_FLAGS": flags.path])
  }

  /// Lets calls of a kind fail.
  func begin(_ fault: Fault) throws { try TestFolder.write("", to: flags.path(fault.rawValue)) }

  /// Lets them succeed again.
  func end(_ fault: Fault) { unsafe unlink(flags.path(fault.rawValue)) }
}
