// SPDX-License-Identifier: GPL-3.0-or-later
// Drives a design that Verilator made into C++, for long runs: random tiles without gaps and holds, each result
// compared with plain loops. ROWS and COLS are given to the compiler; arguments: cycles at least, rows of activations
// in a tile. It prints one line. Exit status 3: the design is stuck.
#include "Varray.h"
#include "verilated.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

double sc_time_stamp()
{
    return 0;
}

namespace {

constexpr unsigned kRows = ROWS, kCols = COLS;

/// Ports are integers up to 64 bits and arrays of words beyond: bytes all the same, the lowest first.
template<class Port>
unsigned char* bytesOf(Port& port)
{
    return reinterpret_cast<unsigned char*>(&port);
}

std::uint64_t g_state = 1;

std::uint64_t next() // SplitMix64
{
    std::uint64_t z = g_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

void fill(std::vector<signed char>& values)
{
    for (std::size_t i = 0; i < values.size(); i += 8) {
        const std::uint64_t drawn = next();
        std::memcpy(&values[i], &drawn, std::min<std::size_t>(8, values.size() - i));
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    const std::uint64_t wanted = std::strtoull(argv[1], nullptr, 10), stream = std::strtoull(argv[2], nullptr, 10);
    VerilatedContext context;
    Varray dut(&context);
    std::vector<signed char> weights(kRows * kCols), activations(stream * kRows);
    std::vector<std::int32_t> sums(kCols);
    std::uint64_t cycles = 0, results = 0, wrong = 0, tiles = 0;
    const auto low = [&] {
        dut.clk = 0;
        dut.eval();
    };
    const auto high = [&] {
        dut.clk = 1;
        dut.eval();
    };
    dut.reset = 1;
    dut.w_valid = dut.a_valid = 0;
    dut.out_ready = 1;
    for (int i = 0; i < 2; ++i) {
        low();
        high();
    }
    dut.reset = 0;
    const auto begun = std::chrono::steady_clock::now();
    while (cycles < wanted) {
        fill(weights);
        fill(activations);
        ++tiles;
        std::uint64_t w = 0, a = 0, out = 0;
        for (const std::uint64_t limit = cycles + 1000 + 8 * (stream + 3 * kRows + kCols); out < stream; ++cycles) {
            if (cycles > limit) {
                std::printf("stuck %llu %llu %llu\n", static_cast<unsigned long long>(w),
                            static_cast<unsigned long long>(a), static_cast<unsigned long long>(out));
                return 3;
            }
            dut.w_valid = w < kRows;
            if (w < kRows)
                std::memcpy(bytesOf(dut.w_data), &weights[(kRows - 1 - w) * kCols], kCols);
            dut.a_valid = a < stream;
            dut.a_last = a + 1 == stream;
            if (a < stream)
                std::memcpy(bytesOf(dut.a_data), &activations[a * kRows], kRows);
            low();
            if (dut.out_valid) {
                std::fill(sums.begin(), sums.end(), 0);
                for (unsigned r = 0; r < kRows; ++r)
                    for (unsigned c = 0; c < kCols; ++c)
                        sums[c] += activations[out * kRows + r] * weights[r * kCols + c];
                wrong += std::memcmp(sums.data(), bytesOf(dut.out_data), 4 * kCols) != 0;
                ++results;
                ++out;
            }
            w += dut.w_valid && dut.w_ready;
            a += dut.a_valid && dut.a_ready;
            high();
        }
    }
    const auto ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begun).count();
    std::printf("ran %llu %llu %llu %llu %llu\n", static_cast<unsigned long long>(cycles),
                static_cast<unsigned long long>(tiles), static_cast<unsigned long long>(results),
                static_cast<unsigned long long>(wrong), static_cast<unsigned long long>(ns));
    return 0;
}
