// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/cuda_work.h"

/// What references have in common that call a vendor's library.
namespace ridge::gpu::cuda {

/// Device memory that a library may use while it works.
class Workspace {
public:
    explicit Workspace(std::shared_ptr<Session> session) : m_session(std::move(session)) {}
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    /// Once. Errors: "out-of-memory".
    Result<void> allocate(std::uint64_t bytes);
    void* memory() const { return reinterpret_cast<void*>(m_address); } ///< null before

private:
    std::shared_ptr<Session> m_session;
    CuPointer m_address = 0;
};

/// A program that queues calls of a library in place of kernels.
class Reference : public CudaWork {
public:
    Reference(std::shared_ptr<Session> session, std::string name) : m_session(std::move(session))
    {
        m_program.name = std::move(name);
        m_program.compiler = "vendor";
    }
    const Program& program() const override { return m_program; }
    const Session* session() const override { return m_session.get(); }

protected:
    std::shared_ptr<Session> m_session;
    Program m_program;
};

/// The device memory that a launch names, and nothing else: so many pointers. Errors: "bad-launch".
Result<std::vector<CuPointer>> pointersOf(const Launch& launch, std::size_t count);

/// Of several ways to do one piece of work the one whose shortest of a few tries is the shortest. `launch` names the
/// buffers that are used. Errors: "cancelled", and those of kernels where a call breaks the context; where no way does
/// it what keeps the last of them from it, before any was tried `why`, and `none` where nobody says.
Result<std::unique_ptr<LoadedProgram>> fastestOf(Session& session, std::vector<std::unique_ptr<Reference>> ways,
                                                 const Launch& launch, std::optional<Error> why, const Error& none);

} // namespace ridge::gpu::cuda
