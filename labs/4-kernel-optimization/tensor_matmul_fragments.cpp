// SPDX-License-Identifier: GPL-3.0-or-later
// Asks a machine for the fragments of mma.m16n8k16 and draws them.
#include "labs/4-kernel-optimization/tensor_matmul_fragments.h"

#include "base/grid_trace.h"
#include "labs/4-kernel-optimization/tensor_matmul_info.h"
#include "labs/harness/buffers.h"

#include <fmt/core.h>
#include <set>

namespace ridge::labs {
namespace {

constexpr std::uint32_t kFirstOfB = 17, kFirstOfC = 17; ///< row, column
constexpr std::uint32_t kPictureRows = kFirstOfB + 8, kPictureColumns = kFirstOfC + 8;

struct Place {
    std::uint32_t row = 0, column = 0;
    std::string registerName; ///< "a1, low half"
    std::uint8_t state = 0;
};

/// The cells of a lane.
std::vector<Place> placesOf(const FragmentOwners& owners, std::uint32_t lane, std::span<const std::uint8_t> states)
{
    std::vector<Place> places;
    const auto half = [](std::size_t i) { return i % 2 == 0 ? "low" : "high"; };
    for (std::size_t i = 0; i < 8; ++i) {
        const std::uint32_t at = owners.a[lane][i];
        places.push_back({at / 16, at % 16, fmt::format("register a{}, {} half", i / 2, half(i)), states[i / 2]});
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t at = owners.b[lane][i];
        places.push_back(
            {kFirstOfB + at / 16, at % 16, fmt::format("register b{}, {} half", i / 2, half(i)), states[4 + i / 2]});
    }
    for (std::size_t i = 0; i < 4; ++i) {
        const std::uint32_t at = owners.c[lane][i];
        places.push_back({at / 8, kFirstOfC + at % 8, fmt::format("register c{}", i), states[6 + i / 2]});
    }
    return places;
}

/// "k 0" … "k 15", "", then eight of the other matrix.
std::vector<std::string> namesOf(const char* sixteen, const char* eight)
{
    std::vector<std::string> names;
    for (int i = 0; i < 16; ++i)
        names.push_back(fmt::format("{} {}", sixteen, i));
    names.emplace_back();
    for (int i = 0; i < 8; ++i)
        names.push_back(fmt::format("{} {}", eight, i));
    return names;
}

template<std::size_t kEach>
bool eachOnce(const std::array<std::array<std::uint16_t, kEach>, 32>& lanes)
{
    std::set<std::uint16_t> seen;
    for (const auto& lane : lanes)
        seen.insert(lane.begin(), lane.end());
    return seen.size() == 32 * kEach && *seen.rbegin() == 32 * kEach - 1;
}

} // namespace

Result<FragmentOwners> askFragments(GpuContext& context)
{
    const auto program = context.kernel(kFragmentsKernel);
    if (!program)
        return program.error();
    Buffers buffers(context.device());
    FragmentOwners owners;
    const auto a = buffers.allocate(sizeof owners.a, "fragments of A");
    if (!a)
        return a.error();
    const auto b = buffers.allocate(sizeof owners.b, "fragments of B");
    if (!b)
        return b.error();
    const auto c = buffers.allocate(32 * 4 * sizeof(float), "fragments of C");
    if (!c)
        return c.error();
    const gpu::Step ask = step(*program, "fragments", 1, 32, {*a, *b, *c});
    if (auto ran = context.device().launch(**program, ask.launch, {}); !ran)
        return ran.error();
    const auto keep = [](auto& lanes) {
        return [&lanes](std::uint64_t i, auto value) {
            auto& lane = lanes[i / lanes[0].size()];
            lane[i % lane.size()] = static_cast<std::uint16_t>(value);
        };
    };
    if (auto read = readBack<std::uint16_t>(context, *a, 32 * 8, keep(owners.a)); !read)
        return read.error();
    if (auto read = readBack<std::uint16_t>(context, *b, 32 * 4, keep(owners.b)); !read)
        return read.error();
    if (auto read = readBack<float>(context, *c, 32 * 4, keep(owners.c)); !read)
        return read.error();
    return owners;
}

bool complete(const FragmentOwners& owners)
{
    return eachOnce(owners.a) && eachOnce(owners.b) && eachOnce(owners.c);
}

std::string fragmentPicture(const FragmentOwners& owners)
{
    GridTraceBuilder grid("mma.m16n8k16: A (16 x 16), C beside it (16 x 8), B below, its columns lying down (8 x 16)",
                          kPictureRows, kPictureColumns);
    grid.axes("row", "column").rowNames(namesOf("row", "B column")).columnNames(namesOf("k", "C column"));
    grid.stepUnit("picture");
    grid.state("between the matrices", TraceColor::Idle);
    const TraceColor colors[] = {TraceColor::Series1, TraceColor::Series2, TraceColor::Series3, TraceColor::Series4,
                                 TraceColor::Series5, TraceColor::Series6, TraceColor::Series7, TraceColor::Series8};
    const char* names[] = {"a0", "a1", "a2", "a3", "b0", "b1", "c0 and c1", "c2 and c3"};
    std::vector<std::uint8_t> states;
    for (std::size_t i = 0; i < std::size(names); ++i)
        states.push_back(grid.state(names[i], colors[i]));
    const auto looked = grid.state("the lane's", TraceColor::Warn);
    const auto draw = [&](std::uint32_t lane, bool looksAt) {
        for (const Place& place : placesOf(owners, lane, states))
            grid.set(place.row, place.column,
                     {.state = looksAt ? looked : place.state,
                      .text = std::to_string(lane),
                      .note = fmt::format("lane {}, {}", lane, place.registerName)});
    };
    grid.step("every cell has the number of its lane and the colour of its register", "all lanes");
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        draw(lane, false);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        grid.step(fmt::format("lane {} holds 8 elements of A, 4 of B and 4 of C", lane), fmt::format("lane {}", lane));
        if (lane > 0)
            draw(lane - 1, false);
        draw(lane, true);
    }
    grid.step("every cell has the number of its lane and the colour of its register", "all lanes again");
    draw(31, false);
    return encodeGridTrace(grid.take());
}

} // namespace ridge::labs
