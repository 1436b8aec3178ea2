// The C library's own calls for its allocator, which its Swift module leaves out.
#include <malloc.h>
