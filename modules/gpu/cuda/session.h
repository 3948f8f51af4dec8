// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/gate.h"

#include <chrono>

namespace ridge::gpu::cuda {

using Clock = std::chrono::steady_clock;

/// An open GPU: driver, context, stream, and whether it is still fit for use. Shared by the device and its loaded
/// programs, so that a program may outlive the device.
class Session {
public:
    static Result<std::shared_ptr<Session>> open(std::shared_ptr<const Driver> driver, const DeviceFacts& facts,
                                                 const DeviceOptions& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const Driver& driver() const { return *m_driver; }
    const DeviceFacts& facts() const { return m_facts; }
    const std::string& place() const { return m_place; }
    CuContext context() const { return m_context; }
    CuStream stream() const { return m_stream; }
    CuEvent startEvent() const { return m_start; }
    CuEvent endEvent() const { return m_end; }
    bool stopRequested() const { return m_options.stop && m_options.stop(); }

    /// Fails once the device has been closed by an earlier error.
    Result<void> usable() const;
    /// Closes the device: later calls answer with `error`.
    Error close(Error error);
    /// The error of a call that runs no kernel; closes the device if the code says that the context is lost.
    Error failed(CuResult code, const std::string& doing);
    /// The error of a kernel; closes the device likewise.
    Error kernelFailed(CuResult code, const std::string& kernel);

    /// What can hold a stream; null where the driver cannot.
    Gate* gate();

    /// Waits for the end event while polling the stop callback. Errors: those of kernels, "cancelled", "time-limit"
    /// (after DeviceOptions::launchSeconds).
    Result<void> waitForEnd(const std::string& kernel) { return waitFor(m_end, kernel); }
    Result<void> waitFor(CuEvent event, const std::string& kernel);

private:
    Session(std::shared_ptr<const Driver> driver, const DeviceFacts& facts, const DeviceOptions& options);

    std::shared_ptr<const Driver> m_driver;
    DeviceFacts m_facts;
    DeviceOptions m_options;
    std::string m_place;
    CuContext m_context = nullptr;
    CuStream m_stream = nullptr;
    CuEvent m_start = nullptr;
    CuEvent m_end = nullptr;
    bool m_retained = false;
    std::optional<Error> m_closed;
    std::unique_ptr<Gate> m_gate;
    bool m_gateAsked = false;
};

} // namespace ridge::gpu::cuda
