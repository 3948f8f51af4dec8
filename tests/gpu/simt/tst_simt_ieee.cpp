// SPDX-License-Identifier: GPL-3.0-or-later
// Float operations of every build of the lanes against a reference in whole numbers, on every pair of special operands
// and on random ones. RIDGE_IEEE_SAMPLES=100000000 runs the full count; the default is a sample of it.
#include "gpu/simt/lanes/reference.h"

#include <QtTest>
#include <array>
#include <random>

using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

LaneKey key(LaneOp op, ScalarType type, Rounding rounding = Rounding::Nearest, bool flush = false,
            bool saturate = false)
{
    LaneKey k;
    k.op = op;
    k.type = type;
    k.rounding = rounding;
    k.flush = flush;
    k.saturate = saturate;
    return k;
}

std::vector<std::pair<std::string, std::pair<LaneKey, int>>> cases()
{
    std::vector<std::pair<std::string, std::pair<LaneKey, int>>> all;
    struct Op {
        const char* name;
        LaneOp op;
        int sources;
    };
    const std::array<Op, 7> rounded{{{"add", LaneOp::Add, 2},
                                     {"sub", LaneOp::Sub, 2},
                                     {"mul", LaneOp::Mul, 2},
                                     {"fma", LaneOp::Fma, 3},
                                     {"div", LaneOp::Div, 2},
                                     {"rcp", LaneOp::Rcp, 1},
                                     {"sqrt", LaneOp::Sqrt, 1}}};
    const std::array<Op, 6> exact{{{"min", LaneOp::Min, 2},
                                   {"max", LaneOp::Max, 2},
                                   {"min.NaN", LaneOp::MinNaN, 2},
                                   {"max.NaN", LaneOp::MaxNaN, 2},
                                   {"abs", LaneOp::Abs, 1},
                                   {"neg", LaneOp::Neg, 1}}};
    const std::array<const char*, 4> names{".rn", ".rz", ".rm", ".rp"};
    const auto add = [&](std::string name, const LaneKey& k, int sources) {
        name += "." + std::string(toText(k.type));
        all.push_back({name, {k, sources}});
    };
    for (const ScalarType type : {ScalarType::F32, ScalarType::F64}) {
        for (const Op& op : rounded)
            for (std::size_t r = 0; r < 4; ++r)
                add(op.name + std::string(names[r]), key(op.op, type, static_cast<Rounding>(r)), op.sources);
        for (const Op& op : exact)
            add(op.name, key(op.op, type), op.sources);
        for (int compare = 0; compare < 14; ++compare) {
            LaneKey k = key(LaneOp::SetPredicate, type);
            k.compare = static_cast<Compare>(compare);
            add("setp " + std::to_string(compare), k, 2);
        }
    }
    for (const Op& op : rounded) {
        add(op.name + std::string(".rn.ftz"), key(op.op, ScalarType::F32, Rounding::Nearest, true), op.sources);
        add(op.name + std::string(".rz.ftz"), key(op.op, ScalarType::F32, Rounding::Zero, true), op.sources);
    }
    for (const Op& op : {rounded[0], rounded[2], rounded[3]})
        add(op.name + std::string(".sat"), key(op.op, ScalarType::F32, Rounding::Nearest, false, true), op.sources);
    for (const ScalarType type : {ScalarType::F16, ScalarType::BF16}) {
        for (const Op& op : {rounded[0], rounded[1], rounded[2], rounded[3]})
            add(op.name + std::string(".rn"), key(op.op, type), op.sources);
        for (const Op& op : exact)
            add(op.name, key(op.op, type), op.sources);
        LaneKey relu = key(LaneOp::Fma, type);
        relu.relu = true;
        add("fma.rn.relu", relu, 3);
    }
    add("fma.rn.ftz.sat", key(LaneOp::Fma, ScalarType::F16, Rounding::Nearest, true, true), 3);
    return all;
}

unsigned bytesOf(ScalarType type)
{
    return sizeOf(type);
}

std::vector<u64> specials(ScalarType type)
{
    const unsigned bits = bytesOf(type) * 8;
    const unsigned fraction = type == ScalarType::F16    ? 10
                              : type == ScalarType::BF16 ? 7
                              : type == ScalarType::F32  ? 23
                                                         : 52;
    const u64 ones = (u64{1} << (bits - 1 - fraction)) - 1;
    const u64 one = (ones >> 1) << fraction;
    std::vector<u64> values;
    for (const u64 v : {u64{0}, u64{1}, (u64{1} << fraction) - 1, u64{1} << fraction, (u64{1} << fraction) + 1, one,
                        one + 1, one - 1, one + (u64{1} << fraction), one + (u64{1} << (fraction - 1)),
                        one - (u64{24} << fraction) % (one + 1), (ones << fraction) - 1, ones << fraction,
                        (ones << fraction) + 1, (ones << fraction) | u64{1} << (fraction - 1)}) {
        values.push_back(v);
        values.push_back(v | u64{1} << (bits - 1));
    }
    return values;
}

/// 32 lanes of registers for four operands, and a predicate.
class Lanes {
public:
    explicit Lanes(ScalarType type) : m_bytes(bytesOf(type)) {}
    void set(unsigned plane, unsigned lane, u64 value) { std::memcpy(at(plane, lane), &value, m_bytes); }
    u64 get(unsigned plane, unsigned lane)
    {
        u64 value = 0;
        std::memcpy(&value, at(plane, lane), m_bytes);
        return value;
    }
    u32 predicate() const
    {
        u32 word = 0;
        std::memcpy(&word, m_file.data() + kPredicate, sizeof word);
        return word;
    }
    void run(OpFunction function, const LaneKey& key)
    {
        WarpRegisters registers{m_file.data()};
        MicroOp op;
        op.a = 0;
        op.b = 256;
        op.c = key.op == LaneOp::SetPredicate ? kPredicate + 4 : 512;
        op.d = key.op == LaneOp::SetPredicate ? kPredicate : 768;
        op.e = ~u32{0};
        op.flags = key.op == LaneOp::SetPredicate ? 0 : laneFlags(key);
        function(registers, op, ~u32{0});
    }

private:
    static constexpr u32 kPredicate = 1024;
    std::byte* at(unsigned plane, unsigned lane) { return m_file.data() + plane * 256 + lane * m_bytes; }
    unsigned m_bytes;
    alignas(64) std::array<std::byte, 1088> m_file{};
};

} // namespace

class TestSimtIeee : public QObject {
    Q_OBJECT

    static void check(const LaneKey& k, const std::array<u64, 3>* operands, unsigned count)
    {
        for (const LaneBuild build : {LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512}) {
            if (!isAvailable(build))
                continue;
            const OpFunction function = findLaneOpIn(build, k);
            QVERIFY2(function != nullptr, "the operation exists");
            Lanes lanes(k.type);
            for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned plane = 0; plane < 3; ++plane)
                    lanes.set(plane, lane, operands[lane % count][plane]);
            lanes.run(function, k);
            for (unsigned lane = 0; lane < count; ++lane) {
                const auto& in = operands[lane];
                const u64 expected = referenceLane(k, in[0], in[1], in[2]);
                const u64 got = k.op == LaneOp::SetPredicate ? lanes.predicate() >> lane & 1 : lanes.get(3, lane);
                if (got != expected)
                    QFAIL(qPrintable(QStringLiteral("build %1: %2, %3, %4 give %5, expected %6")
                                         .arg(int(build))
                                         .arg(in[0], 0, 16)
                                         .arg(in[1], 0, 16)
                                         .arg(in[2], 0, 16)
                                         .arg(got, 0, 16)
                                         .arg(expected, 0, 16)));
            }
        }
    }

    /// Bits whose exponents lie near one another as often as far apart, so that sums cancel.
    static u64 draw(std::mt19937_64& random, ScalarType type, u64 near)
    {
        const unsigned bits = bytesOf(type) * 8;
        const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
        const u64 raw = random();
        switch (raw >> 60) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            return (near ^ (random() >> (raw & 63))) & mask;
        case 5:
            return raw & mask & ~(mask >> (raw >> 54 & 31));
        default:
            return random() & mask;
        }
    }

private Q_SLOTS:
    void againstWholeNumbers_data()
    {
        QTest::addColumn<int>("index");
        const auto all = cases();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].first.c_str()) << int(i);
    }

    void againstWholeNumbers()
    {
        QFETCH(int, index);
        const auto [k, sources] = cases()[static_cast<std::size_t>(index)].second;
        QVERIFY(isReferenceOp(k));
        const auto special = specials(k.type);
        for (const u64 a : special) {
            for (const u64 b : special) {
                std::array<std::array<u64, 3>, 32> block{};
                for (std::size_t i = 0; i < special.size(); ++i)
                    block[i] = {a, b, special[i]};
                check(k, block.data(), static_cast<unsigned>(sources == 3 ? special.size() : 1));
                if (QTest::currentTestFailed())
                    return;
            }
        }
        bool given = false;
        const int wanted = qEnvironmentVariableIntValue("RIDGE_IEEE_SAMPLES", &given);
        const int samples = given ? wanted : 1'000'000;
        std::mt19937_64 random(static_cast<u64>(index) + 1);
        for (int done = 0; done < samples; done += 32) {
            std::array<std::array<u64, 3>, 32> block{};
            for (auto& in : block) {
                in[0] = draw(random, k.type, random());
                in[1] = draw(random, k.type, in[0]);
                in[2] = draw(random, k.type, in[0]);
            }
            check(k, block.data(), 32);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void conversions()
    {
        std::mt19937_64 random(7);
        const std::array<ScalarType, 4> types{ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64};
        for (const ScalarType to : types) {
            for (const ScalarType from : types) {
                if (to == from || sizeOf(to) > sizeOf(from))
                    continue;
                for (int r = 0; r < 4; ++r) {
                    LaneKey k;
                    k.op = LaneOp::Convert;
                    k.convert = {to, from, sizeOf(to), sizeOf(from), static_cast<Rounding>(r)};
                    const OpFunction function = findLaneOp(k);
                    QVERIFY(function != nullptr);
                    for (int i = 0; i < 20'000; ++i) {
                        const u64 in = draw(random, from, random());
                        alignas(64) std::array<std::byte, 512> file{};
                        std::memcpy(file.data(), &in, sizeOf(from));
                        WarpRegisters registers{file.data()};
                        MicroOp op;
                        op.d = 256;
                        op.flags = laneFlags(k);
                        function(registers, op, 1);
                        u64 got = 0;
                        std::memcpy(&got, file.data() + 256, sizeOf(to));
                        const u64 expected = referenceConvert(to, from, static_cast<Rounding>(r), in);
                        QVERIFY2(got == expected, qPrintable(QStringLiteral("%1 to %2 in mode %3: %4, expected %5")
                                                                 .arg(in, 0, 16)
                                                                 .arg(QLatin1String(toText(to).data()))
                                                                 .arg(r)
                                                                 .arg(got, 0, 16)
                                                                 .arg(expected, 0, 16)));
                    }
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtIeee)
#include "tst_simt_ieee.moc"
