// SPDX-License-Identifier: GPL-3.0-or-later
// Lane operations for x86-64 processors with AVX2 and FMA (2013 and later).
#define RIDGE_LANES lanes_avx2
#include "gpu/simt/lanes/lane_find.h"
#include "gpu/simt/lanes/product_loops_in.h"
