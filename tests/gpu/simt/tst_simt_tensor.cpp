// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices beyond the plain ones: Volta's, sparse ones, and how each chip's tensor cores add. Fragments are
// laid out here by the formulas of the PTX ISA, one lane and register at a time.
#include "simt_lab.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/tensor_lanes.h"
#include "gpu/simt/run/tensor_math.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// The bits of a small whole number.
u32 encode(Element element, int value)
{
    const float real = float(value);
    switch (element) {
    case Element::F16:
        return halfNearest(double(real));
    case Element::BF16:
        return bfloatNearest(double(real));
    case Element::TF32:
    case Element::F32:
        return std::bit_cast<u32>(real);
    case Element::E4M3: {
        constexpr std::array<u32, 5> magnitudes{0x00, 0x38, 0x40, 0x44, 0x48};
        return magnitudes[std::size_t(std::abs(value))] | (value < 0 ? 0x80u : 0u);
    }
    case Element::E5M2: {
        constexpr std::array<u32, 5> magnitudes{0x00, 0x3c, 0x40, 0x42, 0x44};
        return magnitudes[std::size_t(std::abs(value))] | (value < 0 ? 0x80u : 0u);
    }
    default:
        return u32(value) & (bitsOf(element) == 32 ? ~0u : (1u << bitsOf(element)) - 1);
    }
}

/// Repeats for every run: numbers from -limit to limit.
struct Numbers {
    u32 state = 1;
    int next(int limit)
    {
        state = state * 1664525u + 1013904223u;
        return int(state >> 16) % (2 * limit + 1) - limit;
    }
};

/// A kernel that loads `words` registers a lane from pa ([lane][word]) into %r10 …, runs `instruction` and stores
/// `results` registers from %r100 on to pb.
std::string fragments(unsigned words, unsigned results, const std::string& instruction)
{
    std::string text =
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb)"
        "{ .reg .b32 %r<120>; .reg .b64 %rd<8>; ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb];"
        "mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, " +
        std::to_string(4 * words) + "; add.u64 %rd0, %rd0, %rd2; mul.wide.u32 %rd3, %r0, " +
        std::to_string(4 * results) + "; add.u64 %rd1, %rd1, %rd3;";
    for (unsigned at = 0; at < words; ++at)
        text += "ld.global.u32 %r" + std::to_string(10 + at) + ", [%rd0+" + std::to_string(4 * at) + "];";
    text += "\n" + instruction + ";\n";
    for (unsigned at = 0; at < results; ++at)
        text += "st.global.u32 [%rd1+" + std::to_string(4 * at) + "], %r" + std::to_string(100 + at) + ";";
    return text + "ret; }";
}

std::string registers(unsigned first, unsigned count)
{
    std::string text = "{";
    for (unsigned at = 0; at < count; ++at)
        text += (at == 0 ? "%r" : ",%r") + std::to_string(first + at);
    return text + "}";
}

/// 128 threads bring A and B into shared memory as they lie in pa, A's rows of 32 bytes into tensor memory from pb
/// where it is wanted there, multiply and write a lane's 32 columns to pc.
std::string inTensorMemory(int rows, bool inMemory, bool accumulates, int signs)
{
    const u32 wanted = u32(rows / 16) << 24 | 32u / 8 << 17 | 1u << 4 | u32(signs & 1) << 13 | u32(signs >> 1) << 14;
    const std::string product =
        "tcgen05.mma.cta_group::1.kind::f16 [%r9], " + std::string(inMemory ? "[%r10]" : "%rd10") + ", %rd11, %r11, ";
    std::string text =
        ".version 8.6\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc)\n{\n"
        ".shared .align 1024 .b8 room[5120]; .shared .align 8 .b8 gate[8]; .shared .align 4 .b8 where[4];\n"
        ".reg .pred %p<8>; .reg .b32 %r<90>; .reg .b64 %rd<20>;\n"
        "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc];\n"
        "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; setp.ne.u32 %p0, %r0, 0;\n"
        "mov.u32 %r2, room; mov.u32 %r3, %r0;\n"
        "COPY: shl.b32 %r4, %r3, 4; cvt.u64.u32 %rd3, %r4; add.u64 %rd3, %rd0, %rd3;\n"
        "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3]; add.u32 %r4, %r2, %r4;\n"
        "st.shared.v4.u32 [%r4], {%r5, %r6, %r7, %r8}; add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 320;\n"
        "@%p1 bra COPY;\n"
        "@!%p0 mbarrier.init.shared::cta.b64 [gate], 1;\n"
        "setp.ne.u32 %p2, %r1, 0;\n"
        "@%p2 bra MADE;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
        "MADE: fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "ld.shared.u32 %r9, [where]; shl.b32 %r12, %r1, 21; add.u32 %r12, %r9, %r12; add.u32 %r10, %r9, 32;\n";
    if (inMemory)
        text += "shl.b32 %r4, %r0, 5; cvt.u64.u32 %rd3, %r4; add.u64 %rd3, %rd1, %rd3;\n"
                "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd3]; "
                "ld.global.v4.u32 {%r24, %r25, %r26, %r27}, [%rd3+16];\n"
                "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r12+32], {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27};\n"
                "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n";
    // Cores 128 bytes apart along k (leading), 256 along rows (stride); version 1.
    text += "shr.u32 %r13, %r2, 4; cvt.u64.u32 %rd10, %r13; or.b64 %rd10, %rd10, " +
            std::to_string(u64{8} << 16 | u64{16} << 32 | u64{1} << 46) +
            ";\nadd.u64 %rd11, %rd10, 256; mov.u32 %r11, " + std::to_string(wanted) +
            ";\n@%p0 bra WAIT;\nsetp.eq.u32 %p3, %r0, 999; setp.eq.u32 %p4, %r0, 0;\n" + product + "%p3;\n";
    if (accumulates)
        text += product + "%p4;\n";
    text += "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [gate];\n"
            "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [gate], 0;\n@!%p5 bra WAIT;\n"
            "tcgen05.fence::after_thread_sync;\nbar.sync 0;\n"
            "tcgen05.ld.sync.aligned.32x32b.x32.b32 " +
            registers(30, 32) +
            ", [%r12];\ntcgen05.wait::ld.sync.aligned;\n"
            "mul.wide.u32 %rd4, %r0, 128; add.u64 %rd2, %rd2, %rd4;\n";
    for (int at = 0; at < 32; ++at)
        text += "st.global.u32 [%rd2+" + std::to_string(4 * at) + "], %r" + std::to_string(30 + at) + ";";
    return text + "\nbar.sync 0;\n@%p2 bra END;\n"
                  "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;\nEND: ret;\n}\n";
}

} // namespace

class TestSimtTensor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void voltaProducts_data()
    {
        QTest::addColumn<bool>("columnA");
        QTest::addColumn<bool>("rowB");
        QTest::addColumn<bool>("half");
        for (const bool columnA : {false, true})
            for (const bool rowB : {false, true})
                for (const bool half : {false, true})
                    QTest::addRow("A %s, B %s, %s", columnA ? "col" : "row", rowB ? "row" : "col", half ? "f16" : "f32")
                        << columnA << rowB << half;
    }
    void voltaProducts()
    {
        QFETCH(bool, columnA);
        QFETCH(bool, rowB);
        QFETCH(bool, half);
        Numbers numbers;
        int a[4][8][4], b[4][4][8], c[4][8][8];
        for (int q = 0; q < 4; ++q) {
            for (int i = 0; i < 8; ++i) {
                for (int k = 0; k < 4; ++k) {
                    a[q][i][k] = numbers.next(4);
                    b[q][k][i] = numbers.next(4);
                }
                for (int j = 0; j < 8; ++j)
                    c[q][i][j] = numbers.next(50);
            }
        }
        const unsigned results = half ? 4 : 8;
        const unsigned words = 4 + results;
        const auto placeC = [&](int lane, int i) {
            if (half)
                return std::pair(lane % 4 + (lane < 16 ? 0 : 4), i);
            return std::pair((lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1));
        };
        std::vector<u32> in(32 * words);
        for (int lane = 0; lane < 32; ++lane) {
            const int q = lane / 4 % 4, high = lane < 16 ? 0 : 4, t = lane % 4;
            u32* word = &in[std::size_t(lane) * words];
            for (int i = 0; i < 4; ++i) {
                const int va = columnA ? a[q][i + high][t] : a[q][t + high][i];
                const int vb = rowB ? b[q][t][i + high] : b[q][i][t + high];
                word[i / 2] |= encode(Element::F16, va) << (i % 2 * 16);
                word[2 + i / 2] |= encode(Element::F16, vb) << (i % 2 * 16);
            }
            for (int i = 0; i < 8; ++i) {
                const auto [row, column] = placeC(lane, i);
                if (half)
                    word[4 + i / 2] |= encode(Element::F16, c[q][row][column]) << (i % 2 * 16);
                else
                    word[4 + i] = encode(Element::F32, c[q][row][column]);
            }
        }
        Lab lab;
        const std::string type = half ? "f16" : "f32";
        QVERIFY2(lab.load(fragments(words, results,
                                    std::string("mma.sync.aligned.m8n8k4.") + (columnA ? "col" : "row") + "." +
                                        (rowB ? "row" : "col") + "." + type + ".f16.f16." + type + " " +
                                        registers(100, results) + ", " + registers(10, 2) + ", " + registers(12, 2) +
                                        ", " + registers(14, results))),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(32 * results));
        QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out}), lab.why());
        const auto got = lab.get<u32>(out, 32 * results);
        for (int lane = 0; lane < 32; ++lane) {
            for (int i = 0; i < 8; ++i) {
                const int q = lane / 4 % 4;
                const auto [row, column] = placeC(lane, i);
                int expected = c[q][row][column];
                for (int k = 0; k < 4; ++k)
                    expected += a[q][row][k] * b[q][k][column];
                const u32 word = got[std::size_t(lane) * results + std::size_t(half ? i / 2 : i)];
                QCOMPARE(half ? word >> (i % 2 * 16) & 0xffff : word,
                         encode(half ? Element::F16 : Element::F32, expected));
            }
        }
    }

    void sparseProducts_data()
    {
        QTest::addColumn<int>("element");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("k");
        const auto row = [](Element element, const char* name, int k) {
            QTest::addRow("%s k%d", name, k) << int(element) << QByteArray(name) << k;
        };
        row(Element::F16, "f16", 16);
        row(Element::F16, "f16", 32);
        row(Element::BF16, "bf16", 16);
        row(Element::BF16, "bf16", 32);
        row(Element::TF32, "tf32", 8);
        row(Element::TF32, "tf32", 16);
        row(Element::S8, "s8", 32);
        row(Element::S8, "s8", 64);
        row(Element::S4, "s4", 64);
        row(Element::S4, "s4", 128);
        row(Element::E4M3, "e4m3", 64);
        row(Element::E5M2, "e5m2", 64);
    }
    void sparseProducts()
    {
        QFETCH(int, element);
        QFETCH(QByteArray, name);
        QFETCH(int, k);
        const auto e = Element(element);
        const int bits = int(bitsOf(e)), pack = 32 / bits;
        const bool real = isRealElement(e);
        // What four bits of metadata tell about: four elements, two of tf32, four pairs of s4.
        const int chunk = bits == 32 ? 2 : bits == 4 ? 8 : 4;
        const int rowBits = k / chunk * 4;
        Numbers numbers;
        std::vector<int> whole(std::size_t(16 * k)), stored(std::size_t(8 * k)), b(std::size_t(8 * k)), c(16 * 8);
        std::vector<std::vector<bool>> metadata(16, std::vector<bool>(std::size_t(rowBits)));
        for (int row = 0; row < 16; ++row) {
            for (int at = 0; at < k / chunk; ++at) {
                const int first = std::abs(numbers.next(100)) % 3;
                const int second = first + 1 + std::abs(numbers.next(100)) % (3 - first);
                std::array<int, 2> index{first, second};
                if (bits == 32)
                    index = first == 0 ? std::array<int, 2>{0, 1} : std::array<int, 2>{2, 3};
                for (int j = 0; j < 2; ++j)
                    for (int bit = 0; bit < 2; ++bit)
                        metadata[std::size_t(row)][std::size_t(at * 4 + j * 2 + bit)] =
                            (index[std::size_t(j)] >> bit & 1) != 0;
                const int half = chunk / 2; // stored elements of the chunk
                for (int j = 0; j < half; ++j) {
                    const int place = bits == 32  ? index[0] / 2
                                      : bits == 4 ? index[std::size_t(j / 2)] * 2 + j % 2
                                                  : index[std::size_t(j)];
                    const int value = numbers.next(3);
                    stored[std::size_t(row * k / 2 + at * half + j)] = value;
                    whole[std::size_t(row * k + at * chunk + place)] = value;
                }
            }
        }
        for (int& value : b)
            value = numbers.next(3);
        for (int& value : c)
            value = numbers.next(40);
        const unsigned regsA = unsigned(16 * (k / 2) * bits / 1024), regsB = unsigned(8 * k * bits / 1024);
        const unsigned words = regsA + regsB + 4 + 1;
        for (int selector = 0; selector < 64 / rowBits; ++selector) {
            std::vector<u32> in(32 * words);
            for (int lane = 0; lane < 32; ++lane) {
                const int g = lane / 4, t = lane % 4;
                u32* word = &in[std::size_t(lane) * words];
                for (unsigned i = 0; i < regsA; ++i)
                    for (int p = 0; p < pack; ++p) {
                        const int row = g + 8 * int(i % 2), column = int(i / 2) * 4 * pack + t * pack + p;
                        word[i] |= encode(e, stored[std::size_t(row * k / 2 + column)]) << (p * bits % 32);
                    }
                for (unsigned i = 0; i < regsB; ++i)
                    for (int p = 0; p < pack; ++p)
                        word[regsA + i] |= encode(e, b[std::size_t(g * k + int(i) * 4 * pack + t * pack + p)])
                                           << (p * bits % 32);
                for (int i = 0; i < 4; ++i)
                    word[regsA + regsB + unsigned(i)] =
                        encode(real ? Element::F32 : Element::S32, c[std::size_t((g + i / 2 * 8) * 8 + 2 * t + i % 2)]);
                const auto field = [&](int row, int from, int count) {
                    u32 made = 0;
                    for (int bit = 0; bit < count; ++bit)
                        made |= u32(metadata[std::size_t(row)][std::size_t(from + bit)]) << bit;
                    return made;
                };
                u32& meta = word[words - 1];
                meta = 0xdeadbeef; // where nobody looks
                if (rowBits == 16 && t == selector)
                    meta = field(g, 0, 16) | field(g + 8, 0, 16) << 16;
                else if (rowBits == 32 && t / 2 == selector && bits >= 16)
                    meta = field(g, t % 2 * 16, 16) | field(g + 8, t % 2 * 16, 16) << 16;
                else if (rowBits == 32 && t / 2 == selector)
                    meta = field(g + t % 2 * 8, 0, 32);
                else if (rowBits == 64)
                    meta = field(g + t % 2 * 8, t / 2 * 32, 32);
            }
            Lab lab;
            const std::string result = real ? "f32" : "s32";
            const std::string type = name.toStdString();
            QVERIFY2(lab.load(fragments(words, 4,
                                        "mma.sp::ordered_metadata.sync.aligned.m16n8k" + std::to_string(k) +
                                            ".row.col." + result + "." + type + "." + type + "." + result + " " +
                                            registers(100, 4) + ", " + registers(10, regsA) + ", " +
                                            registers(10 + regsA, regsB) + ", " + registers(10 + regsA + regsB, 4) +
                                            ", %r" + std::to_string(9 + words) + ", " + std::to_string(selector))),
                     lab.why());
            const DevicePtr out = lab.put(std::vector<u32>(32 * 4));
            QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out}), lab.why());
            const auto got = lab.get<u32>(out, 32 * 4);
            for (int lane = 0; lane < 32; ++lane) {
                for (int i = 0; i < 4; ++i) {
                    const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
                    int expected = c[std::size_t(row * 8 + column)];
                    for (int at = 0; at < k; ++at)
                        expected += whole[std::size_t(row * k + at)] * b[std::size_t(column * k + at)];
                    QCOMPARE(got[std::size_t(lane * 4 + i)], encode(real ? Element::F32 : Element::S32, expected));
                }
            }
        }
    }

    void sparseFormsThatDoNotExist()
    {
        Lab lab;
        const std::string f16 = "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
                                "{%r3,%r4}, {%r1,%r2,%r3,%r4}, %r5, ";
        QVERIFY2(lab.load(fragments(1, 1, f16 + "3")), lab.why());
        QVERIFY(!lab.load(fragments(1, 1, f16 + "4")) && lab.why().contains("below 4"));
        QVERIFY(!lab.load(fragments(1, 1, f16 + "%r6")) && lab.why().contains("constant"));
    }

    /// The same operands, added as V100, A100, L40S, H100 and B200 do.
    void chipsAddDifferently()
    {
        const auto term = [](Element element, u32 bits) { return decodeTerm(element, bits); };
        const auto f16 = [&](double value) { return term(Element::F16, halfNearest(value)); };
        const std::vector<TensorTerm> ones(32, f16(1));
        const auto sum = [&](int chip, double value, unsigned count, float c) {
            const std::vector<TensorTerm> values(count, f16(value));
            return tensorSum(tensorRules(chip), Element::F16, values.data(), Element::F16, ones.data(), count, c);
        };
        // Eight products of 1.5 beside 2^24: V100 sees steps of 2, A100 of 1, H100 of 1/2; the sum is cut off to even.
        QCOMPARE(sum(70, 1.5, 8, 0x1p24f), 16777216.0f);
        QCOMPARE(sum(80, 1.5, 8, 0x1p24f), 16777224.0f);
        QCOMPARE(sum(90, 1.5, 8, 0x1p24f), 16777228.0f);
        // Sixteen ones: V100 adds four at a time, each group cut off to 2^24 + 4; H100 all at once.
        QCOMPARE(sum(70, 1, 16, 0x1p24f), 16777216.0f);
        QCOMPARE(sum(80, 1, 16, 0x1p24f), 16777232.0f);
        // Nine ones: the ninth is alone on an A100 and is lost; an H100 has it in the group, where it is cut off, too.
        QCOMPARE(sum(80, 1, 9, 0x1p24f), 16777224.0f);
        QCOMPARE(sum(90, 1, 10, 0x1p24f), 16777226.0f);
        // 8-bit floats: beside 128 * 128 a 1 is below the thirteenth bit; from B200 on it counts.
        const std::vector<TensorTerm> small{term(Element::E4M3, 0x70), term(Element::E4M3, 0x38)};
        const auto bytes = [&](int chip) {
            return tensorSum(tensorRules(chip), Element::E4M3, small.data(), Element::E4M3, small.data(), 2, 0);
        };
        QCOMPARE(bytes(89), 16384.0f);
        QCOMPARE(bytes(90), 16384.0f);
        QCOMPARE(bytes(100), 16385.0f);
        // An f16 result is rounded once: 1 + 2^-11 + 2^-24 is above the tie.
        const std::vector<TensorTerm> tie{f16(0x1p-11), f16(0x1p-12)};
        const std::vector<TensorTerm> with{f16(1), f16(0x1p-12)};
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, tie.data(), Element::F16, with.data(), 2, 1.0f, true),
                 1.0f + 0x1p-10f);
        QCOMPARE(tensorSum(tensorRules(90), Element::F16, tie.data(), Element::F16, with.data(), 1, 1.0f, true), 1.0f);
    }

    /// Whole products, which are computed many at a time, against sums one at a time: any bits, ordinary numbers, zeros
    /// of both signs, and numbers of very different size.
    void productsAreTheSumsOfTheirRows_data()
    {
        QTest::addColumn<int>("chip");
        QTest::addColumn<int>("build");
        for (const int chip : {70, 75, 80, 89, 90, 100, 120})
            for (const LaneBuild build : {LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512})
                if (isAvailable(build))
                    QTest::addRow("sm_%d, build %d", chip, int(build)) << chip << int(build);
    }
    void productsAreTheSumsOfTheirRows()
    {
        QFETCH(int, chip);
        QFETCH(int, build);
        TensorLanes::ofThisThread().loops = productLoopsOf(LaneBuild(build));
        const auto restore = qScopeGuard([] { TensorLanes::ofThisThread().loops = productLoops(); });
        TensorRules rules = tensorRules(chip);
        rules.unpacksBytes = false; // what becomes of bytes there has a test of its own
        u64 state = 12345;
        const auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 24; };
        for (const Element element : {Element::F16, Element::BF16, Element::TF32, Element::E4M3, Element::E5M2}) {
            MatrixDetail detail;
            detail.a = detail.b = element;
            const unsigned k = 256 / bitsOf(element);
            const u32 exponents = element == Element::F16 ? 0x7c00 : element == Element::BF16 ? 0x7f80 : 0x7c;
            // Styles from 4 on: as 1 to 3 with halves as sums, many rows, many columns; accumulators are all there is.
            for (int turn = 0; turn < 10; ++turn) {
                const int style = turn < 4 ? turn : turn < 7 ? turn - 3 : turn - 6;
                const unsigned m = turn < 4 ? 4 : turn < 7 ? 16 : 8, n = turn < 7 ? 8 : 32;
                const bool half = turn >= 4 && turn % 2 == 0;
                detail.c = detail.d = half ? Element::F16 : Element::F32;
                const auto one = [&]() -> u64 {
                    const u64 bits = random();
                    if (style == 2 && bits % 3 != 0)
                        return (bits >> 8 & 1) << (bitsOf(element) - 1);
                    if (element == Element::TF32)
                        return style == 0 ? bits & 0xffffe000u
                                          : std::bit_cast<u32>(std::ldexp(float(bits % 2000) - 1000,
                                                                          style == 3 ? int(bits >> 12 & 63) - 32 : 0)) &
                                                0xffffe000u;
                    const u64 value = bits & ((1u << bitsOf(element)) - 1);
                    if (style == 0)
                        return value;
                    return element == Element::E4M3           ? (value & 0x7f) == 0x7f ? value - 1 : value
                           : (value & exponents) == exponents ? value & ~u64{exponents}
                                                              : value;
                };
                std::vector<u64> a(m * k), b(n * k), c(m * n), got(m * n);
                std::generate(a.begin(), a.end(), one);
                std::generate(b.begin(), b.end(), one);
                for (u64& each : c)
                    each = half         ? random() & 0xffff
                           : turn == 5  ? (random() % 5 == 0 ? 0x7f800000u : u32(random()))
                           : style == 0 ? u32(random())
                           : style == 2
                               ? 0x80000000u
                               : std::bit_cast<u32>(std::ldexp(float(random() % 2000) - 1000, int(random() & 31) - 16));
                multiply({&detail, a.data(), b.data(), c.data(), got.data(), m, n, k, rules});
                std::vector<TensorTerm> rows, columns;
                for (const u64 bits : a)
                    rows.push_back(decodeTerm(element, u32(bits)));
                for (const u64 bits : b)
                    columns.push_back(decodeTerm(element, u32(bits)));
                for (unsigned at = 0; at < m * n; ++at) {
                    const float start = half ? halfToSingle(std::uint16_t(c[at])) : std::bit_cast<float>(u32(c[at]));
                    const float want =
                        tensorSum(rules, element, &rows[at / n * k], element, &columns[at % n * k], k, start, half);
                    QCOMPARE(u32(got[at]), half ? u32(halfNearest(want)) : std::bit_cast<u32>(want));
                }
            }
        }
    }

    /// The largest sums that groups have, which 31 bits do not hold; numbers that leave the range of an f32 on the way.
    void largestProductsAreTheSumsOfTheirRows()
    {
        const TensorRules rules = tensorRules(90);
        MatrixDetail detail;
        for (const auto& [element, bits, start] :
             {std::tuple(Element::F16, 0x3fffu, 7.9f), std::tuple(Element::F16, 0xbfffu, 7.9f),
              std::tuple(Element::F16, 0x3fffu, -7.9f), std::tuple(Element::BF16, 0x7f7fu, 0.0f),
              std::tuple(Element::BF16, 0x7f7fu, -3e38f), std::tuple(Element::BF16, 0x0001u, 1e-38f),
              std::tuple(Element::BF16, 0x1000u, 1e-42f), std::tuple(Element::F16, 0x0001u, 1e-44f)}) {
            detail.a = detail.b = element;
            const std::vector<u64> a(16 * 16, bits), b(8 * 16, bits & 0x7fff), c(16 * 8, std::bit_cast<u32>(start));
            std::vector<u64> got(16 * 8);
            multiply({&detail, a.data(), b.data(), c.data(), got.data(), 16, 8, 16, rules});
            const std::vector<TensorTerm> row(16, decodeTerm(element, bits));
            const std::vector<TensorTerm> column(16, decodeTerm(element, bits & 0x7fff));
            const float want = tensorSum(rules, element, row.data(), element, column.data(), 16, start);
            for (const u64 each : got)
                QCOMPARE(u32(each), std::bit_cast<u32>(want));
        }
    }

    /// A matrix is often padded with zeros: their products with other numbers take no way of their own.
    void zerosAreAddedUpWithTheOthers()
    {
        std::array<float, kSumLanes> values{};
        std::array<std::int32_t, kSumLanes> mantissas{}, exponents;
        exponents.fill(kZeroExponent);
        const float other = 4.0F;
        const std::int32_t otherMantissa = 1 << 10, otherExponent = 2;
        ProductGroup group{values.data(),
                           mantissas.data(),
                           exponents.data(),
                           kSumLanes,
                           &other,
                           &otherMantissa,
                           &otherExponent,
                           1,
                           1,
                           25,
                           5,
                           true,
                           false};
        for (const LaneBuild build : {LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512}) {
            for (group.isNarrow = false; isAvailable(build); group.isNarrow = true) {
                GroupSums sums{};
                productLoopsOf(build).addGroup(group, sums);
                QVERIFY(!sums.isAmiss);
                QCOMPARE(std::count(std::begin(sums.sums), std::end(sums.sums), 0u), kSumLanes);
                if (group.isNarrow)
                    break;
            }
        }
    }

    void productsOfIntegers_data()
    {
        QTest::addColumn<int>("build");
        for (const LaneBuild build : {LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512})
            if (isAvailable(build))
                QTest::addRow("build %d", int(build)) << int(build);
    }
    void productsOfIntegers()
    {
        QFETCH(int, build);
        TensorLanes::ofThisThread().loops = productLoopsOf(LaneBuild(build));
        const auto restore = qScopeGuard([] { TensorLanes::ofThisThread().loops = productLoops(); });
        u64 state = 99;
        const auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 24; };
        using E = Element;
        const std::array<std::pair<E, E>, 6> kinds{
            {{E::S8, E::S8}, {E::S8, E::U8}, {E::U8, E::U8}, {E::S4, E::S4}, {E::U4, E::S4}, {E::U4, E::U4}}};
        for (const auto& [left, right] : kinds) {
            for (const auto& [m, n] : {std::pair(8u, 8u), std::pair(16u, 8u), std::pair(8u, 32u)}) {
                for (const bool saturates : {false, true}) {
                    MatrixDetail detail;
                    detail.a = left, detail.b = right, detail.c = detail.d = E::S32, detail.saturate = saturates;
                    const unsigned bits = bitsOf(left), k = 256 / bits;
                    std::vector<u64> a(m * k), b(n * k), c(m * n), got(m * n);
                    for (u64& each : a)
                        each = random() & ((1u << bits) - 1);
                    for (u64& each : b)
                        each = random() & ((1u << bits) - 1);
                    for (u64& each : c)
                        each = random() % 3 == 0 ? 0x7fffff00u : random() % 2 == 0 ? 0x80000100u : u32(random());
                    multiply({&detail, a.data(), b.data(), c.data(), got.data(), m, n, k, tensorRules(90)});
                    const auto value = [bits = bits](u64 word, Element element) {
                        const bool isSigned = element == E::S8 || element == E::S4;
                        return isSigned && (word >> (bits - 1)) != 0 ? std::int64_t(word) - (1 << bits)
                                                                     : std::int64_t(word);
                    };
                    for (unsigned at = 0; at < m * n; ++at) {
                        std::int64_t sum = std::int32_t(c[at]);
                        for (unsigned i = 0; i < k; ++i)
                            sum += value(a[at / n * k + i], left) * value(b[at % n * k + i], right);
                        if (saturates)
                            sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                        QCOMPARE(u32(got[at]), u32(sum));
                    }
                }
            }
        }
    }

    void chipDecidesInAKernel()
    {
        // c = 2^24, A = 1.5 in all places, B = 1 in eight of sixteen rows.
        std::vector<u32> in(32 * 10);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            for (std::size_t at = 0; at < 4; ++at)
                in[lane * 10 + at] = 0x3e003e00;
            in[lane * 10 + 4] = 0x3c003c00;
            for (std::size_t at = 6; at < 10; ++at)
                in[lane * 10 + at] = 0x4b800000;
        }
        for (const auto& [major, expected] : {std::pair(8, 16777224.0f), std::pair(9, 16777228.0f)}) {
            Lab lab;
            DeviceInfo info;
            info.computeMajor = major;
            info.smCount = 1;
            lab.device = std::move(*openSimtDevice(info, {}, {}));
            std::string text =
                fragments(10, 4,
                          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + registers(100, 4) + ", " +
                              registers(10, 4) + ", " + registers(14, 2) + ", " + registers(16, 4));
            text.replace(text.find("sm_90"), 5, "sm_80");
            QVERIFY2(lab.load(text), lab.why());
            const DevicePtr out = lab.put(std::vector<float>(128));
            QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out}), lab.why());
            QCOMPARE(lab.get<float>(out, 128)[5], expected);
        }
    }

    void pairsOfSingles()
    {
        Lab lab;
        const std::string ptx =
            ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb) {"
            ".reg .b64 %rd<20>; ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb];"
            "ld.global.v2.u64 {%rd2, %rd3}, [%rd0]; ld.global.u64 %rd4, [%rd0+16];"
            "add.rn.f32x2 %rd5, %rd2, %rd3; mul.rn.f32x2 %rd6, %rd2, %rd3; fma.rn.f32x2 %rd7, %rd2, %rd3, %rd4;"
            "sub.rz.ftz.f32x2 %rd8, %rd2, %rd3; fma.rp.f32x2 %rd9, %rd2, %rd3, %rd4;"
            "st.global.v2.u64 [%rd1], {%rd5, %rd6}; st.global.v2.u64 [%rd1+16], {%rd7, %rd8};"
            "st.global.u64 [%rd1+32], %rd9; ret; }";
        DeviceInfo info;
        info.computeMajor = 10;
        info.smCount = 1;
        lab.device = std::move(*openSimtDevice(info, {}, {}));
        QVERIFY2(lab.load(ptx), lab.why());
        const std::vector<float> in{1.5f, 0x1p-149f, -3.25f, 0x1p-149f, 0.1f, 1.0f};
        const DevicePtr out = lab.put(std::vector<float>(10));
        QVERIFY2(lab.run("k", {1}, {1}, {lab.put(in), out}), lab.why());
        const std::vector<float> expected{-1.75f,
                                          0x1p-148f,
                                          -4.875f,
                                          0,
                                          std::fmaf(1.5f, -3.25f, 0.1f),
                                          1.0f,
                                          4.75f,
                                          0,
                                          std::nextafterf(std::fmaf(1.5f, -3.25f, 0.1f), 0.0f),
                                          1.0f + 0x1p-23f};
        auto got = lab.get<float>(out, 10);
        // Upward: the exact -4.875 + 0.1f lies between two floats, and the pair's second half just above 1.
        QVERIFY(got[8] == expected[4] || got[8] == expected[8]);
        QVERIFY(double(got[8]) >= 1.5 * -3.25 + double(0.1f));
        got[8] = expected[8];
        QCOMPARE(got, expected);
    }

    /// Products of small floats with scales of blocks (compute capability 12.0), against sums in double precision that
    /// an f32 holds exactly. Fragments, scales and their lanes are laid out by the formulas of the PTX ISA.
    void scaledProducts_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("typeA");
        QTest::addColumn<QByteArray>("typeB");
        QTest::addColumn<int>("scales"); // of a row along k; 0: none
        QTest::addColumn<QByteArray>("selectors");
        const auto row = [](const char* kind, const char* a, const char* b, int scales, const char* selectors) {
            QTest::addRow("%s, %s by %s, %d, %s", kind, a, b, scales, selectors)
                << QByteArray(kind) << QByteArray(a) << QByteArray(b) << scales << QByteArray(selectors);
        };
        for (const char* a : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
            for (const char* b : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"})
                row("mxf8f6f4", a, b, 1, a[1] == b[1] ? "0 0 0 0" : "3 1 2 3");
        row("f8f6f4", "e2m1", "e3m2", 0, "0 0 0 0");
        row("f8f6f4", "e5m2", "e2m3", 0, "0 0 0 0");
        row("mxf4", "e2m1", "e2m1", 2, "0 0 0 0");
        row("mxf4nvf4", "e2m1", "e2m1", 2, "2 1 0 2");
        row("mxf4nvf4", "e2m1", "e2m1", 4, "0 1 0 3");
    }
    void scaledProducts()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, typeA);
        QFETCH(QByteArray, typeB);
        QFETCH(int, scales);
        QFETCH(QByteArray, selectors);
        const auto selector = selectors.split(' ');
        const int byteA = selector[0].toInt(), threadA = selector[1].toInt();
        const int byteB = selector[2].toInt(), threadB = selector[3].toInt();
        const bool isFour = kind.contains("mxf4"), isFine = scales == 4;
        const int depth = isFour ? 64 : 32, pack = isFour ? 8 : 4, chunk = 4 * pack;
        Numbers numbers;
        // Bits of an element whose value is v, and v: exponents that keep sums within an f32.
        const auto element = [&](const QByteArray& type, u32& bits) {
            const int exponentBits = type[1] - '0', fraction = type[3] - '0', bias = (1 << (exponentBits - 1)) - 1;
            const int lowest = exponentBits > 3 ? bias - 2 : 0,
                      highest = exponentBits > 3 ? bias + 2 : (1 << exponentBits) - 1;
            const int field = lowest + std::abs(numbers.next(100)) % (highest - lowest + 1);
            const int mantissa = std::abs(numbers.next(100)) % (1 << fraction), sign = numbers.next(1) < 0 ? 1 : 0;
            bits = u32(sign << (exponentBits + fraction) | field << fraction | mantissa);
            if (!isFour && type == "e2m1")
                bits <<= 2;
            const double value = field == 0 ? std::ldexp(mantissa, 1 - bias - fraction)
                                            : std::ldexp((1 << fraction) + mantissa, field - bias - fraction);
            return sign != 0 ? -value : value;
        };
        const auto scale = [&](u32& bits) { // powers of two, fine ones in eighths
            const int exponent = numbers.next(scales == 4 ? 1 : scales == 2 ? 2 : 3);
            if (!isFine) {
                bits = u32(127 + exponent);
                return std::ldexp(1, exponent);
            }
            const int fraction = std::abs(numbers.next(7));
            bits = u32((7 + exponent) << 3 | fraction);
            return std::ldexp(8 + fraction, exponent - 3);
        };
        // Registers a lane: 4 of A, 2 of B, 4 of C, the words of scales.
        constexpr std::size_t kWords = 12;
        std::vector<u32> in(32 * kWords);
        std::vector<double> a(std::size_t(16 * depth)), b(std::size_t(8 * depth)), c(16 * 8);
        const auto wordOf = [&](int lane, std::size_t word) -> u32& { return in[std::size_t(lane) * kWords + word]; };
        for (int lane = 0; lane < 32; ++lane) {
            for (int at = 0; at < 4 * pack; ++at) {
                const int index = at / pack, part = at % pack;
                u32 bits = 0;
                const int rowA = lane / 4 + index % 2 * 8, k = index / 2 * chunk + lane % 4 * pack + part;
                a[std::size_t(rowA * depth + k)] = element(typeA, bits);
                wordOf(lane, std::size_t(index)) |= bits << (32 / pack * part);
            }
            for (int at = 0; at < 2 * pack; ++at) {
                const int index = at / pack, part = at % pack;
                u32 bits = 0;
                b[std::size_t(lane / 4 * depth + index * chunk + lane % 4 * pack + part)] = element(typeB, bits);
                wordOf(lane, std::size_t(4 + index)) |= bits << (32 / pack * part);
            }
            for (int index = 0; index < 4; ++index) {
                const double value = numbers.next(100);
                c[std::size_t((lane / 4 + index / 2 * 8) * 8 + lane % 4 * 2 + index % 2)] = value;
                wordOf(lane, std::size_t(6 + index)) = std::bit_cast<u32>(float(value));
            }
            wordOf(lane, 10) = wordOf(lane, 11) = 0xffffffffu; // bytes and lanes that are not selected: NaN
        }
        for (int block = 0; block < scales; ++block) {
            const auto place = [&](int lane, std::size_t word, int byte) {
                u32 bits = 0;
                const double value = scale(bits);
                wordOf(lane, word) = (wordOf(lane, word) & ~(0xffu << (8 * byte))) | bits << (8 * byte);
                return value;
            };
            const int width = depth / scales;
            for (int rowA = 0; rowA < 16; ++rowA) {
                const double by = place(rowA % 8 * 4 + 2 * threadA + rowA / 8, 10, byteA + block);
                for (int k = block * width; k < (block + 1) * width; ++k)
                    a[std::size_t(rowA * depth + k)] *= by;
            }
            for (int column = 0; column < 8; ++column) {
                const double by = place(column * 4 + threadB, 11, byteB + block);
                for (int k = block * width; k < (block + 1) * width; ++k)
                    b[std::size_t(column * depth + k)] *= by;
            }
        }
        std::string text = "mma.sync.aligned." + std::string(isFour ? "m16n8k64" : "m16n8k32") +
                           ".row.col.kind::" + kind.toStdString();
        if (scales != 0)
            text += ".block_scale.scale_vec::" + std::to_string(scales) + "X";
        text += ".f32." + typeA.toStdString() + "." + typeB.toStdString() + ".f32";
        text += scales == 0 ? "" : isFine ? ".ue4m3" : ".ue8m0";
        text += " " + registers(100, 4) + ", " + registers(10, 4) + ", " + registers(14, 2) + ", " + registers(16, 4);
        if (scales != 0)
            text += ", %r20, {" + std::to_string(byteA) + ", " + std::to_string(threadA) + "}, %r21, {" +
                    std::to_string(byteB) + ", " + std::to_string(threadB) + "}";
        Lab lab({}, {}, 120);
        QVERIFY2(lab.load(fragments(kWords, 4, text)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(32 * 4));
        QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out}), lab.why());
        const auto got = lab.get<float>(out, 32 * 4);
        for (int lane = 0; lane < 32; ++lane) {
            for (int index = 0; index < 4; ++index) {
                const int rowD = lane / 4 + index / 2 * 8, column = lane % 4 * 2 + index % 2;
                double sum = c[std::size_t(rowD * 8 + column)];
                for (int k = 0; k < depth; ++k)
                    sum += a[std::size_t(rowD * depth + k)] * b[std::size_t(column * depth + k)];
                QCOMPARE(double(float(sum)), sum); // the test's own numbers
                QCOMPARE(double(got[std::size_t(lane * 4 + index)]), sum);
            }
        }
        Lab hopper; // other chips have no such product
        QVERIFY(!hopper.load(fragments(kWords, 4, text)));
        QVERIFY2(hopper.why().contains("needs compute capability"), hopper.why());
    }

    void scaledProductsThatDoNotExist()
    {
        const std::string operands = " " + registers(100, 4) + ", " + registers(10, 4) + ", " + registers(14, 2) +
                                     ", " + registers(16, 4) + ", %r20, ";
        for (const auto& [form, rest] : std::vector<std::pair<std::string, std::string>>{
                 {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::2X.f32.e4m3.e4m3.f32.ue8m0",
                  "{0, 0}, %r21, {0, 0}"},
                 {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue4m3",
                  "{0, 0}, %r21, {0, 0}"},
                 {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f16.e4m3.e4m3.f16.ue8m0",
                  "{0, 0}, %r21, {0, 0}"},
                 {"m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m3.f32.ue8m0",
                  "{0, 0}, %r21, {0, 0}"},
                 {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
                  "{4, 0}, %r21, {0, 0}"},
                 {"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
                  "{0, 2}, %r21, {0, 0}"},
                 {"m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
                  "{1, 0}, %r21, {0, 0}"},
                 {"m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
                  "{0, 0}, %r21, {0, 4}"}}) {
            Lab lab({}, {}, 120);
            QVERIFY2(!lab.load(fragments(12, 4, "mma.sync.aligned." + form + operands + rest)), form.c_str());
        }
    }

    /// Two floats of 4, 6 or 8 bits to packed halves, each lane another pair; all of them are exact.
    void smallFloatsToHalves_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<bool>("bfloat");
        for (const char* type : {"e2m1", "e2m3", "e3m2", "e4m3", "e5m2"})
            for (const bool bfloat : {false, true})
                if (bfloat || type[1] < '4') // the others are old
                    QTest::addRow("%s to %s", type, bfloat ? "bf16" : "f16") << QByteArray(type) << bfloat;
    }
    void smallFloatsToHalves()
    {
        QFETCH(QByteArray, type);
        QFETCH(bool, bfloat);
        const int exponentBits = type[1] - '0', fraction = type[3] - '0', bits = 1 + exponentBits + fraction;
        const bool isFour = bits == 4;
        Lab lab({}, {}, 120);
        QVERIFY2(lab.load(handWritten(std::string(isFour ? ".reg .b8 %small; cvt.u8.u32 %small, %r4;"
                                                         : ".reg .b16 %small; cvt.u16.u32 %small, %r4;")
                                          .insert(0, "mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd4, %rd0; "
                                                     "add.u64 %rd6, %rd4, %rd1; ld.global.u32 %r4, [%rd5];") +
                                      "cvt.rn." + (bfloat ? "bf16x2." : "f16x2.") + type.toStdString() +
                                      "x2 %r5, %small; st.global.u32 [%rd6], %r5;")),
                 lab.why());
        const u32 all = (1u << bits) - 1;
        std::vector<u32> in(256);
        for (u32 at = 0; at < 256; ++at) // every low one, another high one
            in[at] = (at & all) | (at * 7 + 3 & all) << (isFour ? 4 : 8);
        const DevicePtr out = lab.put(std::vector<u32>(256));
        QVERIFY2(lab.run("k", {2}, {128}, {lab.put(in), out, out}), lab.why());
        const auto got = lab.get<u32>(out, 256);
        const auto value = [&](u32 word) {
            const int field = int(word >> fraction) & ((1 << exponentBits) - 1), bias = (1 << (exponentBits - 1)) - 1;
            const int mantissa = int(word) & ((1 << fraction) - 1);
            double made = field == 0 ? std::ldexp(mantissa, 1 - bias - fraction)
                                     : std::ldexp((1 << fraction) + mantissa, field - bias - fraction);
            if (type == "e5m2" && field == 31)
                made = mantissa == 0 ? HUGE_VAL : NAN;
            if (type == "e4m3" && (word & 0x7f) == 0x7f)
                made = NAN;
            return std::copysign(made, (word >> (bits - 1) & 1) != 0 ? -1.0 : 1.0);
        };
        for (u32 at = 0; at < 256; ++at) {
            const double low = value(in[at] & all), high = value(in[at] >> (isFour ? 4 : 8));
            const auto half = [&](double one) {
                return std::isnan(one) ? 0x7fffu : u32(bfloat ? bfloatNearest(one) : halfNearest(one));
            };
            QCOMPARE(got[at], half(low) | half(high) << 16);
        }
    }

    void bytesOfRegistersMove()
    {
        Lab lab;
        QVERIFY2(lab.load(handWritten(".reg .b8 b<4>; mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd4, %rd0;\n"
                                      "add.u64 %rd6, %rd4, %rd1; ld.global.u32 %r4, [%rd5];\n"
                                      "mov.b32 {b0, b1, b2, b3}, %r4; mov.b32 %r5, {b3, b1, b0, b2};\n"
                                      "mov.b32 {b0, _, b1, _}, %r5; mov.b16 %rs1, {b1, b0}; mov.b16 {b2, b3}, %rs1;\n"
                                      "mov.b32 %r6, {b2, b3, b0, b1}; st.global.u32 [%rd6], %r6;")),
                 lab.why());
        std::vector<u32> in(32);
        for (u32 at = 0; at < 32; ++at)
            in[at] = 0x04030201u + at * 0x20100804u;
        const DevicePtr out = lab.put(std::vector<u32>(32));
        QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out, out}), lab.why());
        const auto got = lab.get<u32>(out, 32);
        for (u32 at = 0; at < 32; ++at) { // byte 3 of the word, then byte 0: {0, 3} and {3, 0}
            const u32 high = in[at] >> 24, low = in[at] & 0xff;
            QCOMPARE(got[at], low | high << 8 | high << 16 | low << 24);
        }
    }

    /// Products into tensor memory (compute capability 10.0): operands in shared memory in cores of 8 rows by 16 bytes,
    /// or A in tensor memory, results read back by the warps whose lanes they are in.
    void productsInTensorMemory_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<bool>("inMemory");
        QTest::addColumn<bool>("accumulates");
        QTest::addColumn<int>("signs"); // bit 0: A negated, bit 1: B
        QTest::newRow("128 rows") << 128 << false << false << 0;
        QTest::newRow("128 rows, twice") << 128 << false << true << 0;
        QTest::newRow("64 rows") << 64 << false << true << 1;
        QTest::newRow("A in tensor memory") << 128 << true << true << 2;
    }
    void productsInTensorMemory()
    {
        QFETCH(int, rows);
        QFETCH(bool, inMemory);
        QFETCH(bool, accumulates);
        QFETCH(int, signs);
        constexpr int kColumns = 32, kDepth = 16;
        Numbers numbers;
        std::vector<int> a(std::size_t(rows * kDepth)), b(std::size_t(kColumns * kDepth));
        std::vector<std::uint16_t> room(2560), plain(128 * kDepth);
        // Cores of A lie 128 bytes apart along k and 256 along rows, those of B behind them.
        const auto place = [](int outer, int k) {
            return std::size_t(outer / 8 * 128 + k / 8 * 64 + outer % 8 * 8 + k % 8);
        };
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < kDepth; ++k) {
                const int value = a[std::size_t(i * kDepth + k)] = numbers.next(4);
                room[place(i, k)] = std::uint16_t(encode(Element::F16, value));
                plain[std::size_t(i * kDepth + k)] = std::uint16_t(encode(Element::F16, value));
            }
        for (int i = 0; i < kColumns; ++i)
            for (int k = 0; k < kDepth; ++k)
                room[2048 + place(i, k)] =
                    std::uint16_t(encode(Element::F16, b[std::size_t(i * kDepth + k)] = numbers.next(4)));
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(inTensorMemory(rows, inMemory, accumulates, signs)), lab.why());
        const DevicePtr out = lab.put(std::vector<float>(128 * 32));
        QVERIFY2(lab.run("k", {2}, {128}, {lab.put(room), lab.put(plain), out}), lab.why());
        const auto got = lab.get<float>(out, 128 * 32);
        for (int i = 0; i < rows; ++i) {
            const int lane = rows == 64 ? i / 16 * 32 + i % 16 : i;
            for (int j = 0; j < kColumns; ++j) {
                int sum = 0;
                for (int k = 0; k < kDepth; ++k)
                    sum += a[std::size_t(i * kDepth + k)] * b[std::size_t(j * kDepth + k)];
                sum *= (accumulates ? 2 : 1) * (signs == 1 || signs == 2 ? -1 : 1);
                QCOMPARE(got[std::size_t(lane * 32 + j)], float(sum));
            }
            QVERIFY(rows == 128 || std::isnan(got[std::size_t((lane + 16) * 32)])); // lanes without a row
        }
        Lab hopper;
        QVERIFY(!hopper.load(inTensorMemory(rows, inMemory, accumulates, signs)));
    }

    void tensorMemoryThatIsMisused_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("says");
        const char* alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 64;\n"
                            "ld.shared.u32 %r9, [where];\n";
        const char* back = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 64;\n";
        const auto load = [](const char* at) {
            return QByteArray("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r4, %r5}, [") + at + "];\n";
        };
        QTest::newRow("before") << "mov.u32 %r9, 0;\n" + load("%r9") << QByteArray("columns 0 to 1, of which not all");
        QTest::newRow("beyond") << alloc + load("%r9+63") << QByteArray("columns 63 to 64, of which not all");
        QTest::newRow("after") << QByteArray(alloc) + back + load("%r9") << QByteArray("(none is)");
        QTest::newRow("lane") << alloc + load("%r9+2097152")
                              << QByteArray("warp 0 names lane 32; its lanes are 0 to 31");
        QTest::newRow("size") << QByteArray(alloc).replace("64", "48") << QByteArray("48 columns are asked for");
        QTest::newRow("all") << QByteArray(alloc) + QByteArray(alloc).replace("64", "512")
                             << QByteArray("wait for itself");
        QTest::newRow("twice") << QByteArray(alloc) + back + back << QByteArray("never allocated like that");
        QTest::newRow("part") << QByteArray(alloc) + QByteArray(back).replace("64", "32")
                              << QByteArray("never allocated like that");
        QTest::newRow("relinquished") << QByteArray("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n") +
                                             alloc
                                      << QByteArray("relinquished");
        QTest::newRow("product") << QByteArray(alloc) +
                                        "mov.u64 %rd4, 0; mov.u32 %r8, 0x08080010; setp.eq.u32 %p1, %r0, 99;\n"
                                        "tcgen05.mma.cta_group::1.kind::f16 [%r9+48], %rd4, %rd4, %r8, %p1;\n"
                                 << QByteArray("a product writes columns 48 to 79");
        QTest::newRow("shape") << QByteArray(alloc) +
                                      "mov.u64 %rd4, 0; mov.u32 %r8, 0x02080010; setp.eq.u32 %p1, %r0, 99;\n"
                                      "tcgen05.mma.cta_group::1.kind::f16 [%r9], %rd4, %rd4, %r8, %p1;\n"
                               << QByteArray("asks for 32 x 32");
        QTest::newRow("good") << QByteArray(alloc) + load("%r9") + back << QByteArray();
    }
    void tensorMemoryThatIsMisused()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, says);
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(handWritten(".shared .align 4 .b8 where[4];\n" + body.toStdString())), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(64));
        const bool ran = lab.run("k", {1}, {32}, {out, out, out});
        QVERIFY2(ran == says.isEmpty() && (ran || lab.why().contains(says)), lab.why());
    }

    /// tcgen05.ld.red: what the columns of each lane come to, beside what they hold.
    void loadsThatReduce_data()
    {
        QTest::addColumn<QByteArray>("form");
        for (const char* form : {"min.f32", "max.f32", "f32.min", "max.abs.f32", "min.abs.f32", "min.NaN.f32",
                                 "f32.max.abs.NaN", "min.u32", "u32.max", "min.s32", "s32.max"})
            for (const char* shape : {"32x32b", "16x32bx2"})
                QTest::addRow("%s.%s", shape, form) << QByteArray(shape) + ".x4." + form;
    }
    void loadsThatReduce()
    {
        QFETCH(QByteArray, form);
        const bool isSplit = form.startsWith("16"), isFloat = form.contains("f32"), isMost = form.contains("max");
        std::vector<u32> in(32 * 8);
        constexpr std::array<u32, 9> values{0x3f800000, 0xbf000000, 0x80000000, 0,         0x7fc00001,
                                            0xff800000, 0x42c80000, 0xc3480000, 0x7fffffff};
        for (std::size_t at = 0; at < in.size(); ++at)
            in[at] = values[at * 5 / 3 % values.size()];
        for (std::size_t at = 8 * 8; at < 9 * 8; ++at)
            in[at] = 0x7fc12345; // nothing but NaN
        const std::string words = registers(4, 8);
        std::string body = ".shared .align 4 .b8 where[4]; .reg .b32 %w<4>;\n"
                           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [where], 32; bar.sync 0;\n"
                           "ld.shared.u32 %r3, [where]; mul.wide.u32 %rd4, %r0, 32; add.u64 %rd4, %rd4, %rd0;\n"
                           "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd4];"
                           "ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%rd4+16];\n"
                           "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], " +
                           words + ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.red.sync.aligned." +
                           form.toStdString() + " {%r20, %r21, %r22, %r23}, " + (isMost ? "{%r24}" : "%r24") +
                           ", [%r3]" + (isSplit ? ", 4" : "") +
                           ";\ntcgen05.wait::ld.sync.aligned;\nmul.wide.u32 %rd5, %r0, 20; add.u64 %rd5, %rd5, %rd1;\n";
        for (int at = 0; at < 5; ++at)
            body += "st.global.u32 [%rd5+" + std::to_string(4 * at) + "], %r" + std::to_string(20 + at) + ";";
        body += "\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;";
        Lab lab({}, {}, 110);
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(32 * 5));
        QVERIFY2(lab.run("k", {1}, {32}, {lab.put(in), out, out}), lab.why());
        const auto got = lab.get<u32>(out, 32 * 5);
        for (u32 lane = 0; lane < 32; ++lane) {
            // The second half of the lanes of .16x32bx2 has rows 0 to 15 as well, of the columns behind.
            const u32 first = isSplit && lane >= 16 ? (lane - 16) * 8 + 4 : lane * 8;
            bool hasNan = false;
            std::vector<double> numbers;
            for (u32 column = 0; column < 4; ++column) {
                const u32 bits = in[first + column];
                QCOMPARE(got[lane * 5 + column], bits);
                const double value = isFloat                ? double(std::bit_cast<float>(bits))
                                     : form.contains("s32") ? double(std::int32_t(bits))
                                                            : double(bits);
                hasNan = hasNan || std::isnan(value);
                // A zero below zero is less than one above.
                const double shown = form.contains("abs") ? std::fabs(value) : value;
                if (!std::isnan(value))
                    numbers.push_back(shown == 0 && std::signbit(shown) ? -1e-300 : shown);
            }
            u32 expected = 0x7fffffff;
            if (!numbers.empty() && !(hasNan && form.contains("NaN"))) {
                const double best = isMost ? *std::max_element(numbers.begin(), numbers.end())
                                           : *std::min_element(numbers.begin(), numbers.end());
                expected = isFloat ? std::bit_cast<u32>(float(best)) : u32(std::int64_t(best));
            }
            QCOMPARE(got[lane * 5 + 4], expected);
        }
        Lab other({}, {}, 100);
        QVERIFY(!other.load(handWritten(body)));
        QVERIFY2(other.why().contains("10.3"), other.why());
    }
    void loadsThatCannotReduce()
    {
        for (const char* form : {"16x64b.x2.min.f32", "32x32b.x1.min.f32", "32x32b.x2.min.abs.u32", "32x32b.x2.add.f32",
                                 "32x32b.x2.pack::16b.min.f32"}) {
            Lab lab({}, {}, 110);
            const std::string values = QByteArray(form).contains("x1.") ? "{%r4}" : "{%r4, %r5}";
            QVERIFY2(!lab.load(handWritten("tcgen05.ld.red.sync.aligned." + std::string(form) + " " + values +
                                           ", %r6, [%r3];")),
                     form);
        }
    }

    void reductionsOfSingles_data()
    {
        QTest::addColumn<QByteArray>("form");
        QTest::addColumn<u32>("expected");
        QTest::newRow("min") << QByteArray("min") << 0xc1700000u;         // -15
        QTest::newRow("max") << QByteArray("max") << 0x41600000u;         // 14
        QTest::newRow("min.abs") << QByteArray("min.abs") << 0x3f800000u; // 1: lane 0 holds a NaN
        QTest::newRow("max.abs") << QByteArray("max.abs") << 0x41700000u;
        QTest::newRow("max.NaN") << QByteArray("max.NaN") << 0x7fffffffu;
        QTest::newRow("min.abs.NaN") << QByteArray("min.abs.NaN") << 0x7fffffffu;
    }
    void reductionsOfSingles()
    {
        QFETCH(QByteArray, form);
        QFETCH(u32, expected);
        Lab lab({}, {}, 100);
        QVERIFY2(lab.load(handWritten("mul.wide.u32 %rd4, %r0, 4; add.u64 %rd5, %rd4, %rd0; add.u64 %rd6, %rd4, %rd1;"
                                      "ld.global.f32 %f1, [%rd5]; redux.sync." +
                                      form.toStdString() + ".f32 %f2, %f1, 0x0000ffff; st.global.f32 [%rd6], %f2;")),
                 lab.why());
        std::vector<float> in(32);
        for (int lane = 0; lane < 32; ++lane)
            in[std::size_t(lane)] = lane % 2 == 0 ? float(lane) : -float(lane);
        in[0] = NAN;
        in[20] = 1000;
        const DevicePtr out = lab.put(std::vector<u32>(32));
        QVERIFY2(lab.run("k", {1}, {16}, {lab.put(in), out, out}), lab.why());
        QCOMPARE(lab.get<u32>(out, 32)[7], expected);
    }

    void texturesAreRefusedByName()
    {
        Lab lab;
        QVERIFY(!lab.load(handWritten("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd0, {%r0}];\n"
                                      "suld.b.1d.b32.trap {%r1}, [%rd0, {%r0}];")));
        QCOMPARE(lab.code(), std::string("unsupported-instruction"));
        QVERIFY2(lab.why().contains("tex.1d.v4.f32.s32") && lab.why().contains("suld") &&
                     lab.why().contains("ld.global"),
                 lab.why());
    }
};

QTEST_APPLESS_MAIN(TestSimtTensor)
#include "tst_simt_tensor.moc"
