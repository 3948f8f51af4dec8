// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/plan_software.h"

namespace ridge::cluster {

// Fitted to published throughputs; docs/validation.md, "Training plans", has every row. 2021: products, streams and
// spread, on ten rows of Narayanan et al. (arXiv 2104.04473, table 1) with the micro-batches and pieces of their script
// (Megatron-LM, examples/sc21/run_table_1.sh) and four of Korthikanti et al. (arXiv 2205.05198, table 5). The rest of
// it follows from how that software works: sums of a layer are waited for; a message between stages is cut into as many
// parts as GPUs share a layer and gathered by the receiver (2104.04473, section 4.1); torch's DDP, used without stages,
// sends gradients under the backward pass, its own DDP, used with stages, after it; a gradient of fp16 is read with the
// sum, which is written. Core: four numbers, on five rows of Megatron-Core 0.8 on H100, micro-batches of 1. The
// kernel-time function was fitted to single kernels in a loop; in a step clocks are lower and small kernels are less
// fused. FlashAttention's backward pass has five products in place of two.
SoftwareConstants constantsOf(const TrainingJob& job)
{
    SoftwareConstants c;
    if (job.software == Software::Megatron2021) {
        c.flash = false;
        c.overlaps = false;
        c.products = 1.08;
        c.streams = 1.03;
        c.gathers = true;
        c.addedBytes = 6;
        c.spread = 0.037;
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
