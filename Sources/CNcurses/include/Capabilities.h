#ifndef FETTLE_CAPABILITIES_H
#define FETTLE_CAPABILITIES_H

/// Takes capabilities of the present terminal out of use that emulators leave out.
void cn_leave_out_long_scrolls(void);

#endif
