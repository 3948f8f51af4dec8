// SPDX-License-Identifier: GPL-3.0-or-later
#define RIDGE_DENSE kBaseline
#define RIDGE_DENSE_BYTES 16
#include "memory/dense_body.h"
