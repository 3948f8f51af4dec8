// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_grading.h"

namespace ridge::app {

/// Whether simulator, GPU and the CPU's reference say the same of a kernel of one's own, as far as gradings tell it:
/// the task's reference computes every case on the CPU.
struct KernelAgreement {
    enum class State { Agree, Disagree };
    State state = State::Agree;
    QString sentence; ///< both sides and where they part; what is missing for the second one
};

/// None where no case ran. `other`: the last grading of the same text for the same task on the other kind of target
/// (simulated chip or GPU), if there is one. `noGpu`: why this machine has none, a sentence; empty: it has one.
std::optional<KernelAgreement> agreementOf(const GradedKernel& graded, const GradedKernel* other, const QString& noGpu);

} // namespace ridge::app
