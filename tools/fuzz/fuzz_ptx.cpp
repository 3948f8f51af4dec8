// SPDX-License-Identifier: GPL-3.0-or-later
// PTX from anywhere: parsed, loaded and lowered to machine instructions, whatever it says.
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/simt_program.h"

#include <cstdlib>

using namespace ridge::gpu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Program program;
    program.name = "fuzz.ptx";
    program.ptx.assign(reinterpret_cast<const char*>(data), size);
    const auto module = simt::parsePtx(program.ptx);
    const auto memory = std::make_shared<simt::GlobalMemory>(std::uint64_t{1} << 20);
    const auto loaded = simt::SimtProgram::load(program, memory, 0);
    // Whoever refuses a text must say why.
    if (!loaded && (loaded.error().code.empty() || loaded.error().message.empty()))
        std::abort();
    if (!loaded)
        return 0;
    if (!module)
        std::abort();
    for (const simt::Function& function : module->functions) {
        const auto image = (*loaded)->kernel(function.name);
        if (image)
            static_cast<void>(simt::lowerToMachine(**image, 80, simt::defaultScheduleLatencies()));
    }
    return 0;
}
