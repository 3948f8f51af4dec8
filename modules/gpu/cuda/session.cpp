// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/session.h"

#include "base/target_kind.h"
#include "base/units.h"
#include "gpu/cuda/driver_errors.h"

#include <thread>

namespace ridge::gpu::cuda {

namespace {

constexpr unsigned kStreamNonBlocking = 1;
constexpr std::chrono::microseconds kSpinTime{500};
constexpr std::chrono::microseconds kNap{200};
constexpr std::chrono::milliseconds kStopInterval{20};

} // namespace

Session::Session(std::shared_ptr<const Driver> driver, const DeviceFacts& facts, const DeviceOptions& options)
    : m_driver(std::move(driver)), m_facts(facts), m_options(options), m_place(gpuTarget(facts.index))
{
}

Result<std::shared_ptr<Session>> Session::open(std::shared_ptr<const Driver> driver, const DeviceFacts& facts,
                                               const DeviceOptions& options)
{
    std::shared_ptr<Session> session(new Session(std::move(driver), facts, options));
    const Driver& api = session->driver();
    CuContext context = nullptr;
    CuResult code = api.primaryRetain(&context, facts.handle);
    session->m_retained = code == kCuSuccess;
    session->m_context = context;
    if (code == kCuSuccess)
        code = api.contextSetCurrent(context);
    if (code == kCuSuccess)
        code = api.streamCreate(&session->m_stream, kStreamNonBlocking);
    if (code == kCuSuccess)
        code = api.eventCreate(&session->m_start, 0);
    if (code == kCuSuccess)
        code = api.eventCreate(&session->m_end, 0);
    if (code == kCuDeviceUnavailable || code == kCuUnknown) { // here it is in use, or asleep, rather than lost
        Error error = initError(api, code);
        error.message = "a context cannot be made on " + facts.name + ": " + error.message;
        error.place = session->place();
        return session->close(std::move(error));
    }
    if (code != kCuSuccess)
        return session->failed(code, "a context cannot be made on " + facts.name);
    return session;
}

Session::~Session()
{
    if (m_closed) {
        if (m_gate)
            m_gate->abandon();
        return;
    }
    m_gate.reset();
    if (m_end != nullptr)
        m_driver->eventDestroy(m_end);
    if (m_start != nullptr)
        m_driver->eventDestroy(m_start);
    if (m_stream != nullptr)
        m_driver->streamDestroy(m_stream);
    if (m_retained)
        m_driver->primaryRelease(m_facts.handle);
}

Result<void> Session::usable() const
{
    if (!m_closed)
        return {};
    Error error = *m_closed;
    error.message = "the device was closed after an earlier error: " + error.message;
    return error;
}

Error Session::close(Error error)
{
    if (!m_closed)
        m_closed = error;
    return error;
}

Error Session::failed(CuResult code, const std::string& doing)
{
    Error error = callError(driver(), code, doing, m_place);
    return isSticky(code) ? close(std::move(error)) : error;
}

Error Session::kernelFailed(CuResult code, const std::string& kernel)
{
    Error error = kernelError(driver(), code, kernel, m_place);
    return isSticky(code) ? close(std::move(error)) : error;
}

Gate* Session::gate()
{
    if (!m_gateAsked)
        m_gate = Gate::make(driver());
    m_gateAsked = true;
    return m_gate.get();
}

Result<void> Session::waitFor(CuEvent event, const std::string& kernel)
{
    const Clock::time_point start = Clock::now();
    Clock::time_point nextStop = start + kStopInterval;
    for (;;) {
        const CuResult code = driver().eventQuery(event);
        if (code == kCuSuccess)
            return {};
        if (code != kCuNotReady)
            return kernelFailed(code, kernel);
        const Clock::time_point now = Clock::now();
        if (now >= nextStop) {
            nextStop = now + kStopInterval;
            if (stopRequested())
                return close({"cancelled", "stopped while kernel '" + kernel + "' was running", m_place, ""});
        }
        const double seconds = std::chrono::duration<double>(now - start).count();
        if (seconds > m_options.launchSeconds)
            return close(
                {"time-limit",
                 "kernel '" + kernel + "' was still running after " + formatQuantity(m_options.launchSeconds, "s"),
                 m_place, "look for a loop that does not end, or use a smaller size"});
        // The driver's own waiting calls cannot be interrupted, so a long wait polls; a short one spins to keep the
        // wall clock exact.
        if (now - start > kSpinTime)
            std::this_thread::sleep_for(kNap);
    }
}

} // namespace ridge::gpu::cuda
