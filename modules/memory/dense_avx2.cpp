// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_DENSE kAvx2
#define RIDGE_DENSE_BYTES 32
#include "memory/dense_body.h"
