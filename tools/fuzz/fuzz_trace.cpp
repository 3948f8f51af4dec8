// SPDX-License-Identifier: GPL-3.0-or-later
// Damaged traces: as they are, and behind a header whose checksum fits, so that the payload is read at all.
#include "base/grid_trace.h"
#include "base/lane_trace.h"
#include "base/launch_trace.h"
#include "base/schedule_trace.h"
#include "base/step_reader.h"

#include <cstdlib>
#include <cstring>

using namespace ridge;

namespace {

void decodeGrid(const std::string& bytes)
{
    auto grid = decodeGridTrace(bytes);
    if (!grid)
        return;
    const auto again = decodeGridTrace(encodeGridTrace(*grid));
    if (!again || !(*again == *grid))
        std::abort();
    const GridHistory history(std::make_shared<const GridTrace>(std::move(*grid)));
    for (const std::size_t step : {std::size_t{0}, history.trace().steps.size() / 2, history.trace().steps.size()})
        for (const std::uint32_t change : history.at(step).last)
            if (change != GridMoment::kNever && history.stepOf(change) >= history.trace().steps.size())
                std::abort();
}

void decodeLanes(const std::string& bytes)
{
    auto lanes = decodeLaneTrace(bytes);
    if (!lanes)
        return;
    const auto again = decodeLaneTrace(encodeLaneTrace(*lanes));
    if (!again || !(*again == *lanes))
        std::abort();
    const LaneIndex index(std::make_shared<const LaneTrace>(std::move(*lanes)));
    for (const LaneIndex::Row& row : index.rows())
        (void)index.at(row, index.end() / 2);
    bool crowded = false;
    (void)index.arrowsIn(0, index.end(), 100, crowded);
    for (std::size_t counter = 0; counter < index.trace().counters.size(); ++counter)
        (void)index.extent(counter, index.end() / 4, index.end());
}

void decode(const std::string& bytes)
{
    (void)splitTraces(bytes);
    if (const auto schedule = decodeScheduleTrace(bytes)) {
        const auto again = decodeScheduleTrace(encodeScheduleTrace(*schedule));
        if (!again || !(*again == *schedule))
            std::abort();
    }
    decodeGrid(bytes);
    decodeLanes(bytes);
    if (const auto launch = decodeLaunchTrace(bytes)) {
        const auto again = decodeLaunchTrace(encodeLaunchTrace(*launch));
        if (!again || !(*again == *launch))
            std::abort();
    }
    if (const auto steps = decodeStepTrace(bytes)) {
        const auto again = decodeStepTrace(encodeStepTrace(*steps));
        if (!again || !(*again == *steps))
            std::abort();
        StepReader reader(*steps);
        reader.seek(reader.size() / 2);
        for (std::uint32_t reg = 0; reg < steps->registers.size(); ++reg)
            (void)reader.value(0, reg, 31);
        (void)reader.sharedWord(0);
    }
    const auto trace = decodeTrace(bytes);
    if (!trace)
        return;
    // What can be read can be written and read again.
    const auto again = decodeTrace(encodeTrace(*trace));
    if (!again || !(*again == *trace))
        std::abort();
}

/// As the header wants it (docs/protocol.md).
std::uint64_t fnv1a64(const std::string& bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : bytes)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

template<class T>
void put(std::string& to, T value)
{
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    to.append(bytes.data(), bytes.size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    decode(bytes);
    for (const char* kind : {"RTRC", "RLTR", "RSTP", "RSTR", "RGRD", "RLAN"}) {
        std::string framed = kind;
        put(framed, std::uint32_t{1});
        put(framed, std::uint64_t{size});
        put(framed, fnv1a64(bytes));
        decode(framed + bytes);
    }
    return 0;
}
