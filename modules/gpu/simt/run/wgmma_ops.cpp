// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/run/wgmma_ops.h"

#include "gpu/simt/image/tensor_map.h"
#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/fragments.h"
#include "gpu/simt/run/sparse_row.h"
#include "gpu/simt/run/tensor_lanes.h"

#include <algorithm>
#include <array>
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

/// The same as words of neighbours along k, sixteen bytes at a time; false where they are not all there, or do not come
/// in such pieces.
bool readWords(Warp& warp, std::uint64_t bits, bool outerMajor, unsigned first, unsigned k, TensorSide& side)
{
    constexpr unsigned kPiece = 16;
    const MatrixDescriptor descriptor = decodeDescriptor(bits);
    const unsigned bytes = bitsOf(side.element) / 8, count = kPiece / bytes;
    if (k % count != 0 || side.outer % count != 0 || (outerMajor && bytes != 2))
        return false;
    const auto piece = [&](unsigned row, unsigned at) -> const std::byte* {
        const std::uint64_t offset = elementOffset(descriptor, outerMajor, bytes, first + row, at);
        return offset + kPiece > warp.launch->sharedBytes ? nullptr : warp.launch->shared + offset;
    };
    for (unsigned row = 0; row < side.outer; row += outerMajor ? count : 1) {
        for (unsigned at = 0; at < k; at += outerMajor ? 2 : count) {
            std::uint32_t* const to = &side.words[std::size_t{at / side.pack()} * side.stride + row];
            const std::byte* const from = piece(row, at);
            const std::byte* const next = outerMajor ? piece(row, at + 1) : from;
            if (from == nullptr || next == nullptr)
                return false;
            if (!outerMajor) {
                for (unsigned word = 0; word < kPiece / 4; ++word)
                    std::memcpy(to + std::size_t{word} * side.stride, from + 4 * word, 4);
                continue;
            }
            std::array<std::uint16_t, kPiece / 2> lower, upper; // of k, of its neighbour
            std::memcpy(lower.data(), from, kPiece);
            std::memcpy(upper.data(), next, kPiece);
            for (unsigned i = 0; i < lower.size(); ++i)
                to[i] = lower[i] | std::uint32_t{upper[i]} << 16;
        }
    }
    return true;
}

void negate(TensorSide& side)
{
    const unsigned bits = bitsOf(side.element);
    const std::uint32_t signs = bits == 8 ? 0x80808080u : bits == 16 ? 0x80008000u : 0x80000000u;
    for (std::uint32_t& word : side.words)
        word ^= signs;
}

/// Where in a matrix of `stride` the registers of C and D lie, by register, lane and part; kept for the shape asked for
/// last.
const std::vector<std::uint32_t>& placesOf(const MatrixDetail& t, const TensorLanes& lanes)
{
    thread_local std::vector<std::uint32_t> places;
    thread_local std::array<std::size_t, 4> known{};
    const std::array<std::size_t, 4> wanted{t.planesD.size(), static_cast<std::size_t>(t.d), lanes.stride(), t.n};
    if (known == wanted)
        return places;
    known = wanted;
    places.clear();
    for (unsigned index = 0; index < t.planesD.size(); ++index) {
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
            for (unsigned part = 0; part < packOfC(t.d); ++part) {
                const Cell at = placeInC(t.d, kRows, lane, index, part);
                places.push_back(static_cast<std::uint32_t>(lanes.at(at.outer, at.inner)));
            }
        }
    }
    return places;
}

/// A product sixteen sums at a time; false where that is not for it, and nothing has been done.
bool multiplyInLanes(Warp& warp, const MatrixDetail& t, bool adds)
{
    if (!TensorLanes::takes(t, warp.launch->tensor))
        return false;
    TensorLanes& lanes = TensorLanes::ofThisThread();
    lanes.prepare(t, kRows, t.n, t.k, warp.launch->tensor);
    if (t.descriptorA != kNone) {
        const std::uint64_t descriptor = plane<std::uint64_t>(warp, t.descriptorA)[0];
        if (!readWords(warp, descriptor, t.majorA, warp.index % 4 * kRows, t.k, lanes.a))
            return false;
    } else {
        for (unsigned index = 0; index < t.planesA.size(); ++index) {
            const std::uint32_t* const words = plane<std::uint32_t>(warp, t.planesA[index]);
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const Cell at = placeInA(t.a, kRows, t.k, lane, index, 0);
                lanes.a.words[std::size_t{at.inner / lanes.a.pack()} * lanes.a.stride + at.outer] = words[lane];
            }
        }
    }
    if (!readWords(warp, plane<std::uint64_t>(warp, t.descriptorB)[0], t.majorB, 0, t.k, lanes.b))
        return false;
    if (t.scaleA < 0)
        negate(lanes.a);
    if (t.scaleB < 0)
        negate(lanes.b);
    const bool isHalf = t.d == Element::F16;
    const std::vector<std::uint32_t>& places = placesOf(t, lanes);
    const std::uint32_t* place = places.data();
    if (!adds)
        std::fill(lanes.sums.begin(), lanes.sums.end(), 0);
    for (std::size_t index = 0; adds && index < t.planesD.size(); ++index)
        place = takeSums(lanes, plane<std::uint32_t>(warp, t.planesD[index]), isHalf, place);
    if (!lanes.multiply())
        return false;
    place = places.data();
    for (const std::uint32_t at : t.planesD) {
        std::uint32_t* const words = plane<std::uint32_t>(warp, at);
        for (unsigned lane = 0; lane < kWarpSize; ++lane)
            words[lane] = wordOfSums(lanes, isHalf, place);
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
    const bool adds = ((*plane<std::uint32_t>(warp, t.scaleD) & 1) != 0) != t.scaleFlip;
    const bool isSparse = t.metadata != kNone;
    if (!isSparse && multiplyInLanes(warp, t, adds)) {
        noteReads(warp, op, t);
        return Step::Next;
    }
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
