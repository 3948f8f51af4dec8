// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lanes/lane_reference.h"
#include "tools/oracle/oracle.h"

namespace ridge::gpu::simt::oracle {

namespace {

struct Op {
    const char* name;
    LaneOp op;
    int sources;
};

constexpr std::array<Op, 7> kRounded{{{"add", LaneOp::Add, 2},
                                      {"sub", LaneOp::Sub, 2},
                                      {"mul", LaneOp::Mul, 2},
                                      {"fma", LaneOp::Fma, 3},
                                      {"div", LaneOp::Div, 2},
                                      {"rcp", LaneOp::Rcp, 1},
                                      {"sqrt", LaneOp::Sqrt, 1}}};
constexpr std::array<Op, 6> kExact{{{"min", LaneOp::Min, 2},
                                    {"max", LaneOp::Max, 2},
                                    {"min.NaN", LaneOp::MinNaN, 2},
                                    {"max.NaN", LaneOp::MaxNaN, 2},
                                    {"abs", LaneOp::Abs, 1},
                                    {"neg", LaneOp::Neg, 1}}};
constexpr std::array<const char*, 4> kModes{".rn", ".rz", ".rm", ".rp"};
constexpr std::array<const char*, 14> kCompares{"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

class List {
public:
    void add(std::string name, LaneKey key, ScalarType type, int sources)
    {
        key.type = type;
        Case one;
        one.group = std::string(toText(type)) + " arithmetic";
        one.name = std::move(name) + "." + std::string(toText(type));
        one.key = key;
        one.flags = key.op == LaneOp::SetPredicate ? 0 : laneFlags(key);
        for (std::size_t operand = 0; operand < static_cast<std::size_t>(sources); ++operand)
            one.bytes[operand] = sizeOf(type);
        one.to = key.op == LaneOp::SetPredicate ? 0 : sizeOf(type);
        one.drawn = type;
        for (const Op& op : kRounded)
            one.rounds = one.rounds || op.op == key.op;
        one.expected = [key](u64 a, u64 b, u64 c, u64) { return referenceLane(key, a, b, c); };
        all.push_back(std::move(one));
    }
    std::vector<Case> all;
};

LaneKey key(LaneOp op, Rounding rounding = Rounding::Nearest, bool flush = false, bool saturate = false)
{
    LaneKey k;
    k.op = op;
    k.rounding = rounding;
    k.flush = flush;
    k.saturate = saturate;
    return k;
}

void addSingleAndDouble(List& list)
{
    for (const ScalarType type : {ScalarType::F32, ScalarType::F64}) {
        for (const Op& op : kRounded) {
            for (std::size_t mode = 0; mode < 4; ++mode)
                list.add(op.name + std::string(kModes[mode]), key(op.op, static_cast<Rounding>(mode)), type,
                         op.sources);
        }
        for (const Op& op : kExact)
            list.add(op.name, key(op.op), type, op.sources);
        for (std::size_t compare = 0; compare < kCompares.size(); ++compare) {
            LaneKey k = key(LaneOp::SetPredicate);
            k.compare = static_cast<Compare>(compare);
            list.add(std::string("setp.") + kCompares[compare], k, type, 2);
        }
    }
    for (const Op& op : kRounded) {
        for (std::size_t mode = 0; mode < 4; ++mode)
            list.add(op.name + std::string(kModes[mode]) + ".ftz", key(op.op, static_cast<Rounding>(mode), true),
                     ScalarType::F32, op.sources);
    }
    for (const Op& op : kExact)
        list.add(op.name + std::string(".ftz"), key(op.op, Rounding::Nearest, true), ScalarType::F32, op.sources);
    for (const Op& op : {kRounded[0], kRounded[2], kRounded[3]}) {
        list.add(op.name + std::string(".sat"), key(op.op, Rounding::Nearest, false, true), ScalarType::F32,
                 op.sources);
        list.add(op.name + std::string(".ftz.sat"), key(op.op, Rounding::Nearest, true, true), ScalarType::F32,
                 op.sources);
    }
}

void addHalves(List& list)
{
    for (const ScalarType type : {ScalarType::F16, ScalarType::BF16}) {
        for (const Op& op : {kRounded[0], kRounded[1], kRounded[2], kRounded[3]})
            list.add(op.name + std::string(".rn"), key(op.op), type, op.sources);
        for (const Op& op : kExact)
            list.add(op.name, key(op.op), type, op.sources);
        LaneKey relu = key(LaneOp::Fma);
        relu.relu = true;
        list.add("fma.rn.relu", relu, type, 3);
    }
    list.add("fma.rn.ftz.sat", key(LaneOp::Fma, Rounding::Nearest, true, true), ScalarType::F16, 3);
}

} // namespace

std::vector<Case> floatCases()
{
    List list;
    addSingleAndDouble(list);
    addHalves(list);
    return std::move(list.all);
}

} // namespace ridge::gpu::simt::oracle
