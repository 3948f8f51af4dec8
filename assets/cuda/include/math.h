// SPDX-License-Identifier: GPL-3.0-or-later
// Device code has its declarations from ridge_cuda.h; host code of the same file takes the system's.
#pragma once
#if __has_include_next(<math.h>)
#include_next <math.h>
#endif
