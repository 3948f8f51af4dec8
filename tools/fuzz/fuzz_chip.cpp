// SPDX-License-Identifier: GPL-3.0-or-later
// Chip files: the table of chips, and the timing file of one.
#include "gpu/simt/timing/chip_file.h"
#include "silicon/chip_catalogue.h"

using namespace ridge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(silicon::parseCatalogue(text, "fuzz.json"));
    // A file may inherit from itself or from others that say the same.
    const auto chip =
        gpu::simt::parseChipTiming("fuzz", [&](const std::string&) -> Result<std::string> { return text; });
    if (chip)
        static_cast<void>(gpu::simt::assumptionsOf(*chip));
    return 0;
}
