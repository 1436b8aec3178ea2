// The calls about processes, locks, files and memory that Swift's C library module does not show.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

// Keeps this process and its children from getting rights by what they execute (prctl(2),
// PR_SET_NO_NEW_PRIVS); -1 and errno on failure.
int process_no_new_privileges(void);

// Opens a descriptor for a process; -1 and errno when there is none.
int process_open(pid_t pid);

// Sends a signal through such a descriptor; -1 and errno on failure.
int process_signal(int descriptor, int signal);

// Waits for a child to end and returns its exit status, 128 + n for signal n; -1 when it is no
// child of this process.
int process_reap(pid_t pid);

// Whether this is a child of this process that was not waited for yet.
int process_is_child(pid_t pid);

// Starts a program with standard input from /dev/null, standard output to `output` and standard
// error to `errors`; all signals are at their defaults. `session` makes it the leader of a session of its
// own, else it leads a process group. Returns the pid, or the negative error number.
pid_t process_start(const char *path, char *const *arguments, char *const *environment,
                    int output, int errors, int session);

// Opens a pipe (read end first) that no program started meanwhile inherits; 0 or -1 and errno.
int pipe_open(int ends[2]);

// Accepts a connection that does not block and that no program started meanwhile inherits; its
// descriptor, or -1 and errno.
int socket_accept(int listener);

// Has a program that is spawned start with no descriptor from `first` on; 0 or the error number.
int spawn_close_from(posix_spawn_file_actions_t *actions, int first);

// From now on SIGTERM only makes the returned descriptor readable.
int termination_watch(void);

// Takes the whole file for writing (fcntl), waiting if asked to; 0 or the error number.
int record_lock(int descriptor, int wait);

// The process that holds a lock on the whole file against this one; 0 when there is none.
pid_t record_lock_holder(int descriptor);

// Takes one byte of an open file, alone or together with other open files, without waiting
// (F_OFD_SETLK, fcntl_locking(2)). The lock is the open file's: it ends with its last descriptor. What
// was taken before stays where this fails. 0 or the error number.
int byte_lock(int descriptor, off_t place, int alone);

// Takes the whole file (flock), waiting if asked to; 0 or the error number.
int file_lock(int descriptor, int wait);

// Takes the whole file (flock), trying for at most so many milliseconds; 0 or the error number.
int file_lock_within(int descriptor, int milliseconds);
// Gives a lock of flock(2) back, also where other descriptors of the open file remain.
void file_unlock(int descriptor);

// Sets room aside behind a file's end without changing its length, where the file system can; 0 or
// the error number.
int file_reserve(int descriptor, off_t length);

// Gives a piece of a file back to the file system: it reads as zeros, the file's length stays; 0 or
// the error number.
int file_punch(int descriptor, off_t offset, off_t length);

// Opens a file only to ask about it (O_PATH), without following a link at its end; -1 and errno.
int file_reference(const char *path);

// Whether a file, a link itself too, lies on a file system with the number of FUSE (statfs(2)); -1 and
// errno.
int file_is_on_fuse(const char *path);

// A counter that can be waited for; -1 and errno on failure.
int counter_open(void);
void counter_raise(int descriptor);

// A watch on folders: readable when something in them was created, written or renamed.
int watch_open(void);
int watch_add(int descriptor, const char *folder);
// Readable, too, when a file in it that was open for writing is closed.
int watch_add_releases(int descriptor, const char *folder);
// Forgets what has been reported.
void watch_drain(int descriptor);

// A set of process descriptors whose ends are waited for together (epoll(7)); -1 and errno on failure.
int exit_set_open(void);
// Adds a process descriptor under a number; it is reported once. 0, or -1 and errno.
int exit_set_add(int set, int descriptor, uint64_t number);
void exit_set_remove(int set, int descriptor);
// Waits, without a limit, until processes of the set have ended; stores at most `count` of their
// numbers and returns how many. -1 and errno on failure.
int exit_set_wait(int set, uint64_t *numbers, int count);

// Waits until one of three descriptors (-1 for none) is readable, for at most so many milliseconds
// (-1 for ever). Returns a bit for each, 0 when the time ran out.
int wait_readable(int first, int second, int third, int milliseconds);

// Makes the calling thread, and no other one, act as a user until it acts as root again with 0: for
// programs of root's that play somebody else. 0, or -1 and errno.
int thread_act_as(uid_t user);

// From now on all threads allocate from one arena (mallopt(3)); to be called before there are any.
void heap_share_arena(void);

// Gives memory that nobody uses back to the system (malloc_trim(3)).
void heap_give_back(void);

// Unmaps the pages of program text that are in memory as they are in their file (madvise(2)):
// what goes on being used is mapped again from the page cache when it is next touched, what only the
// start needed is not. The machine has no more memory by this; this process is charged with less.
void code_give_back(void);

// Sets an extended attribute of an open file (fsetxattr(2)); 0, or -1 and errno.
int attribute_set(int descriptor, const char *name, const void *value, size_t length);

#endif
