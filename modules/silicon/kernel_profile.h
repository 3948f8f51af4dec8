// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "silicon/roofline.h"

#include <span>

namespace ridge::silicon {

/// What the roofline needs to know of a kernel: how much it computes, on what, with how many bytes from DRAM.
struct KernelProfile {
    std::string id;    ///< "gemm_bf16"
    std::string title; ///< "BF16 GEMM, order 8192"
    Precision precision = Precision::Bf16;
    double flop = 0;            ///< of one launch
    double intensity = 0;       ///< FLOP per byte moved to and from DRAM
    double workingSetBytes = 0; ///< what it keeps in DRAM
    std::string derivation;     ///< how flop, bytes and working set follow from the kernel

    double bytes() const { return flop / intensity; } ///< to and from DRAM in one launch
};

/// gemm_bf16, gemm_fp32, decode, stream, gemm_fp8, in this order. Bytes are the least possible: every input is read
/// from DRAM once and every output written once.
std::span<const KernelProfile> kernelProfiles();
/// Null for any other id.
const KernelProfile* kernelProfile(std::string_view id);

/// Which of its two lines the roofline says holds a kernel down.
enum class Bound { Memory, Compute };
std::string_view toText(Bound bound); ///< "memory", "compute"

struct KernelTime {
    double seconds = 0;        ///< the larger of the two below: the least time that the datasheet allows
    double computeSeconds = 0; ///< flop / peak
    double memorySeconds = 0;  ///< bytes / bandwidth
    Bound bound = Bound::Memory;
    Roofline roof;
    /// The working set fits into L2: from the second launch on DRAM is not what it waits for, and the memory time is no
    /// lower bound any more.
    bool fitsInL2 = false;
};

/// Time of one launch by the roofline (Williams, Waterman, Patterson 2009): max(flop / peak, bytes / bandwidth) with
/// the dense datasheet peak of the profile's format and the bandwidth of the memory's pins. At equality: compute.
/// Errors: "bad-profile" (no work, no intensity, a number that is not finite), "does-not-fit" (the working set exceeds
/// the chip's memory), "no-peak" (the format is not supported), "no-bandwidth", "no-memory".
Result<KernelTime> predictedTime(const Catalogue& catalogue, const Chip& chip, const KernelProfile& profile);

struct KernelSpeedup {
    double ratio = 0; ///< time on `from` / time on `to`: above 1, the new chip is faster
    KernelTime from, to;
};

/// Errors: those of predictedTime, for the first of the two chips that has one.
Result<KernelSpeedup> predictedSpeedup(const Catalogue& catalogue, const Chip& from, const Chip& to,
                                       const KernelProfile& profile);

} // namespace ridge::silicon
