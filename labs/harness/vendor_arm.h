// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/reference.h"
#include "labs/gpu_experiment.h"

#include <functional>

namespace ridge::labs {

/// The vendor's own way to do the work of a point. Null where the target has none; where it should have one and does
/// not, the reason and its fix are logged and the point goes on without. Errors: what ends the run.
Result<std::unique_ptr<gpu::LoadedProgram>> vendorWay(GpuContext& context, const gpu::ReferenceWork& work);

/// A launch of it on these buffers.
gpu::Step vendorStep(const gpu::LoadedProgram& way, std::vector<gpu::KernelArg> buffers);

/// A vendor's way that takes turns with a kernel of ours, once its result was found right. Empty where there is none,
/// or where what it gives is wrong, which is no reference.
class VendorArm {
public:
    explicit VendorArm(std::string id) : m_arm{std::move(id), {}} {} ///< "cublas": the arm's name

    /// How it is found right: `wipe` clears the result; `judge` compares it, reports the check (whose name it is given,
    /// "cublas_matches_reference", with who did the work) and says whether it passed.
    struct Proof {
        std::function<Result<void>()> wipe;
        std::function<Result<bool>(const std::string& check, const std::string& who)> judge;
    };
    /// Finds the vendor's way, runs it once on `buffers`, which are those of the first set, and keeps it if it is
    /// right.
    Result<void> find(GpuContext& context, const gpu::ReferenceWork& work, std::vector<gpu::KernelArg> buffers,
                      const Proof& proof);
    /// The same on another set's buffers, where it was kept.
    void addSet(std::vector<gpu::KernelArg> buffers);
    explicit operator bool() const { return m_way != nullptr; }
    const gpu::Arm& arm() const { return m_arm; }
    /// The arm, or none: what LadderPoint::references() wants.
    std::vector<gpu::Arm> arms() const { return m_way ? std::vector<gpu::Arm>{m_arm} : std::vector<gpu::Arm>(); }

private:
    std::unique_ptr<gpu::LoadedProgram> m_way;
    gpu::Arm m_arm;
};

} // namespace ridge::labs
