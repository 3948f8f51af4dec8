// SPDX-License-Identifier: GPL-3.0-or-later
// Lane operations for x86-64 processors with AVX-512 F, BW, DQ and VL (servers since 2017, Zen 4 and later).
#define RIDGE_LANES lanes_avx512
#include "gpu/simt/lanes/lane_find.h"
#include "gpu/simt/lanes/product_loops_in.h"
