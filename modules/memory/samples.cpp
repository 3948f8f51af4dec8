// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/samples.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

namespace ridge::memory {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr Wide wide(std::uint64_t high, std::uint64_t low)
{
    return Wide{high} << 64 | low;
}

constexpr Wide kStep = wide(2549297995355413924ULL, 4865540595714422341ULL); // of PCG64

/// numpy.random.SeedSequence(seed).generate_state(8): O'Neill's seed_seq_fe with a pool of four words.
std::array<std::uint32_t, 8> seedWords(std::uint64_t seed)
{
    std::uint32_t hash = 0x43b0d7e5;
    const auto hashed = [&](std::uint32_t value) {
        value ^= hash;
        hash *= 0x931e8875;
        value *= hash;
        return value ^ value >> 16;
    };
    std::array<std::uint32_t, 4> pool{};
    const std::uint32_t words[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    for (std::size_t i = 0; i < 4; ++i)
        pool[i] = hashed(i < 2 ? words[i] : 0);
    for (std::size_t from = 0; from < 4; ++from)
        for (std::size_t to = 0; to < 4; ++to)
            if (from != to) {
                const std::uint32_t mixed = 0xca01f9ddU * pool[to] - 0x4973f715U * hashed(pool[from]);
                pool[to] = mixed ^ mixed >> 16;
            }
    std::array<std::uint32_t, 8> state{};
    std::uint32_t out = 0x8b51f9dd;
    for (std::size_t i = 0; i < 8; ++i) {
        std::uint32_t value = pool[i % 4] ^ out;
        out *= 0x58f38ded;
        value *= out;
        state[i] = value ^ value >> 16;
    }
    return state;
}

/// 256 layers of equal area below exp(-x²/2) for x >= 0; the lowest has the tail past kTail.
struct Ziggurat {
    static constexpr long double kTail = 3.6541528853610087963519472518L; // numpy: ziggurat_nor_r
    std::array<double, 256> width{}, height{};
    std::array<std::uint64_t, 256> inside{};

    Ziggurat() // in long double, for the sum of errors of 254 steps
    {
        using Long = long double;
        const auto density = [](Long x) { return std::exp(-x * x / 2); };
        const Long area = kTail * density(kTail) +
                          std::sqrt(std::numbers::pi_v<Long> / 2) * std::erfc(kTail / std::numbers::sqrt2_v<Long>);
        Long x = kTail, before = kTail;
        const Long lowest = area / density(x);
        inside[0] = static_cast<std::uint64_t>(x / lowest * 0x1p52L);
        inside[1] = 0;
        width[0] = static_cast<double>(lowest * 0x1p-52L);
        width[255] = static_cast<double>(x * 0x1p-52L);
        height[0] = 1;
        height[255] = static_cast<double>(density(x));
        for (std::size_t i = 254; i >= 1; --i) {
            x = std::sqrt(-2 * std::log(area / x + density(x)));
            inside[i + 1] = static_cast<std::uint64_t>(x / before * 0x1p52L);
            before = x;
            height[i] = static_cast<double>(density(x));
            width[i] = static_cast<double>(x * 0x1p-52L);
        }
    }
};

const Ziggurat& ziggurat()
{
    static const Ziggurat tables;
    return tables;
}

} // namespace

NumpyRng::NumpyRng(std::uint64_t seed)
{
    const auto words = seedWords(seed);
    const auto pair = [&](std::size_t i) { return std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i]; };
    const Wide step = wide(pair(2), pair(3)) << 1 | 1;
    const Wide state = (step + wide(pair(0), pair(1))) * kStep + step;
    m_high = static_cast<std::uint64_t>(state >> 64);
    m_low = static_cast<std::uint64_t>(state);
    m_stepHigh = static_cast<std::uint64_t>(step >> 64);
    m_stepLow = static_cast<std::uint64_t>(step);
}

std::uint64_t NumpyRng::next()
{
    const Wide state = wide(m_high, m_low) * kStep + wide(m_stepHigh, m_stepLow);
    m_high = static_cast<std::uint64_t>(state >> 64);
    m_low = static_cast<std::uint64_t>(state);
    return std::rotr(m_high ^ m_low, static_cast<int>(m_high >> 58));
}

double NumpyRng::uniform()
{
    return static_cast<double>(next() >> 11) * 0x1p-53;
}

double NumpyRng::normal()
{
    const Ziggurat& z = ziggurat();
    while (true) {
        const std::uint64_t drawn = next();
        const std::size_t layer = drawn & 0xff;
        const std::uint64_t place = drawn >> 9 & 0x000fffffffffffff;
        const double size = static_cast<double>(place) * z.width[layer];
        const double x = drawn >> 8 & 1 ? -size : size;
        if (place < z.inside[layer])
            return x;
        if (layer != 0) {
            if ((z.height[layer - 1] - z.height[layer]) * uniform() + z.height[layer] < std::exp(-0.5 * x * x))
                return x;
            continue;
        }
        constexpr auto tail = static_cast<double>(Ziggurat::kTail);
        while (true) { // Marsaglia 1964
            const double past = -std::log1p(-uniform()) / tail;
            const double height = -std::log1p(-uniform());
            if (height + height > past * past)
                return place >> 8 & 1 ? -(tail + past) : tail + past;
        }
    }
}

double NumpyRng::laplace()
{
    while (true) {
        const double u = uniform();
        if (u >= 0.5)
            return -std::log(2 - u - u);
        if (u > 0)
            return std::log(u + u);
    }
}

double NumpyRng::gamma(double shape)
{
    const double b = shape - 1.0 / 3, c = 1 / std::sqrt(9 * b);
    while (true) {
        double x = 0, v = 0;
        do {
            x = normal();
            v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        const double u = uniform();
        if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v)))
            return b * v;
    }
}

double NumpyRng::studentT(double degrees)
{
    const double x = normal();
    return std::sqrt(degrees / 2) * x / std::sqrt(gamma(degrees / 2));
}

std::vector<double> drawSamples(Distribution distribution, std::size_t count, std::uint64_t seed)
{
    NumpyRng rng(seed);
    std::vector<double> samples(count);
    for (double& sample : samples)
        sample = distribution == Distribution::Laplace     ? rng.laplace()
                 : distribution == Distribution::StudentT5 ? rng.studentT(5)
                                                           : rng.normal();
    if (distribution == Distribution::NormalOutliers)
        for (double& sample : samples)
            if (rng.uniform() < kOutlierShare)
                sample *= kOutlierFactor;
    return samples;
}

Result<std::vector<double>> parseSamples(std::string_view bytes, const std::string& place)
{
    const auto bad = [&](const std::string& what) {
        return Error{"bad-samples", what, place, "write float64 with numpy's tofile() or save()"};
    };
    if (bytes.starts_with("\x93NUMPY")) { // version, length of the header, header
        const auto byte = [&](std::size_t at) { return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0u; };
        const bool first = byte(6) == 1;
        const std::size_t begin = first ? 10 : 12;
        const std::size_t length = byte(8) | byte(9) << 8 | (first ? 0u : byte(10) << 16 | byte(11) << 24);
        if (length > bytes.size() || begin > bytes.size() - length)
            return bad("the header of the .npy file is cut short");
        if (bytes.substr(begin, length).find("'<f8'") == std::string_view::npos)
            return bad("the .npy file holds other numbers than float64");
        bytes.remove_prefix(begin + length);
    }
    if (bytes.empty() || bytes.size() % sizeof(double) != 0)
        return bad(std::to_string(bytes.size()) + " bytes are no float64 numbers of 8 bytes each");
    std::vector<double> samples(bytes.size() / sizeof(double));
    std::memcpy(samples.data(), bytes.data(), bytes.size());
    return samples;
}

} // namespace ridge::memory
