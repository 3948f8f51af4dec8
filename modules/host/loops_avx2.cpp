// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_LOOPS kAvx2Loops
#define RIDGE_LOOPS_NAME "AVX2"
#define RIDGE_VECTOR_BYTES 32
#include "host/loops_body.h"
