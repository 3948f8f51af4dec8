// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_call.h"

#include <limits>

namespace ridge::gpu::cuda {

namespace {

constexpr int kTries = 3; // of each way, after one that is not counted

/// The shortest of some tries. Errors: those of the way and of kernels.
Result<double> secondsOf(Session& session, const Reference& way, const Launch& launch)
{
    const Driver& driver = session.driver();
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kTries; ++i) {
        if (session.stopRequested())
            return Error{"cancelled", "stopped while trying " + way.program().name, session.place(), ""};
        if (const CuResult code = driver.eventRecord(session.startEvent(), session.stream()); code != kCuSuccess)
            return session.failed(code, "an event cannot be recorded");
        if (auto queued = way.enqueue(launch); !queued)
            return queued.error();
        if (const CuResult code = driver.eventRecord(session.endEvent(), session.stream()); code != kCuSuccess)
            return session.failed(code, "an event cannot be recorded");
        if (auto done = session.waitForEnd(way.program().name); !done)
            return done.error();
        float milliseconds = 0;
        if (const CuResult code = driver.eventElapsed(&milliseconds, session.startEvent(), session.endEvent());
            code != kCuSuccess)
            return session.kernelFailed(code, way.program().name);
        if (i > 0)
            best = std::min(best, static_cast<double>(milliseconds) * 1e-3);
    }
    return best;
}

} // namespace

Workspace::~Workspace()
{
    if (m_address != 0 && m_session->usable().ok())
        m_session->driver().memoryFree(m_address);
}

Result<void> Workspace::allocate(std::uint64_t bytes)
{
    if (const CuResult code = m_session->driver().memoryAllocate(&m_address, bytes); code != kCuSuccess)
        return m_session->failed(code, "the workspace of a vendor's library cannot be allocated");
    return {};
}

Result<std::vector<CuPointer>> pointersOf(const Launch& launch, std::size_t count)
{
    std::vector<CuPointer> out;
    for (const KernelArg& argument : launch.args)
        if (const auto* pointer = std::get_if<DevicePtr>(&argument))
            out.push_back(pointer->address);
    if (out.size() != count || launch.args.size() != count)
        return Error{"bad-launch", "a reference takes " + std::to_string(count) + " pointers", launch.kernel,
                     "pass the buffers that its kind of work names"};
    return out;
}

Result<std::unique_ptr<LoadedProgram>> fastestOf(Session& session, std::vector<std::unique_ptr<Reference>> ways,
                                                 const Launch& launch, std::optional<Error> why, const Error& none)
{
    std::unique_ptr<LoadedProgram> best;
    double least = std::numeric_limits<double>::infinity();
    for (auto& way : ways) {
        const auto seconds = secondsOf(session, *way, launch);
        if (!seconds && seconds.error().code != "no-reference")
            return seconds.error();
        if (!seconds) {
            why = seconds.error(); // the others may be able to
        } else if (*seconds < least) {
            least = *seconds;
            best = std::move(way);
        }
    }
    if (!best)
        return why ? *why : none;
    return best;
}

} // namespace ridge::gpu::cuda
