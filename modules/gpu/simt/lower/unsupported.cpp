// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/unsupported.h"

#include <algorithm>

namespace ridge::gpu::simt {

Error refusalError(const std::string& kernel, std::vector<Refusal> refusals)
{
    std::sort(refusals.begin(), refusals.end());
    refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());
    const auto lacking = static_cast<std::size_t>(
        std::count_if(refusals.begin(), refusals.end(), [](const Refusal& refusal) { return refusal.lacking; }));
    const bool chipAlone = lacking == refusals.size();
    std::string message =
        (chipAlone ? "the chip does not have " : "the simulator does not support ") +
        (refusals.size() == 1 ? std::string("an instruction") : std::to_string(refusals.size()) + " instructions") +
        " of kernel " + kernel + ":";
    for (const Refusal& refusal : refusals) {
        message += "\n  " + refusal.instruction + " in kernel " + refusal.kernel + ", PTX line " +
                   std::to_string(refusal.ptxLine);
        if (refusal.sourceLine != 0)
            message += ", source line " + std::to_string(refusal.sourceLine);
        if (!refusal.reason.empty())
            message += " (" + refusal.reason + ")";
    }
    return {"unsupported-instruction", std::move(message), "PTX line " + std::to_string(refusals.front().ptxLine),
            chipAlone ? "Choose a target that has what is missing, or write the kernel without it."
                      : "Run this program on a GPU" + std::string(lacking == 0 ? "" : " that has all of them") +
                            ", or write the kernel without these instructions."};
}

} // namespace ridge::gpu::simt
