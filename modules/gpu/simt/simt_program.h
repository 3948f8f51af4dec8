// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/program_variables.h"
#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/machine/machine_kernel.h"
#include "gpu/simt/run/memory.h"

#include <map>

namespace ridge::gpu::simt {

/// A program whose kernels are lowered and whose variables lie in device memory until it is destroyed.
class SimtProgram : public LoadedProgram, public ProgramVariables {
public:
    /// Errors: "bad-ptx", "unsupported-ptx", "out-of-memory". A kernel with instructions that are not supported, or
    /// that chips of `computeCapability` (10 * major + minor; 0: not asked) lack, is refused when it is asked for; the
    /// others run. A program whose kernels are all refused answers "unsupported-instruction" at once.
    static Result<std::unique_ptr<SimtProgram>> load(const Program& program, std::shared_ptr<GlobalMemory> memory,
                                                     int computeCapability);
    ~SimtProgram() override;

    const Program& program() const override { return m_program; }
    Result<DevicePtr> variableAddress(const std::string& name) const override;
    /// Errors: "kernel-not-found" with the kernels there are; "unsupported-instruction" with every instruction of the
    /// kernel that is refused, its PTX line and its source line.
    Result<const KernelImage*> kernel(std::string_view name) const;
    /// The kernel as the PTX has it, no loop unrolled, for who follows it instruction by instruction; made when it is
    /// first asked for. Errors: those of kernel().
    Result<const KernelImage*> kernelAsWritten(std::string_view name) const;
    /// The kernel as machine instructions, made when it is first asked for. Errors: those of lowerToMachine.
    Result<const MachineKernel*> machine(const KernelImage& kernel, int computeCapability,
                                         const ScheduleLatencies& latencies) const;
    const std::vector<KernelImage>& kernels() const { return m_kernels; }
    const std::map<std::string, Error>& refused() const { return m_refused; }

private:
    SimtProgram(Program program, std::shared_ptr<GlobalMemory> memory)
        : m_program(std::move(program)), m_memory(std::move(memory))
    {
    }
    Result<void> compile(int computeCapability);

    Program m_program;
    std::shared_ptr<GlobalMemory> m_memory;
    std::vector<std::uint64_t> m_variables;
    std::map<std::string, std::uint64_t, std::less<>> m_addresses; ///< of the variables, by name
    std::vector<KernelImage> m_kernels;
    mutable std::vector<KernelImage> m_asWritten;
    mutable std::map<const KernelImage*, MachineKernel> m_machines;
    std::map<std::string, Error> m_refused;
};

} // namespace ridge::gpu::simt
