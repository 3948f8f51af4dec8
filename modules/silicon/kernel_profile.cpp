// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/kernel_profile.h"

#include "base/units.h"

#include <array>
#include <cmath>

namespace ridge::silicon {

namespace {

/// C = A B with square matrices of order n: 2 n^3 FLOP; A and B are read, C is written.
KernelProfile gemm(const char* id, const char* title, Precision precision, double inputBytes, double outputBytes,
                   const char* derivation)
{
    constexpr double n = 8192;
    const double bytes = n * n * (2 * inputBytes + outputBytes);
    return {id, title, precision, 2 * n * n * n, 2 * n * n * n / bytes, bytes, derivation};
}

/// Parameters of Llama-3-8B (its published configuration: 32 layers, width 4096, vocabulary 128,256).
constexpr double kDecodeParameters = 8'030'261'248;
/// Elements of each array of the stream: 256 MiB, far more than any L2.
constexpr double kStreamElements = double(1 << 26);

std::array<KernelProfile, 5> makeProfiles()
{
    return {
        gemm("gemm_bf16", "BF16 GEMM, order 8192", Precision::Bf16, 2, 2,
             "2 n^3 FLOP over 3 n^2 values of 2 bytes: n / 3 FLOP/byte at n = 8192"),
        gemm("gemm_fp32", "FP32 GEMM, order 8192", Precision::Fp32, 4, 4,
             "2 n^3 FLOP over 3 n^2 values of 4 bytes: n / 6 FLOP/byte at n = 8192"),
        {"decode", "Decode, 8B model, batch 1", Precision::Bf16, 2 * kDecodeParameters, 1, 2 * kDecodeParameters,
         "one token of Llama-3-8B: each of 8,030,261,248 weights is 2 bytes, is read once and takes a multiply and an "
         "add: 1 FLOP/byte; the KV cache is left out"},
        {"stream", "FP32 stream (SAXPY)", Precision::Fp32, 2 * kStreamElements, 2.0 / 12, 2 * 4 * kStreamElements,
         "y = a x + y over 2^26 elements: 2 FLOP for 8 bytes read and 4 written, 1/6 FLOP/byte"},
        gemm("gemm_fp8", "FP8 GEMM, order 8192", Precision::Fp8, 1, 2,
             "2 n^3 FLOP over 2 n^2 inputs of 1 byte and n^2 outputs of 2 bytes: n / 2 FLOP/byte at n = 8192")};
}

Error badProfile(const KernelProfile& profile, const std::string& what, const std::string& fix)
{
    return Error{"bad-profile", "the kernel profile '" + profile.id + "' " + what, profile.id, fix};
}

Result<void> check(const KernelProfile& profile)
{
    if (!std::isfinite(profile.flop) || profile.flop <= 0)
        return badProfile(profile, "does no work", "give it FLOP above 0");
    if (!std::isfinite(profile.intensity) || profile.intensity <= 0)
        return badProfile(profile, "has no arithmetic intensity", "give it FLOP/byte above 0");
    if (!std::isfinite(profile.workingSetBytes) || profile.workingSetBytes < 0)
        return badProfile(profile, "has no working set", "give it 0 bytes or more");
    return {};
}

} // namespace

std::span<const KernelProfile> kernelProfiles()
{
    static const std::array<KernelProfile, 5> profiles = makeProfiles();
    return profiles;
}

const KernelProfile* kernelProfile(std::string_view id)
{
    for (const KernelProfile& profile : kernelProfiles())
        if (profile.id == id)
            return &profile;
    return nullptr;
}

std::string_view toText(Bound bound)
{
    return bound == Bound::Memory ? "memory" : "compute";
}

Result<KernelTime> predictedTime(const Catalogue& catalogue, const Chip& chip, const KernelProfile& profile)
{
    if (const Result<void> legal = check(profile); !legal.ok())
        return legal.error();
    if (!chip.memoryBytes.known())
        return Error{"no-memory", "the memory size of " + chip.name + " is not known", chip.id, "choose another chip"};
    if (profile.workingSetBytes > *chip.memoryBytes.value)
        return Error{"does-not-fit",
                     "does not fit: " + formatQuantity(profile.workingSetBytes, "B") + " into the " +
                         formatQuantity(*chip.memoryBytes.value, "B") + " of " + chip.name,
                     chip.id, "choose a chip with more memory, or a smaller working set"};
    const Result<Roofline> roof = roofline(catalogue, chip, profile.precision);
    if (!roof.ok())
        return roof.error();

    KernelTime out;
    out.roof = *roof;
    out.computeSeconds = profile.flop / roof->flopsPerSecond;
    out.memorySeconds = profile.bytes() / roof->bytesPerSecond;
    out.bound = out.memorySeconds > out.computeSeconds ? Bound::Memory : Bound::Compute;
    out.seconds = std::max(out.computeSeconds, out.memorySeconds);
    out.fitsInL2 = chip.l2Bytes.known() && profile.workingSetBytes <= *chip.l2Bytes.value;
    return out;
}

Result<KernelSpeedup> predictedSpeedup(const Catalogue& catalogue, const Chip& from, const Chip& to,
                                       const KernelProfile& profile)
{
    const Result<KernelTime> before = predictedTime(catalogue, from, profile);
    if (!before.ok())
        return before.error();
    const Result<KernelTime> after = predictedTime(catalogue, to, profile);
    if (!after.ok())
        return after.error();
    return KernelSpeedup{before->seconds / after->seconds, *before, *after};
}

} // namespace ridge::silicon
