#define _GNU_SOURCE 1

#include "CNcurses.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

const uint32_t cn_bold = A_BOLD;
const uint32_t cn_dim = A_DIM;
const uint32_t cn_underline = A_UNDERLINE;
const uint32_t cn_reverse = A_REVERSE;

// Above every code that ncurses gives to the extended keys of a terminal type.
const int cn_paste_begin = KEY_MAX + 0x1000;
const int cn_paste_end = KEY_MAX + 0x1001;
const int cn_function_zero = KEY_F0;

static SCREEN *screen;
static FILE *input_stream;
static FILE *output_stream;
// Reading from a pad never draws; reading from a window does.
static WINDOW *keys;
static bool has_color;
static bool has_default_colors;

// MARK: Locale

static bool is_utf8(void) {
  const char *codeset = nl_langinfo(CODESET);
  return codeset && strcmp(codeset, "UTF-8") == 0;
}

bool cn_set_locale(void) {
  if (!setlocale(LC_ALL, "")) setlocale(LC_ALL, "C");
  if (is_utf8()) return true;
  // Only a locale without a charset of its own may be taken for one with UTF-8: a terminal that was
  // set to another charset would show other letters.
  if (strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") != 0) return false;
  if (setlocale(LC_CTYPE, "C.UTF-8") && is_utf8()) return true;
  return false;
}

int cn_width(uint32_t character) {
  return wcwidth((wchar_t)character);
}

// MARK: The screen

static FILE *stream(int descriptor, const char *mode) {
  int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return NULL;
  FILE *file = fdopen(copy, mode);
  if (!file) close(copy);
  return file;
}

static void close_streams(void) {
  if (input_stream) fclose(input_stream);
  if (output_stream) fclose(output_stream);
  input_stream = output_stream = NULL;
}

bool cn_open(const char *type, int input, int output, int escape_delay) {
  input_stream = stream(input, "r");
  output_stream = stream(output, "w");
  if (!input_stream || !output_stream) {
    close_streams();
    return false;
  }
  use_env(FALSE);
  use_tioctl(TRUE);
  screen = newterm(type, output_stream, input_stream);
  if (!screen) {
    close_streams();
    return false;
  }
  set_term(screen);
  set_escdelay(escape_delay);
  has_color = has_colors() && start_color() == OK;
  has_default_colors = has_color && use_default_colors() == OK;
  raw();
  noecho();
  nonl();
  typeahead(-1);
  idlok(stdscr, FALSE);
  scrollok(stdscr, FALSE);
  keys = newpad(1, 1);
  keypad(keys, TRUE);
  nodelay(keys, TRUE);
  // Reports of the mouse are read as what they are: ncurses knows one of their forms only, cuts
  // them at column 223 with some types, and waits to make clicks of them.
  define_key(NULL, KEY_MOUSE);
  define_key("\033[200~", cn_paste_begin);
  define_key("\033[201~", cn_paste_end);
  curs_set(0);
  return true;
}

void cn_abandon(void) {
  screen = NULL;
  keys = NULL;
  close_streams();
}

void cn_close(void) {
  if (!screen) return;
  endwin();
  delwin(keys);
  delscreen(screen);
  cn_abandon();
}

void cn_leave(void) {
  endwin();
}

int cn_colors(void) {
  return has_color ? COLORS : 0;
}

int cn_color_pairs(void) {
  return has_color ? COLOR_PAIRS : 0;
}

bool cn_has_direct_color(void) {
  return has_color && COLORS >= (1 << 24) && tigetflag("RGB") > 0;
}

bool cn_has_default_colors(void) {
  return has_default_colors;
}

static const char *text_capability(const char *name) {
  const char *text = tigetstr(name);
  return text == (const char *)-1 ? NULL : text;
}

bool cn_can_move(void) {
  return text_capability("cup") != NULL;
}

size_t cn_capability(const char *name, uint8_t *into, size_t capacity) {
  const char *text = text_capability(name);
  if (!text) return 0;
  size_t count = 0;
  while (*text) {
    if (text[0] == '$' && text[1] == '<') {
      const char *end = strchr(text, '>');
      if (end) {
        text = end + 1;
        continue;
      }
    }
    if (count == capacity) return 0;
    into[count++] = (uint8_t)*text++;
  }
  return count;
}

int cn_pair(int foreground, int background) {
  // alloc_pair of ncurses 6.4 crashes where start_color has not made its tables.
  return has_color ? alloc_pair(foreground, background) : -1;
}

void cn_free_pair(int pair) {
  if (has_color && pair > 0) free_pair(pair);
}

void cn_put(
  int row, int column, uint32_t base, uint32_t mark1, uint32_t mark2, uint32_t mark3,
  uint32_t mark4, uint32_t attributes, int pair) {
  wchar_t text[6] = {
    (wchar_t)base, (wchar_t)mark1, (wchar_t)mark2, (wchar_t)mark3, (wchar_t)mark4, 0};
  cchar_t cell;
  if (setcchar(&cell, text, attributes, (short)(pair & 0x7fff), &pair) != OK) return;
  // The last cell of all answers ERR because nothing may scroll; it is shown nevertheless.
  (void)mvwadd_wch(stdscr, row, column, &cell);
}

void cn_erase(void) {
  werase(stdscr);
}

void cn_show(int cursor_row, int cursor_column) {
  bool hidden = cursor_row < 0;
  leaveok(stdscr, hidden);
  if (!hidden) wmove(stdscr, cursor_row, cursor_column);
  wnoutrefresh(stdscr);
  doupdate();
  curs_set(hidden ? 0 : 1);
}

void cn_forget(void) {
  clearok(curscr, TRUE);
}

void cn_resize(int rows, int columns) {
  resizeterm(rows, columns);
}

// MARK: Input

int cn_next_key(void) {
  int key;
  // resizeterm queues a key of its own.
  do key = wgetch(keys);
  while (key == KEY_RESIZE);
  return key;
}

void cn_wait(int descriptor, int milliseconds) {
  struct pollfd question = {.fd = descriptor, .events = POLLIN};
  (void)poll(&question, 1, milliseconds);
}

// MARK: Descriptors

enum cn_readiness cn_poll(int descriptor) {
  struct pollfd question = {.fd = descriptor, .events = POLLIN};
  if (poll(&question, 1, 0) <= 0) return cn_silent;
  if (question.revents & (POLLHUP | POLLERR | POLLNVAL)) return cn_gone;
  int waiting = 0;
  // Readable without a byte is the end of the input.
  if (ioctl(descriptor, FIONREAD, &waiting) < 0 || waiting == 0) return cn_gone;
  return cn_readable;
}

uint32_t cn_size(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) return 0;
  return (uint32_t)size.ws_row << 16 | size.ws_col;
}
