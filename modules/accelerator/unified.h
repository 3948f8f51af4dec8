// SPDX-License-Identifier: GPL-3.0-or-later
// One pool of memory for CPU and accelerator, or two with a link: what copies, zero-copy and managed pages cost, and
// how fast a model decodes that fits one and not the other.
#pragma once

#include "base/result.h"

#include <cstdint>

namespace ridge::accelerator {

struct MemorySystem {
    double capacity = 24e9;     ///< B that the accelerator can use
    double bytesPerS = 1e12;    ///< of that memory
    double linkBytesPerS = 0;   ///< one way, to the CPU's memory; 0: there is one memory
    double hostBytesPerS = 0;   ///< of the CPU's memory; 0: no slower than the link
    double pageBytes = 65536;   ///< that a fault moves
    double faultSeconds = 2e-5; ///< of a group of faults that are served together
    double faultsTogether = 32; ///< pages of such a group
    bool unified() const { return linkBytesPerS <= 0; }
    double remoteBytesPerS() const
    {
        return hostBytesPerS > 0 && hostBytesPerS < linkBytesPerS ? hostBytesPerS : linkBytesPerS;
    }
};

enum class Sharing { Copy, ZeroCopy, Managed };

struct SharedUse {
    double bytes = 0;   ///< that the CPU has written
    double passes = 1;  ///< times that the accelerator reads all of it, in order
    double results = 0; ///< B that go back
};

struct SharedCost {
    bool fits = true;
    double time = 0, move = 0, read = 0, faults = 0; ///< s; move: over the link or from place to place
    double movedBytes = 0, faultCount = 0;
};

/// Copy: there, read `passes` times, back; one memory is copied within itself, which reads and writes it. Zero-copy:
/// read where it is. Managed: pages come when first read; where they do not all fit, the oldest goes, so that reading
/// in order brings every page again in each pass. A copy that does not fit has fits = false and no time. Errors:
/// "bad-use" for bytes or passes of 0 or less.
Result<SharedCost> shareMemory(const MemorySystem& system, Sharing how, const SharedUse& use);

struct DecodeCost {
    bool fits = true;       ///< all in the accelerator's memory
    bool possible = true;   ///< in one memory: no more than it has
    double seconds = 0;     ///< of a token
    double remoteBytes = 0; ///< that come over the link for each token
};

/// A token reads all of `weightBytes` and `stateBytes`; what does not fit is read over the link.
DecodeCost decodeToken(const MemorySystem& system, double weightBytes, double stateBytes);

/// Bytes from which on the other memory is faster than this one, whose overflow comes over the link: the crossover. 0:
/// at once; below 0: never up to the other's capacity.
double crossoverBytes(const MemorySystem& card, const MemorySystem& pool);

} // namespace ridge::accelerator
