// SPDX-License-Identifier: GPL-3.0-or-later
// Video instructions in every form against an oracle that reads the instruction's text and computes with whole numbers
// from the PTX ISA's pseudo-code; and the sums that saturate.
#include "simt_lab.h"

#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
__extension__ typedef __int128 whole;

/// "vadd.s32.u32.s32.sat.min" and the selectors and signs of its operands.
struct Form {
    std::vector<std::string> words;
    std::array<std::string, 4> pick; ///< ".b0" of d, a, b
    std::array<bool, 4> minus{};
    bool hasThird = false;

    bool has(const std::string& word) const { return std::find(words.begin(), words.end(), word) != words.end(); }
    std::string text() const
    {
        std::string all;
        for (const std::string& word : words)
            all += (all.empty() ? "" : ".") + word;
        const std::array<const char*, 4> registers{"%r7", "%r4", "%r5", "%r6"};
        for (std::size_t at = 0; at < (hasThird ? 4u : 3u); ++at)
            all += std::string(at == 0 ? " " : ", ") + (minus[at] ? "-" : "") + registers[at] + pick[at];
        return all + ";";
    }
};

/// 2 to the power of `bits`.
whole power(int bits)
{
    return whole{1} << bits;
}

whole modulo(whole value, int bits)
{
    return ((value % power(bits)) + power(bits)) % power(bits);
}

/// The number that `bits` bits from `from` on stand for.
whole field(u32 word, int from, int bits, bool isSigned)
{
    const whole plain = modulo(word / power(from), bits);
    return isSigned && plain >= power(bits - 1) ? plain - power(bits) : plain;
}

whole part(u32 word, const std::string& pick, bool isSigned)
{
    if (pick.empty())
        return field(word, 0, 32, isSigned);
    const int bits = pick[1] == 'b' ? 8 : 16;
    return field(word, (pick[2] - '0') * bits, bits, isSigned);
}

whole clampTo(whole value, int bits, bool isSigned)
{
    const whole least = isSigned ? -power(bits - 1) : 0, most = least + power(bits) - 1;
    return value < least ? least : value > most ? most : value;
}

bool compared(const Form& form, whole a, whole b)
{
    return form.has("eq")   ? a == b
           : form.has("ne") ? a != b
           : form.has("lt") ? a < b
           : form.has("le") ? a <= b
           : form.has("gt") ? a > b
                            : a >= b;
}

whole operate(const Form& form, const std::string& name, whole a, whole b)
{
    if (name == "vadd")
        return a + b;
    if (name == "vsub")
        return a - b;
    if (name == "vabsdiff")
        return a < b ? b - a : a - b;
    if (name == "vmin")
        return a < b ? a : b;
    if (name == "vmax")
        return a < b ? b : a;
    if (name == "vset")
        return compared(form, a, b) ? 1 : 0;
    if (name == "vavrg") {
        const whole sum = a + b;
        const whole up = sum >= 0 ? sum + 1 : sum;
        return (up - modulo(up, 1)) / 2; // rounds down
    }
    const int by = static_cast<int>(form.has("wrap") ? modulo(b, 5) : b > 32 ? whole{32} : b);
    if (name == "vshr")
        return (a - modulo(a, by)) / power(by);
    const whole shifted = modulo(a * power(by), 34); // an intermediate result has 34 bits
    return shifted >= power(33) ? shifted - power(34) : shifted;
}

u32 multiplied(const Form& form, u32 x, u32 y, u32 z)
{
    const bool signedA = form.words[2] == "s32", signedB = form.words[3] == "s32";
    const bool negate = form.minus[1] != form.minus[2];
    const bool isSigned = signedA || signedB || negate || form.minus[3];
    const whole product = part(x, form.pick[1], signedA) * part(y, form.pick[2], signedB);
    // -v is ~v + 1, of the product in 128 bits, of c in 32.
    const u32 third = form.minus[3] ? ~z : z;
    whole sum = (negate ? -product - 1 : product) + field(third, 0, 32, isSigned);
    sum += negate || form.minus[3] || form.has("po") ? 1 : 0;
    const int scale = form.has("shr7") ? 7 : form.has("shr15") ? 15 : 0;
    whole result = (sum - modulo(sum, scale)) / power(scale);
    if (form.has("sat"))
        result = clampTo(result, 32, isSigned);
    return static_cast<u32>(modulo(result, 32));
}

u32 elementwise(const Form& form, int count, u32 x, u32 y, u32 z)
{
    const int bits = 32 / count;
    const std::string name = form.words[0].substr(0, form.words[0].size() - 1);
    const bool isSet = name == "vset";
    const bool signedD = !isSet && form.words[1] == "s32";
    const bool signedA = form.words[isSet ? 1 : 2] == "s32", signedB = form.words[isSet ? 2 : 3] == "s32";
    whole total = z, merged = 0;
    for (int at = 0; at < count; ++at) {
        const auto element = [&](const std::string& pick, int first, bool isSigned) {
            const int chosen = pick.empty() ? first + at : pick[pick.size() - 1 - static_cast<std::size_t>(at)] - '0';
            return field(chosen < count ? x : y, chosen % count * bits, bits, isSigned);
        };
        const bool isComputed =
            form.pick[0].empty() || form.pick[0].find(static_cast<char>('0' + at)) != std::string::npos;
        whole result = operate(form, name, element(form.pick[1], 0, signedA), element(form.pick[2], count, signedB));
        if (form.has("sat"))
            result = clampTo(result, bits, signedD);
        total += isComputed ? result : 0;
        merged += modulo(isComputed ? result : field(z, at * bits, bits, false), bits) * power(at * bits);
    }
    return static_cast<u32>(modulo(form.has("add") ? total : merged, 32));
}

u32 expected(const Form& form, u32 x, u32 y, u32 z)
{
    const std::string& name = form.words[0];
    if (name == "vmad")
        return multiplied(form, x, y, z);
    if (name.back() == '2' || name.back() == '4')
        return elementwise(form, name.back() - '0', x, y, z);
    const bool isSet = name == "vset";
    const bool signedD = !isSet && form.words[1] == "s32";
    const bool signedA = form.words[isSet ? 1 : 2] == "s32", signedB = form.words[isSet ? 2 : 3] == "s32";
    const std::string& to = form.pick[0];
    const int bits = to.empty() ? 32 : to[1] == 'b' ? 8 : 16;
    whole result = operate(form, name, part(x, form.pick[1], signedA), part(y, form.pick[2], signedB));
    if (form.has("sat"))
        result = clampTo(result, bits, signedD);
    const whole third = field(z, 0, 32, signedD);
    if (!to.empty()) {
        const int from = (to[2] - '0') * bits;
        return static_cast<u32>(z - field(z, from, bits, false) * power(from) + modulo(result, bits) * power(from));
    }
    if (form.has("add"))
        result += third;
    else if (form.has("min"))
        result = std::min(result, third);
    else if (form.has("max"))
        result = std::max(result, third);
    return static_cast<u32>(modulo(result, 32));
}

struct Dice {
    std::mt19937 random{20261123};
    std::size_t below(std::size_t count) { return random() % count; }
    std::string one(const std::vector<std::string>& of) { return of[below(of.size())]; }
    std::string type() { return one({"u32", "s32"}); }
    /// Words whose halves and bytes are often extreme.
    u32 word()
    {
        constexpr std::array<u32, 9> edges{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0xfffe};
        const u32 r = static_cast<u32>(random());
        switch (below(4)) {
        case 0:
            return r;
        case 1:
            return edges[r % 9] << 16 | edges[r / 9 % 9];
        case 2:
            return r % 40;
        default:
            return std::array<u32, 5>{0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 33}[r % 5];
        }
    }
};

Form scalarForm(Dice& dice, const std::string& name)
{
    const std::vector<std::string> parts{"", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    const bool isShift = name == "vshl" || name == "vshr";
    Form form;
    form.words = {name};
    if (name != "vset")
        form.words.push_back(dice.type());
    form.words.push_back(dice.type());
    form.words.push_back(isShift ? "u32" : dice.type());
    if (name == "vset")
        form.words.push_back(dice.one({"eq", "ne", "lt", "le", "gt", "ge"}));
    else if (dice.below(2) == 0)
        form.words.push_back("sat");
    if (isShift)
        form.words.push_back(dice.one({"clamp", "wrap"}));
    form.pick = {"", dice.one(parts), dice.one(parts), ""};
    const std::size_t third = dice.below(3);
    form.hasThird = third != 0;
    if (third == 1)
        form.words.push_back(dice.one({"add", "min", "max"}));
    else if (third == 2)
        form.pick[0] = parts[2 + dice.below(6)];
    return form;
}

Form productForm(Dice& dice)
{
    const std::vector<std::string> parts{"", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    Form form;
    form.words = {"vmad", "s32", dice.type(), dice.type()};
    form.hasThird = true;
    form.pick = {"", dice.one(parts), dice.one(parts), ""};
    const std::size_t sign = dice.below(6); // none, +1, -a, -b, both, -c
    if (sign == 1)
        form.words.push_back("po");
    form.minus = {false, sign == 2 || sign == 4, sign == 3 || sign == 4, sign == 5};
    if (dice.below(2) == 0)
        form.words.push_back("sat");
    if (const std::string scale = dice.one({"", "shr7", "shr15"}); !scale.empty())
        form.words.push_back(scale);
    const bool isSigned =
        form.words[2] == "s32" || form.words[3] == "s32" || form.minus[1] != form.minus[2] || sign == 5;
    form.words[1] = isSigned ? "s32" : "u32";
    return form;
}

Form elementForm(Dice& dice, const std::string& name)
{
    const bool isSet = name.substr(0, 4) == "vset";
    const std::size_t count = name.back() == '2' ? 2 : 4;
    const std::string letter = count == 2 ? ".h" : ".b";
    Form form;
    form.words = {name};
    for (int type = isSet ? 1 : 0; type < 3; ++type)
        form.words.push_back(dice.type());
    if (isSet)
        form.words.push_back(dice.one({"eq", "ne", "lt", "le", "gt", "ge"}));
    const std::size_t second = dice.below(3);
    if (second == 1)
        form.words.push_back("add");
    else if (second == 2 && !isSet)
        form.words.push_back("sat");
    form.hasThird = true;
    for (const std::size_t at : {1u, 2u}) {
        if (dice.below(3) == 0)
            continue;
        form.pick[at] = letter;
        for (std::size_t digit = 0; digit < count; ++digit)
            form.pick[at] += static_cast<char>('0' + dice.below(2 * count));
    }
    if (dice.below(2) == 0) {
        form.pick[0] = letter;
        const std::size_t mask = 1 + dice.below((1u << count) - 1);
        for (std::size_t digit = count; digit-- > 0;)
            form.pick[0] += (mask >> digit & 1) != 0 ? std::string(1, static_cast<char>('0' + digit)) : "";
    }
    return form;
}

constexpr u32 kThreads = 256;

} // namespace

class TestSimtVideo : public QObject {
    Q_OBJECT

private:
    std::vector<u32> m_in;

    /// One kernel with all forms, each on 256 threads' operands.
    void compare(const std::vector<Form>& forms)
    {
        std::string body = "shl.b32 %r1, %r0, 2; cvt.u64.u32 %rd4, %r1; add.u64 %rd5, %rd0, %rd4; add.u64 %rd6, %rd1, "
                           "%rd4; ld.global.u32 %r4, [%rd5]; ld.global.u32 %r5, [%rd5+1024]; ld.global.u32 %r6, "
                           "[%rd5+2048];\n";
        for (std::size_t at = 0; at < forms.size(); ++at)
            body += forms[at].text() + " st.global.u32 [%rd6+" + std::to_string(at * kThreads * 4) + "], %r7;\n";
        Lab lab;
        QVERIFY2(lab.load(handWritten(body)), lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(forms.size() * kThreads));
        QVERIFY2(lab.run("k", {1}, {kThreads}, {lab.put(m_in), out, out}), lab.why());
        const auto got = lab.get<u32>(out, forms.size() * kThreads);
        for (std::size_t at = 0; at < got.size(); ++at) {
            const Form& form = forms[at / kThreads];
            const u32 x = m_in[at % kThreads], y = m_in[kThreads + at % kThreads],
                      z = m_in[2 * kThreads + at % kThreads];
            const u32 want = expected(form, x, y, z);
            QVERIFY2(got[at] == want, qPrintable(QStringLiteral("%1 a %2 b %3 c %4: got %5, expected %6")
                                                     .arg(QString::fromStdString(form.text()))
                                                     .arg(x, 0, 16)
                                                     .arg(y, 0, 16)
                                                     .arg(z, 0, 16)
                                                     .arg(got[at], 0, 16)
                                                     .arg(want, 0, 16)));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        Dice dice;
        for (u32 at = 0; at < 3 * kThreads; ++at)
            m_in.push_back(dice.word());
    }

    void everyForm_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"vadd",  "vsub",  "vabsdiff", "vmin",   "vmax",      "vshl",  "vshr",     "vset",
                                 "vmad",  "vadd2", "vsub2",    "vavrg2", "vabsdiff2", "vmin2", "vmax2",    "vset2",
                                 "vadd4", "vsub4", "vavrg4",   "vmin4",  "vmax4",     "vset4", "vabsdiff4"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }

    void everyForm()
    {
        QFETCH(QString, name);
        const std::string opcode = name.toStdString();
        Dice dice;
        std::vector<Form> forms;
        for (int at = 0; at < 150; ++at)
            forms.push_back(opcode == "vmad"                               ? productForm(dice)
                            : opcode.back() == '2' || opcode.back() == '4' ? elementForm(dice, opcode)
                                                                           : scalarForm(dice, opcode));
        compare(forms);
    }

    /// By hand from the ISA, so that no mistake can stand on both sides.
    void byHand()
    {
        const std::vector<std::pair<const char*, u32>> rows{
            {"vadd.u32.u32.u32.sat %r7.b1, 0x000000f0, 0x000000f0, 0x11223344;", 0x1122ff44},
            {"mov.u32 %r4, 0x0000ff80; vadd.s32.s32.u32 %r7, %r4.b0, %r4.b1;", 127},
            {"vsub.s32.u32.u32.sat.max %r7, 1, 2, -5;", 0xffffffff},
            {"vabsdiff.u32.s32.s32.add %r7, -3, 4, 100;", 107},
            {"vset.u32.s32.gt.add %r7, 1, -1, 41;", 42},
            {"vshl.u32.u32.u32.clamp.sat %r7, 3, 31;", 0xffffffff},
            {"vshr.s32.s32.u32.wrap %r7, -64, 35;", 0xfffffff8},
            {"mov.u32 %r4, 7; mov.u32 %r5, 9; mov.u32 %r6, 3; vmad.s32.u32.u32 %r7, %r4, %r5, -%r6;", 60},
            {"mov.u32 %r4, 7; mov.u32 %r5, 9; mov.u32 %r6, 3; vmad.s32.u32.u32 %r7, -%r4, %r5, %r6;", 0u - 60},
            {"mov.u32 %r4, 7; vmad.u32.u32.u32.po.shr7 %r7, %r4, 64, 63;", 4},
            {"vavrg4.u32.u32.u32 %r7, 0x01020304, 0x02020406, 0;", 0x02020405},
            {"mov.u32 %r4, 0x03020100; mov.u32 %r5, 0x07060504; vmax4.u32.u32.u32 %r7.b20, %r4.b0123, %r5.b7654, "
             "0xaabbccdd;",
             0xaa06cc04},
            {"add.sat.s32 %r7, 0x7fffffff, 1;", 0x7fffffff},
            {"sub.sat.s32 %r7, 0x80000000, 1;", 0x80000000},
            {"mad.hi.sat.s32 %r7, 0x40000000, 0x40000000, 0x7fffff00;", 0x7fffffff},
        };
        for (const auto& [text, want] : rows) {
            Lab lab;
            const DevicePtr out = lab.put(std::vector<u32>(1));
            QVERIFY2(lab.load(handWritten(std::string(text) + " st.global.u32 [%rd1], %r7;")), lab.why());
            QVERIFY2(lab.run("k", {1}, {1}, {out, out, out}), lab.why());
            const u32 got = lab.get<u32>(out, 1)[0];
            QVERIFY2(got == want, qPrintable(QStringLiteral("%1: got %2").arg(QLatin1String(text)).arg(got, 0, 16)));
        }
    }

    void whatIsNoVideoInstructionIsRefused()
    {
        for (const char* text :
             {"vadd.u32.u32.u32 %r4, %r5, %r6, %r7;", "vadd.u32.u32.u32 %r4.b4, %r5, %r6, %r7;",
              "vadd.u32.u32.u32 %r4, -%r5, %r6;", "vmad.s32.u32.u32 %r4, -%r5, %r6, -%r7;",
              "vmad.u32.u32.u32.po %r4, -%r5, %r6, %r7;", "vadd4.u32.u32.u32 %r4.b01, %r5, %r6, %r7;",
              "vadd2.u32.u32.u32 %r4, %r5.h40, %r6, %r7;", "vmin4.u32.u32.u32 %r4, %r5.b10, %r6, %r7;",
              "vadd.u32.u32.u32.min %r4.b0, %r5, %r6, %r7;", "add.u32 %r4, -%r5, %r6;",
              "selp.u32 %r4, %r5, %r6, -%p1;"}) {
            Lab lab;
            QVERIFY2(!lab.load(handWritten(text)), text);
            QVERIFY2(lab.code() == "bad-ptx", lab.why());
        }
        for (const char* text :
             {"vadd.f32.u32.u32 %r4, %r5, %r6;", "vshl.u32.u32.s32.clamp %r4, %r5, %r6;",
              "vshl.u32.u32.u32 %r4, %r5, %r6;", "vset.u32.u32 %r4, %r5, %r6;",
              "vadd4.u32.u32.u32.sat.add %r4, %r5, %r6, %r7;", "vadd.u32.u32.u32.xor %r4, %r5, %r6;"}) {
            Lab lab;
            QVERIFY2(!lab.load(handWritten(text)), text);
            QVERIFY2(lab.code() == "unsupported-instruction", lab.why());
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtVideo)
#include "tst_simt_video.moc"
