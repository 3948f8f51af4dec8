// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/session.h"

namespace ridge::gpu::cuda {

/// What a session can queue: a kernel of ours, or the vendor's own way to do the same.
class CudaWork : public LoadedProgram {
public:
    virtual const Session* session() const = 0;
    /// Queues it on the session's stream. Errors: those of kernels, "bad-launch".
    virtual Result<void> enqueue(const Launch& launch) const = 0;
    /// Of a thread of a kernel; 0 where nobody tells. A driver that loads kernels late has loaded it by then.
    virtual std::uint32_t registers(const std::string&) const { return 0; }
    /// Blocks of this launch that an SM holds at once, as the driver counts them; 0 where it does not.
    virtual std::uint32_t residentBlocks(const Launch&) const { return 0; }
};

} // namespace ridge::gpu::cuda
