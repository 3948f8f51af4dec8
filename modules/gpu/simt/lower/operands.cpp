// SPDX-License-Identifier: GPL-3.0-or-later
// The half of KernelBuilder that goes from operands as written to planes and addresses.
#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/lower/special_register.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ridge::gpu::simt {

namespace {

[[noreturn]] void bad(const Operand& operand, std::string message)
{
    throw SyntaxError{badPtx(operand.place, std::move(message))};
}

/// The operand as a register; `found` is what its name stands for, null: nothing.
Symbol& asRegister(const Operand& operand, Symbol* found)
{
    if (found == nullptr) {
        if (operand.kind != Operand::Kind::Name)
            bad(operand, "a register is expected here");
        bad(operand, "the name '" + std::string(operand.text) + "' is not declared");
    }
    if (found->kind != Symbol::Kind::Register || !operand.component.empty())
        bad(operand, "'" + std::string(operand.text) + "' is not a register");
    if (operand.minus)
        bad(operand, "'" + std::string(operand.text) + "' cannot be negated here");
    return *found;
}

bool isWhole(ScalarType type)
{
    return !isFloat(type) && !isBits(type) && (sizeOf(type) == 4 || sizeOf(type) == 8) && type != ScalarType::TF32;
}

/// Whole numbers and floats are kept apart, as by ptxas; bits are both. Of instructions with one type, whose operands
/// all have it.
void checkKind(const Instruction* instruction, const Operand& operand, ScalarType declared)
{
    constexpr std::array<std::string_view, 26> opcodes{
        "abs", "add", "bfe", "cos", "div",   "ex2",  "fma",  "ld",  "lg2", "mad",  "max", "min", "mov",
        "mul", "neg", "rcp", "rem", "rsqrt", "selp", "setp", "shr", "sin", "sqrt", "st",  "sub", "tanh"};
    if (instruction == nullptr || instruction->has("L2::cache_hint") ||
        std::find(opcodes.begin(), opcodes.end(), instruction->opcode) == opcodes.end())
        return;
    ScalarType type = ScalarType::None;
    for (const std::string_view modifier : instruction->modifiers) {
        const auto known = scalarTypeFromText(modifier);
        if (known && type != ScalarType::None)
            return;
        type = known.value_or(type);
    }
    const auto isReal = [](ScalarType one) { return one == ScalarType::F32 || one == ScalarType::F64; };
    if (sizeOf(type) != sizeOf(declared) ||
        !((isWhole(type) && isReal(declared)) || (isReal(type) && isWhole(declared))))
        return;
    throw SyntaxError{badPtx(
        operand.place,
        "'" + std::string(operand.text) + "' is a register of type ." + std::string(toText(declared)) + ", and '" +
            instruction->text() + "' works on ." + std::string(toText(type)),
        "Convert it with cvt, or take a register of type .b" + std::to_string(8 * sizeOf(type)) + " for bare bits.")};
}

} // namespace

std::uint32_t KernelBuilder::immediate(const Operand& operand, ScalarType type)
{
    const unsigned bytes = sizeOf(type);
    if (bytes > 8)
        bad(operand, "a 128-bit operand is a register");
    if (operand.kind == Operand::Kind::Integer) {
        if (type == ScalarType::F32 || type == ScalarType::F64)
            bad(operand, "a float literal is expected for a ." + std::string(toText(type)) + " operand");
        return constant(operand.bits, std::max(bytes, 2u));
    }
    const bool isSingle = operand.kind == Operand::Kind::Single;
    if (bytes < 4 || (!isFloat(type) && !isBits(type)) || (type == ScalarType::B32 && !isSingle))
        bad(operand, "a float literal does not fit a ." + std::string(toText(type)) + " operand");
    if (!isSingle && bytes == 4)
        return constant(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits))), bytes);
    return constant(operand.bits, bytes); // of 0f in 64 bits the lower half, as ptxas has it
}

Symbol& KernelBuilder::registerSymbol(const Operand& operand)
{
    return asRegister(operand, operand.kind == Operand::Kind::Name ? symbol(operand.text) : nullptr);
}

std::uint32_t KernelBuilder::special(const Operand& operand, unsigned bytes)
{
    // Of the memory that CUDA keeps in each block, the part of cooperative_groups::tiled_partition beyond a warp.
    if (operand.text == kTilesWorkspace && m_inside.scopes->find(operand.text) == nullptr)
        return constant(m_layout.tilesWorkspace(), bytes);
    return specialRegister(operand, bytes, m_registers, m_addresses, *m_inside.scopes);
}

ScalarType KernelBuilder::registerType(const Operand& operand)
{
    if (operand.kind != Operand::Kind::Name || special(operand, 4) != kNone)
        return ScalarType::None;
    const Symbol* found = symbol(operand.text);
    return found != nullptr && found->kind == Symbol::Kind::Register ? found->type : ScalarType::None;
}

/// A plane that holds the address of a variable.
std::uint32_t KernelBuilder::addressPlane(const Symbol& target, std::int64_t offset, unsigned bytes)
{
    const std::uint64_t value = target.address + static_cast<std::uint64_t>(offset);
    if (target.space == Space::Local && m_inside.frame != kNone) {
        if (bytes != 8 || m_statement.instruction == nullptr)
            throw Unsupported{"the address of a local variable has 64 bits"};
        AddressOperand address;
        address.plane = m_inside.frame;
        address.offset = static_cast<std::int64_t>(value);
        return addressInPlane(*m_statement.instruction, address);
    }
    if (!target.dynamic && target.space != Space::Shared)
        return constant(value, bytes);
    PlaneFill base;
    base.kind = target.dynamic ? PlaneFill::Kind::DynamicBase : PlaneFill::Kind::SharedAddress;
    base.bytes = static_cast<std::uint8_t>(bytes);
    base.value = value;
    return fill(base);
}

std::uint32_t KernelBuilder::sourceAtLeast(const Operand& operand, ScalarType type, unsigned& registerBytes)
{
    registerBytes = std::max(sizeOf(type), 2u);
    if (operand.kind == Operand::Kind::Integer || operand.kind == Operand::Kind::Single ||
        operand.kind == Operand::Kind::Double)
        return immediate(operand, type);
    if (operand.kind != Operand::Kind::Name)
        bad(operand, "a register or a constant is expected here");
    // Special registers take the width the instruction asks for.
    if (const std::uint32_t plane = special(operand, registerBytes); plane != kNone)
        return plane;
    Symbol* const found = symbol(operand.text);
    if (found != nullptr && (found->kind == Symbol::Kind::Address || found->kind == Symbol::Kind::EntryParam))
        return addressPlane(*found, operand.offset, registerBytes);
    const Symbol& chosen = asRegister(operand, found);
    if (chosen.type == ScalarType::Pred || sizeOf(chosen.type) < sizeOf(type))
        bad(operand, "the register '" + std::string(operand.text) + "' of type ." + std::string(toText(chosen.type)) +
                         " is too narrow for ." + std::string(toText(type)));
    if (isFloat(chosen.type) != isFloat(type))
        checkKind(m_statement.instruction, operand, chosen.type);
    registerBytes = sizeOf(chosen.type);
    return use(chosen.plane, PlaneUse::Role::Source);
}

std::uint32_t KernelBuilder::source(const Operand& operand, ScalarType type)
{
    unsigned bytes = 0;
    const std::uint32_t plane = sourceAtLeast(operand, type, bytes);
    if (operand.negated || bytes != std::max(sizeOf(type), 2u))
        bad(operand,
            "the operand '" + std::string(operand.text) + "' does not have the width of ." + std::string(toText(type)));
    return plane;
}

std::uint32_t KernelBuilder::destinationAtLeast(const Operand& operand, ScalarType type, unsigned& registerBytes)
{
    registerBytes = std::max(sizeOf(type), 2u);
    if (operand.kind == Operand::Kind::Sink)
        return newPlane(registerBytes);
    const Symbol& chosen = registerSymbol(operand);
    if (chosen.type == ScalarType::Pred || sizeOf(chosen.type) < sizeOf(type))
        bad(operand,
            "the register '" + std::string(operand.text) + "' is too narrow for ." + std::string(toText(type)));
    if (isFloat(chosen.type) != isFloat(type))
        checkKind(m_statement.instruction, operand, chosen.type);
    registerBytes = sizeOf(chosen.type);
    return use(chosen.plane, PlaneUse::Role::Destination);
}

std::uint32_t KernelBuilder::destination(const Operand& operand, ScalarType type)
{
    unsigned bytes = 0;
    const std::uint32_t plane = destinationAtLeast(operand, type, bytes);
    if (bytes != std::max(sizeOf(type), 2u))
        bad(operand, "the register '" + std::string(operand.text) + "' does not have the width of ." +
                         std::string(toText(type)));
    return plane;
}

std::uint32_t KernelBuilder::predicateSource(const Operand& operand, bool& negated)
{
    negated = operand.negated;
    if (operand.kind == Operand::Kind::Integer) {
        negated = operand.bits == 0;
        return use(truePredicate(), PlaneUse::Role::Source);
    }
    if (operand.text == "%is_explicit_cluster") {
        PlaneFill wanted;
        wanted.kind = PlaneFill::Kind::ExplicitCluster;
        return fill(wanted);
    }
    const Symbol& chosen = registerSymbol(operand);
    if (chosen.type != ScalarType::Pred)
        bad(operand, "'" + std::string(operand.text) + "' is not a predicate");
    return use(chosen.plane, PlaneUse::Role::Source);
}

std::uint32_t KernelBuilder::predicateDestination(const Operand& operand)
{
    if (operand.kind == Operand::Kind::Sink)
        return kNone;
    const Symbol& chosen = registerSymbol(operand);
    if (chosen.type != ScalarType::Pred || operand.negated)
        bad(operand, "'" + std::string(operand.text) + "' is not a predicate that can be written");
    return use(chosen.plane, PlaneUse::Role::Destination);
}

AddressOperand KernelBuilder::address(const Operand& operand)
{
    if (operand.kind != Operand::Kind::Memory)
        bad(operand, "an address in [ ] is expected here");
    if (operand.parts.size() != 1)
        throw Unsupported{"an address of several parts is not supported"};
    AddressOperand result;
    const Operand& base = operand.parts.front();
    result.offset = operand.offset;
    if (base.kind == Operand::Kind::Integer) {
        result.plane = use(constant(0, 8), PlaneUse::Role::Address);
        result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.offset) + base.bits);
        return result;
    }
    Symbol* found = base.kind == Operand::Kind::Name ? symbol(base.text) : nullptr;
    if (found != nullptr && (found->kind == Symbol::Kind::Address || found->kind == Symbol::Kind::EntryParam)) {
        result.isSymbol = true;
        result.space = found->space;
        result.plane = use(found->space == Space::Local && m_inside.frame != kNone ? m_inside.frame : constant(0, 8),
                           PlaneUse::Role::Address);
        result.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(result.offset) + found->address);
        result.dynamic = found->dynamic;
        result.entryParam = found->kind == Symbol::Kind::EntryParam;
        return result;
    }
    const Symbol& chosen = asRegister(base, found);
    const unsigned bytes = sizeOf(chosen.type);
    if (bytes != 4 && bytes != 8)
        bad(base, "an address register has 32 or 64 bits");
    result.plane = use(chosen.plane, PlaneUse::Role::Address);
    result.wide = bytes == 8;
    return result;
}

std::uint32_t KernelBuilder::addressInPlane(const Instruction& instruction, const AddressOperand& address)
{
    const auto offset = static_cast<std::uint64_t>(address.offset);
    if (address.dynamic) {
        PlaneFill base;
        base.kind = PlaneFill::Kind::DynamicBase;
        base.bytes = 8;
        base.value = offset;
        return fill(base);
    }
    std::uint32_t plane = address.plane;
    const auto add = [&](const LaneKey& key, MicroOp op, unsigned bytes) {
        op.a = plane;
        op.d = plane = newPlane(bytes);
        op.flags = laneFlags(key);
        op.run = findLaneOp(key);
        emit(instruction, op).counted = false;
    };
    if (offset != 0) {
        const unsigned bytes = address.wide ? 8 : 4;
        MicroOp op;
        op.b = constant(offset, bytes);
        add({LaneOp::Add, address.wide ? ScalarType::U64 : ScalarType::U32}, op, bytes);
    }
    if (!address.wide) {
        LaneKey widen{LaneOp::Convert};
        widen.convert = {ScalarType::U64, ScalarType::U32, 8, 4};
        add(widen, {}, 8);
    }
    return plane;
}

std::uint32_t KernelBuilder::label(const Operand& operand)
{
    const Symbol* found = operand.kind == Operand::Kind::Name ? m_inside.scopes->find(operand.text) : nullptr;
    if (found == nullptr || found->kind != Symbol::Kind::Label)
        bad(operand, "the label '" + std::string(operand.text) + "' does not exist in this scope");
    return found->label;
}

std::uint32_t KernelBuilder::table(const Operand& operand)
{
    const Symbol* found = operand.kind == Operand::Kind::Name ? m_inside.scopes->find(operand.text) : nullptr;
    if (found == nullptr || found->kind != Symbol::Kind::Targets)
        bad(operand, "'" + std::string(operand.text) + "' is not a list of branch targets");
    return found->label;
}

} // namespace ridge::gpu::simt
