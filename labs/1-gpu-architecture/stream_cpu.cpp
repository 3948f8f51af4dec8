// SPDX-License-Identifier: GPL-3.0-or-later
// STREAM on this machine's processor: every thread passes over a part of the arrays that it touched first.
#include "labs/1-gpu-architecture/stream_setting.h"
#include "labs/harness/host_time.h"

namespace ridge::labs {

void checkStreamRead(RunContext& context, const StreamSetting& setting, std::uint32_t got, std::uint32_t salt)
{
    std::uint32_t wanted = 0;
    for (std::uint64_t i = 0; i < setting.n; ++i)
        wanted += std::bit_cast<std::uint32_t>(streamA(i, salt));
    context.check("matches_reference", got == wanted,
                  fmt::format("the words of a sum up to {:#010x}, the reference's to {:#010x}", got, wanted));
}

void checkStreamDot(RunContext& context, const StreamSetting& setting, double got, std::uint32_t salt)
{
    double wanted = 0, magnitude = 0;
    for (std::uint64_t i = 0; i < setting.n; ++i) {
        const double product = double{streamA(i, salt)} * double{streamB(i, salt)};
        wanted += product;
        magnitude += std::fabs(product);
    }
    const double tolerance =
        std::log2(static_cast<double>(std::max<std::uint64_t>(2, setting.n))) * 0x1p-24 * magnitude;
    const double difference = std::fabs(got - wanted);
    context.check("matches_reference", difference <= tolerance, // false for NaN, too
                  fmt::format("{:.9g}, in double precision {:.9g}; they may differ by {:.3g}", got, wanted, tolerance));
}

namespace {

/// Words of c that were never written would be NaN.
void checkArray(RunContext& context, const StreamSetting& setting, std::span<const float> c, std::uint32_t salt)
{
    Comparison comparison;
    for (std::uint64_t i = 0; i < setting.n; ++i) {
        const float a = streamA(i, salt), b = streamB(i, salt);
        const float wanted = streamExpected(setting.op, a, b);
        // A processor without fused multiply-add rounds twice.
        const bool right = c[i] == wanted || (setting.op == StreamOp::Triad && c[i] == a + kStreamScalar * b);
        comparison.see(i, right, c[i], wanted);
    }
    comparison.report(context, "bit for bit");
}

} // namespace

Result<void> runStreamOnCpu(const ParamSet& params, RunContext& context)
{
    const StreamSetting setting = streamSettingOf(params);
    const std::uint32_t salt = context.rng().nextU32();
    const auto a = host::Pages::allocate(setting.readsA() ? setting.bytes() : 0);
    const auto b = host::Pages::allocate(setting.readsB() ? setting.bytes() : 0);
    const auto c = host::Pages::allocate(setting.sums() ? 0 : setting.bytes());
    for (const auto* pages : {&a, &b, &c})
        if (!*pages)
            return pages->error();
    host::Team team(host::machine().processors);
    const auto nan = std::bit_cast<float>(~0u);
    team.run([&](unsigned thread) {
        const host::Part part = host::partOf(setting.n, thread, team.size());
        for (std::uint64_t i = part.begin; i < part.end && !(i % 65536 == 0 && context.cancelled()); ++i) {
            if (setting.readsA())
                a->floats()[i] = streamA(i, salt);
            if (setting.readsB())
                b->floats()[i] = streamB(i, salt);
            if (!setting.sums())
                c->floats()[i] = nan;
        }
    });
    context.progress(0.3,
                     fmt::format("{} by {} threads", kStreamOps[static_cast<std::size_t>(setting.op)], team.size()));
    const auto time = host::timeStream(team, static_cast<host::StreamOp>(setting.op),
                                       {a->floats(), b->floats(), c->floats()}, kStreamScalar, samplingOf(context));
    if (!time)
        return time.error();
    if (setting.op == StreamOp::Read)
        checkStreamRead(context, setting, time->words, salt);
    else if (setting.op == StreamOp::Dot)
        checkStreamDot(context, setting, time->products, salt);
    else
        checkArray(context, setting, c->floats(), salt);
    reportHostTime(context, time->timing);
    const auto moved = static_cast<double>(setting.bytesMoved());
    context.metric("bytes_moved", moved, Provenance::Modelled);
    const double rate = moved / time->timing.medianSeconds;
    context.metric("bandwidth", rate / 1e9, Provenance::Measured);
    // Arrays that the caches hold have no bound here: reads and writes go side by side there, and nothing tells how
    // wide.
    const host::Machine machine = host::machine();
    const std::uint64_t memory = hostMemoryBytes(0, machine);
    const std::uint64_t arrays = setting.bytes() * (setting.readsA() + setting.readsB() + !setting.sums());
    if (memory == 0 || arrays < memory)
        return {};
    context.progress(0.8, "what all cores read from memory");
    const auto read = hostReadRoof(context, team, memory / team.size(), rate);
    if (!read)
        return read.error();
    context.limit("bandwidth", *read / 1e9);
    return {};
}

} // namespace ridge::labs
