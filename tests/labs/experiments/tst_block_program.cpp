// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/paths.h"
#include "base/plain_file.h"
#include "labs/4-kernel-optimization/block_program_info.h"
#include "labs/harness/buffers.h"
#include "labs/worker/execute.h"
#include "sim_point.h"

#include <QTemporaryDir>
#include <cmath>
#include <fstream>

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr const char* kTarget = "sim:h200-sxm";

ParamSet tilePoint(const std::string& program, std::int64_t block, std::int64_t warps, std::int64_t rows,
                   std::int64_t columns, std::int64_t depth = 64)
{
    return {{"program", program}, {"block", block},     {"warps", warps},
            {"rows", rows},       {"columns", columns}, {"depth", depth}};
}

std::string textOfPoint(const ParamSet& set)
{
    std::string text;
    for (const auto& [name, value] : set)
        text += name + "=" + toText(value) + " ";
    return text;
}

void verifyAgrees(const Point& point, const std::string& what, bool exact = true)
{
    // With double precision, the kernel by hand too where one runs, and with the interpreter.
    QCOMPARE(point.checks.size(), std::size_t(exact ? point.metrics.contains("share_of_hand") ? 3 : 2 : 1));
    for (const CheckResult& check : point.checks)
        QVERIFY2(check.passed, (what + ": " + check.name + ": " + check.detail).c_str());
    QCOMPARE(point.metrics.at("different"), 0.0);
    QVERIFY2(point.withinLimits(), what.c_str());
}

} // namespace

/// Block programs: the compiled program and the interpreter give the same bits on sizes that no block divides, for any
/// number of warps; what is wrong with a program is told before it runs on a device.
class TestBlockProgram : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void agreesOnRaggedSizes_data();
    void agreesOnRaggedSizes();
    void warpsChangeNoBit();
    void ownProgramsAgree_data();
    void ownProgramsAgree();
    void bigBlocksMaskLanes();
    void countsLines();
    void realTritonAgrees();
    void refusesGridsWithoutElements();
    void refusesByName_data();
    void refusesByName();

private:
    std::string write(const std::string& text);
    std::unique_ptr<SimRuns> m_runs;
    QTemporaryDir m_folder;
};

void TestBlockProgram::initTestCase()
{
    m_runs = std::make_unique<SimRuns>(makeBlockProgram(), kTarget);
}

std::string TestBlockProgram::write(const std::string& text)
{
    const std::string path = m_folder.filePath(QStringLiteral("own.tile")).toStdString();
    std::ofstream(path) << text;
    return path;
}

void TestBlockProgram::agreesOnRaggedSizes_data()
{
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("warps");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("depth");
    const auto row = [](const char* program, int block, int warps, int rows, int columns, int depth = 64) {
        QTest::addRow("%s %d %d %d %d %d", program, block, warps, rows, columns, depth)
            << program << block << warps << rows << columns << depth;
    };
    row("copy", 128, 4, 1, 1);
    row("copy", 16, 8, 3, 333); // fewer elements than threads
    row("copy", 1024, 2, 7, 1001);
    for (const char* name : {"softmax", "layernorm"}) {
        row(name, 1024, 4, 5, 1000);
        row(name, 256, 16, 3, 77); // fewer elements than threads
        row(name, 16, 1, 2, 13);
        row(name, 2048, 8, 2, 1025);
    }
    row("softmax_online", 128, 4, 4, 1000);
    row("softmax_online", 64, 8, 3, 65);
    row("matmul", 32, 4, 33, 50, 70);
    row("matmul", 16, 2, 16, 16, 16);
    row("matmul", 64, 8, 65, 3, 1);
    row("attention", 16, 4, 17, 45);
    row("attention", 32, 8, 5, 33);
}

void TestBlockProgram::agreesOnRaggedSizes()
{
    QFETCH(QString, program);
    QFETCH(int, block);
    QFETCH(int, warps);
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, depth);
    const auto set = tilePoint(program.toStdString(), block, warps, rows, columns, depth);
    verifyAgrees(m_runs->at(set), textOfPoint(set));
}

void TestBlockProgram::warpsChangeNoBit()
{
    // The interpreter knows nothing of warps, so that agreement with it is agreement among them.
    for (const std::int64_t warps : {1, 2, 4, 8, 16, 32})
        verifyAgrees(m_runs->at(tilePoint("softmax", 512, warps, 3, 501)), "warps " + std::to_string(warps));
}

void TestBlockProgram::ownProgramsAgree_data()
{
    QTest::addColumn<QString>("lines");
    // What no shipped program has: ints, axis 0, minima, stores that are loaded again, values that loops carry.
    QTest::newRow("ints") << "o = arange(BLOCK)\nv = int(load(x + o, mask=o < n, other=0) * 1000)\n"
                             "a = sum(where(v % 3 == 0, v // 3, -v))\nstore(y + o, a + abs(v), mask=o < n)";
    QTest::newRow("axes") << "r = arange(8)\nc = arange(32)\nv = load(x + r[:, None] * 32 + c[None, :])\n"
                             "a = min(v, axis=0)\nb = max(v, axis=1)\n"
                             "store(y + r[:, None] * 32 + c[None, :], v - a[None, :] + sqrt(abs(b))[:, None])";
    QTest::newRow("extremes") << "o = arange(BLOCK)\nv = load(x + o, mask=o < n, other=inf)\n"
                                 "w = where(v < 0.2, -0.0, where(v < 0.3, inf - inf, v))\n"
                                 "store(y + o, maximum(w, 0.0) + minimum(w, -0.5), mask=o < n)\nstore(y, min(v) / 3)";
    QTest::newRow("again") << "o = arange(BLOCK)\nstore(y + o, load(x + o, mask=o < n, other=0), mask=o < n)\n"
                              "w = load(y + (n - 1 - o), mask=o < n, other=0)\nstore(y + o, w * 2, mask=o < n)";
    QTest::newRow("loops")
        << "o = arange(BLOCK)\na = zeros(BLOCK)\nk = 1\nold = a\nat = o\nwhile k < 200:\n"
           "    for i in range(0, 3):\n        old = a\n        v = load(x + at, mask=at < n, other=1)\n"
           "        a = fma(v, a, exp(-v))\n        at += 7\n    k *= 3\n"
           "store(y + o, a - old + k, mask=o < n)";
    QTest::newRow("exponentials") << "o = arange(BLOCK)\nv = load(x + o, mask=o < n, other=0)\n"
                                     "store(y + o, exp(v * 110), mask=o < n)";
}

void TestBlockProgram::ownProgramsAgree()
{
    QFETCH(QString, lines);
    std::string text = "program own(x: f32[n], y: f32[n], n: int, BLOCK: const)\n    grid 1\n";
    for (const QString& line : lines.split(QLatin1Char('\n')))
        text += "    " + line.toStdString() + "\n";
    auto set = tilePoint("file", 512, 4, 1, 333);
    set["file"] = write(text);
    for (const std::int64_t warps : {1, 4, 32}) {
        set["warps"] = warps;
        verifyAgrees(m_runs->at(set), text, false);
    }
}

void TestBlockProgram::bigBlocksMaskLanes()
{
    // A row of 1000 in a block of 4096: of 4096 lanes 3096 are off, in each load and store.
    const auto wide = m_runs->at(tilePoint("softmax", 4096, 4, 4, 1000));
    verifyAgrees(wide, "wide");
    QCOMPARE(wide.metrics.at("masked_share"), 100 * 3096.0 / 4096);
    QCOMPARE(wide.metrics.at("elements_per_thread"), 32.0);
    const auto tight = m_runs->at(tilePoint("softmax", 1024, 4, 4, 1000));
    QCOMPARE(tight.metrics.at("masked_share"), 100 * 24.0 / 1024);
    QVERIFY(wide.metrics.at("instructions_per_element") > 2 * tight.metrics.at("instructions_per_element"));
    QCOMPARE(tight.metrics.at("instances"), 4.0);
}

void TestBlockProgram::countsLines()
{
    const auto softmax = m_runs->at(tilePoint("softmax", 1024, 4, 4, 1000));
    QCOMPARE(softmax.metrics.at("lines"), 9.0);
    QVERIFY(softmax.metrics.at("hand_lines") > 3 * softmax.metrics.at("lines"));
    QVERIFY(softmax.metrics.contains("share_of_hand") && softmax.metrics.contains("share_of_copy"));
}

/// The PTX that Triton 3.9.0 makes of the same nine lines, on the simulated chip: its exponential and its division are
/// not ours, so that last bits differ, and no more.
void TestBlockProgram::realTritonAgrees()
{
    constexpr std::uint32_t kRows = 3, kColumns = 1000;
    const auto data = dataFolder();
    QVERIFY(data.ok());
    const auto ptx = readFile(*data / "assets/block-programs/triton/softmax.sm_90.ptx", 65536);
    QVERIFY(ptx.ok());
    const auto device = openSim("sim:h100-sxm");
    const auto program = device->load({"softmax.sm_90.ptx", *ptx, "sm_90a", "ptx", "", ""});
    QVERIFY2(program.ok(), program ? "" : toText(program.error()).c_str());
    std::vector<float> x(kRows * kColumns), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = uniform(i, 3);
    const auto from = device->allocate(4 * x.size(), "x"), to = device->allocate(4 * x.size(), "y");
    QVERIFY(from.ok() && to.ok());
    QVERIFY(device->copyToDevice(*from, std::as_bytes(std::span(x))).ok());
    gpu::Launch launch;
    launch.kernel = "softmax";
    launch.grid = {kRows, 1, 1};
    launch.block = {128, 1, 1};
    launch.dynamicSharedBytes = 16;
    launch.args = {*from, *to, static_cast<std::int32_t>(kColumns), std::uint64_t{0}, std::uint64_t{0}};
    const auto done = device->launch(**program, launch, {});
    QVERIFY2(done.ok(), done ? "" : toText(done.error()).c_str());
    QVERIFY(device->copyToHost(std::as_writable_bytes(std::span(y)), *to).ok());
    for (std::size_t row = 0; row < kRows; ++row) {
        double sum = 0;
        for (std::size_t c = 0; c < kColumns; ++c)
            sum += std::exp(static_cast<double>(x[row * kColumns + c]));
        for (std::size_t c = 0; c < kColumns; ++c) {
            const double wanted = std::exp(static_cast<double>(x[row * kColumns + c])) / sum;
            QVERIFY(std::fabs(static_cast<double>(y[row * kColumns + c]) - wanted) <= 1e-6 * wanted);
        }
    }
}

void TestBlockProgram::refusesByName_data()
{
    QTest::addColumn<QString>("lines");
    QTest::addColumn<QString>("code");
    QTest::newRow("does not parse") << "o = arange(BLOCK\nstore(y + o, 1)"
                                    << "syntax";
    QTest::newRow("type") << "store(y + arange(BLOCK) * 0.5, 1)"
                          << "type";
    QTest::newRow("unmasked tail") << "o = arange(BLOCK)\nstore(y + o, load(x + o))"
                                   << "out-of-range";
    QTest::newRow("endless") << "k = 1\nwhile k > 0:\n    k = 1\nstore(y, k)"
                             << "endless-loop";
    QTest::newRow("stores nothing") << "a = load(x)"
                                    << "stores-nothing";
    QTest::newRow("two lanes, one element") << "o = arange(BLOCK)\nstore(y + o // 2, o, mask=o < n)"
                                            << "race";
    QTest::newRow("no int") << "store(y, m)"
                            << "unknown-name";
}

/// A grid that counts elements where it should count blocks: nobody waits for 2^31 instances that do nothing.
void TestBlockProgram::refusesGridsWithoutElements()
{
    const auto device = openSim(kTarget);
    const auto experiment = makeBlockProgram();
    auto set = tilePoint("file", 512, 4, 1, 333);
    set["file"] = write("program own(x: f32[n], y: f32[n], n: int, BLOCK: const)\n    grid n * BLOCK * 64\n"
                        "    o = program_id(0) * 4 + arange(4)\n    store(y + o, 1, mask=o < n)\n");
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto result = experiment->run(complete(experiment->info(), set), point);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, std::string("bad-size"));
    QVERIFY2(result.error().place.starts_with("own.tile:2:"), result.error().place.c_str());
    QVERIFY2(result.error().message.find("10911744 instances") != std::string::npos, result.error().message.c_str());
    QVERIFY(result.error().fix.find("cdiv(n, BLOCK)") != std::string::npos);
}

void TestBlockProgram::refusesByName()
{
    QFETCH(QString, lines);
    QFETCH(QString, code);
    std::string text = "program own(x: f32[n], y: f32[n], n: int, BLOCK: const)\n    grid 1\n";
    for (const QString& line : lines.split(QLatin1Char('\n')))
        text += "    " + line.toStdString() + "\n";
    const auto device = openSim(kTarget);
    const auto experiment = makeBlockProgram();
    auto set = tilePoint("file", 512, 4, 1, 333);
    set["file"] = write(text);
    Point point(*device, experiment->info(), gpu::CompilerChoice::Automatic);
    const auto result = experiment->run(complete(experiment->info(), set), point);
    QVERIFY(!result.ok());
    QCOMPARE(QString::fromStdString(result.error().code), code);
    QVERIFY2(result.error().place.starts_with("own.tile:"), result.error().place.c_str());
    QVERIFY(!result.error().fix.empty());
    // A block that is no power of two, a row that does not fit, warps that are none.
    const std::pair<ParamSet, const char*> others[] = {{tilePoint("copy", 1000, 4, 1, 333), "not-a-power-of-two"},
                                                       {tilePoint("softmax", 512, 4, 1, 1000), "assertion"},
                                                       {tilePoint("copy", 1024, 3, 1, 333), "bad-warps"},
                                                       {tilePoint("copy", 16384, 1, 1, 333), "too-many-elements"}};
    for (const auto& [given, wanted] : others) {
        Point refused(*device, experiment->info(), gpu::CompilerChoice::Automatic);
        const auto ended = experiment->run(complete(experiment->info(), given), refused);
        QVERIFY(!ended.ok());
        QCOMPARE(ended.error().code, std::string(wanted));
    }
}

QTEST_GUILESS_MAIN(TestBlockProgram)
#include "tst_block_program.moc"
