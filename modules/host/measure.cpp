// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure.h"

#include "host/vector_loops.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

namespace ridge::host {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLineFloats = 16;
constexpr std::uint64_t kPoll = 1 << 16; // loads or slots between two questions whether to stop

Error cancelled()
{
    return {"cancelled", "the run was cancelled", "measuring this machine's processor", ""};
}

/// A place that no other thread's result shares a cache line with.
template<class T>
struct alignas(128) Apart {
    T value{};
};

/// Nothing may be left out because its result seems unused.
template<class T>
void use(T value)
{
    asm volatile("" ::"g"(value) : "memory");
}

} // namespace

const Loops& loops()
{
#ifdef RIDGE_HOST_AVX
    static const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    static const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                               __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                               __builtin_cpu_supports("avx512vl") != 0;
    return avx512 ? kAvx512Loops : avx2 ? kAvx2Loops : kBaselineLoops;
#else
    return kBaselineLoops;
#endif
}

void* const* chase(void* const* from, std::uint64_t steps)
{
    for (; steps >= 8; steps -= 8) {
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
        from = static_cast<void* const*>(*from);
    }
    for (; steps > 0; --steps)
        from = static_cast<void* const*>(*from);
    return from;
}

void Pages::Free::operator()(void* at) const
{
    std::free(at);
}

Result<Pages> Pages::allocate(std::uint64_t bytes)
{
    const std::uint64_t rounded = std::max<std::uint64_t>(1, (bytes + kPage - 1) / kPage) * kPage;
    // Linux gives out more than there is; what would not fit has to be refused before it is touched.
    const std::uint64_t available = machine().availableBytes;
    Pages pages;
    if (available == 0 || rounded <= available / 10 * 9)
        pages.m_at.reset(std::aligned_alloc(kPage, rounded));
    if (!pages.m_at)
        return Error{"out-of-memory",
                     "this machine has no " + std::to_string(rounded >> 20) + " MiB to spare, of " +
                         std::to_string(available >> 20) + " MiB available",
                     "cpu", "take smaller arrays, or close other programs"};
    pages.m_bytes = bytes;
    return pages;
}

Part partOf(std::uint64_t n, unsigned part, unsigned parts)
{
    const std::uint64_t lines = (n + kLineFloats - 1) / kLineFloats;
    const auto at = [&](unsigned index) { return std::min(n, lines * index / parts * kLineFloats); };
    return {at(part), at(part + 1)};
}

Result<StreamTime> timeStream(Team& team, StreamOp op, const StreamArrays& arrays, float s, const Sampling& how)
{
    const Loops& loop = loops();
    std::vector<Apart<std::uint32_t>> words(team.size());
    std::vector<Apart<double>> products(team.size());
    const std::uint64_t n = std::max(arrays.a.size(), arrays.c.size());
    const auto pass = [&](unsigned thread) {
        const Part part = partOf(n, thread, team.size());
        const float* a = arrays.a.data() + part.begin;
        const float* b = arrays.b.data() + part.begin;
        float* c = arrays.c.data() + part.begin;
        switch (op) {
        case StreamOp::Copy:
            return loop.copy(c, a, part.size());
        case StreamOp::Scale:
            return loop.scale(c, a, s, part.size());
        case StreamOp::Add:
            return loop.add(c, a, b, part.size());
        case StreamOp::Triad:
            return loop.triad(c, a, b, s, part.size());
        case StreamOp::Write:
            return loop.write(c, s, part.size());
        case StreamOp::Read:
            words[thread].value = loop.read(a, part.size());
            return use(words[thread].value);
        case StreamOp::Dot:
            products[thread].value = loop.dot(a, b, part.size());
            return use(products[thread].value);
        }
    };
    auto timing = timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        for (; passes > 0; --passes)
            pass(thread);
    });
    if (!timing)
        return timing.error();
    StreamTime result{std::move(*timing), 0, 0};
    for (unsigned thread = 0; thread < team.size(); ++thread) {
        result.words += words[thread].value;
        result.products += products[thread].value;
    }
    return result;
}

Result<ChaseTime> timeChase(Team& one, std::uint64_t bytes, std::uint64_t stride, Rng& rng, const Sampling& how)
{
    const std::uint64_t slots = stride == 0 ? 0 : bytes / stride;
    if (slots < 2 || stride % sizeof(void*) != 0)
        return Error{"bad-value", "a chase needs two slots or more, each of whole pointers", "pointer chase",
                     "take a working set of at least two strides, and a stride that 8 divides"};
    const auto pages = Pages::allocate(slots * stride);
    if (!pages)
        return pages.error();
    const auto stopped = [&] { return how.stop && how.stop(); };
    const auto slot = [&](std::uint64_t i) { return reinterpret_cast<void**>(pages->bytes() + i * stride); };
    // Sattolo: one ring through all slots, each as likely as any other.
    std::vector<std::uint32_t> next(slots);
    std::iota(next.begin(), next.end(), 0u);
    for (std::uint64_t i = slots - 1; i > 0; --i) {
        std::swap(next[i], next[static_cast<std::uint64_t>(rng.next() % i)]);
        if (i % kPoll == 0 && stopped())
            return cancelled();
    }
    ChaseTime result;
    result.slots = slots;
    void* const* at = slot(0);
    one.run([&](unsigned) {
        for (std::uint64_t i = 0; i < slots && !(i % kPoll == 0 && stopped()); ++i)
            *slot(i) = slot(next[i]);
    });
    if (stopped())
        return cancelled();
    do {
        at = chase(at, 1);
        ++result.around;
        if (result.around % kPoll == 0 && stopped())
            return cancelled();
    } while (at != slot(0) && result.around <= slots);
    constexpr std::uint64_t kLoads = 1024; // of a pass
    auto timing = timePasses(one, how, [&](unsigned, std::uint64_t passes) {
        at = chase(at, passes * kLoads);
        use(at);
    });
    if (!timing)
        return timing.error();
    for (double* seconds : {&timing->medianSeconds, &timing->iqrSeconds, &timing->minSeconds, &timing->p95Seconds})
        *seconds /= kLoads;
    result.timing = std::move(*timing);
    return result;
}

Result<ReadTime> timeReads(Team& team, std::uint64_t bytesPerThread, const Sampling& how)
{
    const std::uint64_t n = std::max<std::uint64_t>(1, bytesPerThread / sizeof(float));
    std::vector<Pages> pages;
    for (unsigned thread = 0; thread < team.size(); ++thread) {
        auto got = Pages::allocate(n * sizeof(float));
        if (!got)
            return got.error();
        pages.push_back(std::move(*got));
    }
    std::vector<Apart<std::uint32_t>> sums(team.size());
    const auto word = [](std::uint64_t i, unsigned thread) {
        return static_cast<std::uint32_t>(i + thread) * 0x9E3779B1u;
    };
    team.run([&](unsigned thread) {
        for (std::uint64_t i = 0; i < n; ++i) {
            const std::uint32_t value = word(i, thread);
            std::memcpy(pages[thread].bytes() + i * sizeof(value), &value, sizeof(value));
        }
    });
    const Loops& loop = loops();
    auto timing = timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        const float* from = pages[thread].floats().data();
        for (; passes > 0; --passes) {
            sums[thread].value = loop.read(from, n);
            use(sums[thread].value);
        }
    });
    if (!timing)
        return timing.error();
    ReadTime result{std::move(*timing), n * sizeof(float) * team.size(), true};
    for (unsigned thread = 0; thread < team.size(); ++thread) {
        std::uint32_t wanted = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            wanted += word(i, thread);
        result.sumsRight = result.sumsRight && wanted == sums[thread].value;
    }
    return result;
}

Result<FmaTime> timeFma(Team& team, HostPrecision precision, const Sampling& how)
{
    const Loops& loop = loops();
    constexpr std::uint64_t kIterations = 1 << 14; // x counts them exactly: below 2^24
    const bool single = precision == HostPrecision::Fp32;
    const unsigned lanes = loop.vectorBytes / (single ? sizeof(float) : sizeof(double)) * loop.chains;
    std::vector<Apart<bool>> right(team.size());
    auto timing = timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        bool all = true;
        for (; passes > 0; --passes) {
            // x = 1·x + 1 from 0: as many as there were iterations, in every lane.
            const double sum = single ? loop.fma32(kIterations, 1, 1) : loop.fma64(kIterations, 1, 1);
            all = all && sum == static_cast<double>(kIterations) * lanes;
        }
        right[thread].value = all;
    });
    if (!timing)
        return timing.error();
    FmaTime result{std::move(*timing), 2.0 * static_cast<double>(kIterations) * lanes * team.size(), true};
    for (const auto& thread : right)
        result.resultRight = result.resultRight && thread.value;
    return result;
}

namespace {

/// The element at i, a small whole number, so that x + 1 again and again stays exact.
template<class T>
T mixElement(std::uint64_t i)
{
    return static_cast<T>(i % 61);
}

template<class T, class Bits>
Bits mixSum(std::uint64_t n, unsigned fmaPer16, std::uint64_t lanes)
{
    Bits sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const unsigned times = fmaPer16 >= 16 ? fmaPer16 / 16 : i / lanes % 16 < fmaPer16 ? 1 : 0;
        sum += std::bit_cast<Bits>(mixElement<T>(i) + static_cast<T>(times));
    }
    return sum;
}

template<class T, class Bits, class Loop>
Result<MixTime> timeMixOf(Team& team, Loop loop, unsigned fmaPer16, std::uint64_t bytesPerThread, const Sampling& how)
{
    const std::uint64_t lanes = loops().vectorBytes / sizeof(T), group = 16 * lanes;
    const std::uint64_t n = std::max<std::uint64_t>(1, bytesPerThread / sizeof(T) / group) * group;
    std::vector<Pages> pages;
    for (unsigned thread = 0; thread < team.size(); ++thread) {
        auto got = Pages::allocate(n * sizeof(T));
        if (!got)
            return got.error();
        pages.push_back(std::move(*got));
    }
    const auto elements = [&](unsigned thread) { return reinterpret_cast<T*>(pages[thread].bytes()); };
    team.run([&](unsigned thread) {
        for (std::uint64_t i = 0; i < n; ++i)
            elements(thread)[i] = mixElement<T>(i);
    });
    std::vector<Apart<Bits>> sums(team.size());
    auto timing = timePasses(team, how, [&](unsigned thread, std::uint64_t passes) {
        for (; passes > 0; --passes) {
            sums[thread].value = loop(elements(thread), n, fmaPer16, T{1}, T{1});
            use(sums[thread].value);
        }
    });
    if (!timing)
        return timing.error();
    MixTime result;
    result.timing = std::move(*timing);
    result.flops = 2.0 * static_cast<double>(n) / 16 * fmaPer16 * team.size();
    result.bytes = n * sizeof(T) * team.size();
    const Bits wanted = mixSum<T, Bits>(n, fmaPer16, lanes);
    result.resultRight = std::ranges::all_of(sums, [&](const auto& sum) { return sum.value == wanted; });
    return result;
}

} // namespace

Result<MixTime> timeMix(Team& team, HostPrecision precision, unsigned fmaPer16, std::uint64_t bytesPerThread,
                        const Sampling& how)
{
    if (!std::has_single_bit(fmaPer16) || fmaPer16 > 65536)
        return Error{"bad-value", "multiply-adds for 16 elements must be a power of two", "roofline on a processor",
                     "take 1, 2, 4 … 65536"};
    if (precision == HostPrecision::Fp32)
        return timeMixOf<float, std::uint32_t>(team, loops().mix32, fmaPer16, bytesPerThread, how);
    return timeMixOf<double, std::uint64_t>(team, loops().mix64, fmaPer16, bytesPerThread, how);
}

} // namespace ridge::host
