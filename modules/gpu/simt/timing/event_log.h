// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/timing/sm_setup.h"

#include <algorithm>
#include <vector>

namespace ridge::gpu::simt {

/// What happens on one SM in the window of cycles that is looked at: the last events of it, or where single SMs are
/// watched the first.
class EventLog {
public:
    EventLog(const SmSetup& setup, std::uint32_t sm) : m_setup(setup), m_sm(sm) {}

    bool isOn() const { return m_setup.eventCapacity != 0; }

    void note(TimingEvent::Kind kind, std::uint64_t cycle, std::uint32_t slot, std::uint32_t op, std::uint32_t payload)
    {
        if (isOn() && cycle >= m_setup.firstEvent && cycle < m_setup.endEvent)
            keep({static_cast<std::uint32_t>(cycle), static_cast<std::uint16_t>(m_sm), static_cast<std::uint8_t>(slot),
                  kind, op, payload});
    }

    const std::vector<TimingEvent>& events() const { return m_events; }
    std::size_t start() const { return m_next; } ///< the oldest

private:
    void keep(const TimingEvent& event)
    {
        if (m_setup.watchSms != 0 && (m_sm >= m_setup.watchSms || m_events.size() >= m_setup.eventCapacity))
            return;
        if (m_events.size() < m_setup.eventCapacity) {
            m_events.push_back(event);
            return;
        }
        m_events[m_next] = event;
        m_next = (m_next + 1) % m_events.size();
    }

    const SmSetup& m_setup;
    std::uint32_t m_sm;
    std::vector<TimingEvent> m_events;
    std::size_t m_next = 0;
};

} // namespace ridge::gpu::simt
