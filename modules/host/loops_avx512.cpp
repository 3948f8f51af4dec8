// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_LOOPS kAvx512Loops
#define RIDGE_LOOPS_NAME "AVX-512"
#define RIDGE_VECTOR_BYTES 64
#include "host/loops_body.h"
