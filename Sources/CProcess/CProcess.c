#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int process_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int process_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int process_signal(int descriptor, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, 0, 0);
}

int pipe_open(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int socket_accept(int listener) {
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int process_reap(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int process_is_child(pid_t pid) {
  siginfo_t information;
  return waitid(P_PID, (id_t)pid, &information, WEXITED | WNOHANG | WNOWAIT) == 0;
}

pid_t process_start(const char *path, char *const *arguments, char *const *environment,
                    int output, int errors, int session) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  sigset_t all, none;
  pid_t pid;
  int error;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                               (session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP));
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, errors, 2);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error ? -error : pid;
}

static int termination = -1;

static void note_termination(int signal) {
  int saved = errno;
  (void)signal;
  counter_raise(termination);
  errno = saved;
}

int termination_watch(void) {
  struct sigaction action = {.sa_handler = note_termination, .sa_flags = SA_RESTART};
  if (termination < 0) termination = counter_open();
  sigaction(SIGTERM, &action, 0);
  return termination;
}

int record_lock(int descriptor, int wait) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  while (fcntl(descriptor, wait ? F_SETLKW : F_SETLK, &lock) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

pid_t record_lock_holder(int descriptor) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(descriptor, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_pid;
}

int byte_lock(int descriptor, off_t place, int alone) {
  struct flock lock = {
      .l_type = alone ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
  while (fcntl(descriptor, F_OFD_SETLK, &lock) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int file_lock(int descriptor, int wait) {
  while (flock(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int file_lock_within(int descriptor, int milliseconds) {
  struct timespec start, now, pause = {.tv_nsec = 2000000};
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (flock(descriptor, LOCK_EX | LOCK_NB) < 0) {
    if (errno != EINTR && errno != EWOULDBLOCK) return errno;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long passed = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
    if (passed >= milliseconds) return EWOULDBLOCK;
    nanosleep(&pause, 0);
    if (pause.tv_nsec < 32000000) pause.tv_nsec *= 2;
  }
  return 0;
}

void file_unlock(int descriptor) { flock(descriptor, LOCK_UN); }

int file_reserve(int descriptor, off_t length) {
  struct stat record;
  if (fstat(descriptor, &record) < 0) return errno;
  if (fallocate(descriptor, FALLOC_FL_KEEP_SIZE, record.st_size, length) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

int file_punch(int descriptor, off_t offset, off_t length) {
  int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return fallocate(descriptor, mode, offset, length) == 0 ? 0 : errno;
}

int counter_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void counter_raise(int descriptor) {
  uint64_t one = 1;
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

int watch_open(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int watch_add(int descriptor, const char *folder) {
  return inotify_add_watch(descriptor, folder,
                           IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR);
}

int watch_add_releases(int descriptor, const char *folder) {
  return inotify_add_watch(descriptor, folder, IN_CLOSE_WRITE | IN_ONLYDIR | IN_MASK_ADD);
}

void watch_drain(int descriptor) {
  char buffer[16384];
  while (read(descriptor, buffer, sizeof buffer) > 0) {
  }
}

int exit_set_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int exit_set_add(int set, int descriptor, uint64_t number) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = number};
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

void exit_set_remove(int set, int descriptor) {
  struct epoll_event event = {0};
  epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event);
}

int exit_set_wait(int set, uint64_t *numbers, int count) {
  struct epoll_event events[64];
  int ready, index;
  if (count > 64) count = 64;
  do ready = epoll_wait(set, events, count, -1);
  while (ready < 0 && errno == EINTR);
  for (index = 0; index < ready; index++) numbers[index] = events[index].data.u64;
  return ready;
}

int wait_readable(int first, int second, int third, int milliseconds) {
  struct pollfd entries[3] = {
      {.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN},
      {.fd = third, .events = POLLIN}};
  struct timespec start, now;
  int left = milliseconds, result = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (poll(entries, 3, left) < 0 && errno == EINTR) {
    if (milliseconds < 0) continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left = milliseconds - (int)((now.tv_sec - start.tv_sec) * 1000 +
                                (now.tv_nsec - start.tv_nsec) / 1000000);
    if (left < 0) left = 0;
  }
  for (int index = 0; index < 3; index++) {
    if (entries[index].revents) result |= 1 << index;
  }
  return result;
}

void heap_share_arena(void) {
  mallopt(M_ARENA_MAX, 1);
}

void heap_give_back(void) {
  malloc_trim(0);
}

// Unmaps those of a run of pages that are in memory as they are in their file. A page that was written
// to, by a debugger for its breakpoints or by whoever patches what runs, is this process's own: it
// stays (bit 61 of proc_pid_pagemap(5)).
static void drop_file_pages(int pagemap, uintptr_t start, uintptr_t end, uintptr_t page) {
  uint64_t entries[512];
  while (start < end) {
    size_t count = (end - start) / page;
    if (count > sizeof entries / sizeof *entries) count = sizeof entries / sizeof *entries;
    const off_t offset = (off_t)(start / page * sizeof *entries);
    const ssize_t bytes = pread(pagemap, entries, count * sizeof *entries, offset);
    if (bytes != (ssize_t)(count * sizeof *entries)) return;
    for (size_t index = 0; index < count;) {
      size_t stop = index;
      while (stop < count && (entries[stop] >> 61 & 5) == 5) stop++;
      // Failure leaves the pages where they are, which harms nobody.
      if (stop > index) madvise((void *)(start + index * page), (stop - index) * page, MADV_DONTNEED);
      index = stop + 1;
    }
    start += count * page;
  }
}

static int drop_code(struct dl_phdr_info *object, size_t size, void *pagemap) {
  (void)size;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  // The kernel's own page (vdso(7)) is in no file.
  if (strncmp(object->dlpi_name, "linux-", 6) == 0) return 0;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[index];
    if (part->p_type != PT_LOAD || (part->p_flags & (PF_R | PF_W | PF_X)) != (PF_R | PF_X)) continue;
    const uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    const uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);
    drop_file_pages(*(int *)pagemap, start, end, page);
  }
  return 0;
}

void code_give_back(void) {
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return;
  dl_iterate_phdr(drop_code, &pagemap);
  close(pagemap);
}

int thread_act_as(uid_t user) {
    // The library's function would change all threads.
    return (int)syscall(SYS_setresuid, (uid_t)-1, user, (uid_t)-1);
}

int attribute_set(int descriptor, const char *name, const void *value, size_t length) {
  return fsetxattr(descriptor, name, value, length, 0);
}

int file_reference(const char *path) {
  return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int file_is_on_fuse(const char *path) {
  int file = file_reference(path);
  if (file < 0) return -1;
  struct statfs record;
  int result = fstatfs(file, &record);
  int error = errno;
  close(file);
  errno = error;
  return result < 0 ? -1 : record.f_type == FUSE_SUPER_MAGIC;
}
