// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_DENSE kAvx512
#define RIDGE_DENSE_BYTES 64
#include "memory/dense_body.h"
