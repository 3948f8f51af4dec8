// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_work.h"
#include "gpu/cuda/ptx_facts.h"
#include "gpu/program_variables.h"

namespace ridge::gpu::cuda {

/// A module on the GPU: the compiler's machine code where there is any for exactly this GPU and the driver takes it,
/// else what the driver makes of the PTX; program().cubin is empty then.
class CudaProgram final : public CudaWork, public ProgramVariables {
public:
    /// Errors: "ptx-too-new" (names driver and PTX version), "arch-mismatch", "bad-ptx" (with the driver's log),
    /// "out-of-memory", "driver-failed".
    static Result<std::unique_ptr<CudaProgram>> load(std::shared_ptr<Session> session, const Program& program);
    ~CudaProgram() override;
    CudaProgram(const CudaProgram&) = delete;
    CudaProgram& operator=(const CudaProgram&) = delete;

    const Program& program() const override { return m_program; }
    const Session* session() const override { return m_session.get(); }
    Result<DevicePtr> variableAddress(const std::string& name) const override;

    /// A launch that has been checked, so that handing it over costs the CPU no more than the driver's call.
    struct Prepared {
        CuFunction function = nullptr;
        Launch launch;
        std::vector<void*> arguments;                ///< into launch.args or structs, which must stay where they are
        std::vector<std::vector<std::byte>> structs; ///< all parameters, where one is given field by field
    };
    /// Checks a launch against device and kernel.
    /// Errors: "kernel-not-found", "bad-launch" (names the resource and the legal value), those of kernels.
    Result<Prepared> prepare(const Launch& launch) const;
    /// Queues it. Errors: those of kernels.
    Result<void> submit(Prepared& prepared, CuStream stream) const;
    /// Both at once, on the session's stream.
    Result<void> enqueue(const Launch& launch) const override;
    /// Of a thread of a kernel that was launched; 0 where the driver does not tell.
    std::uint32_t registers(const std::string& name) const override;
    std::uint32_t residentBlocks(const Launch& launch) const override;

private:
    struct Kernel {
        CuFunction function = nullptr;
        std::uint32_t maxThreads = 0;
        std::uint32_t staticShared = 0;
        std::uint32_t registers = 0;
        std::uint32_t dynamicShared = 0; ///< what the driver has been told to allow
    };

    CudaProgram(std::shared_ptr<Session> session, const Program& program);
    bool loadMachineCode();
    Result<Kernel*> kernel(const std::string& name) const;
    Result<void> check(const Kernel& kernel, const Launch& launch) const;
    Result<void> checkArguments(const Launch& launch) const;
    Result<void> allowDynamicShared(Kernel& kernel, const Launch& launch) const;

    std::shared_ptr<Session> m_session;
    Program m_program;
    PtxFacts m_facts;
    CuModule m_module = nullptr;
    mutable std::map<std::string, Kernel> m_kernels;
};

} // namespace ridge::gpu::cuda
