// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bfloat16.h"
#include "base/paths.h"
#include "base/plain_file.h"
#include "base/seed.h"
#include "tile_program/tile_cuda.h"
#include "tile_program/tile_interpret.h"
#include "tile_program/tile_math.h"

#include <QtTest>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <limits>

using namespace ridge;
using namespace ridge::tile;

namespace {

/// A program over x and y of n floats, with `lines` as its statements.
std::string over(const std::string& lines, const std::string& grid = "1")
{
    std::string text = "program p(x: f32[n], y: f32[n], n: int, BLOCK: const)\n    grid " + grid + "\n";
    for (std::size_t at = 0; at < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', at), lines.size());
        text += "    " + lines.substr(at, end - at) + "\n";
        at = end + 1;
    }
    return text;
}

Result<CheckedProgram> checkedText(const std::string& text, std::int64_t block)
{
    const auto syntax = parseProgram(text, "p.tile");
    if (!syntax)
        return syntax.error();
    return checkProgram(*syntax, {{"BLOCK", block}});
}

struct Done {
    std::vector<float> y;
    TileCounts counts;
};

/// Runs a program over x.
Result<Done> ran(const std::string& text, std::vector<float> x, std::int64_t block, InterpretOptions options = {})
{
    const auto program = checkedText(text, block);
    if (!program)
        return program.error();
    TileArguments arguments;
    arguments.ints["n"] = std::ssize(x);
    arguments.buffers.resize(4);
    arguments.buffers[1].values.assign(x.size(), 0.0f);
    arguments.buffers[0].values = std::move(x);
    const auto counts = interpret(*program, arguments, options);
    if (!counts)
        return counts.error();
    return Done{arguments.buffers[1].values, *counts};
}

std::vector<float> ramp(std::size_t n)
{
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = static_cast<float>(i + 1);
    return values;
}

/// The error that a program of these lines has, before or while it runs over eight numbers.
Error errorOf(const std::string& text, std::int64_t block = 8)
{
    const auto done = ran(text, ramp(8), block);
    if (done)
        qFatal("no error: %s", text.c_str());
    return done.error();
}

const std::string kCopy = "o = program_id(0) * BLOCK + arange(BLOCK)\n"
                          "store(y + o, load(x + o, mask=o < n, other=0), mask=o < n)";

} // namespace

class TestTileProgram : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void errorsNamePlaceAndFix_data();
    void errorsNamePlaceAndFix();
    void copiesRaggedSizes();
    void sumsInHalves();
    void broadcastsAndReducesTwoAxes();
    void multipliesMatrices();
    void carriesValuesThroughLoops();
    void laneMayStoreAgain();
    void readsTheMarkOfUtf8();
    void namesStayApart();
    void maskedLanesGetOther();
    void watchesWhatIsTouched();
    void endsEndlessLoops();
    void runsChosenInstances();
    void exponentialIsNear();
    void extremesAndConversions();
    void everyShippedProgramIsRight();
    void generatorRefuses();
    void generatedTextFollowsTheWarps();
    void longExpressionsStaySmall();
    void countsLines();
};

void TestTileProgram::errorsNamePlaceAndFix_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("fix"); // part of it
    const auto row = [](const char* name, const std::string& text, const char* code, const char* place,
                        const char* fix) {
        QTest::newRow(name) << QString::fromStdString(text) << code << place << fix;
    };
    row("empty", "", "syntax", "p.tile:1:1", "begin with: program");
    row("no grid", "program p(n: int)\n    a = 1\n", "syntax", "p.tile:2:5", "grid cdiv");
    row("no body", "program p(n: int)\n    grid 1\n", "syntax", "p.tile:3:1", "below the grid");
    row("pointer without length", "program p(x: f32, n: int)\n    grid 1\n", "syntax", "p.tile:1:17", "f32[n]");
    row("two lengths", "program p(x: f32[n, 4], n: int)\n    grid 1\n", "syntax", "p.tile:1:19", "f32[rows * columns]");
    row("ptr", "program p(x: ptr)\n    grid 1\n", "syntax", "p.tile:1:14", "f32[n]");
    row("open", over("a = (1 + 2"), "syntax", "p.tile:4:1", ")");
    row("if", over("if n > 1:\n    a = 1"), "syntax", "p.tile:3:5", "where");
    row("and", over("m = n > 1 and n < 3"), "syntax", "p.tile:3:15", "&");
    row("chain", over("m = 1 < n < 3"), "syntax", "p.tile:3:15", "(a < b) & (b < c)");
    row("element", over("v = x[3]"), "syntax", "p.tile:3:10", "x[:, None]");
    row("tab", "program p(n: int)\n\tgrid 1\n", "syntax", "p.tile:2:1", "blanks");
    row("power", over("a = n ** 2"), "syntax", "p.tile:3:11", "x * x");
    row("two statements", over("a = 1; b = 2"), "syntax", "p.tile:3:10", "one statement a line");
    row("unused", over("load(x)"), "syntax", "p.tile:3:5", "assign it");
    row("block of a block", over("a = 1\n    b = 2"), "syntax", "p.tile:4:9", "line it up");
    row("no power of two", over("o = arange(24)"), "not-a-power-of-two", "p.tile:3:16", "take 32 and mask");
    row("unknown name", over("a = nn"), "unknown-name", "p.tile:3:9", "did you mean n?");
    row("unknown function", over("a = expp(1.0)"), "unknown-name", "p.tile:3:9", "did you mean exp?");
    row("gone", over("for i in range(3):\n    a = 1\nb = a"), "unknown-name", "p.tile:5:9", "before the loop");
    row("no other", over("v = load(x + arange(8), mask=arange(8) < n)"), "type", "p.tile:3:9", "other=0");
    row("shapes", over("a = arange(8) + arange(16)"), "shape", "p.tile:3:19", "equal");
    row("axes", over("a = zeros(8, 8) + zeros(8)"), "shape", "p.tile:3:21", "x[:, None]");
    row("mask precedence", over("m = arange(8) < n & n"), "type", "p.tile:3:23", "(a < b) & (c < d)");
    row("mask as number", over("a = (arange(8) < n) + 1"), "type", "p.tile:3:25", "where(mask, 1, 0)");
    row("pointer as number", over("a = exp(x)"), "type", "p.tile:3:13", "load()");
    row("float offset", over("a = load(x + 0.5)"), "type", "p.tile:3:16", "int(x)");
    row("max of two", over("a = max(arange(8), arange(8))"), "type", "p.tile:3:9", "maximum(a, b)");
    row("no axis", over("a = sum(zeros(8, 8))"), "shape", "p.tile:3:9", "axis=1");
    row("dot", over("a = dot(zeros(8, 4), zeros(8, 4))"), "shape", "p.tile:3:9", "[m, k] and [k, n]");
    row("runtime block", over("o = arange(n)"), "type", "p.tile:3:16", "type const");
    row("type in loop", over("a = 0\nfor i in range(3):\n    a = zeros(8)"), "type", "p.tile:5:9", "before the loop");
    row("loop's variable", over("for i in range(3):\n    i = 2"), "type", "p.tile:4:9", "another name");
    row("step zero", over("for i in range(0, n, 0):\n    a = 1"), "type", "p.tile:3:26", "step of 1");
    row("parameter assigned", over("n = 3"), "unknown-name", "p.tile:3:5", "another name");
    row("axis of grid", over("a = program_id(1)"), "type", "p.tile:3:9", "it has 1");
    row("argument", over("v = load(x, msk=n > 1)"), "type", "p.tile:3:23", "load(address, mask");
    row("assertion", over("assert n > 9, \"enough\""), "assertion", "p.tile:3:5", "sizes");
    row("division", over("a = n // (n - 8)\nstore(y + a, 1)"), "division-by-zero", "p.tile:3:11", "above 0");
    row("overflow", over("a = 2147483647 + n\nstore(y + a, 1)"), "overflow", "p.tile:3:20", "smaller sizes");
    row("load behind the end", over("v = load(x + arange(16))\nstore(y, sum(v))"), "out-of-range", "p.tile:3:9",
        "mask=offsets < n, other=0");
    row("store before the beginning", over("store(y - 1, 2)"), "out-of-range", "p.tile:3:5", "mask");
    row("race", over("store(y, 1)", "2"), "race", "p.tile:3:5", "any order");
    row("reads another's", over("o = program_id(0)\nstore(y + o, load(y + (o + 7) % 8))", "8"), "race", "p.tile:4:18",
        "any order");
    row("two lanes, one element", over("store(y + arange(8) // 2, arange(8))"), "race", "p.tile:3:5", "of its own");
    row("two lanes, loaded too", over("o = arange(4)\nstore(y + o // 2, load(y + o) + o)"), "race", "p.tile:4:5",
        "of its own");
    row("another lane stores again", over("o = arange(8)\nstore(y + o, o)\nstore(y + 7 - o, o)"), "race", "p.tile:5:5",
        "from the same lane");
    row("another lane in a loop", over("o = arange(8)\nfor i in range(2):\n    store(y + (o + i) % 8, o)"), "race",
        "p.tile:5:9", "from the same lane");
    row("wide by broadcasting",
        over("a = arange(2048)[:, None] + arange(1024)[None, :]\nstore(y, sum(sum(a, axis=1)))"), "shape",
        "p.tile:3:31", "1048576");
    row("loop to the last int", over("for i in range(0, 2147483647, 1073741824):\n    a = i\nstore(y, 1)"), "overflow",
        "p.tile:3:5", "smaller sizes");
    row("letter", over("\u00e9 = 1"), "syntax", "p.tile:3:5", "take it out");
    row("store assigned", over("store = 2"), "syntax", "p.tile:3:5", "store(address, value");
    row("float without default", "program p(x: f32[n], y: f32[n], n: int, a: float)\n    grid 1\n    store(y, a)\n",
        "missing-argument", "p.tile:1:41", "a: float = 1.0");
    row("missing constant", "program p(x: f32[4], y: f32[4], B: const)\n    grid 1\n    a = 1\n", "missing-constant",
        "p.tile:1:33", "default");
    row("no instance", over("a = 1", "n - 8"), "bad-size", "p.tile:2:12", "1 or more");
}

void TestTileProgram::errorsNamePlaceAndFix()
{
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(QString, place);
    QFETCH(QString, fix);
    const Error error = errorOf(text.toStdString());
    const QByteArray all = QByteArray::fromStdString(error.code + " | " + toText(error));
    QVERIFY2(QString::fromStdString(error.code) == code, all.constData());
    QVERIFY2(QString::fromStdString(error.place) == place, all.constData());
    QVERIFY2(QString::fromStdString(error.fix).contains(fix), all.constData());
}

void TestTileProgram::copiesRaggedSizes()
{
    for (const std::size_t n : {1, 7, 8, 9, 1000, 1024})
        for (const std::int64_t block : {1, 8, 64, 2048}) {
            const auto done = ran(over(kCopy, "cdiv(n, BLOCK)"), ramp(n), block);
            QVERIFY2(done.ok(), done ? "" : toText(done.error()).c_str());
            QVERIFY(done->y == ramp(n));
            const auto blocks = (static_cast<std::int64_t>(n) + block - 1) / block;
            QCOMPARE(done->counts.instances, static_cast<std::uint64_t>(blocks));
            if (block > 1) {
                QCOMPARE(done->counts.lanes, static_cast<std::uint64_t>(2 * blocks * block));
                QCOMPARE(done->counts.masked, static_cast<std::uint64_t>(2 * (blocks * block - std::int64_t(n))));
            }
        }
}

void TestTileProgram::sumsInHalves()
{
    // ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7)), every bracket rounded.
    const std::vector<float> a = {1e8f, 1.0f, -1e8f, 3.0f, 5.0f, 1e-3f, 7.0f, 1e4f};
    const float wanted = ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
    const auto done = ran(over("store(y, sum(load(x + arange(8))))"), a, 8);
    QVERIFY(done.ok());
    QCOMPARE(done->y[0], wanted);
    float serial = 0;
    for (const float each : a)
        serial += each;
    QVERIFY(serial != wanted); // the order is seen
}

void TestTileProgram::broadcastsAndReducesTwoAxes()
{
    const auto done = ran(over("r = arange(2)[:, None]\nc = arange(4)[None, :]\nv = load(x + r * 4 + c)\n"
                               "store(y + arange(2), sum(v, axis=1))\nstore(y + 2 + arange(4), max(v, axis=0))\n"
                               "store(y + 6, min(sum(v * 10 + float(r), axis=0)))"),
                          ramp(8), 8);
    QVERIFY2(done.ok(), done ? "" : toText(done.error()).c_str());
    QCOMPARE(done->y, (std::vector<float>{10, 26, 5, 6, 7, 8, 61, 0}));
}

void TestTileProgram::multipliesMatrices()
{
    const auto done =
        ran(over("r = arange(2)\nc = arange(2)\nk = arange(2)\na = load(x + r[:, None] * 2 + k[None, :])\n"
                 "b = load(x + 4 + k[:, None] * 2 + c[None, :])\n"
                 "store(y + r[:, None] * 2 + c[None, :], dot(a, b))"),
            ramp(8), 8);
    QVERIFY(done.ok());
    QCOMPARE(done->y, (std::vector<float>{19, 22, 43, 50, 0, 0, 0, 0}));
}

void TestTileProgram::carriesValuesThroughLoops()
{
    const auto done =
        ran(over("total = 0\nold = 0\nfor i in range(1, n + 1, 2):\n    old = total\n    total += i\n"
                 "k = 1\nwhile k < 100:\n    k = k * 3\nstore(y, total)\nstore(y + 1, old)\nstore(y + 2, k)"),
            ramp(8), 8);
    QVERIFY2(done.ok(), done ? "" : toText(done.error()).c_str());
    QCOMPARE(done->y[0], 16.0f); // 1 + 3 + 5 + 7
    QCOMPARE(done->y[1], 9.0f);
    QCOMPARE(done->y[2], 243.0f);
}

void TestTileProgram::laneMayStoreAgain()
{
    // The same lane, or the same bits: whoever is the last, the result is known.
    const auto done = ran(over("o = arange(8)\nstore(y + o, o)\nstore(y + o, 2 * o, mask=o > 3)\nstore(y + o // 8, 5)\n"
                               "store(y + 7 - o, 9, mask=o == 0)\nstore(y + o, 9, mask=o == 7)"),
                          ramp(8), 8);
    QVERIFY(!done.ok()); // lane 0 stores 9 where lane 7 has stored 14
    QCOMPARE(done.error().place, std::string("p.tile:7:5"));
    const auto same =
        ran(over("o = arange(8)\nstore(y + o, o)\nstore(y + o, 2 * o, mask=o > 3)\nstore(y + o // 8, 0)"), ramp(8), 8);
    QVERIFY2(same.ok(), same ? "" : toText(same.error()).c_str());
    QCOMPARE(same->y, (std::vector<float>{0, 1, 2, 3, 8, 10, 12, 14}));
}

void TestTileProgram::readsTheMarkOfUtf8()
{
    const auto done = ran("\xef\xbb\xbf" + over("store(y, 3)"), ramp(2), 8);
    QVERIFY2(done.ok(), done ? "" : toText(done.error()).c_str());
    QCOMPARE(done->y[0], 3.0f);
    QCOMPARE(errorOf(std::string("\xff\xfep\0r\0", 6)).fix, std::string("save it as UTF-8"));
    QVERIFY(errorOf(over("a = 1 \u00d7 2")).message.find("'\u00d7'") != std::string::npos);
}

void TestTileProgram::namesStayApart()
{
    // p_x_0 … p_x_9 are what parameters are called in the text.
    std::string head = "program p(x: f32[n], y: f32[n], n: int, BLOCK: const", sum = "p_x";
    for (int i = 0; i < 10; ++i) {
        head += fmt::format(", x_{}: float = 1.0", i);
        sum += fmt::format(" + x_{}", i);
    }
    const auto program = checkedText(head + ")\n    grid 1\n    p_x = sqrt(load(x))\n    store(y, " + sum + ")\n", 8);
    QVERIFY(program.ok());
    const auto kernel = generateCuda(*program, 1);
    QVERIFY(kernel.ok());
    for (int i = 0; i < 10; ++i)
        QVERIFY2(kernel->text.find(fmt::format("const float p_x_{} =", i)) == std::string::npos, kernel->text.c_str());
}

void TestTileProgram::maskedLanesGetOther()
{
    const auto done =
        ran(over("o = arange(8)\nstore(y + o, load(x + o + 4, mask=o < 4, other=-2), mask=o != 3)"), ramp(8), 8);
    QVERIFY(done.ok());
    QCOMPARE(done->y, (std::vector<float>{5, 6, 7, 0, -2, -2, -2, -2}));
}

void TestTileProgram::watchesWhatIsTouched()
{
    // An instance may load what it stored itself, and share what nobody stores.
    const auto own =
        ran(over("o = program_id(0)\nstore(y + o, load(x))\nstore(y + o, load(y + o) + 1)", "8"), ramp(8), 8);
    QVERIFY2(own.ok(), own ? "" : toText(own.error()).c_str());
    QCOMPARE(own->y, std::vector<float>(8, 2.0f));
    const Error behind = errorOf(over("store(y + 8 + arange(8), 1)"));
    QVERIFY(behind.message.find("instance (0): it stores element 8 of y, which has 8 (lane 0)") != std::string::npos);
    QVERIFY2(behind.fix.find("mask=offsets < n") != std::string::npos, behind.fix.c_str());
    const Error before = errorOf(over("store(y + arange(8), load(x - 2 + arange(8)))"));
    QVERIFY(before.message.find("element -2 of x, which has 8 (lane 0)") != std::string::npos);
    QVERIFY2(before.fix.find("mask=offsets >= 0, other=0") != std::string::npos, before.fix.c_str());
    // A tail that is not masked: the first row's surplus lanes store into the second row.
    const std::string rows =
        "o = program_id(0) * 4 + arange(8)\nv = load(x + o, mask=o < n, other=0)\nstore(y + o, v, mask=o < n)";
    QCOMPARE(errorOf(over(rows, "2")).code, std::string("race"));
}

void TestTileProgram::endsEndlessLoops()
{
    InterpretOptions few;
    few.mostSteps = 1 << 16;
    const auto done = ran(over("k = 1\nwhile k > 0:\n    k = 2\nstore(y, k)"), ramp(8), 8, few);
    QVERIFY(!done.ok());
    QCOMPARE(done.error().code, std::string("endless-loop"));
    QCOMPARE(done.error().place, std::string("p.tile:4:5"));
    const auto step = ran(over("s = n - 8\nfor i in range(0, n, s):\n    a = 1\nstore(y, 1)"), ramp(8), 8);
    QVERIFY(!step.ok());
    QCOMPARE(step.error().code, std::string("endless-loop"));
    InterpretOptions stopped;
    stopped.stop = [] { return true; };
    const auto stop = ran(over("k = 1\nwhile k > 0:\n    k = 2\nstore(y, k)"), ramp(8), 8, stopped);
    QVERIFY(!stop.ok());
    QCOMPARE(stop.error().code, std::string("cancelled"));
}

void TestTileProgram::runsChosenInstances()
{
    InterpretOptions some;
    some.instances = {1};
    const auto done = ran(over(kCopy, "cdiv(n, BLOCK)"), ramp(6), 2, some);
    QVERIFY(done.ok());
    QCOMPARE(done->y, (std::vector<float>{0, 0, 3, 4, 0, 0}));
}

void TestTileProgram::exponentialIsNear()
{
    Rng rng(5);
    double worst = 0;
    for (int i = 0; i < 200'000; ++i) {
        const auto x = static_cast<float>(-104 + 193 * rng.uniform());
        const double wanted = std::exp(static_cast<double>(x));
        const float got = tileExp(x);
        if (wanted > static_cast<double>(std::numeric_limits<float>::max())) {
            QVERIFY(got > 3e38f);
            continue;
        }
        // One unit in the last place of a float there, subnormal ones too.
        const double unit = std::max(std::ldexp(1.0, std::ilogb(wanted) - 23), 0x1p-149);
        worst = std::max(worst, std::fabs(static_cast<double>(got) - wanted) / unit);
    }
    QVERIFY2(worst < 2, qPrintable(QString::number(worst)));
    const float inf = std::numeric_limits<float>::infinity();
    QCOMPARE(tileExp(0), 1.0f);
    QCOMPARE(tileExp(-inf), 0.0f);
    QVERIFY(tileExp(inf) == inf && std::isnan(tileExp(std::nanf(""))));
}

void TestTileProgram::extremesAndConversions()
{
    const float nan = std::nanf("");
    QCOMPARE(tileLarger(nan, 2), 2.0f);
    QCOMPARE(tileSmaller(2, nan), 2.0f);
    QVERIFY(!std::signbit(tileLarger(-0.0f, 0.0f)) && !std::signbit(tileLarger(0.0f, -0.0f)));
    QVERIFY(std::signbit(tileSmaller(-0.0f, 0.0f)) && std::signbit(tileSmaller(0.0f, -0.0f)));
    QCOMPARE(tileToInt(-2.9f), -2);
    QCOMPARE(tileToInt(3e9f), std::numeric_limits<std::int32_t>::max());
    QCOMPARE(tileToInt(nan), 0);
    QCOMPARE(toBf16(1.00390625f), std::uint16_t{0x3f80}); // halfway: to even
    QCOMPARE(toBf16(1.01171875f), std::uint16_t{0x3f82});
    QCOMPARE(fromBf16(0x3fc0), 1.5f);
}

void TestTileProgram::everyShippedProgramIsRight()
{
    const auto data = dataFolder();
    QVERIFY(data.ok());
    for (const char* name : {"copy", "softmax", "softmax_online", "layernorm", "matmul", "attention"}) {
        const auto text = readFile(*data / "assets/block-programs" / (std::string(name) + ".tile"), 65536);
        QVERIFY2(text.ok(), name);
        const auto syntax = parseProgram(*text, name);
        QVERIFY2(syntax.ok(), syntax ? "" : toText(syntax.error()).c_str());
        QCOMPARE(syntax->name, std::string(name));
        const auto program = checkProgram(*syntax, {{"BLOCK", 32}});
        QVERIFY2(program.ok(), program ? "" : toText(program.error()).c_str());
        for (const int warps : {1, 2, 8, 32}) {
            const auto kernel = generateCuda(*program, warps);
            QVERIFY2(kernel.ok(), kernel ? "" : toText(kernel.error()).c_str());
            QCOMPARE(kernel->threads, 32u * static_cast<unsigned>(warps));
        }
    }
}

void TestTileProgram::generatorRefuses()
{
    const auto wide = checkedText(over("o = arange(BLOCK)\nstore(y + o, load(x + o))"), 16384);
    QVERIFY(wide.ok());
    const auto few = generateCuda(*wide, 1);
    QVERIFY(!few.ok());
    QCOMPARE(few.error().code, std::string("too-many-elements"));
    QCOMPARE(few.error().place, std::string("p.tile:4:18"));
    QVERIFY(generateCuda(*wide, 2).ok());
    QCOMPARE(generateCuda(*wide, 3).error().code, std::string("bad-warps"));
    const auto tiles =
        checkedText(over("a = zeros(128, 64)\nb = dot(a, zeros(64, 128))\nstore(y, sum(sum(b, axis=1)))"), 8);
    QVERIFY(tiles.ok());
    QCOMPARE(generateCuda(*tiles, 32).error().code, std::string("too-much-shared"));
}

void TestTileProgram::generatedTextFollowsTheWarps()
{
    const auto program = checkedText(over("o = arange(BLOCK)\nstore(y, sum(load(x + o)))"), 1024);
    QVERIFY(program.ok());
    const auto one = generateCuda(*program, 1), four = generateCuda(*program, 4), all = generateCuda(*program, 32);
    QVERIFY(one.ok() && four.ok() && all.ok());
    QCOMPARE(one->mostPerThread, 32);
    QCOMPARE(four->mostPerThread, 8);
    QCOMPARE(all->mostPerThread, 1);
    QCOMPARE(one->sharedBytes, std::uint64_t{4}); // one warp needs none but the place
    QCOMPARE(four->sharedBytes, std::uint64_t{512});
    QVERIFY(four->text.find("__launch_bounds__(128)") != std::string::npos);
    QVERIFY(four->text.find("tile_fold<128>") != std::string::npos);
}

void TestTileProgram::longExpressionsStaySmall()
{
    std::string sum = "a = 1", nest;
    for (int i = 0; i < 20'000; ++i)
        sum += "+n";
    QCOMPARE(errorOf(over(sum)).code, std::string("syntax"));
    for (int i = 0; i < 90; ++i)
        nest = "(" + nest + (nest.empty() ? "n" : "") + "+n+n+n+n+n+n+n+n)";
    QCOMPARE(errorOf(over("a = " + nest)).code, std::string("syntax"));
    QCOMPARE(errorOf(over("a = " + std::string(5000, '-') + "n")).code, std::string("syntax"));
    QCOMPARE(errorOf(over("a = n" + std::string(5000, '[')), 8).code, std::string("syntax"));
    // An int's absolute value names it once: 3^40 as text otherwise.
    std::string inner = "program_id(0)";
    for (int i = 0; i < 40; ++i)
        inner = "abs(" + inner + ")";
    const auto absolute = checkedText(over("store(y + " + inner + ", 1)"), 32);
    QVERIFY(absolute.ok());
    QVERIFY(generateCuda(*absolute, 1)->text.size() < 10'000);
    // Names that use names twice: 2^40 as text, were no name written down.
    std::string twice = "o = arange(BLOCK)\n";
    for (int i = 0; i < 40; ++i)
        twice += "o = where(o > 3, o, o // 2)\n";
    const auto program = checkedText(over(twice + "store(y + o, 1, mask=o < n)"), 32);
    QVERIFY(program.ok());
    const auto kernel = generateCuda(*program, 1);
    QVERIFY(kernel.ok());
    QVERIFY(kernel->text.size() < 100'000);
}

void TestTileProgram::countsLines()
{
    QCOMPARE(codeLines("# a\n\nx = 1 # b\n   # c\ny", "#"), std::size_t{2});
    QCOMPARE(codeLines("// a\nint x;\n\n", "//"), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestTileProgram)
#include "tst_tile_program.moc"
