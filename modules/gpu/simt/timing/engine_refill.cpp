// SPDX-License-Identifier: GPL-3.0-or-later
// How warps get their instructions, and the SMs' part of an epoch, which runs beside that.
#include "gpu/simt/timing/engine.h"

#include <algorithm>

namespace ridge::gpu::simt {

void TimingEngine::prepareAsides()
{
    m_asides.resize(m_sms.size());
    for (Aside& aside : m_asides) {
        aside.state = stateAside(m_state);
        aside.state.log = &aside.log;
    }
}

/// The first part of a refill, on all threads: every SM runs its warps ahead as if it were alone. Which thread does it
/// and when makes no difference, because no SM sees what another one stores.
void TimingEngine::refillAside(unsigned worker)
{
    std::size_t at = 0;
    while (m_unfilled.claim(false, at)) {
        Aside& aside = m_asides[at];
        aside.control.untilPoll = kMostAside;
        aside.state.options.traceRequests = m_state.options.traceRequests - m_state.trace.size();
        aside.how = Refilled::Whole;
        m_sms[at].countInto(m_tallies[worker]);
        if (m_sms[at].wanting())
            aside.how = m_sms[at].refill(aside.state, aside.control);
        m_ranAside.add(1);
    }
}

/// What the SM has done aside becomes the launch's. False: it failed there.
bool TimingEngine::takeOver(std::size_t sm)
{
    Aside& aside = m_asides[sm];
    LaunchState& own = aside.state;
    aside.log.commit();
    simt::takeOver(m_state, own.counters, own.trace);
    m_control.untilPoll -= kMostAside - aside.control.untilPoll;
    if (aside.how == Refilled::Failed) {
        m_control.error = std::move(aside.control.error);
        m_state.stop = own.stop;
        return false;
    }
    const std::uint64_t most = m_state.options.mostInstructions;
    return most == 0 || m_state.counters.instExecuted <= most || !m_sms[sm].endForBudget(m_state, m_control) ||
           goesOn(m_state, m_control);
}

/// Whether the first thread still has something to do with the blocks of the SM before it may run.
bool TimingEngine::waitsForOrder(std::size_t sm) const
{
    if (!m_overlaps || !m_fills)
        return false;
    return !m_parts || m_asides[sm].how == Refilled::InOrder || m_state.options.mostInstructions != 0;
}

/// Gives instructions to the warps that want some, in the order of SMs; where SMs have run aside, what that has left.
/// m_refilled tells how many have theirs.
bool TimingEngine::refillSms()
{
    bool good = true;
    for (std::size_t at = 0; at < m_sms.size() && good; ++at) {
        bool wants = !m_parts && m_sms[at].wanting();
        if (m_parts) {
            good = takeOver(at);
            wants = good && m_asides[at].how == Refilled::InOrder;
        }
        if (good && wants) { // nobody else runs it before this is done
            m_sms[at].countInto(m_tallies.front());
            good = m_sms[at].refill(m_state, m_control) == Refilled::Whole;
        }
        if (m_overlaps)
            m_refilled.raise(at + 1);
    }
    if (m_overlaps)
        m_refilled.raise(m_sms.size());
    return good;
}

/// All SMs to the end of the epoch. Those that stop for the clock are served in order and go on.
bool TimingEngine::runSms()
{
    m_unclaimed.reset(m_sms.size());
    m_unfilled.reset(m_sms.size());
    bool refilled = true;
    m_refilled.reset();
    m_ranAside.reset();
    m_fills = std::any_of(m_sms.begin(), m_sms.end(), [](const Sm& sm) { return sm.wanting(); });
    // An SM that has its instructions has nothing to do with the others until the epoch ends.
    m_team.run([this, &refilled](unsigned worker) {
        if (m_parts && m_fills) {
            refillAside(worker);
            m_ranAside.await(m_sms.size()); // before that nobody writes what others may still read
        }
        if (worker == 0 && m_overlaps && m_fills)
            refilled = refillSms();
        smPhase(worker, false);
    });
    if (!refilled)
        return false;
    while (std::find(m_halted.begin(), m_halted.end(), std::uint8_t{1}) != m_halted.end()) {
        for (std::size_t sm = 0; sm < m_sms.size(); ++sm) {
            if (m_halted[sm] != 0 && !m_sms[sm].serveClocks(m_state, m_control))
                return false;
        }
        m_unclaimed.reset(m_sms.size());
        m_team.run([this](unsigned worker) { smPhase(worker, true); });
    }
    return true;
}

/// The thread that refills takes SMs from the end, the others follow it from the front.
void TimingEngine::smPhase(unsigned worker, bool onlyHalted)
{
    std::size_t at = 0;
    while (m_unclaimed.claim(worker == 0, at)) {
        if (onlyHalted && m_halted[at] == 0)
            continue;
        if (worker != 0 && !onlyHalted && waitsForOrder(at))
            m_refilled.await(at + 1);
        Sm& sm = m_sms[at];
        sm.countInto(m_tallies[worker]);
        if (!onlyHalted) {
            for (auto& served : m_answers) {
                for (const L2Reply& reply : served[at])
                    sm.deliver(reply);
                served[at].clear();
            }
        }
        m_halted[at] = sm.run(m_epochEnd) ? 0 : 1;
        if (m_halted[at] != 0)
            continue;
        std::vector<L2Request>& requests = sm.requests();
        std::size_t taken = 0;
        for (; taken < requests.size() && requests[taken].cycle < m_epochEnd; ++taken)
            m_routed[worker][m_map.groupOf(requests[taken].line)].push_back(
                {requests[taken], static_cast<std::uint32_t>(at)});
        requests.erase(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(taken));
    }
}

} // namespace ridge::gpu::simt
