// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/driver.h"

#include <atomic>
#include <thread>

namespace ridge::gpu::cuda {

/// Holds a stream until the CPU has queued what is to run behind, so that the rate of its calls does not enter a
/// measured time. The stream waits for a word of pinned memory; the CPU writes it. Opens by itself after kMostSeconds:
/// a call that blocks behind a closed gate would otherwise block for ever.
class Gate {
public:
    static constexpr double kMostSeconds = 1;
    static constexpr int kMostLaunches = 500; ///< behind it: drivers queue about a thousand before they block

    /// Null where the driver cannot: cuStreamWaitValue32_v2 came with CUDA 11.7.
    static std::unique_ptr<Gate> make(const Driver& driver);
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    /// False: the driver refuses, and nothing waits.
    bool close(CuStream stream);
    void open();
    /// The device is lost: nothing more goes to the driver, the word stays.
    void abandon() { m_word = nullptr; }

private:
    Gate(const Driver& driver, std::uint32_t* word, CuPointer address);
    void watch();

    const Driver& m_driver;
    std::uint32_t* m_memory;
    std::atomic<std::uint32_t*> m_word;
    CuPointer m_address;
    std::atomic<std::uint32_t> m_ticket{0};
    bool m_refused = false;
    std::atomic<std::int64_t> m_closedAt{0}; ///< steady clock, ns; 0: open
    std::atomic<bool> m_forced{false};
    std::atomic<bool> m_ending{false};
    std::thread m_watch;

    friend class GateHold;
};

/// A closed gate that opens at the latest with its scope.
class GateHold {
public:
    /// `gate` may be null.
    GateHold(Gate* gate, CuStream stream) : m_gate(gate != nullptr && gate->close(stream) ? gate : nullptr) {}
    ~GateHold() { open(); }
    GateHold(const GateHold&) = delete;
    GateHold& operator=(const GateHold&) = delete;

    /// True when the stream waited until now: what was queued meanwhile cost the device no time.
    bool open()
    {
        if (m_gate == nullptr)
            return false;
        m_gate->open();
        const bool held = !m_gate->m_forced;
        m_gate = nullptr;
        return held;
    }

private:
    Gate* m_gate;
};

} // namespace ridge::gpu::cuda
