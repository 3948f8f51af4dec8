// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/vendor_arm.h"

#include "labs/harness/work.h"

namespace ridge::labs {

Result<std::unique_ptr<gpu::LoadedProgram>> vendorWay(GpuContext& context, const gpu::ReferenceWork& work)
{
    auto way = context.device().reference(work);
    if (way)
        return way;
    const Error& error = way.error();
    // A workspace that does not fit is no reason to end a run whose own buffers did.
    if (error.code != "no-reference" && error.code != "out-of-memory")
        return error;
    context.log("without a vendor's reference: " + toText(error));
    return std::unique_ptr<gpu::LoadedProgram>();
}

gpu::Step vendorStep(const gpu::LoadedProgram& way, std::vector<gpu::KernelArg> buffers)
{
    return {&way, gpu::Launch{way.program().name, {1, 1, 1}, {1, 1, 1}, 0, std::move(buffers)}};
}

Result<void> VendorArm::find(GpuContext& context, const gpu::ReferenceWork& work, std::vector<gpu::KernelArg> buffers,
                             const Proof& proof)
{
    auto way = vendorWay(context, work);
    if (!way)
        return way.error();
    if (!*way)
        return {};
    if (auto wiped = proof.wipe(); !wiped)
        return wiped;
    const gpu::Sequence once{vendorStep(**way, std::move(buffers))};
    if (auto ran = executeReference(context, once); !ran)
        return ran.error();
    const std::string& name = (*way)->program().name;
    const auto isRight = proof.judge(m_arm.name + "_matches_reference", name);
    if (!isRight)
        return isRight.error();
    if (!*isRight) {
        context.log("without a vendor's reference: " + name + " gives wrong results");
        return {};
    }
    context.log("reference: " + name);
    m_way = std::move(*way);
    m_arm.sets.push_back(once);
    return {};
}

void VendorArm::addSet(std::vector<gpu::KernelArg> buffers)
{
    if (m_way)
        m_arm.sets.push_back({vendorStep(*m_way, std::move(buffers))});
}

} // namespace ridge::labs
