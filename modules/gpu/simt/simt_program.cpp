// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/simt_program.h"

#include "gpu/simt/lower/lower_module.h"
#include "gpu/simt/machine/lower_machine.h"
#include "gpu/simt/ptx/predicate.h"
#include "gpu/simt/ptx/unroll.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint64_t kWorkspaceBytes = 256; ///< of this_grid(): a size and a barrier
constexpr std::uint64_t kConstBytes = 65536;   ///< of one module (CUDA Programming Guide)

std::uint64_t literalBits(const Initializer& value, ScalarType type)
{
    const Number& number = value.number;
    if (number.kind == Number::Kind::Double && sizeOf(type) == 4)
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(number.bits)));
    return number.bits; // of 0f in 64 bits the lower half, as ptxas has it
}

/// What an initial value that is an address leaves; null: the name is not known, or the type cannot hold it.
std::optional<std::uint64_t> addressBits(const Initializer& value, const VariableAddresses& addresses, unsigned width)
{
    const auto target = addresses.find(value.symbol);
    if (target == addresses.end() || (value.byte < 0 && width < 4))
        return std::nullopt;
    const std::uint64_t address = target->second + static_cast<std::uint64_t>(value.offset);
    return value.byte < 0 ? address : address >> 8 * value.byte & 0xff;
}

/// Rows that are given in part do not end where they should by the PTX ISA: ptxas 13.5 lays all values behind one
/// another, and so do GPUs.
Result<void> initialise(const Variable& variable, const VariableAddresses& addresses, const GlobalMemory& memory)
{
    const unsigned width = sizeOf(variable.type);
    if (variable.initializers.size() * width > variable.bytes)
        return badPtx(variable.place, "'" + std::string(variable.name) + "' has more initial values than elements");
    auto host = memory.range(addresses.at(variable.name), variable.bytes);
    if (!host)
        return host.error();
    for (std::size_t at = 0; at < variable.initializers.size(); ++at) {
        const Initializer& value = variable.initializers[at];
        std::uint64_t bits = literalBits(value, variable.type);
        if (!value.symbol.empty()) {
            const auto address = addressBits(value, addresses, width);
            if (!address)
                return badPtx(value.place, "the address of '" + std::string(value.symbol) +
                                               "' is not known here, or does not fit a ." +
                                               std::string(toText(variable.type)));
            bits = *address;
        }
        std::memcpy(*host + at * width, &bits, std::min<std::size_t>(width, sizeof bits)); // memory begins as zeros
    }
    return {};
}

Result<void> checkTarget(const Module& module, int computeCapability)
{
    // "a": that chip alone; "f": its family, which is a major version from that minor one on.
    const char suffix = module.target.empty() ? '\0' : module.target.back();
    const bool fits =
        suffix == 'a'   ? module.targetNumber == computeCapability
        : suffix == 'f' ? module.targetNumber <= computeCapability && module.targetNumber / 10 == computeCapability / 10
                        : module.targetNumber <= computeCapability;
    if (computeCapability == 0 || fits)
        return {};
    return Error{"unsupported-ptx",
                 "the program is compiled for " + module.target + ", the device has compute capability " +
                     std::to_string(computeCapability / 10) + "." + std::to_string(computeCapability % 10),
                 "PTX .target",
                 suffix == 'a' || suffix == 'f'
                     ? "Code for one chip or family alone runs on no other: compile for sm_" +
                           std::to_string(computeCapability) + ", or choose that chip as the target."
                     : "Compile for sm_" + std::to_string(computeCapability) + " or older."};
}

} // namespace

Result<std::unique_ptr<SimtProgram>> SimtProgram::load(const Program& program, std::shared_ptr<GlobalMemory> memory,
                                                       int computeCapability)
{
    std::unique_ptr<SimtProgram> made(new SimtProgram(program, std::move(memory)));
    if (auto compiled = made->compile(computeCapability); !compiled) {
        Error error = compiled.error();
        if (!program.name.empty())
            error.place = program.name + (error.place.empty() ? "" : ", " + error.place);
        return error;
    }
    return made;
}

Result<void> SimtProgram::compile(int computeCapability)
{
    auto module = parsePtx(m_program.ptx);
    if (!module)
        return module.error();
    if (auto fits = checkTarget(*module, computeCapability); !fits)
        return fits;
    predicateBranches(*module);
    unrollLoops(*module);
    VariableAddresses addresses;
    std::uint64_t constBytes = 0;
    for (const Variable& variable : module->variables) {
        if (variable.space == Space::Shared || variable.isExternal)
            continue;
        if (variable.space != Space::Global && variable.space != Space::Const)
            return badPtx(variable.place, "'" + std::string(variable.name) + "' cannot stand outside a function");
        if (addresses.count(variable.name) != 0)
            return badPtx(variable.place, "'" + std::string(variable.name) + "' is defined twice");
        constBytes += variable.space == Space::Const ? variable.bytes : 0;
        if (constBytes > kConstBytes)
            return badPtx(variable.place, "the constant variables exceed 64 KiB");
        auto address = m_memory->allocate(std::max<std::uint64_t>(variable.bytes, 1), variable.name);
        if (!address)
            return address.error();
        m_variables.push_back(*address);
        addresses.emplace(variable.name, *address);
    }
    if (m_program.ptx.find("%envreg") != std::string::npos) {
        auto workspace = m_memory->allocate(kWorkspaceBytes, "grid workspace");
        if (!workspace)
            return workspace.error();
        m_variables.push_back(*workspace);
        addresses.emplace(kGridWorkspace, *workspace);
    }
    m_addresses.insert(addresses.begin(), addresses.end());
    VariableAddresses symbols = addresses; // initial values may also be pointers to functions
    for (std::size_t at = module->functions.size(); at-- > 0;)
        symbols[module->functions[at].name] = functionAddress(at);
    for (const Variable& variable : module->variables) {
        if (variable.initializers.empty() || addresses.count(variable.name) == 0)
            continue;
        if (auto done = initialise(variable, symbols, *m_memory); !done)
            return done;
    }
    auto lowered = lowerModule(*module, addresses, computeCapability);
    if (!lowered)
        return lowered.error();
    m_kernels = std::move(lowered->kernels);
    m_refused = std::move(lowered->refused);
    if (!m_kernels.empty() || m_refused.empty())
        return {};
    Error all = m_refused.begin()->second;
    for (auto more = std::next(m_refused.begin()); more != m_refused.end(); ++more)
        all.message += "\n" + more->second.message;
    return all;
}

SimtProgram::~SimtProgram()
{
    for (const std::uint64_t address : m_variables)
        static_cast<void>(m_memory->free(address));
}

Result<DevicePtr> SimtProgram::variableAddress(const std::string& name) const
{
    const auto found = m_addresses.find(name);
    if (found == m_addresses.end())
        return Error{"no-variable", "the program has no variable '" + name + "'", m_program.name, {}};
    return DevicePtr{found->second};
}

Result<const MachineKernel*> SimtProgram::machine(const KernelImage& kernel, int computeCapability,
                                                  const ScheduleLatencies& latencies) const
{
    auto found = m_machines.find(&kernel);
    if (found == m_machines.end()) {
        auto lowered = lowerToMachine(kernel, computeCapability, latencies);
        if (!lowered)
            return lowered.error();
        found = m_machines.emplace(&kernel, std::move(*lowered)).first;
    }
    return &found->second;
}

Result<const KernelImage*> SimtProgram::kernelAsWritten(std::string_view name) const
{
    if (auto known = kernel(name); !known)
        return known;
    if (m_asWritten.empty()) {
        const auto module = parsePtx(m_program.ptx);
        if (!module)
            return module.error();
        VariableAddresses addresses;
        for (const auto& [variable, address] : m_addresses)
            addresses.emplace(variable, address);
        auto lowered = lowerModule(*module, addresses);
        if (!lowered)
            return lowered.error();
        m_asWritten = std::move(lowered->kernels);
    }
    const auto found =
        std::find_if(m_asWritten.begin(), m_asWritten.end(), [&](const KernelImage& k) { return k.name == name; });
    if (found == m_asWritten.end())
        return Error{"kernel-not-found", "the program has no kernel '" + std::string(name) + "'", m_program.name, {}};
    return &*found;
}

Result<const KernelImage*> SimtProgram::kernel(std::string_view name) const
{
    if (const auto refused = m_refused.find(std::string(name)); refused != m_refused.end())
        return refused->second;
    std::string known;
    for (const KernelImage& image : m_kernels) {
        if (image.name == name)
            return &image;
        known += (known.empty() ? "" : ", ") + image.name;
    }
    for (const auto& [other, error] : m_refused)
        known += (known.empty() ? "" : ", ") + other + " (not supported)";
    return Error{"kernel-not-found", "the program has no kernel '" + std::string(name) + "'", m_program.name,
                 known.empty() ? "It has no kernel at all; declare one as extern \"C\" __global__."
                               : "It has: " + known + "."};
}

} // namespace ridge::gpu::simt
