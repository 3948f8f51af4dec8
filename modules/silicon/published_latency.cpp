// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/published_latency.h"

#include <array>

namespace ridge::silicon {

namespace {

constexpr double kKiB = 1024, kMiB = 1024 * 1024;

std::array<PublishedLatency, 4> makeLatencies()
{
    return {{{"v100", "V100", 1380e6, 128 * kKiB, 6 * kMiB, 28, 212, 434, ""},
             {"a100", "A100", 1410e6, 192 * kKiB, 40 * kMiB, 33, 206, 552,
              "L2 is its near half; the published curve rises to about 391 cycles in the far half"},
             {"gh200", "GH200", 1980e6, 256 * kKiB, 50 * kMiB, 32, 281, 689,
              "L2 is its near half; the published curve rises to about 515 cycles in the far half"},
             {"l40", "L40", 2490e6, 128 * kKiB, 96 * kMiB, 34, 274, 625, ""}}};
}

} // namespace

std::span<const PublishedLatency> publishedLatencies()
{
    static const std::array<PublishedLatency, 4> all = makeLatencies();
    return all;
}

const PublishedLatency* publishedLatency(std::string_view id)
{
    for (const PublishedLatency& chip : publishedLatencies())
        if (chip.id == id)
            return &chip;
    return nullptr;
}

double latencySeconds(const PublishedLatency& chip, double cycles)
{
    return cycles / chip.clockHz;
}

double latencyCycles(const PublishedLatency& chip, double workingSetBytes)
{
    return workingSetBytes <= chip.l1Bytes   ? chip.l1Cycles
           : workingSetBytes <= chip.l2Bytes ? chip.l2Cycles
                                             : chip.dramCycles;
}

} // namespace ridge::silicon
