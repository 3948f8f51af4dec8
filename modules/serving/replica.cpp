// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/replica.h"

#include <algorithm>
#include <cmath>

namespace ridge::serving {

void Queue::pop()
{
    ++m_head;
    if (m_head > 4096 && m_head * 2 > m_items.size()) {
        m_items.erase(m_items.begin() + kFront, m_items.begin() + static_cast<std::ptrdiff_t>(m_head));
        m_head = kFront;
    }
}

void Queue::pushFront(std::uint32_t item)
{
    if (m_head == 0) {
        m_items.insert(m_items.begin(), kFront, 0);
        m_head = kFront;
    }
    m_items[--m_head] = item;
}

void Queue::clear()
{
    m_items.assign(kFront, 0);
    m_head = kFront;
}

void Journal::interval(double seconds, double weight)
{
    constexpr std::size_t kMost = std::size_t{1} << 23;
    if (intervals.size() == kMost) { // neighbours become one: an error far below what differs between percentiles
        std::sort(intervals.begin(), intervals.end(),
                  [](const Interval& a, const Interval& b) { return a.seconds < b.seconds; });
        for (std::size_t i = 0; i < kMost / 2; ++i) {
            const Interval &a = intervals[2 * i], &b = intervals[2 * i + 1];
            const double weights = a.weight + b.weight;
            intervals[i] = {(a.seconds * a.weight + b.seconds * b.weight) / weights, weights};
        }
        intervals.resize(kMost / 2);
    }
    intervals.push_back({seconds, weight});
}

Replica::Replica(std::uint32_t id, const ReplicaConfig& config, const StepCost& cost, Journal& journal, Queue& queue,
                 bool sharesQueue)
    : m_id(id), m_config(config), m_cost(cost), m_journal(journal), m_waiting(queue), m_sharesQueue(sharesQueue),
      m_free(config.blocks), m_growing(config.block)
{
    m_prefixBlocks = config.prefixTokens / config.block;
    if (m_prefixBlocks > 0)
        m_prefixes.resize(config.groups);
}

bool Replica::hasPrefix(std::uint32_t group) const
{
    return group < m_prefixes.size() && m_prefixes[group].resident;
}

void Replica::offer(std::uint32_t request, double now)
{
    m_waiting.pushBack(request);
    wake(now);
}

void Replica::wake(double now)
{
    if (!up)
        return;
    if (m_clock == kNever || m_sleeping)
        m_clock = std::max(now, m_lastEnd);
    m_sleeping = false;
}

void Replica::start(double now)
{
    up = true;
    m_lastEnd = std::max(m_lastEnd, now);
    if (!m_waiting.empty())
        wake(now);
}

void Replica::fail(double now, std::vector<std::uint32_t>& lost)
{
    const auto lose = [&](std::uint32_t request, bool decoding) {
        evict(request, decoding);
        m_waiting.pop(); // evict put it to the front
        lost.push_back(request);
    };
    // The latest first, so that `lost` can be turned round into the order in which they began.
    if (!m_sharesQueue) {
        for (std::size_t i = m_waiting.size(); i-- > 0;)
            lost.push_back(m_waiting.at(i));
        m_waiting.clear();
    }
    for (std::size_t i = m_prefilling.size(); i-- > 0;)
        lose(m_prefilling[i], false);
    for (std::size_t i = m_decodes.size(); i-- > 0;)
        lose(m_decodes[i], true);
    m_prefilling.clear();
    m_decodes.clear();
    std::reverse(lost.begin(), lost.end());
    m_fresh.clear();
    m_nextFinish = std::numeric_limits<std::int64_t>::max();
    m_prefixes.assign(m_prefixes.size(), {});
    m_idlePrefixes = 0;
    m_free = m_config.blocks;
    up = false;
    m_clock = kNever;
    m_lastEnd = std::max(m_lastEnd, now);
}

std::uint64_t Replica::blocksToAdmit(const RequestState& r) const
{
    std::uint64_t need = blocksFor(r.prefilled ? r.processed - 1 : r.target);
    if (reserves())
        need = std::max(blocksFor(std::max(r.total(), std::int64_t{m_config.reserveTokens})), need);
    if (hasPrefix(r.group) && r.target > m_prefixBlocks * m_config.block)
        need -= m_prefixBlocks;
    return need;
}

bool Replica::reclaim(std::uint64_t wanted)
{
    while (m_free < wanted && m_idlePrefixes > 0) { // the one that was not used for longest
        Prefix* oldest = nullptr;
        for (Prefix& each : m_prefixes)
            if (each.resident && each.users == 0 && (!oldest || each.lastUse < oldest->lastUse))
                oldest = &each;
        if (!oldest)
            break;
        oldest->resident = false;
        --m_idlePrefixes;
        m_free += m_prefixBlocks;
    }
    return m_free >= wanted;
}

bool Replica::admissible(std::uint32_t request)
{
    const RequestState& r = of(request);
    if (running() >= m_config.maxBatch)
        return false;
    std::uint64_t need = blocksToAdmit(r) + m_config.watermark;
    if (m_free >= need)
        return true;
    if (m_prefixBlocks == 0)
        return false;
    // Its own prefix may not be what is thrown out for it.
    const bool own = hasPrefix(r.group) && m_prefixes[r.group].users == 0;
    if (own) {
        ++m_prefixes[r.group].users;
        --m_idlePrefixes;
    }
    const bool fits = reclaim(need);
    if (own) {
        --m_prefixes[r.group].users;
        ++m_idlePrefixes;
    }
    return fits;
}

void Replica::admit(std::uint32_t request)
{
    RequestState& r = of(request);
    const std::uint64_t need = blocksToAdmit(r);
    r.blocks = static_cast<std::uint32_t>(need);
    r.shared = 0;
    m_free -= need;
    if (r.group < m_prefixes.size() && r.target > m_prefixBlocks * m_config.block) {
        Prefix& prefix = m_prefixes[r.group];
        prefix.lastUse = m_clock;
        if (prefix.resident) {
            if (prefix.users++ == 0)
                --m_idlePrefixes;
            r.shared = static_cast<std::uint32_t>(m_prefixBlocks);
            if (!r.prefilled) {
                r.processed = static_cast<std::int64_t>(m_prefixBlocks * m_config.block);
                cachedTokens += m_prefixBlocks * m_config.block;
            }
        }
    }
    peakBlocks = std::max(peakBlocks, usedBlocks());
}

void Replica::release(std::uint32_t request, std::uint64_t own)
{
    RequestState& r = of(request);
    m_free += own;
    if (r.shared > 0) {
        Prefix& prefix = m_prefixes[r.group];
        if (--prefix.users == 0)
            ++m_idlePrefixes;
        prefix.lastUse = m_clock;
        r.shared = 0;
    }
}

/// Own blocks of a decode whose last token was scheduled, but not the next one.
std::uint64_t Replica::heldByDecode(const RequestState& r) const
{
    if (reserves())
        return r.blocks;
    return blocksFor(r.processed + m_steps - 1) - r.shared;
}

void Replica::evict(std::uint32_t request, bool decoding)
{
    RequestState& r = of(request);
    std::int64_t done = r.processed;
    if (decoding) {
        done = r.processed + m_steps;
        const auto fresh = std::find(m_fresh.begin(), m_fresh.end(), request);
        if (fresh != m_fresh.end())
            m_fresh.erase(fresh);
        else
            r.lastToken = m_lastDecode;
        release(request, heldByDecode(r));
        forgetDecode(r);
        r.target = static_cast<std::uint32_t>(done);
    } else {
        release(request, r.blocks);
        if (m_config.cutPrompt)
            r.target = static_cast<std::uint32_t>(done);
    }
    r.processed = 0;
    r.prefilled = false;
    r.ready = m_clock == kNever ? m_lastEnd : m_clock;
    ++r.restarts;
    ++restarts;
    m_waiting.pushFront(request);
}

void Replica::beginDecode(std::uint32_t request)
{
    RequestState& r = of(request);
    r.processed -= m_steps;
    m_processedSum += r.processed;
    const auto block = std::int64_t{m_config.block};
    ++m_growing[static_cast<std::size_t>((((1 - r.processed) % block) + block) % block)];
    if (m_config.scheduler == Scheduler::Vllm) // by arrival
        m_decodes.insert(std::upper_bound(m_decodes.begin(), m_decodes.end(), r.arrival,
                                          [&](double at, std::uint32_t other) { return at < of(other).arrival; }),
                         request);
    else
        m_decodes.push_back(request);
    m_fresh.push_back(request);
    const std::int64_t finish = r.total() - r.processed;
    m_nextFinish = m_decodes.size() == 1 ? finish : std::min(m_nextFinish, finish);
}

/// Its share of the sums; m_decodes is the caller's.
void Replica::forgetDecode(const RequestState& r)
{
    const auto block = std::int64_t{m_config.block};
    m_processedSum -= r.processed;
    --m_growing[static_cast<std::size_t>((((1 - r.processed) % block) + block) % block)];
}

void Replica::findNextFinish()
{
    m_nextFinish = std::numeric_limits<std::int64_t>::max();
    for (const std::uint32_t request : m_decodes)
        m_nextFinish = std::min(m_nextFinish, of(request).total() - of(request).processed);
}

void Replica::note(std::uint32_t request, Doing doing, double from, double until)
{
    if (!m_journal.drawn || request >= Journal::kDrawnRequests || until <= from ||
        m_journal.deeds.size() >= Journal::kMostDeeds)
        return;
    m_journal.deeds.push_back({request, m_id, doing, from, until});
}

void Replica::count(double seconds, double stepTokens)
{
    ++batches;
    tokens += static_cast<std::uint64_t>(stepTokens);
    busy += seconds;
    blockSeconds += seconds * static_cast<double>(usedBlocks());
}

bool Replica::decodesSurelyFit() const
{
    return reserves() || m_free >= m_growing[static_cast<std::size_t>(m_steps % m_config.block)] + 1;
}

/// The next blocks of all decodes, evicting from the end where there are too few. False: no decode is left.
bool Replica::decodesFit()
{
    if (reserves())
        return !m_decodes.empty();
    const std::uint64_t grow = m_growing[static_cast<std::size_t>(m_steps % m_config.block)];
    if (m_free >= grow + 1 || reclaim(grow + 1)) {
        m_free -= grow;
        peakBlocks = std::max(peakBlocks, usedBlocks());
        return !m_decodes.empty();
    }
    // Each decode in order asks for a free block, whether it needs one or not.
    std::size_t kept = 0, last = m_decodes.size();
    bool changed = false;
    while (kept < last) {
        const std::uint32_t request = m_decodes[kept];
        bool self = false;
        while (m_free < 1) {
            changed = true;
            if (m_tailEvictable && !m_prefilling.empty()) {
                const std::uint32_t victim = m_prefilling.back();
                m_prefilling.pop_back();
                m_tailEvictable = false;
                evict(victim, false);
            } else if (last > kept + 1) {
                evict(m_decodes[--last], true);
            } else {
                self = true;
                evict(request, true);
                --last;
                break;
            }
        }
        if (self)
            break;
        const RequestState& r = of(request);
        if ((r.processed + m_steps - 1) % m_config.block == 0)
            --m_free;
        ++kept;
    }
    peakBlocks = std::max(peakBlocks, usedBlocks());
    if (changed) {
        m_decodes.resize(last);
        findNextFinish();
    }
    return !m_decodes.empty();
}

void Replica::finish(std::uint32_t request)
{
    of(request).done = m_clock;
    if (m_journal.tellCompleted)
        m_journal.completed.push_back(request);
}

/// The decodes of a step have their token. `before`: when the step began.
void Replica::endDecodes(double before)
{
    const double kept = static_cast<double>(m_decodes.size() - m_fresh.size());
    if (kept > 0)
        m_journal.interval(m_clock - m_lastDecode, kept);
    for (const std::uint32_t request : m_fresh) {
        const RequestState& r = of(request);
        if (r.lastToken >= 0)
            m_journal.interval(m_clock - r.lastToken, 1);
    }
    m_fresh.clear();
    m_lastDecode = m_clock;
    ++m_steps;
    if (m_journal.drawn)
        for (const std::uint32_t request : m_decodes)
            note(request, Doing::Decode, before, m_clock);
    if (m_steps < m_nextFinish)
        return;
    std::size_t kept2 = 0;
    for (const std::uint32_t request : m_decodes) {
        RequestState& r = of(request);
        if (r.processed + m_steps < r.total()) {
            m_decodes[kept2++] = request;
            continue;
        }
        release(request, heldByDecode(r));
        forgetDecode(r);
        r.processed = r.total();
        finish(request);
    }
    m_decodes.resize(kept2);
    findNextFinish();
}

/// A part of a prompt was processed.
void Replica::partDone(const Part& part)
{
    RequestState& r = of(part.request);
    r.processed += part.tokens;
    if (r.processed < r.target) {
        m_scratch.push_back(part.request);
        return;
    }
    ++r.processed; // the token that comes out of it
    if (r.firstToken < 0)
        r.firstToken = m_clock;
    else if (r.lastToken >= 0)
        m_journal.interval(m_clock - r.lastToken, 1);
    r.lastToken = m_clock;
    if (r.group < m_prefixes.size() && r.shared == 0 && !m_prefixes[r.group].resident &&
        r.target > m_prefixBlocks * m_config.block && r.blocks > m_prefixBlocks) {
        // From now on the blocks at its beginning are its group's.
        Prefix& prefix = m_prefixes[r.group];
        prefix = {true, 1, m_clock};
        r.shared = static_cast<std::uint32_t>(m_prefixBlocks);
        r.blocks -= r.shared;
    }
    if (r.processed >= r.total()) {
        release(part.request, r.blocks);
        finish(part.request);
    } else if (role == Role::Prefill) {
        release(part.request, r.blocks);
        r.prefilled = true;
        m_journal.handed.push_back(part.request);
    } else {
        beginDecode(part.request);
    }
}

/// One step with the parts that were chosen, and with all decodes.
void Replica::step(bool decodes)
{
    StepLoad load;
    if (decodes) {
        load.decodes = static_cast<double>(m_decodes.size());
        load.decodeContext =
            static_cast<double>(m_processedSum + m_steps * static_cast<std::int64_t>(m_decodes.size()));
    }
    for (const Part& part : m_parts) {
        const double n = part.tokens;
        load.prompts += 1;
        load.promptTokens += n;
        load.promptSquares += n * n;
        load.promptPast += n * static_cast<double>(of(part.request).processed);
    }
    const double before = m_clock, seconds = m_cost.seconds(load);
    count(seconds, load.tokens());
    m_clock += seconds;
    m_lastEnd = end = m_clock;
    peakRunning = std::max<std::uint64_t>(peakRunning, load.decodes + load.prompts);
    if (m_journal.drawn) {
        for (const Part& part : m_parts) {
            const RequestState& r = of(part.request);
            if (r.ready >= 0 && r.ready < before)
                note(part.request, r.restarts > 0 ? Doing::Preempted : Doing::Queued, r.ready, before);
            of(part.request).ready = -1;
            note(part.request, Doing::Prefill, before, m_clock);
        }
    }
    if (decodes)
        endDecodes(before);
    m_scratch.clear();
    for (const Part& part : m_parts)
        partDone(part);
    m_parts.clear();
    if (m_journal.drawn && m_journal.samples.size() < Journal::kMostDeeds)
        m_journal.samples.push_back({m_id, m_clock, static_cast<double>(usedBlocks()), static_cast<double>(running()),
                                     static_cast<double>(m_waiting.size())});
}

/// Steps of decodes alone until something can change.
void Replica::decodeAlone(double until)
{
    const bool grows = !reserves();
    do {
        if (grows) {
            const std::uint64_t grow = m_growing[static_cast<std::size_t>(m_steps % m_config.block)];
            if (m_free < grow + 1)
                return; // the next turn evicts
            m_free -= grow;
        }
        StepLoad load;
        load.decodes = static_cast<double>(m_decodes.size());
        load.decodeContext =
            static_cast<double>(m_processedSum + m_steps * static_cast<std::int64_t>(m_decodes.size()));
        const double seconds = m_cost.seconds(load);
        count(seconds, load.decodes);
        m_clock += seconds;
        m_journal.interval(m_clock - m_lastDecode, load.decodes);
        m_lastDecode = m_clock;
        ++m_steps;
    } while (m_clock < until && m_steps + 1 < m_nextFinish);
    peakBlocks = std::max(peakBlocks, usedBlocks());
    m_lastEnd = end = m_clock;
}

/// Whole prompts from the queue; requests whose cache came over are decodes at once.
void Replica::admitPrompts()
{
    const Scheduler s = m_config.scheduler;
    std::uint32_t longest = 0;
    while (!m_waiting.empty()) {
        const std::uint32_t request = m_waiting.front();
        RequestState& r = of(request);
        if (running() + m_parts.size() >= m_config.maxBatch || !admissible(request))
            break;
        if (r.prefilled) {
            if (!m_parts.empty())
                break;
            m_waiting.pop();
            admit(request);
            note(request, Doing::Queued, r.ready, m_clock);
            beginDecode(request);
            continue;
        }
        // What a cached prefix spares does not count.
        const std::uint32_t past = hasPrefix(r.group) && r.target > m_prefixBlocks * m_config.block
                                       ? static_cast<std::uint32_t>(m_prefixBlocks * m_config.block)
                                       : 0;
        const std::uint32_t next = r.target - past;
        if (s == Scheduler::Vllm && (m_parts.size() + 1) * std::uint64_t{std::max(longest, next)} > m_config.maxTokens)
            break;
        longest = std::max(longest, next);
        m_waiting.pop();
        admit(request);
        m_parts.push_back({request, static_cast<std::uint32_t>(r.target - r.processed)});
    }
}

Result<void> Replica::impossible()
{
    if (m_waiting.empty())
        return {};
    const RequestState& r = of(m_waiting.front());
    if (m_config.scheduler == Scheduler::Vllm && r.target > m_config.maxTokens)
        return Error{"does-not-fit",
                     "a request has " + std::to_string(r.target) + " tokens to process at once, and a step at most " +
                         std::to_string(m_config.maxTokens),
                     "max_tokens", "raise max_tokens to " + std::to_string(r.target) + ", or take scheduler sarathi"};
    // The last token is sent and not kept.
    const std::uint64_t whole = std::max(blocksToAdmit(r), blocksFor(r.total() - 1));
    const std::uint64_t least = blocksBeside(whole);
    const std::string advice = "take " + (least ? "at least " + std::to_string(least) + " blocks, or " : std::string());
    return Error{
        "does-not-fit",
        "a request of " + std::to_string(r.total()) + " tokens grows to " + std::to_string(whole) + " blocks" +
            (m_config.watermark ? ", a watermark of " + std::to_string(m_config.watermark) + " stays free" : "") +
            ", and the cache has " + std::to_string(m_config.blocks),
        "blocks", advice + "shorter requests" + (m_config.watermark ? " or a lower watermark" : "")};
}

/// The least cache in which `whole` blocks are free beside its watermark; 0: there is none.
std::uint64_t Replica::blocksBeside(std::uint64_t whole) const
{
    const double share = m_config.watermarkShare;
    if (share >= 1)
        return 0;
    if (share <= 0)
        return whole + m_config.watermark;
    const auto fits = [&](std::uint64_t n) { return n - static_cast<std::uint64_t>(share * double(n)) >= whole; };
    auto least = static_cast<std::uint64_t>(std::ceil(double(whole) / (1 - share)));
    while (!fits(least))
        ++least;
    while (least > whole && fits(least - 1))
        --least;
    return least;
}

/// True: a step was taken.
Result<bool> Replica::turn(double until)
{
    switch (m_config.scheduler) {
    case Scheduler::Static:
    case Scheduler::Dynamic:
        if (m_decodes.empty()) {
            if (m_config.scheduler == Scheduler::Dynamic && !m_waiting.empty() &&
                m_waiting.size() < m_config.maxBatch) {
                const double deadline = of(m_waiting.front()).ready + m_config.window;
                if (m_clock < deadline) {
                    m_sleeping = true;
                    m_clock = deadline;
                    return true;
                }
            }
            m_sleeping = false;
            admitPrompts();
            if (!m_parts.empty()) {
                step(false);
                return true;
            }
            return false;
        }
        break;
    case Scheduler::Orca:
        admitPrompts();
        if (!m_parts.empty()) {
            step(!m_decodes.empty());
            return true;
        }
        break;
    case Scheduler::Vllm:
        admitPrompts();
        if (!m_parts.empty()) {
            step(false);
            return true;
        }
        break;
    case Scheduler::Sarathi: {
        // Who is evicted by a decode may be admitted in the same step.
        const bool plain = m_prefilling.empty() && decodesSurelyFit() &&
                           (m_waiting.empty() || m_decodes.size() >= m_config.chunk || !admissible(m_waiting.front()));
        if (plain)
            break;
        const bool decodes = m_decodes.empty() ? false : decodesFit();
        std::uint64_t used = m_decodes.size();
        // Half-done prompts in order; those for which nothing is left go before all others the next time.
        m_scratch.clear();
        for (const std::uint32_t request : m_prefilling) {
            const RequestState& r = of(request);
            const std::uint64_t left = used < m_config.chunk ? m_config.chunk - used : 0;
            const auto next = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(static_cast<std::uint64_t>(r.target - r.processed), left));
            if (next == 0) {
                m_scratch.push_back(request);
                continue;
            }
            used += next;
            m_parts.push_back({request, next});
        }
        m_prefilling.swap(m_scratch);
        std::stable_sort(m_prefilling.begin(), m_prefilling.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return of(a).arrival < of(b).arrival; });
        while (!m_waiting.empty() && used < m_config.chunk) {
            const std::uint32_t request = m_waiting.front();
            if (running() + m_parts.size() >= m_config.maxBatch || !admissible(request))
                break;
            m_waiting.pop();
            admit(request);
            const RequestState& r = of(request);
            const auto next = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(static_cast<std::uint64_t>(r.target - r.processed), m_config.chunk - used));
            used += next;
            m_parts.push_back({request, next});
        }
        if (!decodes && m_parts.empty())
            return false;
        m_tailEvictable = false;
        step(decodes);
        // The part that was cut short comes behind the decodes, and is the first that can be evicted.
        m_tailEvictable = !m_scratch.empty();
        m_prefilling.insert(m_prefilling.end(), m_scratch.begin(), m_scratch.end());
        return true;
    }
    }
    if (m_decodes.empty())
        return false;
    if (!m_journal.drawn && m_fresh.empty() && m_steps + 1 < m_nextFinish && decodesSurelyFit()) {
        decodeAlone(until);
        return true;
    }
    if (!decodesFit())
        return false;
    step(true);
    return true;
}

Result<void> Replica::run(double until)
{
    while (m_clock < until) {
        const std::uint64_t before = restarts;
        const auto stepped = turn(until);
        if (!stepped)
            return stepped.error();
        if (!*stepped) {
            if (restarts != before)
                continue; // the one that lost its blocks may be admitted again
            if (running() > 0 || !m_waiting.empty())
                return impossible();
            m_clock = kNever;
            return {};
        }
        if (!m_journal.completed.empty() || !m_journal.handed.empty())
            return {};
    }
    return {};
}

} // namespace ridge::serving
