// SPDX-License-Identifier: GPL-3.0-or-later
// wgmma against sums made on the host: every n, every type, A in registers and in shared memory, each canonical layout.
// Operands are small whole numbers, so that every way to add them gives the same bits.
#include "simt_lab.h"

#include "gpu/simt/lanes/small_float.h"
#include "gpu/simt/run/tensor_math.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kImageOfA = 8192, kImageOfB = 32768;
constexpr u32 kMetadata = 128 * 4; ///< behind the fragments, a word a thread

u32 encode(Element element, int value)
{
    constexpr std::array<u32, 4> e4m3{0x00, 0x38, 0x40, 0x44}, e5m2{0x00, 0x3c, 0x40, 0x42};
    const u32 sign = value < 0 ? 0x80u : 0u;
    switch (element) {
    case Element::F16:
        return halfNearest(double(value));
    case Element::BF16:
        return bfloatNearest(double(value));
    case Element::E4M3:
        return e4m3[std::size_t(std::abs(value))] | sign;
    case Element::E5M2:
        return e5m2[std::size_t(std::abs(value))] | sign;
    case Element::S8:
    case Element::U8:
        return u32(value) & 0xff;
    case Element::S32:
        return u32(value);
    default:
        return std::bit_cast<u32>(float(value));
    }
}

/// One operand in shared memory: `span` bytes of a row of the pattern (16: not swizzled), neighbours along k or along
/// the other side. Strides are those that pack it without gaps.
struct Layout {
    u32 span = 16;
    bool outerMajor = false;
    u32 rowBytes = 32; ///< of k, which not swizzled stands in columns of 16

    u64 leading() const { return span == 16 ? 128 : outerMajor ? 16 * span : 16; }
    u64 stride() const { return span == 16 ? 8 * rowBytes : 8 * span; }
    u64 descriptor() const
    {
        const u64 mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
        return (leading() >> 4) << 16 | (stride() >> 4) << 32 | mode << 62;
    }
    /// The canonical layouts of the PTX ISA, in bytes from a start that is a multiple of 1024.
    u32 place(u32 bytes, u32 outer, u32 k) const
    {
        u32 at = 0;
        if (!outerMajor && span == 16)
            at = outer / 8 * 8 * rowBytes + k * bytes / 16 * 128 + outer % 8 * 16 + k * bytes % 16;
        else if (!outerMajor)
            at = outer / 8 * 8 * span + outer % 8 * span + k * bytes;
        else if (span == 16)
            at = outer / 8 * 256 + outer % 8 * bytes + k / 8 * 128 + k % 8 * 16;
        else
            at = outer / (span / bytes) * 16 * span + outer % (span / bytes) * bytes + k / 8 * 8 * span + k % 8 * span;
        // Bits 4 to 6 change with bits 7 to 9, as far as the span goes.
        return at ^ ((at >> 7 & (span / 16 - 1)) << 4);
    }
};

struct Case {
    Element a = Element::F16, b = Element::F16, d = Element::F32;
    u32 n = 8;
    bool fromRegisters = false;
    Layout layoutA, layoutB;
    int scaleA = 1, scaleB = 1;
    bool keeps = true;   ///< scale-d
    bool sparse = false; ///< half of A is stored; 64 bytes of k
    u32 selector = 0;

    u32 storedK() const { return 256 / bitsOf(a); }
    u32 k() const { return storedK() * (sparse ? 2 : 1); }
};

const char* nameOf(Element element)
{
    constexpr std::array<const char*, 13> names{"f16", "bf16", "tf32", "f32",  "f64",  "s8", "u8",
                                                "s4",  "u4",   "b1",   "e4m3", "e5m2", "s32"};
    return names[std::size_t(element)];
}

std::string kernelOf(const Case& c)
{
    const u32 k = c.k(), results = c.d == Element::F16 ? c.n / 4 : c.n / 2;
    const auto hex = [](u64 value) {
        std::array<char, 24> text{};
        std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(value));
        return std::string(text.data());
    };
    std::string d, clear, store;
    for (u32 at = 0; at < results; ++at) {
        const std::string name = "%d" + std::to_string(at);
        d += (at == 0 ? "" : ", ") + name;
        clear += "mov.b32 " + name + ", " + std::to_string(c.d == Element::F16 ? 0x42004200u : encode(c.d, 3)) + ";\n";
        store += "st.global.b32 [%rd5+" + std::to_string(4 * at) + "], " + name + ";\n";
    }
    std::string tail = c.sparse ? ", %r8, " + std::to_string(c.selector) : "";
    tail += c.keeps ? ", 1" : ", 0";
    if (c.d != Element::S32)
        tail += ", " + std::to_string(c.scaleA) + ", " + std::to_string(c.scaleB);
    if (bitsOf(c.a) == 16)
        tail += (c.fromRegisters        ? ""
                 : c.layoutA.outerMajor ? ", 1"
                                        : ", 0") +
                std::string(c.layoutB.outerMajor ? ", 1" : ", 0");
    return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, .param "
           ".u64 pc)\n{ .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>; .reg .b32 %d<" +
           std::to_string(results) +
           ">;\n.shared .align 1024 .b8 s[40960]; .shared .align 8 .b64 bar;\n"
           "ld.param.u64 %rd0, [pa]; ld.param.u64 %rd1, [pb]; ld.param.u64 %rd2, [pc]; mov.u32 %r0, %tid.x;\n"
           "setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
           "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 40960;\n"
           "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd0], 40960, [bar];\n"
           "L: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra L;\n"
           "mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd3, %rd2; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd3];\n"
           "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd2; ld.global.u32 %r8, [%rd3+2048];\n"
           "mov.u32 %r1, s; and.b32 %r1, %r1, 0x3ffff; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd6, %r1;\n"
           "or.b64 %rd7, %rd6, " +
           hex(c.layoutA.descriptor()) + "; add.u64 %rd8, %rd6, " + std::to_string(kImageOfA / 16) +
           "; or.b64 %rd8, %rd8, " + hex(c.layoutB.descriptor()) + ";\n" + clear +
           "wgmma.fence.sync.aligned;\nwgmma.mma_async." + (c.sparse ? "sp." : "") + "sync.aligned.m64n" +
           std::to_string(c.n) + "k" + std::to_string(k) + "." + nameOf(c.d) + "." + nameOf(c.a) + "." + nameOf(c.b) +
           " {" + d + "}, " + (c.fromRegisters ? "{%r4,%r5,%r6,%r7}" : "%rd7") + ", %rd8" + tail +
           ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"
           "mul.wide.u32 %rd5, %r0, " +
           std::to_string(4 * results) + "; add.u64 %rd5, %rd5, %rd1;\n" + store + "ret; }";
}

} // namespace

class TestSimtWgmma : public QObject {
    Q_OBJECT

    /// A sparse A as it is meant, and the words of the 128 threads that tell so: the layouts of CUTLASS's
    /// mma_traits_sm90_gmma_sparse.hpp, written as where each chunk of four bits lies. Words that nobody reads differ.
    static std::vector<int> spread(const Case& c, const std::vector<int>& stored, u32* words)
    {
        const bool isBytes = bitsOf(c.a) == 8, isWords = bitsOf(c.a) == 32;
        const u32 chunk = isWords ? 2 : 4, chunks = c.k() / chunk, kept = isWords ? 1 : 2;
        constexpr std::array<std::array<u32, 2>, 6> pairs{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
        std::vector<int> a(64 * c.k());
        std::fill_n(words, 128, isBytes ? 0u : 0xeeeeeeeeu);
        for (u32 row = 0; row < 64; ++row) {
            for (u32 at = 0; at < chunks; ++at) {
                const auto& pair = pairs[(row * 5 + at * 7) % 6];
                const u32 second = (row + at) % 2; // of two words of tf32 one, as four half words
                const u32 bits = isWords ? (second ? 0xeu : 0x4u) : pair[0] | pair[1] << 2;
                for (u32 one = 0; one < kept; ++one)
                    a[row * c.k() + at * chunk + (isWords ? second : pair[one])] =
                        stored[row * c.storedK() + at * kept + one];
                const bool lower = row / 8 % 2 == 0;
                const u32 perLane = isBytes ? 8 : 4;
                const u32 lane = isBytes ? at / perLane * 2 + (lower ? 0 : 1) : c.selector * 2 + at / perLane;
                const u32 shift = at % perLane * 4 + (isBytes || lower ? 0 : 16);
                u32& word = words[row / 16 * 32 + row % 8 * 4 + lane];
                word = (word & ~(0xfu << shift)) | bits << shift;
            }
        }
        return a;
    }

    /// Empty, or what is wrong.
    static std::string wrong(const Case& c)
    {
        const u32 k = c.k(), storedK = c.storedK(), bytes = bitsOf(c.a) / 8, pack = 4 / bytes;
        const u32 results = c.d == Element::F16 ? c.n / 4 : c.n / 2;
        u32 state = 7 + c.n;
        const auto number = [&](Element element) {
            state = state * 1664525u + 1013904223u;
            return int(state >> 16) % 7 - (element == Element::U8 ? 0 : 3);
        };
        std::vector<int> stored(64 * storedK), b(c.n * k);
        for (int& value : stored)
            value = number(c.a);
        for (int& value : b)
            value = number(c.b);
        std::vector<std::uint8_t> image(kImageOfA + kImageOfB, 0x5a); // what must not be read
        std::vector<u32> fragments(kMetadata + 128, 0);
        std::vector<int> a = stored;
        if (c.sparse)
            a = spread(c, stored, &fragments[kMetadata]);
        for (u32 row = 0; row < 64; ++row) {
            for (u32 at = 0; at < storedK; ++at) {
                const u32 bits = encode(c.a, stored[row * storedK + at]);
                if (!c.fromRegisters)
                    std::memcpy(&image[c.layoutA.place(bytes, row, at)], &bits, bytes);
                const u32 lane = row / 16 * 32 + row % 8 * 4 + at / pack % 4;
                fragments[lane * 4 + at / (4 * pack) * 2 + row / 8 % 2] |= bits << (at % pack * 8 * bytes % 32);
            }
        }
        for (u32 column = 0; column < c.n; ++column) {
            for (u32 at = 0; at < k; ++at) {
                const u32 bits = encode(c.b, b[column * k + at]);
                std::memcpy(&image[kImageOfA + c.layoutB.place(bytes, column, at)], &bits, bytes);
            }
        }
        Lab lab;
        const DevicePtr out = lab.put(std::vector<u32>(128 * results));
        if (!lab.load(kernelOf(c)) || !lab.run("k", {1}, {128}, {lab.put(image), out, lab.put(fragments)}))
            return lab.why().toStdString();
        const auto got = lab.get<u32>(out, 128 * results);
        for (u32 thread = 0; thread < 128; ++thread) {
            for (u32 i = 0; i < c.n / 2; ++i) {
                const u32 row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
                const u32 column = i / 4 * 8 + thread % 4 * 2 + i % 2;
                int sum = 0;
                for (u32 at = 0; at < k; ++at)
                    sum += a[row * k + at] * b[column * k + at];
                sum = sum * c.scaleA * c.scaleB + (c.keeps ? 3 : 0);
                const bool half = c.d == Element::F16;
                const u32 word = got[thread * results + (half ? i / 2 : i)];
                const u32 value = half ? word >> (i % 2 * 16) & 0xffff : word;
                if (value != encode(c.d, sum))
                    return "row " + std::to_string(row) + ", column " + std::to_string(column) + ": " +
                           std::to_string(value) + " where " + std::to_string(sum) + " is right";
            }
        }
        return {};
    }

private Q_SLOTS:
    void everyWidth_data()
    {
        QTest::addColumn<u32>("n");
        for (u32 n = 8; n <= 256; n += 8)
            QTest::addRow("n = %u", n) << n;
    }
    void everyWidth()
    {
        QFETCH(u32, n);
        constexpr std::array<u32, 4> spans{16, 32, 64, 128};
        Case c;
        c.n = n;
        c.layoutA.span = spans[n / 8 % 4];
        c.layoutB.span = spans[n / 16 % 4];
        c.fromRegisters = n / 8 % 3 == 0;
        c.keeps = n % 24 != 0;
        c.scaleA = n % 16 == 0 ? -1 : 1;
        QCOMPARE(wrong(c), std::string());
    }

    void everyType_data()
    {
        QTest::addColumn<int>("a");
        QTest::addColumn<int>("b");
        QTest::addColumn<int>("d");
        using enum Element;
        const std::vector<std::array<Element, 3>> rows{{F16, F16, F32},   {F16, F16, F16},   {BF16, BF16, F32},
                                                       {TF32, TF32, F32}, {E4M3, E4M3, F32}, {E4M3, E5M2, F32},
                                                       {E5M2, E4M3, F16}, {E5M2, E5M2, F32}, {S8, S8, S32},
                                                       {S8, U8, S32},     {U8, S8, S32},     {U8, U8, S32}};
        for (const auto& [a, b, d] : rows)
            QTest::addRow("%s x %s in %s", nameOf(a), nameOf(b), nameOf(d)) << int(a) << int(b) << int(d);
    }
    void everyType()
    {
        QFETCH(int, a);
        QFETCH(int, b);
        QFETCH(int, d);
        for (const u32 span : {16u, 32u, 64u, 128u}) {
            for (const bool fromRegisters : {false, true}) {
                for (const u32 n : {8u, 72u, 256u}) {
                    Case c{Element(a), Element(b), Element(d), n, fromRegisters, {span, false}, {span, false}};
                    QCOMPARE(wrong(c), std::string());
                }
            }
        }
    }

    /// 16-bit operands may have their neighbours along m or n.
    void everyMajor()
    {
        for (const u32 span : {16u, 32u, 64u, 128u}) {
            for (const bool turnsA : {false, true}) {
                for (const bool turnsB : {false, true}) {
                    for (const Element element : {Element::F16, Element::BF16}) {
                        // n of whole patterns: a swizzled row of 128 bytes has 64 columns.
                        Case c{element, element, Element::F32, 128, false, {span, turnsA}, {span, turnsB}};
                        QCOMPARE(wrong(c), std::string());
                        if (turnsA)
                            continue;
                        c.fromRegisters = true;
                        QCOMPARE(wrong(c), std::string());
                    }
                }
            }
        }
    }

    /// Half of A is stored: every type, A in both places, either selector.
    void sparse_data() { everyType_data(); }
    void sparse()
    {
        QFETCH(int, a);
        QFETCH(int, b);
        QFETCH(int, d);
        for (const u32 span : {16u, 64u, 128u}) { // a row of B has 64 bytes
            for (const bool fromRegisters : {false, true}) {
                for (const u32 n : {8u, 72u, 256u}) {
                    Case c{Element(a), Element(b), Element(d), n, fromRegisters, {span, false}, {span, false}};
                    c.sparse = true;
                    c.layoutB.rowBytes = 64;
                    c.selector = bitsOf(c.a) == 8 ? 0 : n / 8 % 2;
                    c.scaleA = n == 72 && c.d != Element::S32 ? -1 : 1;
                    QCOMPARE(wrong(c), std::string());
                }
            }
        }
        const std::string text = [] {
            Case c;
            c.sparse = true;
            c.selector = 2;
            return kernelOf(c);
        }();
        Lab lab;
        QVERIFY(!lab.load(text));
        QVERIFY2(lab.why().contains("the sparsity selector is 0 or 1 here"), lab.why());
    }

    void signsAndOldSums()
    {
        for (const int scaleA : {1, -1}) {
            for (const int scaleB : {1, -1}) {
                for (const bool keeps : {true, false}) {
                    Case c;
                    c.scaleA = scaleA;
                    c.scaleB = scaleB;
                    c.keeps = keeps;
                    c.n = 40;
                    QCOMPARE(wrong(c), std::string());
                    c.a = c.b = Element::E5M2;
                    QCOMPARE(wrong(c), std::string());
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtWgmma)
#include "tst_simt_wgmma.moc"
