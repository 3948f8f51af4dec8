// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/wgmma_ops.h"

#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/sparse_row.h"

#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr unsigned kRows = 16; ///< of D in one warp

template<class T>
T* plane(Warp& warp, std::uint32_t offset)
{
    return reinterpret_cast<T*>(warp.file + offset);
}

std::uint32_t partOf(std::uint32_t word, unsigned bits, unsigned part)
{
    return bits == 32 ? word : word >> (part * bits) & ((1u << bits) - 1);
}

/// `rows` x k elements from shared memory; false with a fault noted where they are not all there.
bool readShared(Warp& warp, std::uint64_t bits, bool outerMajor, Element element, unsigned first, unsigned rows,
                unsigned k, std::vector<std::uint64_t>& out)
{
    const MatrixDescriptor descriptor = decodeDescriptor(bits);
    const unsigned bytes = bitsOf(element) / 8;
    out.assign(std::size_t{rows} * k, 0);
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned at = 0; at < k; ++at) {
            const std::uint64_t offset = elementOffset(descriptor, outerMajor, bytes, first + row, at);
            if (offset + bytes > warp.launch->sharedBytes) {
                warp.launch->fault = {Fault::Kind::OutOfBounds, Space::Shared, MemoryOp::Load, bytes, 0, offset,
                                      warp.launch->sharedBytes};
                return false;
            }
            std::memcpy(&out[row * k + at], warp.launch->shared + offset, bytes);
        }
    }
    return true;
}

void negate(std::vector<std::uint64_t>& values, Element element)
{
    for (std::uint64_t& value : values)
        value ^= std::uint64_t{1} << (bitsOf(element) - 1);
}

/// Four warps share B, which is read once; each reads its own rows of A. Stored rows of k are 32 bytes, and those of B
/// 64 where A is sparse.
void noteReads(Warp& warp, const MicroOp& op, const MatrixDetail& t)
{
    const std::uint64_t bytesOfB = std::uint64_t{t.n} * (t.metadata != kNone ? 64u : 32u);
    const std::uint64_t shared = (t.descriptorA != kNone ? kRows * 32u : 0u) + (warp.index % 4 == 0 ? bytesOfB : 0u);
    warp.launch->counters.wgmmaSharedBytes += shared;
    if (shared != 0)
        recordBulkShared(warp, op, MemoryOp::Load, shared, false);
}

Step readGroup(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    warp.waitMask = warp.live;
    if ((warp.live & ~mask) != 0)
        return Step::Wait;
    noteReads(warp, op, warp.launch->image->matrices[op.e]);
    return Step::Next;
}

Step multiplyGroup(WarpRegisters& registers, const MicroOp& op, std::uint32_t mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    warp.waitMask = warp.live;
    if ((warp.live & ~mask) != 0)
        return Step::Wait;
    const MatrixDetail& t = warp.launch->image->matrices[op.e];
    const bool isSparse = t.metadata != kNone;
    const unsigned n = t.n, k = t.k, storedK = isSparse ? k / 2 : k;
    std::vector<std::uint64_t> a, b, c(kRows * n), d(kRows * n);
    if (t.descriptorA != kNone) {
        const unsigned first = warp.index % 4 * kRows;
        if (!readShared(warp, plane<std::uint64_t>(warp, t.descriptorA)[0], t.majorA, t.a, first, kRows, storedK, a))
            return Step::Fault;
    } else {
        a.resize(kRows * storedK);
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned index = 0; index < t.planesA.size(); ++index) {
                for (unsigned part = 0; part < packOf(t.a); ++part) {
                    const Cell at = placeInA(t.a, kRows, storedK, lane, index, part);
                    a[at.outer * storedK + at.inner] =
                        partOf(plane<std::uint32_t>(warp, t.planesA[index])[lane], bitsOf(t.a), part);
                }
            }
        }
    }
    if (!readShared(warp, plane<std::uint64_t>(warp, t.descriptorB)[0], t.majorB, t.b, 0, n, k, b))
        return Step::Fault;
    noteReads(warp, op, t);
    if (t.scaleA < 0)
        negate(a, t.a);
    if (isSparse)
        a = expandSparse(t, kRows, a, plane<std::uint32_t>(warp, t.metadata));
    if (t.scaleB < 0)
        negate(b, t.b);
    const bool adds = ((*plane<std::uint32_t>(warp, t.scaleD) & 1) != 0) != t.scaleFlip;
    const unsigned pack = t.d == Element::F16 ? 2 : 1;
    const auto forResult = [&](auto visit) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            for (unsigned index = 0; index < t.planesD.size(); ++index)
                for (unsigned part = 0; part < pack; ++part)
                    visit(plane<std::uint32_t>(warp, t.planesD[index])[lane], part,
                          placeInC(t.d, kRows, lane, index, part));
    };
    forResult([&](std::uint32_t word, unsigned part, Cell at) {
        c[at.outer * n + at.inner] = adds ? partOf(word, 32 / pack, part) : 0;
    });
    multiply({&t, a.data(), b.data(), c.data(), d.data(), kRows, n, k, warp.launch->tensor});
    forResult([&](std::uint32_t& word, unsigned part, Cell at) {
        const auto value = static_cast<std::uint32_t>(d[at.outer * n + at.inner]);
        word = pack == 1 ? value : part == 0 ? (word & 0xffff0000u) | value : (word & 0xffffu) | value << 16;
    });
    return Step::Next;
}

} // namespace

OpFunction findWarpgroupMultiply()
{
    return &multiplyGroup;
}

OpFunction findWarpgroupRead()
{
    return &readGroup;
}

MatrixDescriptor decodeDescriptor(std::uint64_t bits)
{
    constexpr std::array<unsigned, 4> spans{16, 128, 64, 32};
    const auto field = [bits](unsigned at) { return (bits >> at & 0x3fff) << 4; };
    return {field(0), field(16), field(32), spans[bits >> 62]};
}

std::uint64_t elementOffset(const MatrixDescriptor& d, bool outerMajor, unsigned bytes, unsigned outer, unsigned k)
{
    const bool plain = d.span == 16;
    const unsigned across = d.span / bytes; ///< elements of a row of the pattern
    const std::uint64_t inner = std::uint64_t{k} * bytes;
    std::uint64_t offset = d.start;
    if (!outerMajor) {
        offset += outer / 8 * d.stride + outer % 8 * std::uint64_t{d.span};
        offset += plain ? inner / 16 * d.leading + inner % 16 : inner;
    } else {
        offset += std::uint64_t{outer % across} * bytes + k % 8 * std::uint64_t{d.span};
        offset += outer / across * (plain ? d.stride : d.leading) + k / 8 * (plain ? d.leading : d.stride);
    }
    const TensorSwizzle swizzle = d.span == 128  ? TensorSwizzle::Bytes128
                                  : d.span == 64 ? TensorSwizzle::Bytes64
                                  : d.span == 32 ? TensorSwizzle::Bytes32
                                                 : TensorSwizzle::None;
    return swizzled(swizzle, offset);
}

} // namespace ridge::gpu::simt
