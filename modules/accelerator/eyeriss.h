// SPDX-License-Identifier: GPL-3.0-or-later
// A row-stationary array: Eyeriss (Chen et al., JSSC 2017; ISCA 2016).
//
// Terminology. A PE keeps a filter row and slides it over an input row; a
// filter's rows on top of each other and output rows side by side are a PE set.
// Letters as in the papers: N images, M filters, C channels, R x S the filter,
// E x F the output; a pass works on n images, p t filters, q r channels and e
// rows of the output, with r t sets on the array.
#pragma once

#include "accelerator/systolic.h"

#include <span>
#include <string>

namespace ridge::accelerator {

/// Defaults are Eyeriss v1's (JSSC 2017).
struct RowStationaryArray {
    Array array{12, 14};
    std::uint32_t filterWords = 224, inputWords = 12, sumWords = 24; ///< of a PE
    std::uint64_t bufferBytes = 100000; ///< global buffer for inputs and sums; filters have 8 KB beside it
    std::uint32_t word = 2;             ///< bytes
    std::uint32_t filterBus = 4, inputBus = 1, sumBus = 4; ///< words a cycle from the global buffer
};

/// A layer; `conv` includes the padding, `groups` share nothing.
struct RowStationaryLayer {
    Conv conv; ///< channels and filters of one group
    std::uint32_t groups = 1;
    std::uint32_t padH = 0, padW = 0; ///< of conv.inH and inW on each side: zeros that are never read
    std::uint32_t batch = 1;
    double zerosIn = 0, zerosOut = 0; ///< share of zeros, for DRAM's run-length code
};

struct RowStationaryMapping {
    std::uint32_t n = 1, m = 1, e = 1, p = 1, q = 1, r = 1, t = 1;
    std::uint64_t passes = 0;
    std::uint64_t activeElements = 0;
};

struct RowStationaryRun {
    RowStationaryMapping mapping;
    std::uint64_t macs = 0, cycles = 0;            ///< cycles: processing, without the first load from DRAM
    std::uint64_t inputWords = 0, filterWords = 0; ///< read of the global buffer
    std::uint64_t sumReads = 0, sumWrites = 0;     ///< words of partial sums, there
    double dramInputBytes = 0, dramFilterBytes = 0, dramWriteBytes = 0;
    double energy = 0; ///< in multiply-adds: register 1, network 2, global buffer 6, DRAM 200 (ISCA 2016)
    std::uint64_t bufferWords() const { return inputWords + filterWords + sumReads + sumWrites; }
    double dramBytes() const { return dramInputBytes + dramFilterBytes + dramWriteBytes; }
};

/// The mapping with the fewest DRAM words, of those the fewest words of the global buffer, of those that the buffers
/// hold. Errors: "bad-layer", "bad-array".
Result<RowStationaryRun> runRowStationary(const RowStationaryArray& machine, const RowStationaryLayer& layer);

/// Bytes of `words` 16-bit words of which a share is zero, in Eyeriss's run-length code: three (run of up to 31 zeros,
/// word) in 64 bits. The first layer's inputs go uncoded where the code is longer.
double runLengthBytes(double words, double zeros);

} // namespace ridge::accelerator
