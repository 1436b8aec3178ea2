#define _GNU_SOURCE 1

#include "Rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

static int terminal = -1;
static struct termios modes;
static uint8_t farewell[512];
static size_t farewell_count;
static pid_t owner;
static atomic_bool armed;

static atomic_int errors_copy = -1;
static int errors_memory = -1;

// MARK: Restoring

bool rescue_remember(int descriptor) {
  if (tcgetattr(descriptor, &modes) < 0) return false;
  terminal = descriptor;
  return true;
}

void rescue_set_bytes(const uint8_t *bytes, size_t count) {
  farewell_count = count < sizeof farewell ? count : sizeof farewell;
  memcpy(farewell, bytes, farewell_count);
}

static void write_all(int descriptor, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    // A terminal that takes nothing must not hold up the end of the process.
    struct pollfd question = {.fd = descriptor, .events = POLLOUT};
    if (poll(&question, 1, 500) <= 0) return;
    ssize_t written = write(descriptor, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    count -= (size_t)written;
  }
}

void rescue_restore(void) {
  if (getpid() != owner || !atomic_exchange(&armed, false)) return;
  int saved = errno;
  sigset_t output_stop, before;
  sigemptyset(&output_stop);
  sigaddset(&output_stop, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output_stop, &before);
  write_all(terminal, farewell, farewell_count);
  tcsetattr(terminal, TCSANOW, &modes);
  rescue_release_errors();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = saved;
}

void rescue_arm(void) {
  static bool registered;
  if (!registered) registered = atexit(rescue_restore) == 0;
  owner = getpid();
  atomic_store(&armed, true);
}

void rescue_disarm(void) {
  atomic_store(&armed, false);
}

// MARK: Standard error

void rescue_hold_errors(void) {
  if (atomic_load(&errors_copy) >= 0 || !isatty(STDERR_FILENO)) return;
  int memory = memfd_create("standard error", MFD_CLOEXEC);
  if (memory < 0) return;
  int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (copy < 0 || dup2(memory, STDERR_FILENO) < 0) {
    if (copy >= 0) close(copy);
    close(memory);
    return;
  }
  errors_memory = memory;
  atomic_store(&errors_copy, copy);
}

void rescue_release_errors(void) {
  int copy = atomic_exchange(&errors_copy, -1);
  if (copy < 0) return;
  dup2(copy, STDERR_FILENO);
  close(copy);
  off_t end = lseek(errors_memory, 0, SEEK_END);
  off_t place = end > 65536 ? end - 65536 : 0;
  uint8_t chunk[1024];
  ssize_t count;
  while ((count = pread(errors_memory, chunk, sizeof chunk, place)) > 0) {
    for (ssize_t i = 0; i < count; i++) {
      uint8_t byte = chunk[i];
      if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) chunk[i] = '?';
    }
    write_all(STDERR_FILENO, chunk, (size_t)count);
    place += count;
  }
  close(errors_memory);
  errors_memory = -1;
}

// MARK: Signals

static const int noticed[] = {SIGWINCH, SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP};
static const int endings[] = {
  SIGSYS, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGPIPE, SIGPOLL,
  SIGPWR};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static int wake[2] = {-1, -1};
static struct sigaction former[NSIG];
static bool caught[NSIG];
static atomic_bool asked;
static atomic_int overdue;
static atomic_bool stopping;
static atomic_bool resize_told;
static bool backtrace_is_quiet;

static void reset(int signal) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(signal, &standard, NULL);
}

static void notice(int signal) {
  int saved = errno;
  // Whoever asks twice is not to wait for a loop that may be stuck.
  bool urgent = signal == SIGTERM || signal == SIGINT || signal == SIGQUIT;
  if (urgent && atomic_exchange(&asked, true)) {
    rescue_restore();
    reset(signal);
    raise(signal);
  }
  // A loop that is stuck, most likely in a write to a terminal that takes nothing, is not waited
  // for much longer: the alarm ends the process as the signal would have.
  if (urgent || signal == SIGHUP) {
    atomic_store(&overdue, signal);
    alarm(2);
  }
  bool is_known = signal == SIGWINCH && atomic_exchange(&resize_told, true);
  if (!is_known && (signal != SIGCONT || !atomic_load(&stopping))) {
    uint8_t byte = (uint8_t)signal;
    (void)!write(wake[1], &byte, 1);
  }
  errno = saved;
}

static void crash(int signal, siginfo_t *information, void *context) {
  (void)context;
  rescue_restore();
  int late = atomic_load(&overdue);
  if (signal == SIGALRM && late) {
    reset(late);
    raise(late);
    return;
  }
  if (backtrace_is_quiet && former[signal].sa_handler != SIG_DFL
      && former[signal].sa_handler != SIG_IGN) {
    sigaction(signal, &former[signal], NULL);
  } else {
    reset(signal);
  }
  // A fault happens again by itself, in its own place; a signal that was sent does not.
  if (information->si_code <= 0 || signal == SIGTRAP) raise(signal);
}

static void catch(int signal, bool is_notice, bool even_if_used) {
  struct sigaction action = {0};
  sigfillset(&action.sa_mask);
  if (is_notice) {
    action.sa_handler = notice;
    action.sa_flags = SA_RESTART;
  } else {
    action.sa_sigaction = crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  }
  struct sigaction old;
  if (sigaction(signal, NULL, &old) < 0) return;
  if (!even_if_used && old.sa_handler != SIG_DFL) return;
  if (sigaction(signal, &action, NULL) < 0) return;
  if (!caught[signal]) former[signal] = old;
  caught[signal] = true;
}

static void use_own_stack(void) {
  static uint8_t stack[65536];
  stack_t present;
  if (sigaltstack(NULL, &present) < 0 || !(present.ss_flags & SS_DISABLE)) return;
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&own, NULL);
}

int rescue_catch_signals(void) {
  if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  uint8_t stale[64];
  while (read(wake[0], stale, sizeof stale) > 0) {}
  // The standard backtracer waits half a minute for a key if it believes in a terminal.
  const char *setting = getenv("SWIFT_BACKTRACE");
  backtrace_is_quiet = setting && strstr(setting, "interactive=no");
  atomic_store(&asked, false);
  atomic_store(&overdue, 0);
  atomic_store(&resize_told, false);
  use_own_stack();
  for (size_t i = 0; i < COUNT(noticed); i++) {
    bool may_be_ignored =
      noticed[i] == SIGHUP || noticed[i] == SIGINT || noticed[i] == SIGQUIT;
    struct sigaction old;
    sigaction(noticed[i], NULL, &old);
    if (may_be_ignored && old.sa_handler == SIG_IGN) continue;
    catch(noticed[i], true, true);
  }
  for (size_t i = 0; i < COUNT(crashes); i++) catch(crashes[i], false, true);
  for (size_t i = 0; i < COUNT(endings); i++) catch(endings[i], false, false);
  return wake[0];
}

void rescue_heard_resize(void) {
  atomic_store(&resize_told, false);
}

void rescue_uncatch_signals(bool keeps_hang_up) {
  if (atomic_exchange(&overdue, 0)) alarm(0);
  for (int signal = 1; signal < NSIG; signal++) {
    if (signal == SIGHUP && keeps_hang_up) continue;
    if (caught[signal]) sigaction(signal, &former[signal], NULL);
    caught[signal] = false;
  }
}

void rescue_stop(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  struct sigaction standard = {.sa_handler = SIG_DFL};
  struct sigaction old, going_on;
  sigset_t stop, before;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  atomic_store(&stopping, true);
  // The group first (a wrapper script has to stop too), then this thread, which stops at once.
  // The kernel does not stop an orphaned group, which nobody could continue. Threads of a pool
  // usually block the signal.
  sigaction(SIGTSTP, &ignore, &old);
  kill(0, SIGTSTP);
  // A first thread that has the signal blocked keeps it for later, and would stop the process once
  // more; ignoring it anew takes it away.
  sigaction(SIGTSTP, &ignore, NULL);
  sigaction(SIGTSTP, &standard, NULL);
  pthread_sigmask(SIG_UNBLOCK, &stop, &before);
  raise(SIGTSTP);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(SIGTSTP, &old, NULL);
  // The same with the signal that this process goes on by: it would be taken for the end of another
  // stop, one without notice.
  sigaction(SIGCONT, &ignore, &going_on);
  sigaction(SIGCONT, &going_on, NULL);
  atomic_store(&stopping, false);
}

_Noreturn void rescue_end_by(int signal) {
  rescue_restore();
  reset(signal);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  raise(signal);
  _exit(128 + signal);
}
