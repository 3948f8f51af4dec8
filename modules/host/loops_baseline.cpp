// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_LOOPS kBaselineLoops
#define RIDGE_LOOPS_NAME "baseline"
#define RIDGE_VECTOR_BYTES 16
#include "host/loops_body.h"
