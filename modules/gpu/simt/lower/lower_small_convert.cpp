// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_small_convert.h"

#include "gpu/simt/run/small_convert.h"

namespace ridge::gpu::simt {

namespace {

struct TargetRow {
    std::string_view text;
    NarrowTarget target;
    bool isPair;
};
constexpr std::array<TargetRow, 11> kTargets{{{"e4m3x2", NarrowTarget::E4M3, true},
                                              {"e5m2x2", NarrowTarget::E5M2, true},
                                              {"e3m2x2", NarrowTarget::E3M2, true},
                                              {"e2m3x2", NarrowTarget::E2M3, true},
                                              {"e2m1x2", NarrowTarget::E2M1, true},
                                              {"ue8m0x2", NarrowTarget::UE8M0, true},
                                              {"f16", NarrowTarget::F16, false},
                                              {"bf16", NarrowTarget::BF16, false},
                                              {"f16x2", NarrowTarget::F16, true},
                                              {"bf16x2", NarrowTarget::BF16, true},
                                              {"tf32", NarrowTarget::TF32, false}}};
constexpr std::array<std::pair<std::string_view, NarrowSource>, 4> kSources{{{"f32", NarrowSource::Single},
                                                                             {"f16x2", NarrowSource::Half},
                                                                             {"bf16x2", NarrowSource::Bfloat},
                                                                             {"ue8m0x2", NarrowSource::Power}}};

/// Those that the lanes do not have.
bool isNarrow(const NarrowConvert& c, bool saysFinite)
{
    const bool isFew = c.to == NarrowTarget::E3M2 || c.to == NarrowTarget::E2M3 || c.to == NarrowTarget::E2M1;
    if (c.from == NarrowSource::Power)
        return c.to == NarrowTarget::BF16 && c.isPair;
    if (c.to == NarrowTarget::UE8M0)
        return c.from != NarrowSource::Half;
    if (isFew)
        return true;
    if (c.to < NarrowTarget::UE8M0)
        return c.from == NarrowSource::Bfloat;
    return saysFinite && c.from == NarrowSource::Single;
}

void checkRounding(const NarrowConvert& c, std::optional<Rounding> rounding, bool saysFinite)
{
    const auto isOneOf = [&](std::initializer_list<Rounding> all) {
        return rounding && std::find(all.begin(), all.end(), *rounding) != all.end();
    };
    if (c.to == NarrowTarget::UE8M0) {
        if (!isOneOf({Rounding::Zero, Rounding::Up}) || c.relu || c.tiesAway)
            throw Unsupported{"to powers of two it has .rz or .rp"};
        return;
    }
    if (c.from == NarrowSource::Power || c.to < NarrowTarget::UE8M0) {
        const bool mustBeFinite = c.from != NarrowSource::Power;
        if (!isOneOf({Rounding::Nearest}) || saysFinite != mustBeFinite || c.tiesAway)
            throw Unsupported{mustBeFinite ? "it needs .rn.satfinite" : "it has .rn alone"};
        return;
    }
    if (c.tiesAway ? rounding.has_value() || c.to != NarrowTarget::TF32 || c.relu
                   : !isOneOf({Rounding::Nearest, Rounding::Zero}))
        throw Unsupported{"with .satfinite it has .rn or .rz, to .tf32 also .rna"};
}

} // namespace

void lowerStochasticConvert(KernelBuilder& builder, const Instruction& instruction)
{
    Modifiers modifiers(instruction);
    NarrowConvert convert;
    modifiers.take("rs");
    convert.relu = modifiers.take("relu");
    convert.isFinite = modifiers.take("satfinite");
    const bool isSingle = modifiers.take("f32"), isBfloat = modifiers.take("bf16x2");
    if (!isSingle || (!isBfloat && !modifiers.take("f16x2")))
        throw Unsupported{"stochastic rounding is simulated to .f16x2 and .bf16x2: how the narrower floats share their "
                          "random bits is drawn, not written, in the PTX ISA"};
    modifiers.end();
    convert.to = isBfloat ? NarrowTarget::BF16 : NarrowTarget::F16;
    expectOperands(instruction, 4, 4);
    const auto& operands = instruction.operands;
    MicroOp op;
    op.a = builder.source(operands[1], ScalarType::F32);
    op.b = builder.source(operands[2], ScalarType::F32);
    op.c = builder.source(operands[3], ScalarType::B32);
    op.d = builder.destination(operands[0], ScalarType::B32);
    op.flags = packed(convert);
    op.run = findStochasticConvert();
    builder.emit(instruction, op);
}

bool lowerNarrowConvert(KernelBuilder& builder, const Instruction& instruction)
{
    const auto& words = instruction.modifiers;
    if (words.size() < 3 || instruction.has("rs"))
        return false;
    const std::string_view to = words[words.size() - 2], from = words.back();
    const auto target = std::ranges::find(kTargets, to, &TargetRow::text);
    const auto source = std::ranges::find_if(kSources, [&](const auto& row) { return row.first == from; });
    if (target == kTargets.end() || source == kSources.end())
        return false;
    NarrowConvert convert{target->target, source->second};
    convert.isPair = target->isPair;
    const bool saysFinite = instruction.has("satfinite");
    if (!isNarrow(convert, saysFinite))
        return false;
    Modifiers modifiers(instruction);
    const auto rounding = modifiers.takeRounding();
    convert.rounding = rounding.value_or(Rounding::Nearest);
    convert.tiesAway = modifiers.take("rna");
    convert.relu = modifiers.take("relu");
    convert.isFinite = modifiers.take("satfinite");
    modifiers.take(from);
    modifiers.take(to);
    modifiers.end();
    checkRounding(convert, rounding, saysFinite);
    const bool two = convert.from == NarrowSource::Single && convert.isPair;
    expectOperands(instruction, two ? 3 : 2, two ? 3 : 2);
    const auto& operands = instruction.operands;
    const ScalarType given = convert.from == NarrowSource::Single  ? ScalarType::F32
                             : convert.from == NarrowSource::Power ? ScalarType::B16
                                                                   : ScalarType::B32;
    const unsigned bits = bitsOf(convert.to) * (convert.isPair ? 2 : 1);
    MicroOp op;
    op.a = builder.source(operands[1], given);
    op.b = two ? builder.source(operands[2], given) : op.a;
    op.d = builder.destination(operands[0], bits == 8    ? ScalarType::B8
                                            : bits == 16 ? ScalarType::B16
                                                         : ScalarType::B32);
    op.flags = packed(convert);
    op.run = findNarrowConvert();
    builder.emit(instruction, op);
    return true;
}

} // namespace ridge::gpu::simt
