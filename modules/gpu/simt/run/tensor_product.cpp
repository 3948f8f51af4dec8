// SPDX-License-Identifier: GPL-3.0-or-later
// tcgen05.mma: products into tensor memory (PTX ISA, "TensorCore 5th Generation Matrix Multiply and accumulate").
#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/block_scale.h"
#include "gpu/simt/run/tensor_memory_parts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kRowBytes = 32; ///< of k, one instruction
constexpr unsigned kChunk = 16;    ///< elements of 4 or 6 bits that 16 bytes of shared memory hold

/// The fields of an instruction descriptor that are used (PTX ISA, "Instruction descriptor").
struct Instructed {
    unsigned m = 0, n = 0;
    u32 typeD = 0, typeA = 0, typeB = 0;
    bool negatesA = false, negatesB = false, majorA = false, majorB = false, isSparse = false, saturates = false;
    // With scales:
    unsigned byteA = 0, byteB = 0;
    bool isCoarse = false, isLong = false;
};

Instructed decode(u32 bits)
{
    const auto field = [bits](unsigned at, unsigned count) { return bits >> at & ((1u << count) - 1); };
    return {field(24, 5) * 16, field(17, 6) * 8,  field(4, 2),       field(7, 3),       field(10, 3),
            field(13, 1) != 0, field(14, 1) != 0, field(15, 1) != 0, field(16, 1) != 0, field(2, 1) != 0,
            field(3, 1) != 0,  field(29, 2),      field(4, 2),       field(23, 1) != 0, field(31, 1) != 0};
}

/// Types of a kind in the order of their numbers; F64 stands for one that is not supported.
Element elementOf(u32 kind, u32 type)
{
    constexpr Element kUnknown = Element::F64;
    switch (kind) {
    case kTensorHalf:
        return type == 0 ? Element::F16 : type == 1 ? Element::BF16 : kUnknown;
    case kTensorTf32:
        return type == 2 ? Element::TF32 : kUnknown;
    case kTensorBytes:
        return type == 0 ? Element::E4M3 : type == 1 ? Element::E5M2 : kUnknown;
    default:
        return type == 0 ? Element::U8 : type == 1 ? Element::S8 : kUnknown;
    }
}

/// The same for small floats.
std::optional<SmallElement> smallOf(u32 kind, u32 type)
{
    if (kind == kTensorScaledFours || kind == kTensorFineFours)
        return type == 1 ? std::optional(SmallElement::E2M1) : std::nullopt;
    switch (type) {
    case 0:
        return SmallElement::E4M3;
    case 1:
        return SmallElement::E5M2;
    case 3:
        return SmallElement::E2M3;
    case 4:
        return SmallElement::E3M2;
    case 5:
        return SmallElement::E2M1;
    default:
        return std::nullopt;
    }
}

unsigned bitsOfSmall(SmallElement element)
{
    return element <= SmallElement::E5M2 ? 8 : element == SmallElement::E2M1 ? 4 : 6;
}

/// Everything about one instruction that does not depend on the block of the pair.
struct Product {
    Warp& warp;
    std::size_t lane;
    const MicroOp& op;
    const MatrixDetail& detail;
    u32 kind = 0;
    Instructed wanted;
    bool isPair = false, isStationary = false, isInMemory = false;
    std::vector<u32> blocks;
    u32 rows = 0; ///< of A and D in one block
    unsigned k = 0;
    TensorAddress to;
    bool keeps = false;

    /// PTX ISA, "Data Path Layout Organization": where row and column of D are, from the address on.
    std::pair<u32, u32> place(u32 row, u32 column) const
    {
        const u32 n = wanted.n;
        if (rows == 32)
            return {row + column / (n / 4) * 32, column % (n / 4)};
        if (rows == 64 && (isPair || isStationary))
            return {row + column / (n / 2) * 64, column % (n / 2)};
        return {rows == 64 ? row / 16 * 32 + row % 16 : row, column};
    }
    u32 columns() const
    {
        return rows == 32 ? wanted.n / 4 : rows == 64 && (isPair || isStationary) ? wanted.n / 2 : wanted.n;
    }
    bool isHalfOfLanes() const { return rows == 64 && !isPair && !isStationary; }
};

/// Bytes of a row of k in shared memory of a block: 32 of them, whatever the elements.
bool readShared(const Product& p, u32 block, u64 bits, bool outerMajor, unsigned bytes, unsigned rows, unsigned count,
                std::vector<u64>& out)
{
    const MatrixDescriptor descriptor = decodeDescriptor(bits);
    const LaunchState& launch = *p.warp.launch;
    const std::size_t before = out.size();
    out.resize(before + std::size_t{rows} * count);
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned at = 0; at < count; ++at) {
            const u64 offset = elementOffset(descriptor, outerMajor, bytes, row, at);
            if (offset + bytes > launch.sharedBytes) {
                noteFault(p.warp, Fault::Kind::OutOfBounds, Space::Shared, MemoryOp::Load, bytes, p.lane, offset,
                          launch.sharedBytes);
                return false;
            }
            std::memcpy(&out[before + std::size_t{row} * count + at], launch.cluster->shared(block) + offset, bytes);
        }
    return true;
}

/// A of one block out of its tensor memory, a word of four bytes after the other.
Step readMemory(const Product& p, u32 block, unsigned bytes, std::vector<u64>& out)
{
    const TensorAddress from(plane<u64>(p.warp, p.op.b)[p.lane]);
    TensorMemory& memory = tensorMemoryOf(*p.warp.launch, block);
    if (std::string why = problemOfColumns(memory, from.column, kRowBytes / 4, "a product reads"); !why.empty())
        return refuseTensor(p.warp, p.lane, std::move(why));
    const unsigned count = kRowBytes / bytes;
    out.resize(std::size_t{p.rows} * count);
    for (u32 row = 0; row < p.rows; ++row)
        for (u32 at = 0; at < count; ++at) {
            const u32 word = memory.at(p.to.lane + p.place(row, 0).first, from.column + at * bytes / 4);
            const u32 shift = at * bytes % 4 * 8;
            out[std::size_t{row} * count + at] = bytes == 4 ? word : word >> shift & ((1u << (8 * bytes)) - 1);
        }
    return Step::Next;
}

/// The elements of rows of 32 bytes.
std::vector<u32> smallElements(const std::vector<u64>& bytes, SmallElement element, unsigned k, bool isContained)
{
    const unsigned bits = k == 2 * kRowBytes ? 4 : bitsOfSmall(element);
    const std::size_t rows = bytes.size() / kRowBytes;
    std::vector<u32> out(rows * k);
    for (std::size_t row = 0; row < rows; ++row)
        for (unsigned at = 0; at < k; ++at) {
            const u64* const from = &bytes[row * kRowBytes];
            u32 value = 0;
            if (k == 2 * kRowBytes) { // two a byte
                value = static_cast<u32>(from[at / 2] >> (at % 2 * 4) & 15);
            } else if (bits == 8 || isContained) {
                const auto byte = static_cast<u32>(from[at]);
                value = bits == 4 ? byte >> 2 & 15 : bits == 6 ? byte & 63 : byte;
            } else { // 16 of them from the start of each 16 bytes on
                const unsigned begin = at % kChunk * bits;
                const u64* const chunk = from + at / kChunk * kChunk;
                const u64 two = chunk[begin / 8] | (begin / 8 + 1 < kChunk ? chunk[begin / 8 + 1] << 8 : 0);
                value = static_cast<u32>(two >> begin % 8) & ((1u << bits) - 1);
            }
            out[row * k + at] = value;
        }
    return out;
}

/// Words of scales: row i in lane i % 32 of a partition, column i / 32.
std::vector<u32> scaleWords(TensorMemory& memory, const TensorAddress& at, u32 rows, u32 partition)
{
    std::vector<u32> words(rows);
    for (u32 row = 0; row < rows; ++row)
        words[row] = memory.at(partition * kPartition + row % 32, at.column + row / 32);
    return words;
}

std::vector<TensorTerm> termsOf(const std::vector<u32>& elements, SmallElement element, unsigned k, unsigned scales,
                                bool isCoarse, bool negates, unsigned byte, const std::vector<u32>& words)
{
    std::vector<TensorTerm> terms(elements.size());
    for (std::size_t at = 0; at < elements.size(); ++at) {
        u32 scale = 0;
        if (scales != 0)
            scale = words[at / k] >> (8 * (byte + at % k / (k / scales))) & 0xff;
        terms[at] = smallTerm(element, elements[at],
                              scales == 0 ? ScaleType::None
                              : isCoarse  ? ScaleType::Power
                                          : ScaleType::Float,
                              scale);
        if (negates)
            terms[at].mantissa = -terms[at].mantissa;
    }
    return terms;
}

/// Sums of small floats of one block, element bits of D.
Step multiplySmall(const Product& p, u32 block, std::vector<u64> a, const std::vector<u64>& b, bool isHalf,
                   const std::vector<u64>& c, std::vector<u64>& d)
{
    const auto typeA = smallOf(p.kind, p.wanted.typeA), typeB = smallOf(p.kind, p.wanted.typeB);
    const unsigned scales = p.detail.n, k = p.k, n = p.wanted.n;
    const std::vector<u32> elementsA = smallElements(a, *typeA, k, p.isInMemory);
    const std::vector<u32> elementsB = smallElements(b, *typeB, k, false);
    TensorRules rules = p.warp.launch->tensor;
    rules.groupBits = kSmallCarrierBits * k;
    TensorMemory& memory = tensorMemoryOf(*p.warp.launch, block);
    const auto addressOf = [&](std::size_t which) { // the top two bits may say which byte once more
        return TensorAddress(scales == 0 ? 0 : plane<u64>(p.warp, p.detail.planesB[which])[p.lane] & 0x3fffffff);
    };
    const TensorAddress scalesA = addressOf(0), scalesB = addressOf(1);
    if (scales != 0) {
        for (const auto& [at, rows] : {std::pair(scalesA, p.rows), std::pair(scalesB, u32{n})})
            if (std::string why = problemOfColumns(memory, at.column, (rows + 31) / 32, "a product reads scales in");
                !why.empty())
                return refuseTensor(p.warp, p.lane, std::move(why));
    }
    std::vector<u32> last;
    std::vector<TensorTerm> termsB;
    for (u32 row = 0; row < p.rows; ++row) {
        // Each partition of lanes has its own copy of all scales.
        const u32 partition = p.place(row, 0).first / kPartition;
        const std::vector<u32> wordsA = scales == 0 ? last : scaleWords(memory, scalesA, p.rows, partition);
        const std::vector<u32> wordsB = scales == 0 ? last : scaleWords(memory, scalesB, n, partition);
        if (termsB.empty() || wordsB != last) {
            last = wordsB;
            termsB = termsOf(elementsB, *typeB, k, scales, p.wanted.isCoarse, p.wanted.negatesB, p.wanted.byteB, last);
        }
        const std::vector<u32> rowA(elementsA.begin() + std::ptrdiff_t(row) * k,
                                    elementsA.begin() + std::ptrdiff_t(row + 1) * k);
        const std::vector<u32> ownScale(1, scales == 0 ? 0 : wordsA[row]);
        const std::vector<TensorTerm> termsA =
            termsOf(rowA, *typeA, k, scales, p.wanted.isCoarse, p.wanted.negatesA, p.wanted.byteA, ownScale);
        for (u32 column = 0; column < n; ++column) {
            const std::size_t at = std::size_t{row} * n + column;
            const float before = isHalf ? halfToSingle(static_cast<std::uint16_t>(c[at]))
                                        : std::bit_cast<float>(static_cast<u32>(c[at]));
            const float sum = tensorSum(rules, Element::F16, termsA.data(), Element::F16,
                                        &termsB[std::size_t{column} * k], k, before, isHalf);
            d[at] = isHalf ? u64{halfNearest(sum)} : u64{std::bit_cast<u32>(sum)};
        }
    }
    return Step::Next;
}

/// What is wrong with the instruction descriptor; empty where nothing is.
std::string problemOf(const Product& p)
{
    const Instructed& wanted = p.wanted;
    const bool isScaled = p.kind >= kTensorScaled;
    const bool isSmall = isScaled || p.kind == kTensorBytes;
    const bool takesHalf = p.kind == kTensorHalf || p.kind == kTensorBytes;
    const bool knowsTypes =
        isSmall ? smallOf(p.kind, wanted.typeA) && smallOf(p.kind, wanted.typeB)
                : elementOf(p.kind, wanted.typeA) != Element::F64 && elementOf(p.kind, wanted.typeB) != Element::F64;
    const bool knowsResult =
        isScaled ||
        (p.kind == kTensorIntegers ? wanted.typeD == 2 : wanted.typeD == 1 || (wanted.typeD == 0 && takesHalf));
    if (!knowsTypes || !knowsResult || wanted.isSparse || (isScaled && wanted.isLong))
        return "the instruction descriptor asks for types that are not multiplied here";
    const unsigned m = wanted.m, n = wanted.n;
    const std::string asks =
        "the instruction descriptor asks for " + std::to_string(m) + " x " + std::to_string(n) + "; there are ";
    if (p.isStationary && ((m != 32 && m != 64 && m != 128) || (n != 64 && n != 128 && n != 256)))
        return asks + "32, 64 and 128 rows with 64, 128 and 256 columns";
    if (p.isPair && ((m != 128 && m != 256) || n < 16 || n > 256 || n % 16 != 0))
        return asks + "128 and 256 rows of a pair of blocks with a multiple of 16 columns, to 256";
    if (!p.isPair && !p.isStationary &&
        ((m != 64 && m != 128) || n < 8 || n > 256 || n % (m == 128 && !isScaled ? 16 : 8) != 0))
        return asks + "64 rows with a multiple of 8 columns and 128 with one of 16, to 256";
    if (isScaled && m == 64)
        return asks + "128 rows with scales";
    const bool isPacked = isSmall && (bitsOfSmall(*smallOf(p.kind, wanted.typeA)) != 8 ||
                                      bitsOfSmall(*smallOf(p.kind, wanted.typeB)) != 8);
    if (isPacked && (wanted.majorA || wanted.majorB))
        return "elements of 4 and 6 bits have neighbours along k, and the instruction descriptor has them along rows";
    if (p.isInMemory && !p.isHalfOfLanes() && p.rows != 128)
        return "A in tensor memory is read here for 128 rows a block and for 64 of one block";
    const u32 step = p.isHalfOfLanes() ? 16 : 128;
    if (p.to.lane % step != 0 || p.to.lane > 16)
        return "a product begins in lane 0, and D names lane " + std::to_string(p.to.lane);
    return {};
}

/// Why a zero-column mask descriptor (PTX ISA) cannot be used; empty where it asks for all columns as they are. Of
/// "Skip Span" and "Use Span" the ISA's table says which counts columns of zeros, and its examples have it the other
/// way round.
std::string problemOfMask(u64 bits)
{
    constexpr unsigned kNonZero = 39, kShift = 56;
    if ((bits >> kNonZero & 1) != 0)
        return "a zero-column mask is not simulated: the PTX ISA's table and its examples of one contradict each other";
    if ((bits >> kShift & 63) != 0)
        return "a zero-column mask descriptor that shifts columns is not simulated";
    return {};
}

/// The part of one block: its rows of A, all columns.
Step multiplyBlock(const Product& p, u32 block, u32 which, const std::vector<u64>& b, unsigned bytes)
{
    const bool isScaled = p.kind >= kTensorScaled;
    const bool isHalf = !isScaled && p.wanted.typeD == 0;
    TensorMemory& memory = tensorMemoryOf(*p.warp.launch, block);
    const u32 n = p.wanted.n;
    std::vector<u64> a, c(std::size_t{p.rows} * n), d(c.size());
    if (p.isInMemory) {
        if (const Step step = readMemory(p, block, bytes, a); step != Step::Next)
            return step;
    } else if (!readShared(p, block, plane<u64>(p.warp, p.op.b)[p.lane], p.wanted.majorA, bytes, p.rows,
                           kRowBytes / bytes, a)) {
        return Step::Fault;
    }
    const auto forResult = [&](auto visit) {
        for (u32 row = 0; row < p.rows; ++row)
            for (u32 column = 0; column < n; ++column) {
                const auto [lane, offset] = p.place(row, column);
                visit(std::size_t{row} * n + column, p.to.lane + lane, p.to.column + offset);
            }
    };
    const int less = p.detail.selector;
    if (p.keeps)
        forResult([&](std::size_t at, u32 lane, u32 column) {
            const u32 word = memory.at(lane, column);
            c[at] = isHalf ? word & 0xffff : word;
            if (less != 0 && isHalf)
                c[at] = halfNearest(std::ldexp(halfToSingle(static_cast<std::uint16_t>(word)), -less));
            else if (less != 0)
                c[at] = std::bit_cast<u32>(std::ldexp(std::bit_cast<float>(word), -less));
        });
    const bool isPlain = p.kind < kTensorBytes || p.kind == kTensorIntegers ||
                         (p.kind == kTensorBytes && elementOf(p.kind, p.wanted.typeA) != Element::F64 &&
                          elementOf(p.kind, p.wanted.typeB) != Element::F64);
    if (isPlain) {
        MatrixDetail t;
        t.a = elementOf(p.kind, p.wanted.typeA);
        t.b = elementOf(p.kind, p.wanted.typeB);
        t.c = t.d = p.kind == kTensorIntegers ? Element::S32 : isHalf ? Element::F16 : Element::F32;
        t.saturate = p.kind == kTensorIntegers && p.wanted.saturates;
        t.descriptorB = 0; // products are not taken apart as those of mma.sync
        std::vector<u64> right = b;
        const auto negate = [&](std::vector<u64>& values) {
            for (u64& value : values)
                value ^= u64{1} << (8 * bytes - 1);
        };
        if (p.wanted.negatesA)
            negate(a);
        if (p.wanted.negatesB)
            negate(right);
        multiply({&t, a.data(), right.data(), c.data(), d.data(), p.rows, n, p.k, p.warp.launch->tensor});
    } else if (const Step step = multiplySmall(p, block, std::move(a), b, isHalf, c, d); step != Step::Next) {
        return step;
    }
    const std::vector<u32>& off = p.detail.planesA;
    forResult([&](std::size_t at, u32 lane, u32 column) {
        const bool stays =
            !off.empty() && (plane<u32>(p.warp, off[which * 4 + lane / 32])[p.lane] >> lane % 32 & 1) != 0;
        if (!stays)
            memory.at(lane, column) = static_cast<u32>(d[at]);
    });
    return Step::Next;
}

Step multiplyLane(Warp& warp, const MicroOp& op, std::size_t lane)
{
    Product p{warp,
              lane,
              op,
              detailOf(warp, op),
              op.flags & (kTensorA - 1),
              decode(plane<u32>(warp, op.d)[lane]),
              (op.flags & kTensorPair) != 0,
              (op.flags & kTensorStationary) != 0,
              (op.flags & kTensorA) != 0,
              {},
              0,
              0,
              TensorAddress(plane<u64>(warp, op.a)[lane]),
              false};
    p.rows = p.wanted.m / (p.isPair ? 2 : 1);
    const auto predicate = static_cast<u32>(op.imm);
    p.keeps = ((*plane<u32>(warp, predicate) >> lane & 1) != 0) != ((op.imm >> 32 & 1) != 0);
    if (std::string why = problemOf(p); !why.empty())
        return refuseTensor(warp, lane, std::move(why));
    for (const auto& [is, operand] : {std::pair(!p.isInMemory, op.b), std::pair(true, op.c)})
        if (is && (plane<u64>(warp, operand)[lane] >> 61 & 1) != 0)
            return refuseTensor(warp, lane, "swizzling by 128 bytes in steps of 32 is not simulated");
    if (p.isStationary && !p.detail.planesB.empty()) {
        const u64 columns = plane<u64>(warp, p.detail.planesB.front())[lane];
        if (std::string why = problemOfMask(columns); !why.empty())
            return refuseTensor(warp, lane, std::move(why));
    }
    p.blocks = blocksOf(warp, lane, p.isPair);
    if (p.blocks.empty())
        return Step::Fault;
    for (const u32 block : p.blocks)
        if (std::string why =
                problemOfColumns(tensorMemoryOf(*warp.launch, block), p.to.column, p.columns(), "a product writes");
            !why.empty())
            return refuseTensor(warp, lane, std::move(why));
    const bool isScaled = p.kind >= kTensorScaled;
    const unsigned bytes = isScaled ? 1 : bitsOf(elementOf(p.kind, p.kind == kTensorBytes ? 0 : p.wanted.typeA)) / 8;
    p.k = p.kind == kTensorScaledFours || p.kind == kTensorFineFours ? 2 * kRowBytes : kRowBytes / bytes;
    std::vector<u64> b; // of a pair each block holds half of the columns
    for (const u32 block : p.blocks)
        if (!readShared(p, block, plane<u64>(warp, op.c)[lane], p.wanted.majorB, bytes,
                        p.wanted.n / static_cast<unsigned>(p.blocks.size()), kRowBytes / bytes, b))
            return Step::Fault;
    for (u32 which = 0; which < p.blocks.size(); ++which)
        if (const Step step = multiplyBlock(p, p.blocks[which], which, b, bytes); step != Step::Next)
            return step;
    return Step::Next;
}

Step multiplyInMemory(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    Step step = Step::Next;
    forMask(mask, [&](std::size_t lane) {
        if (step == Step::Next)
            step = multiplyLane(warp, op, lane);
    });
    warp.launch->changed = true;
    return step;
}

} // namespace

OpFunction findTensorMultiply()
{
    return &multiplyInMemory;
}

} // namespace ridge::gpu::simt
