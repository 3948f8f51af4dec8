// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/oracle/oracle.h"

#include <cstdio>
#include <cstring>

namespace ridge::gpu::simt::oracle {

namespace {

/// xoshiro256**: as good as needed here and faster than what it tests.
class Random {
public:
    explicit Random(u64 seed)
    {
        for (u64& word : m_state) {
            seed += 0x9e3779b97f4a7c15u;
            word = (seed ^ seed >> 31) * 0xbf58476d1ce4e5b9u;
            word ^= word >> 29;
        }
    }
    u64 operator()()
    {
        const u64 result = turn(m_state[1] * 5, 7) * 9;
        const u64 shifted = m_state[1] << 17;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= shifted;
        m_state[3] = turn(m_state[3], 45);
        return result;
    }

private:
    static u64 turn(u64 value, int by) { return value << by | value >> (64 - by); }
    std::array<u64, 4> m_state{};
};

using Operands = std::array<u64, 4>;

u64 low(u64 value, unsigned bits)
{
    return bits >= 64 ? value : value & ((u64{1} << bits) - 1);
}

std::vector<u64> specialFloats(ScalarType type)
{
    const unsigned bits = sizeOf(type) * 8;
    const unsigned fraction = type == ScalarType::F16    ? 10
                              : type == ScalarType::BF16 ? 7
                              : type == ScalarType::F32  ? 23
                                                         : 52;
    const u64 ones = (u64{1} << (bits - 1 - fraction)) - 1;
    const u64 one = (ones >> 1) << fraction;
    std::vector<u64> values;
    for (const u64 v : {u64{0}, u64{1}, (u64{1} << fraction) - 1, u64{1} << fraction, (u64{1} << fraction) + 1, one,
                        one + 1, one - 1, one + (u64{1} << fraction), one + (u64{1} << (fraction - 1)),
                        one - (u64{24} << fraction) % (one + 1), (ones << fraction) - 1, ones << fraction,
                        (ones << fraction) + 1, (ones << fraction) | u64{1} << (fraction - 1)}) {
        values.push_back(v);
        values.push_back(v | u64{1} << (bits - 1));
    }
    return values;
}

std::vector<u64> specialIntegers(unsigned bits)
{
    std::vector<u64> values{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256};
    for (const unsigned at : {15u, 16u, 24u, 31u, 32u, 63u}) {
        for (const u64 v : {(u64{1} << at) - 1, u64{1} << at, (u64{1} << at) + 1})
            values.push_back(v);
    }
    for (const u64 v : {~u64{0}, ~u64{1}, u64{0x5555555555555555}, u64{0x8000000080008080}})
        values.push_back(v);
    std::vector<u64> kept;
    for (const u64 v : values) {
        if (low(v, bits) == v || v == ~u64{0} || v == ~u64{1} || v == 0x5555555555555555 || v == 0x8000000080008080)
            kept.push_back(low(v, bits));
    }
    return kept;
}

unsigned bitsOf(const Case& one, std::size_t operand)
{
    return one.used[operand] != 0 ? one.used[operand] : one.bytes[operand] * 8;
}

/// Float bits whose exponents lie near one another as often as far apart, so that sums cancel.
u64 drawFloat(Random& random, unsigned bits, u64 near)
{
    const u64 mask = low(~u64{0}, bits);
    const u64 raw = random();
    switch (raw >> 60) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return (near ^ (random() >> (raw & 63))) & mask;
    case 5:
        return raw & mask & ~(mask >> (raw >> 54 & 31));
    default:
        return random() & mask;
    }
}

/// Integers of every length; of 32 bits, a third below 64, for amounts and positions.
u64 drawInteger(Random& random, unsigned bits, u64 near)
{
    const u64 raw = random();
    switch (raw >> 60) {
    case 0:
    case 1:
        return low(near + (raw & 3) - 1, bits);
    case 2:
    case 3:
    case 4:
        return low(raw & 63, bits);
    case 5:
    case 6:
    case 7:
        return low(~(random() >> (raw & 63)), bits);
    case 8:
    case 9:
    case 10:
    case 11:
        return low(random() >> (raw & 63), bits);
    default:
        return low(random(), bits);
    }
}

/// The registers of one warp, and the case's function in every build.
class Bench {
public:
    explicit Bench(const Case& one) : m_case(one)
    {
        m_op.a = 0;
        m_op.b = 256;
        m_op.c = one.to == 0 ? kPredicate + 4 : 512;
        m_op.d = one.to == 0 ? kPredicate : 1024;
        m_op.e = one.bytes[3] != 0 ? 768 : ~u32{0};
        m_op.flags = one.flags;
        m_op.imm = one.imm;
        if (one.alone != nullptr) {
            m_functions.push_back(one.alone);
            return;
        }
        for (const LaneBuild build : {LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512}) {
            const OpFunction function = isAvailable(build) ? findLaneOpIn(build, one.key) : nullptr;
            bool known = function == nullptr; // many forms are one function in all builds
            for (const OpFunction other : m_functions)
                known = known || other == function;
            if (!known)
                m_functions.push_back(function);
        }
    }

    bool exists() const { return !m_functions.empty(); }

    /// Runs and compares `count` (at most 32) tuples.
    void compare(const Operands* tuples, unsigned count, Outcome& outcome)
    {
        for (std::size_t operand = 0; operand < 4; ++operand) {
            for (unsigned lane = 0; m_case.bytes[operand] != 0 && lane < 32; ++lane)
                std::memcpy(at(operand * 256, lane, m_case.bytes[operand]), &tuples[lane % count][operand],
                            m_case.bytes[operand]);
        }
        std::array<u64, 32> expected{};
        for (unsigned lane = 0; lane < count; ++lane) {
            const Operands& in = tuples[lane];
            expected[lane] = m_case.expected(in[0], in[1], in[2], in[3]);
        }
        WarpRegisters registers{m_file.data()};
        for (const OpFunction function : m_functions) {
            function(registers, m_op, ~u32{0});
            for (unsigned lane = 0; lane < count; ++lane) {
                const u64 got = result(lane);
                if (got == expected[lane])
                    continue;
                ++outcome.mismatches;
                if (outcome.first.empty())
                    outcome.first = describe(tuples[lane], got, expected[lane]);
            }
        }
        outcome.operands += count;
    }

private:
    static constexpr u32 kPredicate = 1280;

    std::byte* at(std::size_t plane, unsigned lane, unsigned bytes) { return m_file.data() + plane + lane * bytes; }

    u64 result(unsigned lane)
    {
        u64 value = 0;
        if (m_case.to == 0) {
            u32 word = 0;
            std::memcpy(&word, m_file.data() + kPredicate, sizeof word);
            return word >> lane & 1;
        }
        std::memcpy(&value, at(1024, lane, m_case.to), m_case.to);
        return value;
    }

    std::string describe(const Operands& in, u64 got, u64 expected) const
    {
        std::string text;
        char number[32];
        for (std::size_t operand = 0; operand < 4; ++operand) {
            if (m_case.bytes[operand] == 0)
                continue;
            std::snprintf(number, sizeof number, "%llx ", static_cast<unsigned long long>(in[operand]));
            text += number;
        }
        std::snprintf(number, sizeof number, "%llx", static_cast<unsigned long long>(got));
        text += std::string("gives ") + number;
        std::snprintf(number, sizeof number, "%llx", static_cast<unsigned long long>(expected));
        return text + ", expected " + number;
    }

    const Case& m_case;
    MicroOp m_op;
    std::vector<OpFunction> m_functions;
    alignas(64) std::array<std::byte, 1344> m_file{};
};

} // namespace

std::vector<Case> allCases()
{
    std::vector<Case> all = floatCases();
    for (auto* more : {&convertCases, &integerCases, &videoCases}) {
        for (Case& one : more())
            all.push_back(std::move(one));
    }
    return all;
}

Outcome check(const Case& one, u64 samples, u64 seed)
{
    Outcome outcome;
    Bench bench(one);
    if (!bench.exists()) {
        outcome.mismatches = 1;
        outcome.first = "the form does not exist";
        return outcome;
    }
    std::array<Operands, 32> block{};
    unsigned filled = 0;
    const auto flush = [&] {
        if (filled != 0)
            bench.compare(block.data(), filled, outcome);
        filled = 0;
    };
    const auto push = [&](const Operands& tuple) {
        block[filled++] = tuple;
        if (filled == 32)
            flush();
    };

    if (one.bytes[1] == 0 && bitsOf(one, 0) <= 16) {
        for (u64 value = 0; value >> bitsOf(one, 0) == 0; ++value)
            push({value, 0, 0, 0});
        flush();
        outcome.exhaustive = true;
        return outcome;
    }

    std::array<std::vector<u64>, 4> special;
    for (std::size_t operand = 0; operand < 4; ++operand) {
        if (one.bytes[operand] == 0)
            special[operand] = {0};
        else
            special[operand] =
                one.drawn != ScalarType::None ? specialFloats(one.drawn) : specialIntegers(bitsOf(one, operand));
    }
    for (const u64 a : special[0])
        for (const u64 b : special[1])
            for (const u64 c : special[2])
                for (const u64 e : special[3])
                    push({a, b, c, e});
    Random random(seed);
    for (u64 done = 0; done < samples; ++done) {
        Operands tuple{};
        for (std::size_t operand = 0; operand < 4 && one.bytes[operand] != 0; ++operand) {
            const u64 near = operand == 0 ? random() : tuple[0];
            tuple[operand] = one.drawn != ScalarType::None ? drawFloat(random, bitsOf(one, operand), near)
                                                           : drawInteger(random, bitsOf(one, operand), near);
        }
        push(tuple);
    }
    flush();
    return outcome;
}

} // namespace ridge::gpu::simt::oracle
