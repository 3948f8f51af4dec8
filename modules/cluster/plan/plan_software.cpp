// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/plan_software.h"

namespace ridge::cluster {

// Three numbers each, fitted to published throughputs; docs/validation.md, "Training plans", has every row. 2021: ten
// rows of Narayanan et al. (arXiv 2104.04473, table 1) and four of Korthikanti et al. (arXiv 2205.05198, table 5),
// micro-batches of 1. Core: five rows of Megatron-Core 0.8 on H100. The kernel-time function was fitted to single
// kernels in a loop; in a step clocks are lower and small kernels are less fused. FlashAttention's backward pass has
// five products in place of two.
SoftwareConstants constantsOf(const TrainingJob& job)
{
    SoftwareConstants c;
    if (job.software == Software::Megatron2021) {
        c.flash = false;
        c.overlaps = false;
        c.products = 1.203;
        c.streams = 0.70;
        c.tensorExposed = 0.924;
        c.sends = 2; // a stage waits for what it sends and for what it receives
    } else {
        c.products = 1.276;
        c.streams = 2.56;
        c.tensorExposed = 0.74;
        c.sequenceExposed = 0.70;
        c.attentionBackward = 2.5;
    }
    return c;
}

} // namespace ridge::cluster
