// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/unified.h"

#include <algorithm>
#include <cmath>

namespace ridge::accelerator {

Result<SharedCost> shareMemory(const MemorySystem& system, Sharing how, const SharedUse& use)
{
    if (!(use.bytes > 0) || !(use.passes > 0) || !(use.results >= 0))
        return Error{"bad-use", "there is nothing to read", "parameters bytes_gb, passes", "give more than 0"};
    SharedCost cost;
    const double local = system.bytesPerS;
    switch (how) {
    case Sharing::Copy:
        cost.fits = (system.unified() ? 2 : 1) * use.bytes + use.results <= system.capacity;
        if (!cost.fits)
            return cost;
        cost.movedBytes = use.bytes + use.results;
        cost.move = system.unified() ? 2 * cost.movedBytes / local : cost.movedBytes / system.remoteBytesPerS();
        cost.read = use.passes * use.bytes / local;
        break;
    case Sharing::ZeroCopy:
        cost.fits = !system.unified() || use.bytes + use.results <= system.capacity;
        if (!cost.fits)
            return cost;
        cost.movedBytes = system.unified() ? 0 : use.passes * use.bytes + use.results;
        cost.read = (use.passes * use.bytes + use.results) / (system.unified() ? local : system.remoteBytesPerS());
        break;
    case Sharing::Managed: {
        cost.read = use.passes * use.bytes / local;
        if (system.unified()) {
            cost.fits = use.bytes + use.results <= system.capacity;
            if (!cost.fits)
                return {cost};
            break;
        }
        cost.fits = use.bytes <= system.capacity;
        const double pages = std::ceil(use.bytes / system.pageBytes),
                     held = std::floor(system.capacity / system.pageBytes);
        cost.faultCount = pages <= held ? pages : pages * std::ceil(use.passes);
        cost.faults = cost.faultCount / system.faultsTogether * system.faultSeconds;
        cost.movedBytes = cost.faultCount * system.pageBytes + use.results;
        cost.move = cost.movedBytes / system.remoteBytesPerS();
        break;
    }
    }
    cost.time = cost.move + cost.read + cost.faults;
    return cost;
}

DecodeCost decodeToken(const MemorySystem& system, double weightBytes, double stateBytes)
{
    DecodeCost cost;
    const double bytes = weightBytes + stateBytes;
    cost.fits = bytes <= system.capacity;
    cost.possible = cost.fits || !system.unified();
    const double here = std::min(bytes, system.capacity);
    cost.remoteBytes = bytes - here;
    cost.seconds = here / system.bytesPerS;
    if (cost.remoteBytes > 0 && !system.unified())
        cost.seconds += cost.remoteBytes / system.remoteBytesPerS();
    return cost;
}

double crossoverBytes(const MemorySystem& card, const MemorySystem& pool)
{
    if (pool.bytesPerS >= card.bytesPerS)
        return 0;
    if (card.unified() || card.remoteBytesPerS() >= pool.bytesPerS)
        return -1;
    // capacity / local + (x - capacity) / link = x / pool
    const double link = 1 / card.remoteBytesPerS(), local = 1 / card.bytesPerS;
    const double x = card.capacity * (link - local) / (link - 1 / pool.bytesPerS);
    return x <= pool.capacity ? x : -1;
}

} // namespace ridge::accelerator
