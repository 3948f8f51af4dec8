// SPDX-License-Identifier: GPL-3.0-or-later
// Lane operations for any processor of the build's architecture.
#define RIDGE_LANES lanes_baseline
#include "gpu/simt/lanes/lane_find.h"
#include "gpu/simt/lanes/product_loops_in.h"
