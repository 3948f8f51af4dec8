// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/hls.h"

#include "base/seed.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace ridge::accelerator {
namespace {

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b)
{
    return (a + b - 1) / b;
}

std::uint32_t sideOf(const HlsDesign& d)
{
    return d.loop == HlsLoop::K ? d.k : d.n;
}

std::uint32_t banksOf(const HlsDesign& d)
{
    switch (d.partition) {
    case HlsPartition::None:
        return 1;
    case HlsPartition::Complete:
        return sideOf(d);
    default:
        return std::min(d.factor, sideOf(d));
    }
}

/// The bank of element `at` along the unrolled loop.
std::uint32_t bankOf(const HlsDesign& d, std::uint64_t at)
{
    const std::uint32_t banks = banksOf(d);
    if (d.partition == HlsPartition::Block)
        return static_cast<std::uint32_t>(at / ceilDiv(sideOf(d), banks));
    return static_cast<std::uint32_t>(at % banks);
}

/// Reads of an iteration in the worst place of the loop: one address for each different element.
std::vector<std::uint32_t> worstBanks(const HlsDesign& d)
{
    std::vector<std::uint32_t> worst;
    std::uint32_t most = 0;
    for (std::uint32_t base = 0; base < sideOf(d); base += d.unroll) {
        std::vector<std::uint32_t> banks;
        std::map<std::uint32_t, std::uint32_t> uses;
        std::uint32_t here = 0;
        for (std::uint32_t u = 0; u < d.unroll && base + u < sideOf(d); ++u) {
            banks.push_back(bankOf(d, base + u));
            here = std::max(here, ++uses[banks.back()]);
        }
        if (here > most) {
            most = here;
            worst = banks;
        }
    }
    worst.resize(d.unroll, worst.back());
    return worst;
}

Result<void> check(const HlsDesign& d)
{
    const auto side = [](std::uint32_t n) { return n >= 1 && n <= HlsDesign::kMostSide; };
    if (!side(d.m) || !side(d.n) || !side(d.k))
        return Error{"bad-design", "a loop of 0 or more than 4096 turns", "parameters m, n, k", "give 1 to 4096"};
    if (d.unroll == 0 || d.unroll > HlsDesign::kMostUnroll || d.unroll > sideOf(d))
        return Error{"bad-design", fmt::format("a loop of {} turns is not unrolled {} times", sideOf(d), d.unroll),
                     "parameter unroll", fmt::format("give 1 to {}", std::min(sideOf(d), HlsDesign::kMostUnroll))};
    if (d.factor == 0 || d.ports == 0 || d.bits == 0 || d.bits > 32)
        return Error{"bad-design", "an array without banks, ports or bits", "parameters factor, ports, bits",
                     "give 1 or more, and at most 32 bits"};
    return {};
}

} // namespace

Result<HlsReport> scheduleHls(const HlsDesign& d)
{
    if (auto good = check(d); !good)
        return good.error();
    HlsReport report;
    const std::uint32_t unroll = d.unroll;
    const bool overK = d.loop == HlsLoop::K;
    // Cut along the unrolled loop: over k both arrays have one element a copy, over j they share A's.
    const auto banks = worstBanks(d);
    std::map<std::uint32_t, std::uint32_t> uses;
    for (const std::uint32_t bank : banks)
        report.memoryIi = std::max(report.memoryIi, static_cast<std::uint32_t>(ceilDiv(++uses[bank], d.ports)));
    report.dspIi = d.dspLimit == 0 ? 1 : static_cast<std::uint32_t>(ceilDiv(unroll, d.dspLimit));
    report.sumIi = d.sumCycles;
    // The body, by the cycle in which its operands are there; reads and multipliers wait for a free slot. Without a
    // pipeline a slot is a cycle of its own, with one it comes back every II cycles, so that no more than II differ.
    const std::uint32_t ii = std::max({report.memoryIi, report.dspIi, report.sumIi});
    std::map<std::pair<int, std::uint32_t>, std::vector<std::uint32_t>> slots; // resource, bank: uses of each slot
    const auto take = [&](int resource, std::uint32_t bank, std::uint32_t from, std::uint32_t limit) {
        auto& used = slots[{resource, bank}];
        for (std::uint32_t cycle = from;; ++cycle) {
            const std::uint32_t slot = d.pipeline ? cycle % ii : cycle;
            if (used.size() <= slot)
                used.resize(slot + 1, 0);
            if (limit == 0 || used[slot] < limit) {
                ++used[slot];
                return cycle;
            }
        }
    };
    std::vector<std::uint32_t> ready;
    std::uint32_t shared = 0;
    for (std::uint32_t u = 0; u < unroll; ++u) {
        std::uint32_t a = shared;
        if (overK || u == 0) {
            a = take(0, overK ? banks[u] : 0, 0, d.ports);
            report.ops.push_back({HlsOp::Kind::ReadA, u, a, overK ? banks[u] : 0, d.readCycles});
            shared = a;
        }
        const std::uint32_t b = take(1, banks[u], 0, d.ports);
        report.ops.push_back({HlsOp::Kind::ReadB, u, b, banks[u], d.readCycles});
        const std::uint32_t product = take(2, 0, std::max(a, b) + d.readCycles, d.dspLimit);
        report.ops.push_back({HlsOp::Kind::Multiply, u, product, 0, d.multiplyCycles});
        ready.push_back(product + d.multiplyCycles);
    }
    std::uint32_t adders = 0;
    if (overK)
        while (ready.size() > 1) { // the two that are there first
            std::sort(ready.begin(), ready.end());
            report.ops.push_back({HlsOp::Kind::Add, adders++, ready[1], 0, d.addCycles});
            ready[1] += d.addCycles;
            ready.erase(ready.begin());
        }
    for (std::uint32_t s = 0; s < ready.size(); ++s) {
        report.ops.push_back({HlsOp::Kind::Sum, s, ready[s], 0, d.sumCycles});
        report.depth = std::max(report.depth, ready[s] + d.sumCycles);
    }
    report.iterations = std::uint64_t{d.m} * (overK ? d.n * ceilDiv(d.k, unroll) : d.k * ceilDiv(d.n, unroll));
    report.ii = d.pipeline ? ii : report.depth;
    report.latency = (report.iterations - 1) * report.ii + report.depth;
    report.dsp = 0;
    for (const auto& [resource, used] : slots)
        if (resource.first == 2)
            report.dsp = *std::max_element(used.begin(), used.end());
    // Memory: each bank is whole block RAMs, or LUTs of 64 bits where it is small.
    std::uint32_t luts = 0;
    const auto store = [&](std::uint64_t elements, std::uint64_t count, std::uint32_t bits) {
        const std::uint64_t each = ceilDiv(elements, count) * bits;
        if (each <= 1024)
            luts += static_cast<std::uint32_t>(count * ceilDiv(each, 64));
        else
            report.bram += static_cast<std::uint32_t>(count * ceilDiv(each, 18 * 1024));
    };
    const std::uint32_t count = banksOf(d);
    store(std::uint64_t{d.m} * d.k, overK ? count : 1, d.bits);
    store(std::uint64_t{d.k} * d.n, count, d.bits);
    store(std::uint64_t{d.m} * d.n, overK ? 1 : count, 32);
    // An adder of 32 bits is 32 LUTs; a word is chosen from its banks by half a LUT a bit and bank; a shared multiplier
    // has both inputs chosen likewise.
    const auto sums = static_cast<std::uint32_t>(ready.size());
    const std::uint32_t reads = (overK ? 2 : 1) * unroll;
    const std::uint32_t choices = count > unroll ? static_cast<std::uint32_t>(ceilDiv(count, unroll)) - 1 : 0;
    const std::uint32_t sharing = report.dsp < unroll ? 2 * d.bits * (unroll - report.dsp) / 2 : 0;
    report.lut = luts + 32 * (adders + sums) + reads * choices * d.bits / 2 + sharing + 100;
    return report;
}

Result<std::uint64_t> replayHls(const HlsDesign& d, const HlsReport& report)
{
    if (auto good = check(d); !good)
        return good.error();
    if (d.m > 32 || d.n > 32 || d.k > 64)
        return Error{"bad-design", "only small designs are replayed", "parameters m, n, k", "give 32, 32, 64 at most"};
    Rng rng(1);
    std::vector<std::int32_t> a(std::size_t{d.m} * d.k), b(std::size_t{d.k} * d.n);
    for (auto* values : {&a, &b})
        for (auto& each : *values)
            each = static_cast<std::int32_t>(rng.next() % 255) - 127;
    std::vector<std::int64_t> c(std::size_t{d.m} * d.n, 0);
    std::map<std::tuple<std::uint64_t, int, std::uint32_t>, std::uint32_t> used; // cycle, resource, bank
    const bool overK = d.loop == HlsLoop::K;
    const std::uint32_t inner = static_cast<std::uint32_t>(ceilDiv(sideOf(d), d.unroll));
    const auto bad = [](const std::string& what) {
        return Error{"bad-schedule", what, "schedule", "report this: the scheduler is wrong"};
    };
    std::uint64_t iteration = 0, end = 0;
    std::vector<std::uint64_t> written(c.size(), 0); // cycle in which a sum may be used again
    for (std::uint32_t i = 0; i < d.m; ++i)
        for (std::uint32_t o = 0; o < (overK ? d.n : d.k); ++o)
            for (std::uint32_t t = 0; t < inner; ++t, ++iteration) {
                const std::uint64_t start = iteration * report.ii;
                for (const HlsOp& op : report.ops) {
                    const std::uint32_t at = t * d.unroll + op.copy;
                    const bool there = at < sideOf(d);
                    const std::uint64_t cycle = start + op.cycle;
                    end = std::max(end, cycle + op.length);
                    if ((op.kind == HlsOp::Kind::ReadA || op.kind == HlsOp::Kind::ReadB) && there) {
                        const bool isA = op.kind == HlsOp::Kind::ReadA;
                        const std::uint32_t bank = isA && !overK ? 0 : bankOf(d, at);
                        if (++used[{cycle, isA ? 0 : 1, bank}] > d.ports)
                            return bad(fmt::format("cycle {}: bank {} has {} ports", cycle, bank, d.ports));
                    } else if (op.kind == HlsOp::Kind::Multiply) {
                        if (++used[{cycle, 2, 0}] > report.dsp)
                            return bad(fmt::format("cycle {}: more than {} multipliers", cycle, report.dsp));
                        if (!there)
                            continue;
                        const std::uint32_t l = overK ? at : o, j = overK ? o : at;
                        c[std::size_t{i} * d.n + j] +=
                            std::int64_t{a[std::size_t{i} * d.k + l]} * b[std::size_t{l} * d.n + j];
                    } else if (op.kind == HlsOp::Kind::Sum && (overK || there)) {
                        const std::size_t sum = std::size_t{i} * d.n + (overK ? o : at);
                        if (cycle < written[sum])
                            return bad(fmt::format("cycle {}: the sum before is not there yet", cycle));
                        written[sum] = cycle + op.length;
                    }
                }
            }
    for (std::uint32_t i = 0; i < d.m; ++i)
        for (std::uint32_t j = 0; j < d.n; ++j) {
            std::int64_t sum = 0;
            for (std::uint32_t l = 0; l < d.k; ++l)
                sum += std::int64_t{a[std::size_t{i} * d.k + l]} * b[std::size_t{l} * d.n + j];
            if (sum != c[std::size_t{i} * d.n + j])
                return bad(fmt::format("C[{}][{}] differs", i, j));
        }
    return end;
}

} // namespace ridge::accelerator
