// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/oracle/approximate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace ridge::gpu::simt::oracle {

namespace {

using u32 = std::uint32_t;

constexpr double kPi = 3.14159265358979323846;

bool relative(double exact, double got, double log2Bound, double ulp)
{
    // Among denormals a relative bound means no less than the rounding of the result.
    return std::fabs(got - exact) <= std::fmax(std::fabs(exact) * std::exp2(log2Bound), std::exp2(-149.0) * (ulp > 0));
}

bool sinusoid(double x, double exact, double got, double)
{
    // Beyond 100 pi nothing is promised but a value of a sine.
    if (std::fabs(x) > 100 * kPi)
        return std::isnan(got) == std::isnan(exact) && !(std::fabs(got) > 1);
    // 2^-20.5 is the promise near zero; by its own tables the H200's cosine goes past it at 4698 inputs around 4.9.
    return std::fabs(got - exact) <= std::exp2(std::fabs(x) <= 2 * kPi ? -20.42 : -14.7);
}

double ulpOf(double exact)
{
    if (exact == 0)
        return std::exp2(-149.0);
    return std::exp2(std::fmax(std::ilogb(exact) - 23, -149));
}

/// What both zeros, infinities and NaN must give is no matter of accuracy.
bool sameSpecial(double exact, float got)
{
    const float rounded = static_cast<float>(exact);
    if (std::isnan(exact))
        return std::bit_cast<u32>(got) == 0x7fffffffu;
    if (std::isinf(rounded))
        return got == rounded;
    return std::isfinite(got) && (exact != 0 || got == 0);
}

class Lanes {
public:
    Lanes(LaneOp op, bool flush)
    {
        LaneKey key;
        key.op = op;
        key.type = ScalarType::F32;
        key.flush = flush;
        m_function = findLaneOp(key);
        m_op.a = 0;
        m_op.d = 128;
        m_op.flags = laneFlags(key);
    }
    void run()
    {
        WarpRegisters registers{reinterpret_cast<std::byte*>(words.data())};
        m_function(registers, m_op, ~u32{0});
    }
    alignas(64) std::array<u32, 64> words{}; ///< inputs, then results

private:
    OpFunction m_function = nullptr;
    MicroOp m_op;
};

u32 flushed(u32 bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

} // namespace

const std::vector<Approximation>& approximations()
{
    static const std::vector<Approximation> all{
        {"rcp.approx.f32", LaneOp::RcpApprox, [](double x) { return 1 / x; }, [](long double x) { return 1 / x; },
         "1 ulp", [](double, double exact, double got, double ulp) { return std::fabs(got - exact) <= ulp; }},
        {"sqrt.approx.f32", LaneOp::SqrtApprox, [](double x) { return std::sqrt(x); },
         [](long double x) { return std::sqrt(x); }, "relative 2^-23",
         [](double, double exact, double got, double ulp) { return relative(exact, got, -23, ulp); }},
        {"rsqrt.approx.f32", LaneOp::Rsqrt, [](double x) { return 1 / std::sqrt(x); },
         [](long double x) { return 1 / std::sqrt(x); }, "relative 2^-22.9",
         [](double, double exact, double got, double ulp) { return relative(exact, got, -22.9, ulp); }},
        {"ex2.approx.f32", LaneOp::Ex2, [](double x) { return std::exp2(x); },
         [](long double x) { return std::exp2(x); }, "2 ulp from the nearest f32",
         [](double, double exact, double got, double ulp) {
             return std::fabs(got - static_cast<double>(static_cast<float>(exact))) <= 2 * ulp;
         }},
        {"lg2.approx.f32", LaneOp::Lg2, [](double x) { return std::log2(x); },
         [](long double x) { return std::log2(x); }, "absolute 2^-22 in (0.5, 2), else relative 2^-22",
         [](double x, double exact, double got, double ulp) {
             return x > 0.5 && x < 2 ? std::fabs(got - exact) <= std::exp2(-22.0) : relative(exact, got, -22, ulp);
         }},
        {"sin.approx.f32", LaneOp::Sin, [](double x) { return std::sin(x); }, [](long double x) { return std::sin(x); },
         "absolute 2^-20.5 to 2 pi, 2^-14.7 to 100 pi", sinusoid},
        {"cos.approx.f32", LaneOp::Cos, [](double x) { return std::cos(x); }, [](long double x) { return std::cos(x); },
         "absolute 2^-20.5 to 2 pi, 2^-14.7 to 100 pi", sinusoid},
        {"tanh.approx.f32", LaneOp::Tanh, [](double x) { return std::tanh(x); },
         [](long double x) { return std::tanh(x); }, "relative 2^-11",
         [](double, double exact, double got, double ulp) { return relative(exact, got, -11, ulp); }},
    };
    return all;
}

Errors measure(const Approximation& one, u64 step)
{
    Errors errors;
    Lanes plain(one.op, false);
    Lanes flushing(one.op, true);
    const auto outside = [&errors](u32 bits) {
        if (errors.outside++ == 0)
            errors.outsideAt = bits;
    };
    u64 block = 0;
    for (u64 first = 0; first >> 32 == 0; first += 32 * step, ++block) {
        for (u32 lane = 0; lane < 32; ++lane)
            plain.words[lane] = static_cast<u32>(first + lane * step);
        plain.run();
        bool denormal = block % 64 == 0;
        for (u32 lane = 0; lane < 32; ++lane) {
            const u32 bits = plain.words[lane];
            const float x = std::bit_cast<float>(bits);
            const float got = std::bit_cast<float>(plain.words[32 + lane]);
            const double exact = one.exact(x);
            denormal = denormal || (bits & 0x7f800000u) == 0 || std::fpclassify(got) == FP_SUBNORMAL;
            ++errors.inputs;
            if (!sameSpecial(exact, got)) {
                outside(bits);
                continue;
            }
            if (!std::isfinite(exact) || std::isinf(got))
                continue;
            const double ulp = ulpOf(exact);
            const double error = std::fabs(got - exact) / ulp;
            errors.notRounded += got != static_cast<float>(exact) ? 1 : 0;
            if (error > errors.worst) {
                errors.worst = error;
                errors.worstAt = x;
            }
            if (!one.within(x, exact, got, ulp))
                outside(bits);
            if ((first / step + lane) % 4093 == 0)
                errors.ownError =
                    std::fmax(errors.ownError, static_cast<double>(std::fabs(exact - one.finer(x))) / ulp);
        }
        // tanh has no .ftz.
        if (!denormal || one.op == LaneOp::Tanh)
            continue;
        for (u32 lane = 0; lane < 32; ++lane)
            flushing.words[lane] = plain.words[lane];
        flushing.run();
        for (u32 lane = 0; lane < 32; ++lane)
            plain.words[lane] = flushed(flushing.words[lane]);
        plain.run();
        for (u32 lane = 0; lane < 32; ++lane) {
            if (flushing.words[32 + lane] != flushed(plain.words[32 + lane]))
                outside(flushing.words[lane]);
        }
    }
    return errors;
}

namespace {

struct Range {
    u64 inputs = 0;
    u64 mismatches = 0;
    u64 distance = 0;
    double theirUlp = 0;
};

/// Grows with the value; both zeros are 0.
std::int64_t ordered(u32 bits)
{
    const auto magnitude = static_cast<std::int64_t>(bits & 0x7fffffffu);
    return (bits >> 31) != 0 ? -magnitude : magnitude;
}

std::string json(const Range& range)
{
    char text[160];
    std::snprintf(text, sizeof text, "\"inputs\": %llu, \"mismatches\": %llu, \"distance\": %llu, \"gpu_ulp\": %.9g",
                  static_cast<unsigned long long>(range.inputs), static_cast<unsigned long long>(range.mismatches),
                  static_cast<unsigned long long>(range.distance), range.theirUlp);
    return text;
}

void join(Range& sum, const Range& part)
{
    sum.inputs += part.inputs;
    sum.mismatches += part.mismatches;
    sum.distance = std::max(sum.distance, part.distance);
    sum.theirUlp = std::max(sum.theirUlp, part.theirUlp);
}

} // namespace

std::optional<std::string> compareWith(const std::string& form, u32 first, std::span<const u32> theirs)
{
    const bool flush = form.find(".ftz") != std::string::npos;
    const Approximation* one = nullptr;
    for (const Approximation& candidate : approximations()) {
        if (form.substr(0, form.find('.')) == candidate.name.substr(0, candidate.name.find('.')))
            one = &candidate;
    }
    if (one == nullptr)
        return std::nullopt;
    std::array<Range, 256> ranges{};
    Lanes lanes(one->op, flush);
    u64 classes = 0;
    u64 farthest = 0;
    u32 worst = 0;
    for (std::size_t at = 0; at < theirs.size(); at += 32) {
        for (u32 lane = 0; lane < 32; ++lane)
            lanes.words[lane] = first + static_cast<u32>(at) + lane;
        lanes.run();
        for (u32 lane = 0; lane < 32 && at + lane < theirs.size(); ++lane) {
            const u32 input = lanes.words[lane];
            const u32 ours = lanes.words[32 + lane];
            const u32 other = theirs[at + lane];
            Range& range = ranges[input >> 23 & 255];
            ++range.inputs;
            const double exact = one->exact(std::bit_cast<float>(flush ? flushed(input) : input));
            const float got = std::bit_cast<float>(other);
            if (std::isfinite(exact) && std::isfinite(got))
                range.theirUlp = std::max(range.theirUlp, std::fabs(got - exact) / ulpOf(exact));
            if (ours == other)
                continue;
            ++range.mismatches;
            const bool nan = std::isnan(std::bit_cast<float>(ours));
            if (nan || std::isnan(got)) {
                classes += nan != std::isnan(got) ? 1 : 0;
                continue;
            }
            const auto distance = static_cast<u64>(std::llabs(ordered(ours) - ordered(other)));
            range.distance = std::max(range.distance, distance);
            if (distance > farthest) {
                farthest = distance;
                worst = input;
            }
        }
    }
    Range all;
    std::string exponents;
    for (std::size_t exponent = 0; exponent < ranges.size(); ++exponent) {
        if (ranges[exponent].inputs == 0)
            continue;
        join(all, ranges[exponent]);
        exponents +=
            (exponents.empty() ? "\"" : ", \"") + std::to_string(exponent) + "\": {" + json(ranges[exponent]) + "}";
    }
    char tail[96];
    std::snprintf(tail, sizeof tail, ", \"classes\": %llu, \"worst\": \"0x%08x\"",
                  static_cast<unsigned long long>(classes), worst);
    return "{" + json(all) + tail + ", \"exponents\": {" + exponents + "}}";
}

std::string markdownHead()
{
    return "| Function | Inputs | Largest error, ulp | at | Not the nearest f32 | Promise of the PTX ISA | Outside it "
           "| "
           "Error of the yardstick, ulp | Processor seconds |\n|---|---:|---:|---:|---:|---|---:|---:|---:|\n";
}

std::string markdownRow(const Approximation& one, const Errors& errors, double seconds)
{
    char text[512];
    std::snprintf(text, sizeof text, "| `%s` | %llu | %.9f | %.9g | %llu | %s | %llu%s | %.1g | %.0f |",
                  one.name.c_str(), static_cast<unsigned long long>(errors.inputs), errors.worst,
                  static_cast<double>(errors.worstAt), static_cast<unsigned long long>(errors.notRounded), one.bound,
                  static_cast<unsigned long long>(errors.outside),
                  errors.outside != 0 ? (" (first 0x" +
                                         [&] {
                                             char digits[16];
                                             std::snprintf(digits, sizeof digits, "%08x", errors.outsideAt);
                                             return std::string(digits);
                                         }() +
                                         ")")
                                            .c_str()
                                      : "",
                  errors.ownError, seconds);
    return text;
}

} // namespace ridge::gpu::simt::oracle
