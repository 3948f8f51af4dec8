// SPDX-License-Identifier: GPL-3.0-or-later
// What lowering to machine instructions says of the kernels of PTX files; tools/machine-truth compares it with ptxas.
//   machine_report CAPABILITY FILE.ptx…              a line a kernel: name, instructions, registers, microseconds, most
//   live values machine_report --listing CAPABILITY FILE.ptx…    each instruction with its PTX and source line
#include "gpu/simt/lower/lower_module.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/predicate.h"
#include "gpu/simt/ptx/unroll.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using namespace ridge::gpu::simt;

void printListing(const KernelImage& image, const MachineKernel& kernel)
{
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
        std::cout << "B" << block << ":\n";
        for (std::uint32_t at = kernel.blocks[block].first; at < kernel.blocks[block].end; ++at) {
            const MachineOp& op = kernel.ops[at];
            std::cout << "    " << kernel.mnemonics[op.mnemonic] << " R" << op.destination.first << "*"
                      << int(op.destination.count) << " <-";
            for (const RegisterRange& range : op.sources)
                if (range.count != 0)
                    std::cout << " R" << range.first << "*" << int(range.count);
            std::cout << "  stall " << int(op.stall) << " wait " << int(op.waitMask) << " w"
                      << (op.writeCounter == kNoCounter ? -1 : op.writeCounter) << " r"
                      << (op.readCounter == kNoCounter ? -1 : op.readCounter);
            if (op.covers != kNoMicroOp)
                std::cout << "  ; " << image.texts[image.places[op.covers].text] << " line "
                          << image.places[op.covers].ptxLine;
            std::cout << "\n";
        }
    }
}

int report(const std::string& file, int capability, bool listing)
{
    std::ifstream stream(file);
    std::stringstream buffer;
    buffer << stream.rdbuf();
    const std::string text = buffer.str();
    const auto start = std::chrono::steady_clock::now();
    auto module = parsePtx(text);
    if (!module) {
        std::cerr << file << ": " << module.error().message << "\n";
        return 1;
    }
    predicateBranches(*module);
    unrollLoops(*module);
    VariableAddresses addresses;
    std::uint64_t next = 0x10000;
    for (const Variable& variable : module->variables) {
        if (variable.space != Space::Shared) {
            addresses[variable.name] = next;
            next += (variable.bytes + 255) / 256 * 256;
        }
    }
    const auto images = lowerModule(*module, addresses);
    if (!images) {
        std::cerr << file << ": " << images.error().message << "\n";
        return 1;
    }
    const auto decoded = std::chrono::steady_clock::now();
    std::cerr << file << ": load " << std::chrono::duration<double, std::milli>(decoded - start).count() << " ms\n";
    for (const KernelImage& image : images->kernels) {
        const auto before = std::chrono::steady_clock::now();
        const auto kernel = lowerToMachine(image, capability, defaultScheduleLatencies());
        const auto after = std::chrono::steady_clock::now();
        if (!kernel) {
            std::cerr << kernel.error().message << "\n";
            return 1;
        }
        std::cout << image.name << "\t" << kernel->staticInstructions << "\t" << kernel->registers << "\t"
                  << std::chrono::duration_cast<std::chrono::microseconds>(after - before).count() << "\t"
                  << kernel->maxLive << "\n";
        if (listing)
            printListing(image, *kernel);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const bool listing = argc > 1 && std::string_view(argv[1]) == "--listing";
    const int first = listing ? 2 : 1;
    if (argc < first + 2) {
        std::cerr << "usage: machine_report [--listing] CAPABILITY FILE.ptx...\n";
        return 2;
    }
    int status = 0;
    for (int at = first + 1; at < argc; ++at)
        status |= report(argv[at], std::stoi(argv[first]), listing);
    return status;
}
