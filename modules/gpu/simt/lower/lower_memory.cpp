// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/families.h"
#include "gpu/simt/lower/lower_launch_control.h"
#include "gpu/simt/run/ops.h"

namespace ridge::gpu::simt {

namespace {

std::optional<Space> takeSpace(Modifiers& modifiers)
{
    constexpr std::array<std::pair<std::string_view, Space>, 9> spaces{{{"global", Space::Global},
                                                                        {"shared", Space::Shared},
                                                                        {"shared::cta", Space::Shared},
                                                                        {"shared::cluster", Space::Shared},
                                                                        {"local", Space::Local},
                                                                        {"const", Space::Const},
                                                                        {"param", Space::Param},
                                                                        {"param::entry", Space::Param},
                                                                        {"param::func", Space::Param}}};
    for (const auto& [name, space] : spaces) {
        if (modifiers.take(name))
            return space;
    }
    return std::nullopt;
}

/// .volatile, .relaxed.gpu, .acquire.cta …: execution is sequentially consistent, so they only tell that the thread
/// may be waiting for another one.
bool takeSemantics(Modifiers& modifiers)
{
    bool observes = false;
    for (const std::string_view word : {"volatile", "relaxed", "acquire", "acq_rel", "release", "mmio"})
        observes = modifiers.take(word) || observes;
    for (const std::string_view word : {"weak", "cta", "cluster", "gpu", "sys"})
        modifiers.take(word);
    return observes;
}

/// Hints to caches that are not modelled; they never change a value. True where the last operand is a cache policy.
bool takeCacheHints(Modifiers& modifiers)
{
    for (const std::string_view word : {"nc",
                                        "ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "unified",
                                        "L1::evict_normal",
                                        "L1::evict_unchanged",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate",
                                        "L2::evict_normal",
                                        "L2::evict_first",
                                        "L2::evict_last",
                                        "L2::64B",
                                        "L2::128B",
                                        "L2::256B"})
        modifiers.take(word);
    return modifiers.take("L2::cache_hint");
}

/// The instruction without its cache policy, which must be a 64-bit register.
Instruction withoutPolicy(KernelBuilder& builder, const Instruction& instruction, bool hasPolicy)
{
    Instruction plain = instruction;
    if (hasPolicy && !plain.operands.empty()) {
        builder.source(plain.operands.back(), ScalarType::B64);
        plain.operands.pop_back();
    }
    return plain;
}

/// The space that an address operand really lies in.
Space resolveSpace(const KernelBuilder& builder, const AddressOperand& address, std::optional<Space> stated,
                   const Instruction& instruction)
{
    // .param variables of calls live in a thread's local memory, also where a function has its own parameter's address
    // in a register (clang passes structs that way).
    if (!address.isSymbol) {
        const bool ownParam = stated == Space::Param && builder.insideFunction() && !instruction.has("param::entry");
        return ownParam ? Space::Local : stated.value_or(Space::Generic);
    }
    const bool isParamOfCall = stated == Space::Param && address.space == Space::Local;
    if (stated && *stated != address.space && !isParamOfCall)
        throw SyntaxError{badPtx(instruction.place, "'" + instruction.text() + "' names a variable that is not in ." +
                                                        std::string(toText(*stated)))};
    return address.space;
}

void emitMemory(KernelBuilder& builder, const Instruction& instruction, const AddressOperand& address,
                MemoryDetail detail)
{
    detail.wideAddress = address.wide;
    MicroOp op;
    op.a = address.plane;
    op.imm = address.offset;
    op.run = findMemoryOp(detail);
    if (op.run == nullptr)
        throw Unsupported{};
    op.detail = builder.addDetail(detail);
    builder.emit(instruction, op).addDynamicBase = address.dynamic;
}

/// Kernel parameters are known when the launch starts: a plane of constants each.
void loadParameter(KernelBuilder& builder, const Instruction& instruction, const AddressOperand& address,
                   const MemoryDetail& detail)
{
    if (detail.registerBytes > 8)
        throw Unsupported{"parameters are loaded 64 bits at a time"};
    for (unsigned at = 0; at < detail.count; ++at) {
        PlaneFill fill;
        fill.kind = PlaneFill::Kind::Param;
        fill.bytes = detail.registerBytes;
        fill.paramBytes = detail.elementBytes;
        fill.paramSigned = isSigned(detail.type);
        fill.value = static_cast<std::uint64_t>(address.offset) + at * detail.elementBytes;
        if (fill.value > 32768 || fill.value % detail.elementBytes != 0)
            throw SyntaxError{badPtx(instruction.place, "the parameter address is out of range or misaligned")};
        MicroOp op;
        op.a = builder.fill(fill);
        op.d = detail.data[at];
        const std::array<ScalarType, 3> types{ScalarType::B16, ScalarType::B32, ScalarType::B64};
        op.run = findLaneOp({LaneOp::Mov, types[detail.registerBytes / 4u]});
        builder.emit(instruction, op).counted = at == 0;
    }
}

unsigned takeVector(Modifiers& modifiers)
{
    return modifiers.take("v8") ? 8 : modifiers.take("v4") ? 4 : modifiers.take("v2") ? 2 : 1;
}

/// Elements of a vector operand; all registers of one access have one width.
void bindData(KernelBuilder& builder, const Operand& operand, MemoryDetail& detail)
{
    const bool isVector = operand.kind == Operand::Kind::Vector;
    const std::size_t given = isVector ? operand.parts.size() : 1;
    if (given != detail.count)
        throw SyntaxError{badPtx(operand.place, "the access moves " + std::to_string(detail.count) +
                                                    " elements, the operand has " + std::to_string(given))};
    const bool isLoad = detail.op == MemoryOp::Load;
    std::optional<unsigned> width;
    for (std::size_t at = 0; at < given; ++at) {
        const Operand& element = isVector ? operand.parts[at] : operand;
        if (element.kind == Operand::Kind::Sink && isLoad)
            continue;
        unsigned bytes = 0;
        detail.data[at] = isLoad ? builder.destinationAtLeast(element, detail.type, bytes)
                                 : builder.sourceAtLeast(element, detail.type, bytes);
        if (width && *width != bytes)
            throw Unsupported{"its registers differ in width"};
        width = bytes;
    }
    detail.registerBytes = static_cast<std::uint8_t>(width.value_or(std::max(2u, sizeOf(detail.type))));
}

void lowerLoadStore(KernelBuilder& builder, const Instruction& written)
{
    const bool isLoad = written.opcode != "st";
    if (written.has("async"))
        return lowerRemoteStore(builder, written);
    if (written.opcode == "st" && written.has("bulk"))
        return lowerBulkFill(builder, written);
    Modifiers modifiers(written);
    MemoryDetail detail;
    detail.op = isLoad ? MemoryOp::Load : MemoryOp::Store;
    const auto stated = takeSpace(modifiers);
    detail.observesOthers = takeSemantics(modifiers) && isLoad;
    const Instruction instruction = withoutPolicy(builder, written, takeCacheHints(modifiers));
    detail.count = static_cast<std::uint8_t>(takeVector(modifiers));
    detail.type = modifiers.takeType();
    modifiers.end();
    detail.elementBytes = static_cast<std::uint8_t>(sizeOf(detail.type));
    const unsigned most = stated == Space::Global ? 32 : 16; // 256 bits a lane since compute capability 10.0
    if (detail.elementBytes == 0 || unsigned{detail.elementBytes} * detail.count > most)
        throw Unsupported{};
    expectOperands(instruction, 2, 2);
    bindData(builder, instruction.operands[isLoad ? 0 : 1], detail);
    const AddressOperand address = builder.address(instruction.operands[isLoad ? 1 : 0]);
    if (address.entryParam && isLoad && stated == Space::Param)
        return loadParameter(builder, instruction, address, detail);
    detail.space = resolveSpace(builder, address, stated, instruction);
    if (!isLoad && (detail.space == Space::Const || detail.space == Space::Param))
        throw Unsupported{"constant memory and parameters cannot be written"};
    emitMemory(builder, instruction, address, detail);
}

std::optional<AtomicOp> takeAtomicOp(Modifiers& modifiers)
{
    constexpr std::array<std::string_view, 10> names{"add", "min", "max", "and",  "or",
                                                     "xor", "inc", "dec", "exch", "cas"};
    for (std::size_t at = 0; at < names.size(); ++at) {
        if (modifiers.take(names[at]))
            return static_cast<AtomicOp>(at);
    }
    return std::nullopt;
}

/// Sources or results of an atomic: one register, or a vector of detail.count.
void bindElements(KernelBuilder& builder, const Operand& operand, const MemoryDetail& detail, bool isResult,
                  std::array<std::uint32_t, 8>& planes)
{
    const bool isVector = operand.kind == Operand::Kind::Vector;
    const std::size_t given = isVector ? operand.parts.size() : 1;
    if (given != detail.count)
        throw SyntaxError{badPtx(operand.place, "the atomic has " + std::to_string(detail.count) +
                                                    " elements, the operand " + std::to_string(given))};
    for (std::size_t at = 0; at < given; ++at) {
        const Operand& element = isVector ? operand.parts[at] : operand;
        if (!isResult)
            planes[at] = builder.source(element, detail.type);
        else if (element.kind != Operand::Kind::Sink)
            planes[at] = builder.destination(element, detail.type);
    }
}

void lowerAtomic(KernelBuilder& builder, const Instruction& written)
{
    const bool isRed = written.opcode == "red";
    if (written.has("async"))
        return lowerRemoteStore(builder, written);
    Modifiers modifiers(written);
    MemoryDetail detail;
    detail.op = MemoryOp::Atomic;
    const auto stated = takeSpace(modifiers);
    takeSemantics(modifiers);
    modifiers.take("noftz");
    const Instruction instruction = withoutPolicy(builder, written, takeCacheHints(modifiers));
    const auto atomic = takeAtomicOp(modifiers);
    detail.count = static_cast<std::uint8_t>(takeVector(modifiers));
    detail.type = modifiers.takeType();
    modifiers.end();
    if (!atomic || (stated && *stated != Space::Global && *stated != Space::Shared))
        throw Unsupported{};
    detail.atomic = *atomic;
    const bool isCas = detail.atomic == AtomicOp::Cas;
    detail.observesOthers = isCas || detail.atomic == AtomicOp::Exch;
    const unsigned bytes = sizeOf(detail.type);
    if ((isRed && detail.observesOthers) || bytes * detail.count > 16 || (detail.count > 1 && !isFloat(detail.type)))
        throw Unsupported{};
    detail.elementBytes = detail.registerBytes = static_cast<std::uint8_t>(bytes);
    const std::size_t first = isRed ? 0 : 1;
    const auto& operands = instruction.operands;
    expectOperands(instruction, first + (isCas ? 3 : 2), first + (isCas ? 3 : 2));
    if (!isRed && operands[0].kind != Operand::Kind::Sink)
        bindElements(builder, operands[0], detail, true, detail.data);
    const AddressOperand address = builder.address(operands[first]);
    bindElements(builder, operands[first + 1], detail, false, detail.operandB);
    if (isCas)
        detail.operandC = builder.source(operands[first + 2], detail.type);
    detail.space = resolveSpace(builder, address, stated, instruction);
    emitMemory(builder, instruction, address, detail);
}

} // namespace

std::optional<Space> takeSpaceOf(Modifiers& modifiers)
{
    return takeSpace(modifiers);
}

void emitAddressed(KernelBuilder& builder, const Instruction& instruction, const Operand& operand,
                   std::optional<Space> stated, MemoryOp kind, MicroOp op)
{
    const AddressOperand address = builder.address(operand);
    MemoryDetail detail;
    detail.op = kind;
    detail.space = resolveSpace(builder, address, stated, instruction);
    detail.wideAddress = address.wide;
    op.a = address.plane;
    op.imm = address.offset;
    op.detail = builder.addDetail(detail);
    builder.emit(instruction, op).addDynamicBase = address.dynamic;
}

Lowering findMemory(std::string_view opcode)
{
    static const NameMap<Lowering> table{
        {"ld", lowerLoadStore}, {"ldu", lowerLoadStore}, {"st", lowerLoadStore},
        {"atom", lowerAtomic},  {"red", lowerAtomic},
    };
    const auto found = table.find(opcode);
    return found == table.end() ? nullptr : found->second;
}

} // namespace ridge::gpu::simt
