// SPDX-License-Identifier: GPL-3.0-or-later
// What distinguishes the training software of two times, in few numbers.
#pragma once

#include "cluster/plan/plan.h"

namespace ridge::cluster {

struct SoftwareConstants {
    bool flash = true;            ///< attention keeps its scores on the chip
    bool overlaps = true;         ///< gradients, weights and messages travel under the arithmetic
    double products = 1;          ///< time of matrix products over that of the kernel-time function
    double streams = 1;           ///< the same of kernels that only move bytes
    double attentionBackward = 3; ///< over forward
    double tensorExposed = 1;     ///< share of all-reduces that waits
    double sequenceExposed = 1;   ///< share of sequence-parallel gathers and scatters that waits
    double lossBytes = 30;        ///< that the loss moves a logit, forward and backward
    bool gathers = false;         ///< a message between stages is put together again over the links of a node
    double addedBytes = 0;        ///< moved for a weight to add a micro-batch's gradient to the sum, beyond writing it
    double spread = 0;            ///< of replicas: standard deviation of a step, share of its pipeline's time
};

SoftwareConstants constantsOf(const TrainingJob& job);

} // namespace ridge::cluster
