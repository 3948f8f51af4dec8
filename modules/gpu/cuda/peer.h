// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/session.h"

namespace ridge::gpu::cuda {

/// Memory on another GPU, with a context of its own there.
class CudaPeerMemory final : public PeerMemory {
public:
    /// On the GPU after the session's, the first one after the last. Errors: "no-peer" (one GPU, or no way between the
    /// two, each with the fix), "driver-too-old", "out-of-memory", "driver-failed".
    static Result<std::unique_ptr<PeerMemory>> allocate(std::shared_ptr<Session> session, std::uint64_t bytes,
                                                        std::string_view label);
    ~CudaPeerMemory() override;

    const std::string& owner() const override { return m_owner; }
    DevicePtr address() const override { return {m_address}; }
    std::uint64_t bytes() const override { return m_bytes; }
    Result<void> write(std::span<const std::byte> from, std::uint64_t offset) override;
    Result<void> read(std::span<std::byte> to, std::uint64_t offset) const override;
    int index() const { return m_index; } ///< of that GPU, as the driver counts
    CuContext context() const { return m_context; }
    const Session* session() const { return m_session.get(); }

private:
    explicit CudaPeerMemory(std::shared_ptr<Session> session) : m_session(std::move(session)) {}
    Result<void> open(int index, std::uint64_t bytes, std::string_view label);
    /// Calls `work` with the other GPU's context current, then makes the session's current again.
    CuResult there(const std::function<CuResult()>& work) const;
    Result<void> within(std::uint64_t offset, std::uint64_t bytes) const;

    std::shared_ptr<Session> m_session;
    std::string m_owner;
    int m_index = 0;
    CuDevice m_device = 0;
    CuContext m_context = nullptr;
    CuPointer m_address = 0;
    std::uint64_t m_bytes = 0;
    bool m_enabled = false;
};

} // namespace ridge::gpu::cuda
