// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <array>

namespace ridge::gpu::simt {

bool isFixedLatency(LatencyClass latency)
{
    switch (latency) {
    case LatencyClass::Alu:
    case LatencyClass::Fma:
    case LatencyClass::Imad:
    case LatencyClass::Half:
    case LatencyClass::Uniform:
    case LatencyClass::Branch:
    case LatencyClass::Vote:
    case LatencyClass::None:
        return true;
    default:
        return false;
    }
}

namespace {

struct Row {
    std::string_view root;
    Execution execution;
};

using enum LatencyClass;

/// Roots of mnemonics as NVIDIA's disassembler prints them; pipes as Nsight Compute counts them.
constexpr std::array kRows = std::to_array<Row>({
    {"FADD", {Pipe::Fma, Fma}},
    {"FMUL", {Pipe::Fma, Fma}},
    {"FFMA", {Pipe::Fma, Fma}},
    {"FADD2", {Pipe::Fma, Fma}},
    {"FSUB2", {Pipe::Fma, Fma}},
    {"FMUL2", {Pipe::Fma, Fma}},
    {"FFMA2", {Pipe::Fma, Fma}},
    {"FCHK", {Pipe::Xu, Mufu}},
    {"IMAD", {Pipe::Fma, Imad}},
    {"IDP", {Pipe::Fma, Imad}},
    {"HADD2", {Pipe::Half, Half}},
    {"HMUL2", {Pipe::Half, Half}},
    {"HFMA2", {Pipe::Half, Half}},
    {"HSETP2", {Pipe::Half, Half}},
    {"HMNMX2", {Pipe::Alu, LatencyClass::Alu}},
    {"DADD", {Pipe::Fp64, LatencyClass::Fp64}},
    {"DMUL", {Pipe::Fp64, LatencyClass::Fp64}},
    {"DFMA", {Pipe::Fp64, LatencyClass::Fp64}},
    {"DSETP", {Pipe::Fp64, LatencyClass::Fp64}},
    {"MUFU", {Pipe::Xu, Mufu}},
    {"I2F", {Pipe::Xu, Convert}},
    {"I2FP", {Pipe::Alu, LatencyClass::Alu}},
    {"F2I", {Pipe::Xu, Convert}},
    {"F2F", {Pipe::Xu, Convert}},
    {"FRND", {Pipe::Xu, Convert}},
    {"I2I", {Pipe::Xu, Convert}},
    {"POPC", {Pipe::Xu, Popc}},
    {"FLO", {Pipe::Xu, Popc}},
    {"BREV", {Pipe::Xu, Popc}},
    {"BRA", {Pipe::Branch, LatencyClass::Branch}},
    {"BRX", {Pipe::Branch, LatencyClass::Branch}},
    {"EXIT", {Pipe::Branch, LatencyClass::Branch}},
    {"CALL", {Pipe::Branch, LatencyClass::Branch}},
    {"RET", {Pipe::Branch, LatencyClass::Branch}},
    {"BSSY", {Pipe::Branch, LatencyClass::Branch}},
    {"BSYNC", {Pipe::Branch, LatencyClass::Branch}},
    {"BPT", {Pipe::Branch, LatencyClass::Branch}},
    {"WARPSYNC", {Pipe::Branch, LatencyClass::Branch}},
    {"NANOSLEEP", {Pipe::None, LatencyClass::None}},
    {"NOP", {Pipe::None, LatencyClass::None}},
    {"YIELD", {Pipe::None, LatencyClass::None}},
    {"BMOV", {Pipe::None, LatencyClass::None}},
    {"LDGDEPBAR", {Pipe::None, LatencyClass::None}},
    {"DEPBAR", {Pipe::None, LatencyClass::None}},
    {"LDGSTS", {Pipe::Lsu, AsyncCopy}},
    {"LDG", {Pipe::Lsu, GlobalLoad}},
    {"LD", {Pipe::Lsu, GlobalLoad}},
    {"STG", {Pipe::Lsu, GlobalStore}},
    {"ST", {Pipe::Lsu, GlobalStore}},
    {"ATOMG", {Pipe::Lsu, GlobalAtomic}},
    {"ATOM", {Pipe::Lsu, GlobalAtomic}},
    {"RED", {Pipe::Lsu, GlobalAtomic}},
    {"LDL", {Pipe::Lsu, LocalLoad}},
    {"STL", {Pipe::Lsu, LocalStore}},
    {"CCTL", {Pipe::Lsu, GlobalStore}},
    {"LDS", {Pipe::Shared, SharedLoad}},
    {"STS", {Pipe::Shared, SharedStore}},
    {"ATOMS", {Pipe::Shared, SharedAtomic}},
    {"LDSM", {Pipe::Shared, LdMatrix}},
    {"STSM", {Pipe::Shared, SharedStore}},
    {"UMEMSETS", {Pipe::Shared, SharedStore}},
    {"LDC", {Pipe::Constant, LatencyClass::Constant}},
    {"ULDC", {Pipe::Uniform, LatencyClass::Uniform}},
    {"LDCU", {Pipe::Constant, LatencyClass::Constant}},
    {"SHFL", {Pipe::Shuffle, LatencyClass::Shuffle}},
    {"MOVM", {Pipe::Shuffle, LatencyClass::Shuffle}}, // no published figure; waits on a counter as SHFL does
    {"MATCH", {Pipe::Shuffle, Match}},
    {"REDUX", {Pipe::Shuffle, Redux}},
    {"VOTE", {Pipe::Alu, Vote}},
    {"VOTEU", {Pipe::Uniform, LatencyClass::Uniform}},
    {"S2R", {Pipe::Special, LatencyClass::Special}},
    {"S2UR", {Pipe::Special, LatencyClass::Special}},
    {"CS2R", {Pipe::Alu, LatencyClass::Alu}},
    {"R2UR", {Pipe::Uniform, LatencyClass::Special}},
    {"BAR", {Pipe::Barrier, LatencyClass::Barrier}},
    {"SYNCS", {Pipe::Barrier, LatencyClass::Barrier}},
    {"ARRIVES", {Pipe::Barrier, LatencyClass::Barrier}},
    {"UCGABAR_ARV", {Pipe::Barrier, LatencyClass::Barrier}},
    {"UCGABAR_WAIT", {Pipe::Barrier, LatencyClass::Barrier}},
    {"MEMBAR", {Pipe::Fence, LatencyClass::Fence}},
    {"ERRBAR", {Pipe::Fence, LatencyClass::Fence}},
    {"CGAERRBAR", {Pipe::Fence, LatencyClass::Fence}},
    {"FENCE", {Pipe::Fence, LatencyClass::Fence}},
    {"HMMA", {Pipe::Tensor, MmaF16}},
    {"IMMA", {Pipe::Tensor, MmaInt8}},
    {"QMMA", {Pipe::Tensor, MmaFp8}},
    {"DMMA", {Pipe::Tensor, MmaF64}},
    {"HGMMA", {Pipe::Tensor, Wgmma}},
    {"IGMMA", {Pipe::Tensor, Wgmma}},
    {"QGMMA", {Pipe::Tensor, Wgmma}},
    {"WARPGROUP", {Pipe::None, LatencyClass::None}}, // it orders products of a warp, and takes none of the unit
    {"UBLKCP", {Pipe::Copy, BulkCopy}},
    {"UTMALDG", {Pipe::Copy, BulkCopy}},
    {"UTMASTG", {Pipe::Copy, BulkCopy}},
    {"UTMAREDG", {Pipe::Copy, BulkCopy}},
    {"UBLKRED", {Pipe::Copy, BulkCopy}},
    {"UGETNEXTWORKID", {Pipe::Copy, BulkCopy}},
});

} // namespace

Execution executionOf(std::string_view mnemonic, int computeCapability)
{
    const std::string_view root = mnemonic.substr(0, mnemonic.find('.'));
    for (const Row& row : kRows) {
        if (row.root != root)
            continue;
        if (root == "HMMA" && mnemonic.find("TF32") != mnemonic.npos)
            return {Pipe::Tensor, MmaTf32};
        // FP16 packing runs on another unit; so do conversions of 64 bits where FP64 has its distance in the code,
        // which they keep as well.
        constexpr std::array<std::string_view, 4> kConverting{"I2F", "F2I", "F2F", "FRND"};
        if (doubleSpacing(computeCapability) != 0 && mnemonic.find("64") != mnemonic.npos &&
            std::find(kConverting.begin(), kConverting.end(), root) != kConverting.end())
            return {Pipe::Fp64, LatencyClass::Fp64};
        return row.execution;
    }
    if (root == "F2FP")
        return {computeCapability >= 86 ? Pipe::Alu : Pipe::Half, Half};
    if (root.size() > 1 && root[0] == 'U')
        return {Pipe::Uniform, LatencyClass::Uniform};
    return {Pipe::Alu, LatencyClass::Alu};
}

std::uint16_t mnemonicOf(DraftKernel& kernel, std::string_view name)
{
    const auto found = std::find(kernel.mnemonics.begin(), kernel.mnemonics.end(), name);
    if (found != kernel.mnemonics.end())
        return static_cast<std::uint16_t>(found - kernel.mnemonics.begin());
    kernel.mnemonics.emplace_back(name);
    return static_cast<std::uint16_t>(kernel.mnemonics.size() - 1);
}

} // namespace ridge::gpu::simt
