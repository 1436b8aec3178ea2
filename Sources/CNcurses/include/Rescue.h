/// The way out that needs nothing: a fixed string and the terminal's old modes, both prepared
/// beforehand, so that any signal handler can give the terminal back.

#ifndef CNCURSES_RESCUE_H
#define CNCURSES_RESCUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Remembers the modes of a terminal; false when it is none.
bool rescue_remember(int terminal);

/// Sets the bytes that give the terminal back; at most 512.
void rescue_set_bytes(const uint8_t *_Nonnull bytes, size_t count);

/// From now on `rescue_restore` acts, in this process only; also at `exit`.
void rescue_arm(void);

/// From now on `rescue_restore` does nothing: somebody else gave the terminal back.
void rescue_disarm(void);

/// Gives the terminal back if nobody has. Safe in a signal handler, and as often as one likes.
void rescue_restore(void);

/// Takes standard error away from the screen into memory, if it is a terminal.
void rescue_hold_errors(void);

/// Brings standard error back and prints what was written meanwhile (the last 64 KiB, control
/// characters replaced).
void rescue_release_errors(void);

/// Catches every signal that ends a process, and those that concern a terminal. Their numbers
/// come as bytes from the returned descriptor; a crash restores the terminal and goes on to crash.
/// A signal that asks for the end has two seconds to be answered by `rescue_uncatch_signals`; then
/// it ends the process itself, the terminal restored as far as that takes bytes.
int rescue_catch_signals(void);

/// Says that SIGWINCH was heard: until then further ones add no byte, so that no storm of them
/// keeps the byte of another signal out. To be called before the size is asked for.
void rescue_heard_resize(void);

/// Puts the former handlers back; that of SIGHUP stays if a hang-up is being dealt with.
void rescue_uncatch_signals(bool keeps_hang_up);

/// Stops this process and its group as the terminal's stop key would; returns when continued, or
/// at once where nobody could continue it.
void rescue_stop(void);

/// Ends this process by a signal, as if it had never been caught.
_Noreturn void rescue_end_by(int signal);

#endif
