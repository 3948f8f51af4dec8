// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/cub_sum.h"

#include "base/json.h"
#include "base/paths.h"
#include "labs/harness/buffers.h"
#include "labs/harness/ladder.h"

#include <bit>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr const char* kSource = "references/cub_sum.cu"; ///< below assets

/// With CUDA's own compilers alone: others cannot read CUB's headers, whatever RIDGE_COMPILER says of our kernels.
/// Errors: "no-reference".
Result<gpu::Program> compileCub(const gpu::DeviceInfo& info)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    auto text = readFile(*data / "assets" / kSource);
    if (!text)
        return Error{"no-reference", "CUB's launches are not described here: " + text.error().message, kSource,
                     "install Ridgepoint again, or set reference=none"};
    const gpu::KernelSource source{kSource, std::move(*text)};
    std::string reasons;
    for (const gpu::CompilerChoice choice : {gpu::CompilerChoice::Nvrtc, gpu::CompilerChoice::Nvcc}) {
        auto program = gpu::compile(source, info, {.choice = choice});
        if (program)
            return program;
        const std::string& why = program.error().message;
        reasons += (reasons.empty() ? "" : "; ") + why.substr(0, why.find('\n'));
    }
    return Error{"no-reference", "CUB cannot be compiled here: " + reasons, kSource,
                 "install the CUDA toolkit 13 or newer with its headers (or pip install nvidia-cuda-nvrtc "
                 "nvidia-cuda-runtime nvidia-cuda-cccl), or set reference=none"};
}

std::uint64_t log2Up(std::uint64_t n)
{
    return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

} // namespace

Result<std::unique_ptr<CubSum>> CubSum::make(GpuContext& context, bool isFloat)
{
    gpu::Device& device = context.device();
    if (device.info().countsOnly)
        return std::unique_ptr<CubSum>();
    const auto without = [&](const Error& why) -> Result<std::unique_ptr<CubSum>> {
        if (why.code != "no-reference")
            return why;
        context.log("without a vendor's reference: " + toText(why));
        return std::unique_ptr<CubSum>();
    };
    const auto program = compileCub(device.info());
    if (!program)
        return without(program.error());
    auto loaded = device.load(*program);
    if (!loaded)
        return loaded.error();
    std::unique_ptr<CubSum> made(new CubSum);
    made->m_program = std::move(*loaded);
    made->m_type = isFloat ? "f32" : "i32";
    if (auto read = made->readFacts(context); !read)
        return without(read.error());
    context.log(fmt::format("reference: {}, by {} {}, at most {} blocks of {} threads", made->name(), program->compiler,
                            program->compilerVersion, made->m_mostBlocks, made->m_facts.threads));
    return made;
}

/// What CUB chose for the chip, and how many of its blocks an SM holds, as CUB asks the driver: by launching one.
Result<void> CubSum::readFacts(GpuContext& context)
{
    gpu::Device& device = context.device();
    Buffers buffers(device);
    const auto facts = buffers.allocate(sizeof m_facts, "what CUB chose");
    const auto sum = facts ? buffers.allocate(sizeof(std::uint32_t), "a sum that nobody reads") : facts;
    if (!sum)
        return sum.error();
    if (auto poisoned = poison(context, *facts, sizeof m_facts); !poisoned)
        return poisoned;
    const gpu::Step ask = step(m_program.get(), "cub_facts_" + m_type, 1, 1, {*facts});
    if (auto asked = device.launch(*ask.program, ask.launch, {}); !asked)
        return asked.error();
    if (auto copied = device.copyToHost(std::as_writable_bytes(std::span(&m_facts, 1)), *facts); !copied)
        return copied;
    if (m_facts.threads < 1 || m_facts.threads > 1024 || m_facts.lastThreads < 1 || m_facts.lastThreads > 1024 ||
        m_facts.tile < m_facts.threads || m_facts.tile > (1u << 20) || m_facts.blocksPerResident > 1024)
        return Error{"no-reference", "CUB's kernels do not run here: what they say of themselves makes no sense",
                     device.info().target, "measure without it: set reference=none"};
    const gpu::Step one =
        step(m_program.get(), "cub_partial_" + m_type, 1, m_facts.threads, {*facts, *sum, std::uint32_t{1}});
    const auto report = device.launch(*one.program, one.launch, {});
    if (!report)
        return report.error();
    const std::uint64_t resident = report->residentBlocksPerSm > 0
                                       ? report->residentBlocksPerSm
                                       : std::max(1u, residentThreads(device.info()) / m_facts.threads);
    m_mostBlocks = std::max<std::uint64_t>(1, resident * device.info().smCount * m_facts.blocksPerResident);
    return {};
}

std::uint64_t CubSum::partials(std::uint64_t n) const
{
    return std::min(m_mostBlocks, ceilDiv(n, m_facts.tile));
}

gpu::Sequence CubSum::sequence(gpu::DevicePtr in, gpu::DevicePtr partialSums, gpu::DevicePtr sum, std::uint64_t n) const
{
    const auto count = [](std::uint64_t elements) { return static_cast<std::uint32_t>(elements); };
    const gpu::LoadedProgram* program = m_program.get();
    // A single tile needs no second launch, as in CUB.
    if (n <= m_facts.tile)
        return {step(program, "cub_last_" + m_type, 1, m_facts.lastThreads, {in, sum, count(n)})};
    return {step(program, "cub_partial_" + m_type, partials(n), m_facts.threads, {in, partialSums, count(n)}),
            step(program, "cub_last_" + m_type, 1, m_facts.lastThreads, {partialSums, sum, count(partials(n))})};
}

std::uint64_t CubSum::chain(std::uint64_t n) const
{
    const auto pass = [&](std::uint64_t elements, std::uint64_t blocks, std::uint64_t threads) {
        return ceilDiv(elements, blocks * threads) + m_facts.tile / m_facts.threads + log2Up(threads);
    };
    return pass(n, partials(n), m_facts.threads) + pass(partials(n), 1, m_facts.lastThreads);
}

std::string CubSum::name() const
{
    return fmt::format("CUB {}.{}.{}", m_facts.version / 100000, m_facts.version / 100 % 1000, m_facts.version % 100);
}

} // namespace ridge::labs
