// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/needs.h"

#include "gpu/simt/ptx/names.h"

#include <algorithm>
#include <array>
#include <span>

namespace ridge::gpu::simt {

namespace {

using Chips = std::array<std::uint8_t, 3>;

/// `pattern`: the opcode, then what the instruction must have. a|b: one of them; a>b: b right behind a, as the two
/// types of cvt; !a: not a; #n: n operands.
struct Row {
    std::string_view pattern;
    int least = 0;
    std::string_view name = {}; ///< for the learner, where opcode and modifiers do not say it
    Chips only = {};
};

/// What chips of 7.0 and newer do not all have. ptxas is asked for every row from 7.5 on (tst_simt_needs), with the
/// "a" targets where one chip alone or a family has it; 7.2 and 7.5 are the PTX ISA's.
constexpr auto kRows = std::to_array<Row>({
    {"add|sub|mul bf16|bf16x2", 90},
    {"fma bf16|bf16x2", 80},
    {"fma relu f16|f16x2", 80},
    {"fma oob", 90},
    {"add|sub|fma f32>f16|bf16", 100},
    {"add|sub|mul|fma f32x2", 100},
    {"add|min|max u16x2|s16x2", 90},
    {"min|max f32 #4", 100, "min or max of three values"},
    {"min|max relu", 90},
    {"min|max xorsign", 86},
    {"min|max f16|f16x2|bf16|bf16x2", 80},
    {"min|max NaN", 80},
    {"abs|neg bf16|bf16x2", 80},
    {"ex2|tanh bf16|bf16x2", 90},
    {"ex2 f16|f16x2", 75},
    {"tanh", 75},
    {"set|setp bf16|bf16x2", 90},

    {"cvt rs", 0, {}, {100, 103}},
    {"cvt e2m1x2|e2m3x2|e3m2x2|ue8m0x2", 100},
    {"cvt rn|rz satfinite tf32", 100},
    {"cvt rn|rz tf32", 90},
    {"cvt bf16>f16|bf16|f64|u16|s16|u32|s32|u64|s64", 90},
    {"cvt f16|f64|u16|s16|u32|s32|u64|s64>bf16", 90},
    {"cvt ftz f32>bf16", 90},
    {"cvt e4m3x2|e5m2x2", 89},
    {"cvt bf16|f16x2|bf16x2|tf32", 80},
    {"cvt relu", 80},

    {"ld|st v8", 100, "an access of 256 bits"},
    {"ld|st v4 b64|u64|s64|f64", 100, "an access of 256 bits"},
    {"st|red async mmio", 100},
    {"st|red async", 90},
    {"st bulk", 100},
    {"ld|st|atom|red|cvta|isspacep shared::cluster", 90},
    {"ld|st|atom|red cluster", 90},
    {"ld|st|atom|red L2::cache_hint", 80},
    {"ld L2::256B", 80},
    {"ld L2::64B|L2::128B", 75},
    {"atom|red v2|v4|v8", 90},
    {"atom|red bf16|bf16x2", 90},
    {"atom b128", 90},

    {"redux f32", 0, {}, {100, 103}},
    {"redux", 80},
    {"elect", 90},
    {"barrier cluster", 90},
    {"fence mbarrier_init", 90},
    {"fence cluster", 90},
    {"fence async|tensormap::generic|async::generic", 90},

    {"cp tile::scatter4|cta_group::1|cta_group::2", 0, {}, {100, 103, 110}},
    {"cp tile::gather4 shared::cluster", 0, {}, {100, 103, 110}},
    {"cp tile::gather4", 100},
    {"cp bulk cp_mask", 100},
    {"cp reduce async bulk", 90},
    {"cp async bulk tensor", 90},
    {"cp async bulk", 90},
    {"cp async", 80},
    {"mbarrier try_wait|expect_tx|complete_tx", 90},
    {"mbarrier arrive|arrive_drop|test_wait relaxed|cluster|shared::cluster", 90},
    {"mbarrier arrive|arrive_drop #3 !noComplete", 90, "mbarrier.arrive with a count and without .noComplete"},
    {"mbarrier", 80},
    {"mapa", 90},
    {"getctarank", 90},
    {"multimem", 90},
    {"tensormap", 90},
    {"griddepcontrol", 90},
    {"setmaxnreg", 90},
    {"clusterlaunchcontrol", 100},
    {"tcgen05 red", 0, {}, {103, 110}},
    {"tcgen05", 0, {}, {100, 103, 110}},
    {"prefetch tensormap", 90},
    {"prefetch L2::evict_last|L2::evict_normal", 80},
    {"discard", 80},
    {"applypriority", 80},
    {"createpolicy", 80},

    {"wgmma", 0, {}, {90}},
    {"mma sp::ordered_metadata f16>e4m3|e5m2", 120},
    {"mma block_scale", 120},
    {"mma e2m1|e2m3|e3m2", 120},
    {"mma kind::f8f6f4", 100},
    {"mma m16n8k4|m16n8k8|m16n8k16 f64", 90},
    {"mma e4m3|e5m2", 89},
    {"mma bf16|tf32|f64", 80},
    {"mma sp|sp::ordered_metadata", 80},
    {"mma m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256", 80},
    {"mma b1 and", 80},
    {"mma m16n8k8|m8n8k16|m8n8k32|m8n8k128", 75},
    {"wmma bf16|tf32|f64|m16n16k8", 80},
    {"wmma and", 80},
    {"wmma m8n8k32|m8n8k128", 75},
    {"wmma s8|u8|s32", 72},
    {"ldmatrix m16n16|m8n16", 100},
    {"ldmatrix", 75},
    {"stmatrix m16n8", 100},
    {"stmatrix", 90},
    {"movmatrix", 75},
});

/// All of them need 9.0.
constexpr std::array<std::string_view, 8> kRegisters{"%clusterid",           "%nclusterid",      "%cluster_ctaid",
                                                     "%cluster_nctaid",      "%cluster_ctarank", "%cluster_nctarank",
                                                     "%is_explicit_cluster", "%aggr_smem_size"};
constexpr int kRegistersNeed = 90;
constexpr std::size_t kShortestRegister = kRegisters[0].size(); // most operands are shorter

/// The text up to `separator`, taken off `rest`.
std::string_view cut(std::string_view& rest, char separator)
{
    const std::size_t at = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, at);
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return part;
}

bool isOneOf(std::string_view word, std::string_view choices)
{
    while (!choices.empty()) {
        if (cut(choices, '|') == word)
            return true;
    }
    return false;
}

std::string capability(int number)
{
    return std::to_string(number / 10) + "." + std::to_string(number % 10);
}

/// Whether an instruction has a word of a pattern; what it is there goes to `found`.
bool hasWord(const Instruction& instruction, std::string_view word, std::string& found)
{
    const auto& modifiers = instruction.modifiers;
    if (word.front() == '#')
        return instruction.operands.size() == static_cast<std::size_t>(word[1] - '0');
    if (word.front() == '!')
        return !instruction.has(word.substr(1));
    const bool follows = word.find('>') != word.npos;
    const std::string_view first = cut(word, follows ? '>' : ' ');
    for (std::size_t at = 0; at < modifiers.size(); ++at) {
        if (!isOneOf(modifiers[at], first))
            continue;
        if (follows && (at + 1 == modifiers.size() || !isOneOf(modifiers[at + 1], word)))
            continue;
        found += '.' + std::string(modifiers[at]);
        if (follows)
            found += '.' + std::string(modifiers[at + 1]);
        return true;
    }
    return false;
}

std::optional<std::string> match(const Row& row, const Instruction& instruction)
{
    std::string_view rest = row.pattern;
    cut(rest, ' '); // the opcode, by which the row was found
    std::string found(instruction.opcode);
    while (!rest.empty()) {
        if (!hasWord(instruction, cut(rest, ' '), found))
            return std::nullopt;
    }
    return row.name.empty() ? found : std::string(row.name);
}

std::span<const Row* const> rowsOf(std::string_view opcode)
{
    static const auto byOpcode = [] {
        NameMap<std::vector<const Row*>> made;
        for (const Row& row : kRows) {
            std::string_view rest = row.pattern;
            for (std::string_view opcodes = cut(rest, ' '); !opcodes.empty();)
                made[cut(opcodes, '|')].push_back(&row);
        }
        return made;
    }();
    const auto found = byOpcode.find(opcode);
    return found == byOpcode.end() ? std::span<const Row* const>{} : std::span<const Row* const>(found->second);
}

/// Those only some chips have are harder to come by than those of all newer ones.
int demand(const Need& need)
{
    return need.only[0] != 0 ? 1000 : need.least;
}

void keepHarder(std::optional<Need>& hardest, Need need, int computeCapability)
{
    if (!need.metBy(computeCapability) && (!hardest || demand(need) > demand(*hardest)))
        hardest = std::move(need);
}

void lookAtRegisters(std::optional<Need>& hardest, const Operand& operand, int computeCapability)
{
    for (const Operand& part : operand.parts)
        lookAtRegisters(hardest, part, computeCapability);
    if (operand.kind != Operand::Kind::Name || operand.text.size() < kShortestRegister || operand.text.front() != '%')
        return;
    static const NameSet registers(kRegisters.begin(), kRegisters.end());
    if (registers.contains(operand.text))
        keepHarder(hardest, {std::string(operand.text), kRegistersNeed, {}}, computeCapability);
}

} // namespace

bool Need::metBy(int computeCapability) const
{
    if (only[0] == 0)
        return computeCapability >= least;
    return std::find(only.begin(), only.end(), computeCapability) != only.end();
}

std::string Need::text(int computeCapability) const
{
    std::string chips = capability(least) + " or newer";
    if (only[0] != 0) {
        chips = capability(only[0]);
        for (std::size_t at = 1; at < only.size() && only[at] != 0; ++at)
            chips += (at + 1 == only.size() || only[at + 1] == 0 ? " or " : ", ") + capability(only[at]);
        chips += " and no other";
    }
    return what + " needs compute capability " + chips + ", this chip has " + capability(computeCapability);
}

std::optional<Need> unmetNeed(const Instruction& instruction, int computeCapability)
{
    std::optional<Need> hardest;
    for (const Row* row : rowsOf(instruction.opcode)) {
        if (Need{{}, row->least, row->only}.metBy(computeCapability))
            continue;
        if (auto what = match(*row, instruction))
            keepHarder(hardest, {std::move(*what), row->least, row->only}, computeCapability);
    }
    for (const Operand& operand : instruction.operands)
        lookAtRegisters(hardest, operand, computeCapability);
    return hardest;
}

} // namespace ridge::gpu::simt
