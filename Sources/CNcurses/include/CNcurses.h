/// ncurses as Swift can use it: the wide, opaque, macro-free API, and functions in place of what
/// does not import (macros, global variables, standard streams, pointers that need not be seen).
///
/// Everything here except the rescue functions must be called from one thread at a time.

#ifndef CNCURSES_H
#define CNCURSES_H

#define NCURSES_WIDECHAR 1
#define NCURSES_OPAQUE 1
#define NCURSES_NOMACROS 1

#include <ncurses.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Rescue.h"

// MARK: Locale

/// Takes the locale from the environment; true when text is UTF-8, for which C.UTF-8 is tried
/// where the environment says otherwise.
bool cn_set_locale(void);

/// The columns of a character by the table that ncurses uses; negative when it cannot be shown.
int cn_width(uint32_t character);

// MARK: The screen

/// Opens the one screen for a terminal type on two descriptors; false when the type is unknown
/// or cannot be used. Never ends the process.
bool cn_open(const char *_Nonnull type, int input, int output, int escape_delay);

/// Ends curses mode in good order and frees the screen.
void cn_close(void);

/// Forgets the screen without a byte to a terminal that is gone.
void cn_abandon(void);

/// Leaves curses mode for a while; the next `cn_show` comes back with a full repaint.
void cn_leave(void);

/// The colours that the terminal type has, 0 for none.
int cn_colors(void);

/// The pairs of colours that may be in use at a time, 0 for none.
int cn_color_pairs(void);

/// Whether colours are red, green and blue values instead of places in a table.
bool cn_has_direct_color(void);

/// Whether the terminal's own two colours can be asked for as -1.
bool cn_has_default_colors(void);

/// Whether the terminal type can place its cursor.
bool cn_can_move(void);

/// A string capability of the terminal type without its padding; its length, or 0 when the type
/// has none or it does not fit.
size_t cn_capability(const char *_Nonnull name, uint8_t *_Nonnull into, size_t capacity);

/// The pair for two colours, or a negative number. Harmless on a terminal without colours.
int cn_pair(int foreground, int background);

/// Gives a pair back.
void cn_free_pair(int pair);

extern const uint32_t cn_bold;
extern const uint32_t cn_dim;
extern const uint32_t cn_underline;
extern const uint32_t cn_reverse;

/// Puts one character with up to four marks (0 ends them) into a cell; it is shown by `cn_show`.
void cn_put(
  int row, int column, uint32_t base, uint32_t mark1, uint32_t mark2, uint32_t mark3,
  uint32_t mark4, uint32_t attributes, int pair);

/// Blanks all cells; costs bytes only where something else stood.
void cn_erase(void);

/// Writes what has changed, in one go. A negative row hides the cursor.
void cn_show(int cursor_row, int cursor_column);

/// Makes the next `cn_show` write every cell.
void cn_forget(void);

/// Tells ncurses the terminal's size.
void cn_resize(int rows, int columns);

// MARK: Input

/// The key code that begins a bracketed paste.
extern const int cn_paste_begin;
/// The key code that ends a bracketed paste.
extern const int cn_paste_end;
/// The key code of function key 0.
extern const int cn_function_zero;

/// The next byte or key code, or ERR when none is waiting.
int cn_next_key(void);

/// Waits until a descriptor has something to read, at most so many milliseconds.
void cn_wait(int descriptor, int milliseconds);

// MARK: Descriptors

/// What a descriptor has to tell.
enum cn_readiness { cn_silent, cn_readable, cn_gone };

/// Whether something can be read, or the other side has left.
enum cn_readiness cn_poll(int descriptor);

/// The size of a terminal in cells: rows in the upper, columns in the lower 16 bits; 0 when not
/// known.
uint32_t cn_size(int descriptor);

#endif
