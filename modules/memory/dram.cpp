// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/dram.h"
#include "memory/dram_channel.h"

namespace ridge::memory {

const char* nameOf(DramCommandKind kind)
{
    constexpr const char* names[] = {"ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REF", "REFB"};
    return names[static_cast<std::size_t>(kind)];
}

Result<DramResult> simulate(const DramSpec& spec, const DramRun& run)
{
    if (auto good = checkSpec(spec); !good)
        return good.error();
    return dram::Channel(spec, run).go();
}

} // namespace ridge::memory
