// Of its own, since the names of the capabilities are macros that would meet those of everything else.
#include <curses.h>
#include <term.h>

#include "include/Capabilities.h"

void cn_leave_out_long_scrolls(void) {
  // Scrolling by several lines in one command is the one thing of ncurses that not every terminal,
  // recorder and multiplexer knows; line feeds do the same.
  parm_index = NULL;
  parm_rindex = NULL;
}
