// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/vendor_arm.h"

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

} // namespace ridge::labs
