// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/kv.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>

namespace ridge::memory {
namespace {

constexpr std::uint64_t kMostOperations = 20'000'000'000; // minutes of work; more is a mistake of the plan
constexpr double kMostSteps = 1e15;
constexpr std::uint64_t kPollEvery = 1 << 12; // steps between two looks at KvWatch::going

std::uint64_t blocksFor(std::uint64_t tokens, std::uint32_t block)
{
    return (tokens + block - 1) / block;
}

/// What memory a policy hands out. A request that runs has `samples` sequences in it.
struct Held {
    std::vector<PagedKv::Sequence> sequences;
    std::vector<std::uint32_t> places; ///< of ranges
    std::uint32_t size = 0;            ///< of each range, as reserved
};

struct Job {
    std::uint32_t request = 0;
    std::uint32_t generated = 0; ///< tokens of the output that have been drawn
    std::uint64_t stored = 0;    ///< tokens of each sequence that are in memory
    std::uint64_t swappedTokens = 0, swappedBlocks = 0;
    std::vector<std::uint64_t> names;
    Held held;
};

class Run {
public:
    Run(const KvPlan& plan, std::span<const KvRequest> requests, const KvWatch& watch)
        : m_plan(plan), m_requests(requests), m_watch(watch),
          m_paged(plan.policy == KvPolicy::Paged ? plan.blocks : 0, plan.block, plan.groups, plan.caching,
                  plan.nullBlock),
          m_fit(plan.policy == KvPolicy::Contiguous ? plan.slots : 0),
          m_buddies(plan.policy == KvPolicy::Buddy ? plan.slots : 0)
    {
    }

    Result<KvResult> all();

private:
    bool paged() const { return m_plan.policy == KvPolicy::Paged; }
    std::uint64_t finalTokens(const KvRequest& request) const
    {
        return std::uint64_t{request.prompt} + (request.output > 0 ? request.output - 1 : 0);
    }
    std::uint32_t reservation(const KvRequest& request) const;
    bool everFits(const KvRequest& request) const;
    void nameUpTo(Job& job, std::uint64_t tokens);
    bool admit(Job& job);
    bool admitPaged(Job& job);
    void release(Job& job);
    void preempt(std::size_t index);
    void decode();
    void admitWaiting();
    void measure();
    void show();
    void note(const char* what, std::uint32_t request)
    {
        if (!m_watch.see || !m_seeing)
            return;
        m_event += (m_event.empty() ? "request " : ", request ") + std::to_string(request) + what;
    }

    const KvPlan& m_plan;
    std::span<const KvRequest> m_requests;
    const KvWatch& m_watch;
    PagedKv m_paged;
    FirstFit m_fit;
    Buddies m_buddies;
    std::vector<Job> m_running; ///< in the order of admission
    std::deque<Job> m_waiting;
    std::uint64_t m_swapFree = 0;
    std::size_t m_arrived = 0;
    std::uint64_t m_now = 0; ///< step
    bool m_preempted = false;
    bool m_seeing = true;
    std::string m_event;
    double m_heldSteps = 0, m_runningSum = 0;
    KvResult m_result;
};

std::uint32_t Run::reservation(const KvRequest& request) const
{
    const std::uint64_t exact = finalTokens(request);
    std::uint64_t size = m_plan.longest;
    if (m_plan.reserve == KvReserve::Exact)
        size = exact;
    else if (m_plan.reserve == KvReserve::Pow2)
        size = std::min<std::uint64_t>(m_plan.longest, request.prompt + std::uint64_t{std::bit_ceil(request.output)});
    return static_cast<std::uint32_t>(std::max(size, exact));
}

/// Whether the request can run to its end alone: then it does, once it is the oldest.
bool Run::everFits(const KvRequest& request) const
{
    if (std::uint64_t{request.prompt} + request.output > m_plan.longest)
        return false;
    if (paged()) {
        const std::uint64_t prompt = blocksFor(request.prompt, m_plan.block);
        const std::uint64_t whole = request.prompt / m_plan.block;
        const std::uint64_t most = prompt + m_plan.samples * (blocksFor(finalTokens(request), m_plan.block) - whole);
        return most * m_plan.groups.count() + m_plan.watermark <= m_paged.pool().usable();
    }
    const std::uint32_t size = reservation(request);
    if (m_plan.policy == KvPolicy::Buddy)
        return Buddies::rounded(size) != 0 && Buddies::rounded(size) <= std::bit_floor(std::max(1u, m_plan.slots)) &&
               std::uint64_t{Buddies::rounded(size)} * m_plan.samples <= m_plan.slots;
    return std::uint64_t{size} * m_plan.samples <= m_plan.slots;
}

/// Tokens are numbers that the group has in common up to `shared` and that are the request's own behind it.
void Run::nameUpTo(Job& job, std::uint64_t tokens)
{
    if (!m_plan.caching)
        return;
    const KvRequest& request = m_requests[job.request];
    std::vector<std::uint32_t> block(m_plan.block);
    while ((job.names.size() + 1) * m_plan.block <= tokens) {
        const std::uint64_t first = job.names.size() * m_plan.block;
        for (std::uint32_t i = 0; i < m_plan.block; ++i) {
            const bool common = first + i < request.shared;
            Rng token((first + i) << 32 ^ (common ? request.group : 0x80000000u | job.request));
            block[i] = token.nextU32() | (common ? 0 : 1); // only the odd half is of one request alone
            if (common)
                block[i] &= ~1u;
        }
        job.names.push_back(prefixName(job.names.empty() ? 0 : job.names.back(), block));
    }
}

bool Run::admitPaged(Job& job)
{
    const KvRequest& request = m_requests[job.request];
    const std::uint32_t b = m_plan.block;
    const std::uint64_t prompt = request.prompt;
    const std::uint64_t target = job.generated > 0 ? prompt + job.generated : prompt;
    const std::uint32_t samples = m_plan.samples;
    const std::uint32_t groups = m_plan.groups.count();
    const bool alone = samples == 1;
    // What may be found: of one output all that it had, of several the prompt that they have in common. The last token
    // is always computed.
    const std::uint64_t common = alone ? target : prompt;
    nameUpTo(job, common);
    const std::span<const std::uint64_t> names(job.names.data(),
                                               std::min<std::size_t>(job.names.size(), (common - 1) / b));
    const PagedKv::Known known = m_paged.known(names);
    std::uint64_t needed = blocksFor(common, b) - known.blocks + known.unheld;
    if (!alone)
        needed += samples * (blocksFor(target, b) - blocksFor(prompt, b)) +
                  (target > prompt && prompt % b != 0 ? samples - 1 : 0);
    needed *= groups;
    if (needed + m_plan.watermark > m_paged.pool().free())
        return false;
    const PagedKv::Sequence first = m_paged.add();
    const std::uint64_t found = m_paged.findPrefix(first, names);
    m_result.hits += found;
    m_result.asked += common;
    m_paged.grow(first, common);
    m_paged.name(first, job.names);
    job.held.sequences.assign(1, first);
    for (std::uint32_t i = 1; i < samples; ++i)
        job.held.sequences.push_back(m_paged.fork(first, prompt));
    for (const PagedKv::Sequence each : job.held.sequences)
        m_paged.grow(each, target);
    m_result.operations += needed + target;
    if (job.generated > 0 && job.swappedTokens == 0)
        m_result.recomputed += (target - found) + (samples - 1) * (target - prompt);
    job.stored = target;
    return true;
}

bool Run::admit(Job& job)
{
    if (paged()) {
        if (!admitPaged(job))
            return false;
        m_swapFree += job.swappedBlocks;
        job.swappedBlocks = job.swappedTokens = 0;
        return true;
    }
    const KvRequest& request = m_requests[job.request];
    job.held.size = reservation(request);
    for (std::uint32_t i = 0; i < m_plan.samples; ++i) {
        const std::uint32_t at =
            m_plan.policy == KvPolicy::Buddy ? m_buddies.take(job.held.size) : m_fit.take(job.held.size);
        if (at == kNowhere) {
            release(job);
            return false;
        }
        job.held.places.push_back(at);
    }
    job.stored = request.prompt;
    m_result.asked += request.prompt;
    m_result.operations += request.prompt + m_plan.samples;
    return true;
}

void Run::release(Job& job)
{
    for (const PagedKv::Sequence each : job.held.sequences)
        m_paged.release(each);
    for (const std::uint32_t at : job.held.places)
        if (m_plan.policy == KvPolicy::Buddy)
            m_buddies.give(at, job.held.size);
        else
            m_fit.give(at, job.held.size);
    m_result.operations += job.held.places.size() + job.held.sequences.size() * blocksFor(job.stored, m_plan.block);
    job.held.sequences.clear();
    job.held.places.clear();
    job.stored = 0;
}

void Run::preempt(std::size_t index)
{
    Job job = std::move(m_running[index]);
    m_running.erase(m_running.begin() + static_cast<std::ptrdiff_t>(index));
    ++m_result.preemptions;
    m_preempted = true;
    note(" preempted", job.request);
    if (m_plan.preemption == KvPreemption::Swap) {
        std::uint64_t blocks = 0;
        const std::uint64_t used = m_paged.pool().used();
        const std::uint64_t tokens = job.stored;
        release(job);
        blocks = used - m_paged.pool().used(); // what others still hold stays
        if (blocks <= m_swapFree) {
            m_swapFree -= blocks;
            job.swappedBlocks = blocks;
            job.swappedTokens = tokens;
            m_result.swapped += blocks;
        }
    } else {
        release(job);
    }
    m_waiting.push_front(std::move(job));
}

/// One token more for each who runs, the oldest first.
void Run::decode()
{
    for (std::size_t i = 0; i < m_running.size();) {
        Job& job = m_running[i];
        const std::uint64_t target = job.stored + 1;
        bool stored = true;
        if (paged()) {
            for (const PagedKv::Sequence each : job.held.sequences)
                if (m_paged.tokens(each) < target && !m_paged.grow(each, target)) {
                    stored = false;
                    break;
                }
            if (!stored) { // the latest goes, even if it is this one; then this one tries again
                preempt(m_running.size() - 1);
                continue;
            }
            if (m_plan.caching && m_plan.samples == 1 && target % m_plan.block == 0) {
                nameUpTo(job, target);
                m_paged.name(job.held.sequences.front(), job.names);
            }
        }
        m_result.operations += job.held.sequences.size() + job.held.places.size();
        job.stored = target;
        ++job.generated;
        ++i;
    }
}

void Run::admitWaiting()
{
    while (!m_preempted && !m_waiting.empty() && m_running.size() < m_plan.maxBatch) {
        Job& job = m_waiting.front();
        if (!admit(job))
            break;
        note(" admitted", job.request);
        if (m_requests[job.request].output > 0)
            ++job.generated;
        m_running.push_back(std::move(job));
        m_waiting.pop_front();
    }
}

void Run::measure()
{
    if (m_running.empty())
        return;
    KvShares now;
    std::uint64_t entries = 0;
    const double samples = m_plan.samples;
    if (paged()) {
        const KvBlockPool& pool = m_paged.pool();
        const double held = double(pool.used()) * m_plan.block;
        now.stored = double(m_paged.stored());
        double tails = 0, later = 0;
        for (const Job& job : m_running) {
            const std::uint64_t last = finalTokens(m_requests[job.request]);
            const std::uint64_t rest = blocksFor(job.stored, m_plan.block) * m_plan.block - job.stored;
            tails += samples * double(rest);
            later += samples * double(std::min<std::uint64_t>(rest, last > job.stored ? last - job.stored : 0));
            m_result.worstSequence = std::max(m_result.worstSequence, static_cast<std::uint32_t>(rest));
            entries += m_plan.samples * m_plan.groups.count() * blocksFor(job.stored, m_plan.block);
        }
        const double unfilled = held - now.stored; // shared tails count once, as the memory has them
        now.reserved = tails > 0 ? unfilled * later / tails : 0;
        now.internal = unfilled - now.reserved;
        now.free = double(pool.free()) * m_plan.block;
    } else {
        for (const Job& job : m_running) {
            const double last = double(finalTokens(m_requests[job.request]));
            const double size = m_plan.policy == KvPolicy::Buddy ? Buddies::rounded(job.held.size) : job.held.size;
            now.stored += samples * double(job.stored);
            now.reserved += samples * (last - double(job.stored));
            now.internal += samples * (size - last);
        }
        now.free = m_plan.policy == KvPolicy::Buddy ? m_buddies.free() : m_fit.free();
        if (!m_waiting.empty() && m_running.size() < m_plan.maxBatch) {
            const double wanted = samples * reservation(m_requests[m_waiting.front().request]);
            if (wanted <= now.free) {
                now.external = now.free;
                now.free = 0;
            }
        }
    }
    KvShares& most = m_result.fullest;
    if (now.held() > most.held() || (now.held() == most.held() && now.stored >= most.stored)) {
        most = now;
        m_result.entries = entries;
    }
    KvShares& mean = m_result.mean;
    mean.stored += now.stored;
    mean.reserved += now.reserved;
    mean.internal += now.internal;
    mean.external += now.external;
    mean.free += now.free;
    m_heldSteps += 1;
    m_runningSum += double(m_running.size());
    m_result.mostRunning = std::max<std::uint64_t>(m_result.mostRunning, m_running.size());
}

void Run::show()
{
    if (!m_watch.see || !m_seeing)
        return;
    KvMoment moment;
    moment.step = m_now;
    moment.event = std::move(m_event);
    m_event.clear();
    const std::uint64_t all = paged() ? m_plan.blocks : blocksFor(m_plan.slots, m_plan.block);
    moment.units.assign(std::min<std::uint64_t>(all, m_watch.units), KvMoment::kFree);
    const auto mark = [&](std::uint64_t unit, std::uint64_t what) {
        if (unit < moment.units.size())
            moment.units[unit] = what;
    };
    if (paged())
        for (std::uint32_t block = 0; block < moment.units.size(); ++block)
            if (m_paged.pool().holders(block) == 0 && m_paged.pool().named(block))
                mark(block, KvMoment::kCached);
    for (const Job& job : m_running) {
        for (const PagedKv::Sequence each : job.held.sequences)
            for (std::size_t group = 0; group < m_plan.groups.count(); ++group)
                for (const std::uint32_t block : m_paged.table(each, group))
                    if (block != PagedKv::kLeft)
                        mark(block,
                             m_paged.pool().holders(block) > 1 ? KvMoment::kShared : KvMoment::kStored + job.request);
        const std::uint64_t size = m_plan.policy == KvPolicy::Buddy ? Buddies::rounded(job.held.size) : job.held.size;
        for (const std::uint64_t at : job.held.places) {
            for (std::uint64_t unit = at / m_plan.block; unit * m_plan.block < at + size; ++unit)
                mark(unit, KvMoment::kReserved + job.request);
            for (std::uint64_t unit = at / m_plan.block; unit * m_plan.block < at + job.stored; ++unit)
                mark(unit, KvMoment::kStored + job.request);
        }
    }
    m_seeing = m_watch.see(moment);
}

Result<KvResult> Run::all()
{
    m_swapFree = m_plan.swapBlocks;
    std::uint64_t polled = 0;
    while (m_arrived < m_requests.size() || !m_waiting.empty() || !m_running.empty()) {
        if (m_running.empty() && m_waiting.empty()) { // nothing happens until the next one comes
            const double step = std::ceil(m_requests[m_arrived].arrival / m_plan.stepSeconds);
            m_now = std::max(m_now, static_cast<std::uint64_t>(step));
        }
        const double now = double(m_now) * m_plan.stepSeconds;
        for (; m_arrived < m_requests.size() && m_requests[m_arrived].arrival <= now * (1 + 1e-12); ++m_arrived) {
            if (!everFits(m_requests[m_arrived])) {
                ++m_result.refused;
                note(" refused", static_cast<std::uint32_t>(m_arrived));
                continue;
            }
            m_waiting.emplace_back().request = static_cast<std::uint32_t>(m_arrived);
        }
        m_preempted = false;
        decode();
        admitWaiting();
        measure();
        show();
        for (Job& job : m_running)
            if (job.generated >= m_requests[job.request].output) {
                note(" finished", job.request);
                release(job);
                ++m_result.finished;
            }
        std::erase_if(m_running, [&](const Job& job) { return job.generated >= m_requests[job.request].output; });
        ++m_now;
        ++m_result.steps;
        if (m_result.operations > kMostOperations)
            return Error{"bad-plan", "the requests keep preempting each other", "trace",
                         "take more memory, fewer requests at once, or shorter ones"};
        if (m_watch.going && m_result.steps - polled >= kPollEvery) {
            polled = m_result.steps;
            if (!m_watch.going(double(m_result.finished + m_result.refused) / double(m_requests.size())))
                return Error{"cancelled", "the run was stopped", "", ""};
        }
    }
    if (m_heldSteps > 0) {
        KvShares& mean = m_result.mean;
        for (double* each : {&mean.stored, &mean.reserved, &mean.internal, &mean.external, &mean.free})
            *each /= m_heldSteps;
        m_result.meanRunning = m_runningSum / m_heldSteps;
    }
    m_result.copies = m_paged.copies();
    m_result.empty = paged() ? m_paged.pool().used() == 0 && m_paged.stored() == 0
                             : (m_plan.policy == KvPolicy::Buddy ? m_buddies.free() : m_fit.free()) == m_plan.slots;
    return m_result;
}

} // namespace

Result<KvResult> runRequests(const KvPlan& plan, std::span<const KvRequest> requests, const KvWatch& watch)
{
    const auto bad = [](std::string message, const char* place, std::string fix) {
        return Error{"bad-plan", std::move(message), place, std::move(fix)};
    };
    if (requests.empty())
        return bad("there is no request", "trace", "give at least one");
    if (plan.block == 0 || plan.block > 1u << 20)
        return bad("blocks of " + std::to_string(plan.block) + " tokens are not possible", "block",
                   "take 1 to 1048576 tokens");
    if (plan.samples == 0 || plan.maxBatch == 0)
        return bad("a request without an output never runs", "samples", "take at least 1");
    if (!(plan.stepSeconds > 0))
        return bad("a step takes longer than 0 s", "step_time", "give more than 0");
    for (const KvRequest& each : requests)
        if (!(each.arrival >= 0 && each.arrival / plan.stepSeconds <= kMostSteps))
            return bad("a request arrives later than in " + std::to_string(std::uint64_t(kMostSteps)) + " steps",
                       "trace", "give arrivals in seconds, from 0 on");
    if (plan.policy == KvPolicy::Paged) {
        if (plan.blocks < (plan.nullBlock ? 2u : 1u) || plan.blocks > KvBlockPool::kMostBlocks)
            return bad("a pool of " + std::to_string(plan.blocks) + " blocks is not possible", "kv_memory",
                       "give memory for 2 to " + std::to_string(KvBlockPool::kMostBlocks) + " blocks");
        if (plan.groups.count() == 0 || plan.groups.count() > 4096)
            return bad("the layers make no group of blocks", "model", "take a model with layers of attention");
        if (plan.caching && (plan.groups.windowed > 0 || plan.groups.full != 1))
            return bad("prefixes of layers with a window are not modelled", "prefix_caching",
                       "take prefix_caching 0, or a model without a window");
    } else {
        if (plan.slots == 0 || plan.slots > 1u << 31)
            return bad("a memory of " + std::to_string(plan.slots) + " tokens is not possible", "kv_memory",
                       "give memory for 1 to 2147483648 tokens");
    }
    return Run(plan, requests, watch).all();
}

} // namespace ridge::memory
