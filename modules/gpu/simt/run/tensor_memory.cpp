// SPDX-License-Identifier: GPL-3.0-or-later
// tcgen05: tensor memory and products into it (PTX ISA, "TensorCore 5th Generation Family Instructions").
#include "gpu/simt/run/tensor_memory.h"

#include "gpu/simt/run/async_parts.h"
#include "gpu/simt/run/matrix_parts.h"
#include "gpu/simt/run/wgmma_ops.h"

#include <algorithm>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kLanes = 128, kColumns = 512, kLeast = 32;
constexpr u32 kNever = 0x7fffffff; ///< a NaN
constexpr unsigned kLaneShift = 16;
constexpr unsigned kRowBytes = 32; ///< of k, one instruction

struct Span {
    u32 first = 0, columns = 0;
};

} // namespace

struct TensorMemory {
    std::vector<u32> words = std::vector<u32>(std::size_t{kLanes} * kColumns, kNever); ///< lane by lane
    std::vector<Span> spans;                                                           ///< in order
    bool isRelinquished = false;

    u32& at(u32 lane, u32 column) { return words[std::size_t{lane} * kColumns + column]; }
};

namespace {

/// Of the block that runs.
std::shared_ptr<TensorMemory>& heldBy(const LaunchState& launch)
{
    return launch.cluster->tensorMemory(launch.rank);
}

TensorMemory& memoryOf(const LaunchState& launch)
{
    std::shared_ptr<TensorMemory>& memory = heldBy(launch);
    if (!memory)
        memory = std::make_shared<TensorMemory>();
    return *memory;
}

Step refuse(Warp& warp, std::size_t lane, std::string why)
{
    warp.launch->faultText = "tensor memory: " + std::move(why);
    return noteFault(warp, Fault::Kind::BadTensorMap, Space::Global, MemoryOp::Load, 0, lane, 0, 0);
}

std::string spansText(const TensorMemory& memory)
{
    std::string text;
    for (const Span& span : memory.spans)
        text += (text.empty() ? "" : ", ") + std::to_string(span.first) + " to " +
                std::to_string(span.first + span.columns - 1);
    return text.empty() ? "none is" : text + " are";
}

/// Why columns cannot be used; empty where they all can.
std::string problemOf(const TensorMemory& memory, u32 column, u32 columns, const char* what)
{
    for (const Span& span : memory.spans)
        if (column >= span.first && column + columns <= span.first + span.columns)
            return {};
    return std::string(what) + " columns " + std::to_string(column) + " to " + std::to_string(column + columns - 1) +
           ", of which not all are allocated (" + spansText(memory) + ")";
}

Step allocate(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    const u32 columns = plane<u32>(warp, op.b)[lane];
    TensorMemory& memory = memoryOf(*warp.launch);
    if (!std::has_single_bit(columns) || columns < kLeast || columns > kColumns)
        return refuse(warp, lane,
                      std::to_string(columns) + " columns are asked for; a power of two from 32 to 512 is given");
    if (memory.isRelinquished)
        return refuse(warp, lane, "the block asks for columns after it has relinquished the right to");
    u32 first = 0;
    std::size_t place = 0;
    for (; place < memory.spans.size() && memory.spans[place].first - first < columns; ++place)
        first = memory.spans[place].first + memory.spans[place].columns;
    if (first + columns > kColumns)
        return refuse(warp, lane,
                      std::to_string(columns) + " columns are asked for while " + spansText(memory) +
                          " taken by this block, which would wait for itself for ever");
    const SharedBytes to = sharedBytesAt(warp, lane, plane<u64>(warp, op.a)[lane], 4, 4, MemoryOp::Store);
    if (to.host == nullptr)
        return Step::Fault;
    memory.spans.insert(memory.spans.begin() + static_cast<std::ptrdiff_t>(place), {first, columns});
    for (u32 row = 0; row < kLanes; ++row)
        std::fill_n(&memory.at(row, first), columns, kNever);
    std::memcpy(to.host, &first, sizeof first);
    if (warp.launch->check != nullptr) {
        PlacedAccess access;
        access.lanes.bytes = 4;
        access.lanes.mask = 1u << lane;
        access.lanes.address[lane] = to.place.offset;
        access.space = Space::Shared;
        warp.launch->check->seen(warp, op, access, MemoryOp::Store);
    }
    warp.launch->changed = true;
    return Step::Next;
}

Step release(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto lane = static_cast<std::size_t>(std::countr_zero(mask));
    const u32 address = static_cast<u32>(plane<u64>(warp, op.a)[lane]), columns = plane<u32>(warp, op.b)[lane];
    TensorMemory& memory = memoryOf(*warp.launch);
    const auto found = std::ranges::find_if(
        memory.spans, [&](const Span& span) { return span.first == address && span.columns == columns; });
    if (found == memory.spans.end())
        return refuse(warp, lane,
                      std::to_string(columns) + " columns from " + std::to_string(address) +
                          " on are given back, which was never allocated like that (" + spansText(memory) + ")");
    memory.spans.erase(found);
    if (memory.spans.empty())
        heldBy(*warp.launch).reset();
    warp.launch->changed = true;
    return Step::Next;
}

Step relinquish(WarpRegisters& registers, const MicroOp&, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    memoryOf(*warp.launch).isRelinquished = true;
    return Step::Next;
}

/// 32x32b: lane i of warp w has lane 32 (w mod 4) + i of tensor memory, a register a column.
template<bool IsLoad>
Step move(WarpRegisters& registers, const MicroOp& op, u32 mask)
{
    Warp& warp = static_cast<Warp&>(registers);
    if (!allHere(warp, mask))
        return Step::Wait;
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    const auto address = static_cast<u32>(plane<u64>(warp, op.a)[first]);
    const std::vector<u32>& planes = IsLoad ? detailOf(warp, op).planesD : detailOf(warp, op).planesA;
    const u32 column = address & ((1u << kLaneShift) - 1), row = address >> kLaneShift, own = warp.index % 4 * 32;
    TensorMemory& memory = memoryOf(*warp.launch);
    if (row != own)
        return refuse(warp, first,
                      "warp " + std::to_string(warp.index) + " names lane " + std::to_string(row) + "; its lanes are " +
                          std::to_string(own) + " to " + std::to_string(own + 31));
    if (std::string why =
            problemOf(memory, column, static_cast<u32>(planes.size()), IsLoad ? "a load reads" : "a store writes");
        !why.empty())
        return refuse(warp, first, std::move(why));
    for (std::size_t at = 0; at < planes.size(); ++at) {
        u32* const words = plane<u32>(warp, planes[at]);
        forMask(mask, [&](std::size_t lane) {
            u32& word = memory.at(own + static_cast<u32>(lane), column + static_cast<u32>(at));
            (IsLoad ? words[lane] : word) = IsLoad ? word : words[lane];
        });
    }
    warp.launch->changed = warp.launch->changed || !IsLoad;
    return Step::Next;
}

/// The fields of an instruction descriptor that are used (PTX ISA, "Instruction descriptor").
struct Instructed {
    unsigned m = 0, n = 0;
    u32 typeD = 0, typeA = 0, typeB = 0;
    bool negatesA = false, negatesB = false, majorA = false, majorB = false, isSparse = false;
};

Instructed decode(u32 bits)
{
    const auto field = [bits](unsigned at, unsigned count) { return bits >> at & ((1u << count) - 1); };
    return {field(24, 5) * 16, field(17, 6) * 8,  field(4, 2),       field(7, 3),       field(10, 3),
            field(13, 1) != 0, field(14, 1) != 0, field(15, 1) != 0, field(16, 1) != 0, field(2, 1) != 0};
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

/// The lane that holds row `row` of D: with 64 rows every second half of a warp's lanes is left out.
u32 laneOfRow(u32 row, u32 rows)
{
    return rows == 64 ? row / 16 * 32 + row % 16 : row;
}

bool readShared(Warp& warp, std::size_t lane, u64 bits, bool outerMajor, unsigned bytes, unsigned rows, unsigned k,
                std::vector<u64>& out)
{
    const MatrixDescriptor descriptor = decodeDescriptor(bits);
    out.assign(std::size_t{rows} * k, 0);
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned at = 0; at < k; ++at) {
            const u64 offset = elementOffset(descriptor, outerMajor, bytes, row, at);
            if (offset + bytes > warp.launch->sharedBytes) {
                noteFault(warp, Fault::Kind::OutOfBounds, Space::Shared, MemoryOp::Load, bytes, lane, offset,
                          warp.launch->sharedBytes);
                return false;
            }
            std::memcpy(&out[std::size_t{row} * k + at], warp.launch->shared + offset, bytes);
        }
    return true;
}

Step multiplyLane(Warp& warp, const MicroOp& op, std::size_t lane)
{
    const u32 kind = op.flags & (kTensorA - 1);
    const bool isInMemory = (op.flags & kTensorA) != 0;
    const Instructed wanted = decode(plane<u32>(warp, op.d)[lane]);
    MatrixDetail t;
    t.a = elementOf(kind, wanted.typeA);
    t.b = elementOf(kind, wanted.typeB);
    t.c = t.d = kind == kTensorIntegers ? Element::S32 : Element::F32;
    t.descriptorB = 0; // products are not taken apart as those of mma.sync
    const u32 typeD = kind == kTensorIntegers ? 2 : 1;
    if (t.a == Element::F64 || t.b == Element::F64 || wanted.typeD != typeD || wanted.isSparse)
        return refuse(warp, lane, "the instruction descriptor asks for types that are not multiplied here");
    if ((wanted.m != 64 && wanted.m != 128) || wanted.n < 8 || wanted.n > 256 ||
        wanted.n % (wanted.m == 128 ? 16 : 8) != 0)
        return refuse(warp, lane,
                      "the instruction descriptor asks for " + std::to_string(wanted.m) + " x " +
                          std::to_string(wanted.n) +
                          "; there are 64 rows with a multiple of 8 columns and 128 with "
                          "one of 16, to 256");
    TensorMemory& memory = memoryOf(*warp.launch);
    const auto to = static_cast<u32>(plane<u64>(warp, op.a)[lane]);
    const u32 column = to & ((1u << kLaneShift) - 1);
    if (to >> kLaneShift != 0)
        return refuse(warp, lane, "a product begins in lane 0, and D names lane " + std::to_string(to >> kLaneShift));
    if (std::string why = problemOf(memory, column, wanted.n, "a product writes"); !why.empty())
        return refuse(warp, lane, std::move(why));
    const unsigned bytes = bitsOf(t.a) / 8, k = kRowBytes / bytes;
    std::vector<u64> a, b, c(std::size_t{wanted.m} * wanted.n), d(c.size());
    if (isInMemory) {
        const auto from = static_cast<u32>(plane<u64>(warp, op.b)[lane]);
        const u32 begin = from & ((1u << kLaneShift) - 1);
        if (std::string why = problemOf(memory, begin, kRowBytes / 4, "a product reads"); !why.empty())
            return refuse(warp, lane, std::move(why));
        a.resize(std::size_t{wanted.m} * k);
        for (u32 row = 0; row < wanted.m; ++row)
            for (u32 at = 0; at < k; ++at) {
                const u32 word = memory.at(laneOfRow(row, wanted.m), begin + at * bytes / 4);
                const u32 shift = at * bytes % 4 * 8;
                a[std::size_t{row} * k + at] = bytes == 4 ? word : word >> shift & ((1u << (8 * bytes)) - 1);
            }
    } else if (!readShared(warp, lane, plane<u64>(warp, op.b)[lane], wanted.majorA, bytes, wanted.m, k, a)) {
        return Step::Fault;
    }
    if (!readShared(warp, lane, plane<u64>(warp, op.c)[lane], wanted.majorB, bytes, wanted.n, k, b))
        return Step::Fault;
    const auto negate = [&](std::vector<u64>& values) {
        for (u64& value : values)
            value ^= u64{1} << (8 * bytes - 1);
    };
    if (wanted.negatesA)
        negate(a);
    if (wanted.negatesB)
        negate(b);
    const auto predicate = static_cast<u32>(op.imm);
    const bool keeps = ((*plane<u32>(warp, predicate) >> lane & 1) != 0) != ((op.imm >> 32 & 1) != 0);
    for (u32 row = 0; row < wanted.m && keeps; ++row)
        for (u32 at = 0; at < wanted.n; ++at)
            c[std::size_t{row} * wanted.n + at] = memory.at(laneOfRow(row, wanted.m), column + at);
    multiply({&t, a.data(), b.data(), c.data(), d.data(), wanted.m, wanted.n, k, warp.launch->tensor});
    for (u32 row = 0; row < wanted.m; ++row)
        for (u32 at = 0; at < wanted.n; ++at)
            memory.at(laneOfRow(row, wanted.m), column + at) = static_cast<u32>(d[std::size_t{row} * wanted.n + at]);
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

OpFunction findTensorMemoryOp(TensorMemoryOp op)
{
    switch (op) {
    case TensorMemoryOp::Allocate:
        return &allocate;
    case TensorMemoryOp::Free:
        return &release;
    case TensorMemoryOp::Relinquish:
        return &relinquish;
    case TensorMemoryOp::Load:
        return &move<true>;
    case TensorMemoryOp::Store:
        return &move<false>;
    default:
        return &multiplyInMemory;
    }
}

} // namespace ridge::gpu::simt
