// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <array>

namespace ridge::gpu::simt {

void Emitter::openBlock(std::uint32_t block)
{
    m_block = block;
    // What a dominating block has moved to registers is still there, but nothing is kept alive through a loop for it.
    m_moves.resize(m_code.blocks.size());
    m_pairs.resize(m_code.blocks.size());
    const std::uint32_t before = m_code.blocks[block].dominator;
    if (before != kNone && m_code.blocks[before].depth >= m_code.blocks[block].depth) {
        m_moves[block] = m_moves[before];
        m_pairs[block] = m_pairs[before];
    }
    m_cleared = 0;
    m_copies.clear();
    m_lanes = {};
    m_node = nullptr;
}

void Emitter::openNode(const Node& node)
{
    m_node = &node;
}

ActiveLanes& Emitter::activeLanes()
{
    const Value& guard = m_node->guard;
    const bool isSame = guard.kind == m_lanesGuard.kind && guard.variable == m_lanesGuard.variable &&
                        guard.negated == m_lanesGuard.negated && m_code.isStable(guard);
    if (!isSame)
        m_lanes = {};
    m_lanesGuard = guard;
    return m_lanes;
}

Part Emitter::reg(std::uint32_t id)
{
    Part part;
    part.kind = Part::Kind::Register;
    part.reg = id;
    return part;
}

Part Emitter::imm(std::uint64_t bits)
{
    Part part;
    part.bits = static_cast<std::uint32_t>(bits);
    part.kind = part.bits == 0 ? Part::Kind::Zero : Part::Kind::Immediate;
    return part;
}

std::uint32_t Emitter::fresh()
{
    m_kernel.registers.push_back({});
    return static_cast<std::uint32_t>(m_kernel.registers.size() - 1);
}

std::uint32_t Emitter::freshPredicate()
{
    const std::uint32_t made = fresh();
    m_kernel.registers[made].isPredicate = true;
    return made;
}

void Emitter::join(const Tuple& tuple)
{
    if (tuple.size() < 2)
        return;
    for (const std::uint32_t id : tuple) {
        if (m_kernel.registers[id].tuple != kNone)
            return; // already bound elsewhere; ptxas would copy, which it mostly manages to avoid
    }
    Tuple distinct = tuple;
    std::sort(distinct.begin(), distinct.end());
    if (std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end())
        return;
    for (const std::uint32_t id : tuple)
        m_kernel.registers[id].tuple = static_cast<std::uint32_t>(m_kernel.tuples.size());
    m_kernel.tuples.push_back(tuple);
}

Tuple Emitter::freshPair()
{
    const std::uint32_t first = fresh();
    const Tuple made{first, fresh()};
    join(made);
    return made;
}

std::uint32_t Emitter::target(const Value& value)
{
    if (!value.isVariable())
        return value.bytes == 0 ? freshPredicate() : fresh();
    if (m_base.size() < m_code.variables.size())
        m_base.resize(m_code.variables.size(), kNone);
    std::uint32_t& base = m_base[value.variable];
    if (base == kNone) {
        const std::uint8_t bytes = m_code.variables[value.variable].bytes;
        base = bytes == 0 ? freshPredicate() : fresh();
        if (bytes == 8)
            join({base, fresh()});
        for (std::uint32_t half = 0; half < bytes / 4u; ++half)
            m_kernel.registers[base + half].isUniform = m_code.variables[value.variable].uniform;
    }
    return base;
}

std::uint32_t Emitter::targetHigh(const Value& value)
{
    if (!value.isVariable())
        return fresh();
    return target(value) + 1;
}

bool Emitter::mayAlias(const Value& result) const
{
    return result.isVariable() && m_code.variables[result.variable].definitions == 1;
}

Part Emitter::low(const Value& value)
{
    switch (value.kind) {
    case Value::Kind::Immediate:
        return imm(value.bits);
    case Value::Kind::Constant: {
        if (value.bytes == 8 && capability() >= kConstantsInRegisters)
            return reg(uniformPair(value.bits));
        Part part;
        part.kind = Part::Kind::Constant;
        part.bits = value.bits;
        return part;
    }
    case Value::Kind::Variable: {
        const std::uint32_t id = target(value);
        const auto found = m_alias.find(id);
        return found == m_alias.end() ? reg(id) : found->second;
    }
    case Value::Kind::None:
        break;
    }
    return {};
}

Part Emitter::high(const Value& value)
{
    if (value.kind == Value::Kind::Immediate)
        return imm(value.bits >> 32);
    if (value.bytes != 8)
        return {};
    if (value.kind == Value::Kind::Constant) {
        Part part = low(value);
        part.bits += 4;
        part.reg += part.kind == Part::Kind::Register ? 1 : 0;
        return part;
    }
    if (value.kind != Value::Kind::Variable || m_code.variables[value.variable].bytes != 8)
        return {};
    const std::uint32_t id = target(value) + 1;
    const auto found = m_alias.find(id);
    return found == m_alias.end() ? reg(id) : found->second;
}

Part Emitter::predicate(const Value& value)
{
    return value.isVariable() ? low(value) : Part{};
}

std::uint32_t Emitter::moved(const Part& part)
{
    if (part.kind == Part::Kind::Register)
        return part.reg;
    if (part.kind == Part::Kind::Constant && capability() >= kConstantsInRegisters) {
        const auto [at, isNew] = m_loads.try_emplace({0, part.bits}, 0);
        if (isNew) {
            at->second = fresh();
            loadConstant(capability() >= 100 ? "LDCU" : "ULDC", {at->second});
        }
        return at->second;
    }
    const auto [at, isNew] = m_moves[m_block].try_emplace({part.bits, static_cast<int>(part.kind)}, 0);
    if (isNew) {
        at->second = fresh();
        const Node* node = std::exchange(m_node, nullptr);
        emit(part.kind == Part::Kind::Constant ? "MOV" : "IMAD.MOV.U32", {at->second}, {part}).covers =
            node != nullptr ? node->microOp : kNoMicroOp;
        m_node = node;
    }
    return at->second;
}

std::uint32_t Emitter::inRegister(const Part& part, bool isMovedAlways)
{
    if (part.kind == Part::Kind::Register && isMovedAlways) {
        const std::uint32_t made = fresh();
        emit("IMAD.MOV.U32", {made}, {part});
        return made;
    }
    return moved(part);
}

/// In front of the loops around its first use, which then need not repeat it.
std::uint32_t Emitter::homeOfConstants() const
{
    std::uint32_t block = m_block;
    while (m_code.blocks[block].depth > 0 && m_code.blocks[block].dominator != kNone)
        block = m_code.blocks[block].dominator;
    return block;
}

void Emitter::loadConstant(std::string_view name, std::vector<std::uint32_t> results)
{
    const std::uint32_t here = m_block;
    m_block = homeOfConstants();
    const Node* node = std::exchange(m_node, nullptr);
    Draft& made = emit(name, std::move(results), {});
    const bool isHere = here == m_block;
    made.covers = isHere && node != nullptr ? node->microOp : m_code.image->blocks[m_block].first;
    auto& drafts = m_kernel.blocks[m_block].drafts;
    std::size_t at = drafts.size() - 1;
    while (!isHere && at > 0 && drafts[at - 1].isTerminator) {
        std::swap(drafts[at - 1], drafts[at]);
        --at;
    }
    m_block = here;
    m_node = node;
}

std::uint32_t Emitter::uniformPair(std::uint64_t bits)
{
    const auto [at, isNew] = m_loads.try_emplace({0, bits | (std::uint64_t{1} << 62)}, 0);
    if (isNew) {
        const Tuple made = freshPair();
        at->second = made[0];
        loadConstant(capability() >= 100 ? "LDCU.64" : "ULDC.64", {made[0], made[1]});
    }
    return at->second;
}

Tuple Emitter::pair(const Value& value)
{
    if (value.kind == Value::Kind::Constant && capability() >= kConstantsInRegisters) {
        // One LDC.64, once more wherever it would be kept in registers of the thread in between.
        const auto [at, isNew] = m_loads.try_emplace({homeOfConstants(), value.bits | (std::uint64_t{1} << 63)}, 0);
        if (isNew) {
            const Tuple made = freshPair();
            at->second = made[0];
            loadConstant("LDC.64", {made[0], made[1]});
        }
        return {at->second, at->second + 1};
    }
    const Part lowPart = low(value);
    const Part highPart = high(value);
    if (value.isVariable() && m_code.variables[value.variable].uniform) {
        const auto [at, isNew] = m_copies.try_emplace(lowPart.reg);
        if (isNew) {
            at->second = freshPair();
            emit("MOV", {at->second[0]}, {lowPart});
            emit("MOV", {at->second[1]}, {highPart});
        }
        return at->second;
    }
    if (lowPart.kind == Part::Kind::Register && highPart.kind == Part::Kind::Register &&
        highPart.reg == lowPart.reg + 1)
        return {lowPart.reg, highPart.reg};
    const std::vector<std::uint64_t> key{static_cast<std::uint64_t>(lowPart.kind),  lowPart.reg,  lowPart.bits,
                                         static_cast<std::uint64_t>(highPart.kind), highPart.reg, highPart.bits};
    const auto found = m_pairs[m_block].find(key);
    if (found != m_pairs[m_block].end())
        return found->second;
    const Tuple made = freshPair();
    const Node* node = std::exchange(m_node, nullptr);
    for (const auto& [id, part] : {std::pair{made[0], lowPart}, std::pair{made[1], highPart}})
        emit("IMAD.MOV.U32", {id}, {part}).covers = node != nullptr ? node->microOp : kNoMicroOp;
    m_node = node;
    m_pairs[m_block][key] = made;
    return made;
}

std::vector<Part> Emitter::doubles(std::span<const Value> values)
{
    // One source may be a constant or an immediate, and ptxas gives the place to the last. From 9.0 on it holds a
    // literal whose lower word is not zero in two registers of the warp.
    std::size_t place = values.size();
    for (std::size_t at = 0; at < values.size(); ++at)
        if (values[at].isImmediate() || values[at].kind == Value::Kind::Constant)
            place = at;
    std::vector<Part> made;
    for (std::size_t at = 0; at < values.size(); ++at) {
        const Value& value = values[at];
        const bool isShort = value.isImmediate() && static_cast<std::uint32_t>(value.bits) == 0;
        if (at == place && (isShort || capability() < kConstantsInRegisters)) {
            made.push_back(high(value));
            if (!isShort)
                made.back().kind = Part::Kind::Constant;
            continue;
        }
        if (value.isVariable() && value.bytes != 8) {
            made.push_back(low(value));
            continue;
        }
        for (const std::uint32_t id : pair(value))
            made.push_back(reg(id));
    }
    return made;
}

void Emitter::clear(std::uint32_t target)
{
    auto& drafts = m_kernel.blocks[m_block].drafts;
    const auto mayPair = [&](std::uint32_t first) {
        const std::uint32_t tuple = m_kernel.registers[first].tuple;
        return tuple == m_kernel.registers[target].tuple && (tuple == kNone || target == first + 1);
    };
    if (m_kernel.registers[target].isUniform) {
        emit("UMOV", {target}, {});
        return;
    }
    if (m_cleared != 0 && m_cleared == drafts.size() && mayPair(drafts.back().results[0])) {
        Draft& before = drafts.back();
        before.mnemonic = mnemonic("CS2R").index;
        const Execution execution = executionOf("CS2R", capability());
        before.pipe = execution.pipe;
        before.latency = execution.latency;
        before.results.push_back(target);
        m_cleared = 0;
        return;
    }
    emit("IMAD.MOV.U32", {target}, {});
    m_cleared = drafts.size();
}

const Emitter::Mnemonic& Emitter::mnemonic(std::string_view text)
{
    const auto [at, isNew] = m_mnemonics.try_emplace(std::string(text));
    if (isNew) {
        at->second = {static_cast<std::uint16_t>(m_kernel.mnemonics.size()), executionOf(text, capability())};
        m_kernel.mnemonics.emplace_back(text);
    }
    return at->second;
}

/// Of an instruction that writes a register of the whole warp.
std::string_view Emitter::uniformName(std::string_view name, const std::vector<std::uint32_t>& results) const
{
    if (results.empty() || name[0] == 'U' || !m_kernel.registers[results[0]].isUniform)
        return name;
    return name == "IADD3" ? "UIADD3" : name == "IADD3.X" ? "UIADD3.X" : name == "MOV" ? "ULDC" : "UMOV";
}

/// Or only what the instruction needs on its way to it, of which nobody reads an older value.
bool Emitter::writesResult(const std::vector<std::uint32_t>& written)
{
    return std::any_of(m_node->results.begin(), m_node->results.end(), [&](const Value& value) {
        if (!value.isVariable())
            return false;
        const std::uint32_t low = target(value), high = value.bytes == 8 ? low + 1 : low;
        return std::any_of(written.begin(), written.end(), [&](std::uint32_t id) { return id == low || id == high; });
    });
}

Draft& Emitter::emit(std::string_view name, std::vector<std::uint32_t> results, std::vector<Part> sources)
{
    Draft draft;
    name = uniformName(name, results);
    for (const std::uint32_t id : results)
        m_copies.erase(id);
    const bool isMove = name == "MOV" || name == "ULDC" || name == "IMAD.MOV.U32" || name == "UMOV";
    // One slot takes a constant or an immediate; immediates are moved first, because one register serves them all.
    const auto inPlace = [&](const Part& part) {
        return part.kind == Part::Kind::Constant && (isMove || capability() < kConstantsInRegisters);
    };
    draft.sources.reserve(sources.size() + 1);
    bool taken = std::any_of(sources.begin(), sources.end(), inPlace);
    bool constantLeft = taken;
    for (const Part& part : sources) {
        if (part.kind == Part::Kind::Register) {
            draft.sources.push_back(part.reg);
        } else if (inPlace(part) && constantLeft) {
            constantLeft = false;
        } else if (part.kind == Part::Kind::Immediate && (isMove || !taken)) {
            taken = true;
        } else if (part.kind != Part::Kind::Zero) {
            draft.sources.push_back(moved(part));
        }
    }
    if (m_node != nullptr && m_node->guard.isVariable()) {
        const Part guard = predicate(m_node->guard);
        if (guard.kind == Part::Kind::Register) {
            draft.sources.push_back(guard.reg);
            draft.guard = guard.reg;
        }
        draft.isGuarded = (m_node->flags & kFlagOwnResult) == 0 && writesResult(results);
    }
    const auto& [index, execution] = mnemonic(name);
    draft.mnemonic = index;
    draft.pipe = execution.pipe;
    draft.latency = execution.latency;
    draft.results = std::move(results);
    if (name[0] == 'U' || name == "S2UR" || name.substr(0, 4) == "LDCU") {
        for (const std::uint32_t id : draft.results)
            m_kernel.registers[id].isUniform = true;
    }
    if (m_node != nullptr)
        draft.covers = m_node->microOp;
    auto& drafts = m_kernel.blocks[m_block].drafts;
    drafts.push_back(std::move(draft));
    return drafts.back();
}

void Emitter::recipe(std::string_view mnemonics, std::vector<std::uint32_t> results, const std::vector<Part>& sources)
{
    std::uint32_t previous = kNone;
    std::uint32_t predicateId = kNone;
    while (!mnemonics.empty()) {
        std::string_view name = mnemonics.substr(0, mnemonics.find(' '));
        mnemonics = name.size() == mnemonics.size() ? std::string_view() : mnemonics.substr(name.size() + 1);
        const bool guarded = name[0] == '@';
        name = guarded ? name.substr(1) : name;
        const bool compares = name.find("SETP") != name.npos || name == "FCHK";
        std::vector<Part> reads;
        if (previous == kNone)
            reads = sources;
        else
            reads.push_back(reg(previous));
        const bool selects =
            guarded || compares || mnemonics.empty() || name == "SEL" || name == "FSEL" || name == "BRA";
        if (selects && predicateId != kNone)
            reads.push_back(reg(predicateId));
        if (mnemonics.empty()) {
            if (previous != kNone && sources.size() > 1)
                reads.push_back(sources.back());
            emit(name, std::move(results), std::move(reads));
            return;
        }
        if (compares) {
            predicateId = freshPredicate();
            emit(name, {predicateId}, std::move(reads));
            continue;
        }
        const Execution execution = executionOf(name, capability());
        if (name == "BSSY") {
            for (const std::string_view part : regionOpening())
                emit(part, {}, {});
            continue;
        }
        if (execution.pipe == Pipe::Branch) {
            const bool jumpsIf = predicateId != kNone && name == "BRA";
            Draft& jump = emit(name, {}, jumpsIf ? std::vector<Part>{reg(predicateId)} : std::vector<Part>{});
            jump.guard = jumpsIf ? predicateId : jump.guard;
            jump.ordersAll = true; // ptxas orders what is before the slow path, beside it and behind it apart
            continue;
        }
        if (execution.pipe == Pipe::Fp64) {
            const Tuple made = freshPair();
            emit(name, {made[0], made[1]}, std::move(reads));
            previous = made[1];
            continue;
        }
        const std::uint32_t made = guarded && previous != kNone ? previous : fresh();
        Draft& step = emit(name, {made}, std::move(reads));
        step.guard = guarded ? predicateId : step.guard;
        previous = made;
    }
}

std::span<const std::string_view> Emitter::regionOpening() const
{
    static constexpr std::array<std::string_view, 2> kNames{"BMOV.32.CLEAR", "BSSY"};
    return std::span(kNames).subspan(capability() < 80 ? 0 : 1);
}

void Emitter::cold(std::uint32_t instructions, std::string_view routine)
{
    if (m_routines[std::string(routine)]++ == 0)
        m_kernel.coldInstructions += instructions;
}

void Emitter::shared(std::uint32_t instructions, std::string_view routine)
{
    if (m_routines[std::string(routine)]++ != 0)
        m_kernel.sharedInstructions += instructions;
}

} // namespace ridge::gpu::simt
