// SPDX-License-Identifier: GPL-3.0-or-later
// Which bytes of a result nobody wrote, for the instructions that move or mask bytes. Each is run a second time, on the
// undefined bits of its sources in place of their values, as Memcheck does (Nethercote and Seward, USENIX 2005).
#include "gpu/simt/check/checker.h"

#include "base/lane_mask.h"
#include "gpu/simt/run/ops.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kWidest = 16; ///< bytes of a register
constexpr std::size_t kPlaneBytes = kWidest * kWarpSize;

using Bits = std::array<std::byte, kPlaneBytes>; ///< undefined bits of a plane: 0xff a byte, by lane

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> heads)
{
    return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) { return text.starts_with(head); });
}

/// The words between the dots behind the opcode.
std::vector<std::string_view> modifiersOf(std::string_view text)
{
    std::vector<std::string_view> words;
    for (auto dot = text.find('.'); dot != text.npos;) {
        const auto next = text.find('.', dot + 1);
        words.push_back(text.substr(dot + 1, next - dot - 1));
        dot = next;
    }
    return words;
}

bool isWhole(ScalarType type)
{
    return !isFloat(type) && type >= ScalarType::B8 && type < ScalarType::B128;
}

} // namespace

/// Of the register widths only named ones are known; others count as defined or not as a whole.
void Checker::findWidths()
{
    m_widths.assign(m_image.registerBytes / 4 + 1, 1);
    for (const NamedRegister& named : m_image.registers)
        m_widths[named.plane / 4] = std::max<std::uint8_t>(named.bytes, 1);
}

std::uint32_t Checker::lacking(const Warp& warp, std::uint32_t plane) const
{
    const auto& words = warp.shadow->undefined[warp.index];
    std::uint32_t lanes = 0;
    for (std::size_t at = 0; at < m_widths[plane / 4]; ++at)
        lanes |= words[plane / 4 + at];
    return lanes;
}

std::uint32_t Checker::lackingAll(const Warp& warp, std::uint32_t plane, std::size_t bytes) const
{
    const auto& words = warp.shadow->undefined[warp.index];
    std::uint32_t lanes = ~std::uint32_t{0};
    for (std::size_t at = 0; at < std::min<std::size_t>(m_widths[plane / 4], bytes); ++at)
        lanes &= words[plane / 4 + at];
    return lanes;
}

/// Whether byte `at` lacks a value in which lanes.
std::uint32_t Checker::lackingByte(const Warp& warp, std::uint32_t plane, std::size_t at) const
{
    return warp.shadow->undefined[warp.index][plane / 4 + std::min<std::size_t>(at, m_widths[plane / 4] - 1u)];
}

void Checker::setLacking(const Warp& warp, std::uint32_t plane, std::uint32_t mask, std::uint32_t lanes)
{
    auto& words = warp.shadow->undefined[warp.index];
    for (std::size_t at = 0; at < m_widths[plane / 4]; ++at)
        words[plane / 4 + at] = (words[plane / 4 + at] & ~mask) | (lanes & mask);
}

void Checker::setLackingByte(const Warp& warp, std::uint32_t plane, std::size_t at, std::uint32_t mask,
                             std::uint32_t lanes)
{
    if (at >= m_widths[plane / 4])
        return;
    std::uint32_t& word = warp.shadow->undefined[warp.index][plane / 4 + at];
    word = (word & ~mask) | (lanes & mask);
}

/// Lanes whose value was computed: one that lacks a byte then is no struct with padding, which is copied as it is.
std::uint32_t* Checker::computed(const Warp& warp, std::uint32_t plane) const
{
    const std::size_t width = m_widths[plane / 4];
    if (width < 2)
        return nullptr;
    return &warp.shadow->undefined[warp.index][plane / 4 + (width > 8 ? kWidest : kWidest - 1)];
}

void Checker::setComputed(const Warp& warp, std::uint32_t plane, std::uint32_t mask, std::uint32_t lanes)
{
    if (std::uint32_t* word = computed(warp, plane))
        *word = (*word & ~mask) | (lanes & mask);
}

/// What of a stored value nobody wrote: all of it, or any byte of what was computed.
std::uint32_t Checker::lackingToStore(const Warp& warp, std::uint32_t plane, std::size_t bytes) const
{
    const std::uint32_t* made = computed(warp, plane);
    std::uint32_t any = 0;
    for (std::size_t at = 0; at < bytes; ++at)
        any |= lackingByte(warp, plane, at);
    return lackingAll(warp, plane, bytes) | (made != nullptr ? any & *made : 0u);
}

void Checker::planBytes(std::uint32_t pc)
{
    Plan& plan = m_plans[pc];
    const std::uint32_t statement = m_image.statementOf[pc];
    const MicroOp& op = m_image.ops[pc];
    const bool isAlone = statement != kNone && (pc == 0 || m_image.statementOf[pc - 1] != statement) &&
                         (pc + 1 >= m_image.ops.size() || m_image.statementOf[pc + 1] != statement);
    if (plan.kind != Kind::Plain || op.run == nullptr || !isAlone)
        return;
    const std::string_view text = m_image.texts[m_image.places[pc].text];
    const auto words = modifiersOf(text);
    if (words.empty() || m_image.recordOf[pc] == kNone)
        return;
    const PtxRecord& record = m_image.records[m_image.recordOf[pc]];
    const auto operand = [&](std::size_t at) { return m_image.operands[record.firstOperand + at]; };
    const ScalarType type = scalarTypeFromText(words.back()).value_or(ScalarType::None);
    const bool isX2 = words.back().ends_with("x2");
    using Form = ByteForm;
    if (text.starts_with("mov.") && record.operandCount >= 2 && type != ScalarType::Pred) {
        const bool unpacks = operand(0).kind == PtxOperand::Kind::Group;
        const PtxOperand& second = operand(unpacks ? 1u + operand(0).count : 1u);
        plan.parts = unpacks                                  ? operand(0).count
                     : second.kind == PtxOperand::Kind::Group ? second.count
                                                              : std::uint8_t{0};
        if (plan.parts != 0 && plan.parts == sizeOf(type)) // registers of 8 bits lie in 16: all or nothing
            return;
        if (unpacks || second.kind == PtxOperand::Kind::Group)
            plan.bytes = unpacks ? Form::Unpack : Form::Pack;
        else if (second.kind == PtxOperand::Kind::Register)
            plan.bytes = Form::Move;
    } else if (startsWithAny(text, {"and.b", "or.b", "xor.b"})) {
        plan.bytes = text.starts_with("and") ? Form::And : text.starts_with("or") ? Form::Or : Form::Union;
    } else if (text.starts_with("not.b")) {
        plan.bytes = Form::Union;
    } else if (text == "lop3.b32") {
        plan.bytes = Form::Table;
    } else if (startsWithAny(text, {"shl.", "shr.", "bfe."})) {
        plan.bytes = Form::ControlB;
    } else if (startsWithAny(text, {"shf.", "prmt.", "bfi."})) {
        plan.bytes = Form::ControlC;
        plan.moves = text.starts_with("prmt");
    } else if (text.starts_with("cvt.") && words.size() == 2 && isWhole(type) &&
               isWhole(scalarTypeFromText(words[0]).value_or(ScalarType::None))) {
        plan.bytes = Form::Convert;
        plan.parts = static_cast<std::uint8_t>(std::min(sizeOf(type), sizeOf(*scalarTypeFromText(words[0]))));
    } else if (startsWithAny(text, {"add.", "sub.", "mul.lo.", "mad.lo."}) && isWhole(type) &&
               words.size() == (text.starts_with("m") ? 2u : 1u)) {
        plan.bytes = Form::Carry;
    } else if (isX2 && sizeOf(type) == 4 &&
               startsWithAny(text, {"add.", "sub.", "mul.", "fma.", "min.", "max.", "neg.", "abs."})) {
        plan.bytes = Form::Halves;
    } else if (text.starts_with("cvt.") && words.back() == "f32" && words.size() >= 2 &&
               words[words.size() - 2].ends_with("x2")) {
        plan.bytes = Form::TwoToOne;
        plan.parts = static_cast<std::uint8_t>(
            sizeOf(scalarTypeFromText(words[words.size() - 2]).value_or(ScalarType::F16x2)) / 2);
    }
}

/// Before the instruction runs, for its result may take the place of a source. The bits of its results follow in
/// `made`.
bool Checker::bytesBefore(const Warp& warp, const MicroOp& op, const Plan& plan, std::uint32_t mask,
                          ByteResult& made) const
{
    using Form = ByteForm;
    const std::array<std::uint32_t, 4> given{op.a, op.b, op.c, op.e};
    std::array<bool, 4> isData{}, isControl{};
    const auto set = [](std::array<bool, 4>& into, std::size_t count) { std::fill_n(into.begin(), count, true); };
    switch (plan.bytes) {
    case Form::Move:
    case Form::Unpack:
    case Form::Convert:
        set(isData, 1);
        break;
    case Form::Pack:
        set(isData, plan.parts);
        break;
    case Form::And:
    case Form::Or:
    case Form::Union:
    case Form::TwoToOne:
        set(isData, 2);
        break;
    case Form::Table:
    case Form::Carry:
    case Form::Halves:
        set(isData, 3);
        break;
    case Form::ControlB:
        set(isData, 1);
        isControl[1] = isControl[2] = true;
        break;
    case Form::ControlC:
        set(isData, 2);
        isControl[2] = isControl[3] = true;
        break;
    case Form::None:
        return false;
    }
    // Only planes that the instruction names: what it does not use is zero.
    const std::uint32_t statement = m_image.statementOf[static_cast<std::size_t>(&op - m_image.ops.data())];
    const auto isNamed = [&](std::uint32_t plane) {
        const auto& uses = m_image.statements[statement];
        return std::any_of(uses.begin(), uses.end(), [&](const PlaneUse& use) {
            return use.plane == plane && use.role == PlaneUse::Role::Source;
        });
    };
    std::uint32_t controls = 0, any = 0;
    for (std::size_t at = 0; at < 4; ++at) {
        if ((!isData[at] && !isControl[at]) || given[at] == kNone || !isNamed(given[at])) {
            isData[at] = false;
            continue;
        }
        const std::uint32_t lanes = lacking(warp, given[at]) & mask;
        if (lanes != 0 && any == 0)
            made.origin = origin(warp, given[at]);
        any |= lanes;
        controls |= isControl[at] ? lanes : 0u;
        if (const std::uint32_t* was = computed(warp, given[at]); was != nullptr && isData[at])
            made.computed |= *was;
    }
    made.lanes = any;
    made.whole = controls;
    if (any == 0)
        return true;
    if (plan.bytes == Form::Move || plan.bytes == Form::Convert) {
        const std::size_t bytes = plan.bytes == Form::Convert ? plan.parts : kWidest;
        for (std::size_t at = 0; at < kWidest; ++at)
            made.byte[at] = lackingByte(warp, op.a, std::min(at, bytes - 1));
        return true;
    }
    if (plan.bytes == Form::TwoToOne) {
        for (std::size_t at = 0; at < kWidest; ++at)
            made.byte[at] = at < plan.parts ? lacking(warp, op.b) : at < 2u * plan.parts ? lacking(warp, op.a) : 0u;
        return true;
    }
    if (plan.bytes == Form::Carry || plan.bytes == Form::Halves) {
        for (std::size_t at = 0; at < kWidest; ++at) {
            const std::size_t first = plan.bytes == Form::Carry ? 0 : at & ~std::size_t{1};
            const std::size_t last = plan.bytes == Form::Carry ? at : at | 1;
            for (std::size_t source = 0; source < 3; ++source)
                for (std::size_t from = first; isData[source] && from <= last; ++from)
                    made.byte[at] |= lackingByte(warp, given[source], from);
        }
        return true;
    }
    // The rest on the bits themselves, which takes the widths of all registers.
    const auto isKnown = [&](std::uint32_t plane) { return plane == kNone || m_widths[plane / 4] > 1; };
    bool isAllKnown = isKnown(op.d);
    for (std::size_t at = 0; at < 4; ++at)
        isAllKnown = isAllKnown && (!isData[at] || isKnown(given[at]));
    if (!isAllKnown) {
        made.whole = any;
        return true;
    }
    std::array<Bits, 5> file{}; // a, b, c, e, and the result, which unpacking has in the places of b, c, e too
    constexpr std::uint32_t kResult = 4 * kPlaneBytes;
    const auto widthIn = [&](std::uint32_t plane) { return std::size_t{m_widths[plane / 4]}; };
    std::size_t width = 0;
    for (std::size_t at = 0; at < 4; ++at)
        if (isData[at])
            width = std::max(width, widthIn(given[at]));
    const auto gather = [&](std::uint32_t plane, Bits& bits, std::size_t stride) {
        for (std::size_t byte = 0; byte < stride; ++byte)
            for (std::uint32_t left = lackingByte(warp, plane, byte) & mask; left != 0; left &= left - 1)
                bits[static_cast<std::size_t>(std::countr_zero(left)) * stride + byte] = std::byte{0xff};
    };
    const auto value = [&](std::uint32_t plane, std::size_t lane, std::size_t stride) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, warp.file + plane + lane * stride, std::min<std::size_t>(stride, 8));
        return bits;
    };
    for (std::size_t at = 0; at < 4; ++at)
        if (isData[at])
            gather(given[at], file[at], widthIn(given[at]));
    if (plan.bytes == Form::And || plan.bytes == Form::Or || plan.bytes == Form::Union || plan.bytes == Form::Table) {
        for (std::uint32_t left = any; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(left));
            std::array<std::uint64_t, 3> u{}, v{};
            for (std::size_t at = 0; at < 3; ++at) {
                if (at < 2 || plan.bytes == Form::Table)
                    v[at] = value(given[at], lane, width);
                if (isData[at])
                    std::memcpy(&u[at], file[at].data() + lane * width, std::min<std::size_t>(width, 8));
            }
            std::uint64_t result = u[0] | u[1];
            if (plan.bytes == Form::And)
                result = (u[0] & u[1]) | (u[0] & v[1]) | (u[1] & v[0]);
            else if (plan.bytes == Form::Or)
                result = (u[0] & u[1]) | (u[0] & ~v[1]) | (u[1] & ~v[0]);
            else if (plan.bytes == Form::Table) {
                // A bit is defined where every value of the undefined ones gives the same.
                std::uint64_t ones = 0, zeros = 0;
                for (unsigned row = 0; row < 8; ++row) {
                    std::uint64_t possible = ~std::uint64_t{0};
                    for (std::size_t at = 0; at < 3; ++at)
                        possible &= u[at] | ((row >> (2 - at) & 1) != 0 ? v[at] : ~v[at]);
                    ((op.flags >> row & 1) != 0 ? ones : zeros) |= possible;
                }
                result = ones & zeros;
            }
            for (std::size_t byte = 0; byte < std::min<std::size_t>(width, 8); ++byte)
                if ((result >> (8 * byte) & 0xff) != 0)
                    made.byte[byte] |= std::uint32_t{1} << lane;
        }
        return true;
    }
    MicroOp again = op;
    for (std::size_t at = 0; at < 4; ++at) {
        const auto place = static_cast<std::uint32_t>(at * kPlaneBytes);
        if (isControl[at] && given[at] != kNone && given[at] < m_image.registerBytes)
            std::memcpy(file[at].data(), warp.file + given[at],
                        std::min<std::size_t>(kPlaneBytes / 4, m_image.registerBytes - given[at]));
        std::uint32_t& into = at == 0 ? again.a : at == 1 ? again.b : at == 2 ? again.c : again.e;
        if (into != kNone)
            into = place;
    }
    again.d = op.d == kNone ? kNone : kResult;
    WarpRegisters registers;
    registers.file = file[0].data();
    static_cast<void>(plan.run(registers, again, mask & ~controls));
    const auto scatter = [&](const Bits& bits, std::size_t stride, std::array<std::uint32_t, kWidest>& into) {
        for (std::size_t byte = 0; byte < stride; ++byte)
            for (std::uint32_t left = any; left != 0; left &= left - 1) {
                const auto lane = static_cast<std::size_t>(std::countr_zero(left));
                if (bits[lane * stride + byte] != std::byte{0})
                    into[byte] |= std::uint32_t{1} << lane;
            }
    };
    if (plan.bytes != Form::Unpack) {
        scatter(file[4], widthIn(op.d), made.byte);
        return true;
    }
    for (std::size_t part = 0; part < std::min<std::size_t>(plan.parts, 4); ++part)
        scatter(file[part == 0 ? 4 : part], width / std::max<std::size_t>(plan.parts, 1), made.part[part]);
    return true;
}

void Checker::bytesAfter(const Warp& warp, const MicroOp& op, const Plan& plan, std::uint32_t mask,
                         const ByteResult& made)
{
    using Form = ByteForm;
    const bool moves = plan.moves || plan.bytes == Form::Move || plan.bytes == Form::Pack || plan.bytes == Form::Unpack;
    const auto give = [&](std::uint32_t plane, const std::array<std::uint32_t, kWidest>& bytes) {
        if (plane == kNone)
            return;
        std::uint32_t all = made.whole;
        for (std::size_t at = 0; at < kWidest; ++at)
            all |= bytes[at];
        if (m_widths[plane / 4] == 1)
            setLacking(warp, plane, mask, all);
        else
            for (std::size_t at = 0; at < m_widths[plane / 4]; ++at)
                setLackingByte(warp, plane, at, mask, bytes[at] | made.whole);
        setComputed(warp, plane, mask, moves ? made.computed : ~std::uint32_t{0});
        if ((lacking(warp, plane) & mask) != 0)
            origin(warp, plane) = made.origin;
    };
    if (plan.bytes != Form::Unpack)
        return give(op.d, made.byte);
    const std::array<std::uint32_t, 4> results{op.d, op.b, op.c, op.e};
    for (std::size_t part = 0; part < std::min<std::size_t>(plan.parts, 4); ++part)
        give(results[part], made.part[part]);
}

} // namespace ridge::gpu::simt
