// SPDX-License-Identifier: GPL-3.0-or-later
// Watches and breakpoints of the debugger.
#include "step_walk.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

std::int64_t whole(const StepTrace& trace, const StepReader& reader, const char* text, std::uint32_t lane)
{
    const auto expression = StepExpression::parse(text, trace);
    if (!expression)
        qFatal("%s", toText(expression.error()).c_str());
    const auto value = expression->evaluate(reader, 0, lane);
    return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value) : -999999;
}

} // namespace

class TestSimtStepExpressions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void expressions_data();
    void expressions();
    void badExpressions_data();
    void badExpressions();
    void breakpoints();
};

void TestSimtStepExpressions::expressions_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("lane");
    QTest::addColumn<qlonglong>("wanted");
    const auto row = [](const char* text, int lane, qlonglong wanted) {
        QTest::newRow(text) << QString::fromLatin1(text) << lane << wanted;
    };
    row("lane", 9, 9);
    row("thread + tid.x + tid.y + warp", 9, 18);
    row("%r0", 9, 9);
    row("%r0 % 4", 11, 3);
    row("r0 == %r0", 11, 1);
    row("threadIdx.x == %tid.x && tid.x == threadIdx.x", 11, 1);
    row("threadIdx.x + threadIdx.y + threadIdx.z", 11, 11);
    row("blockDim.x * gridDim.x + blockIdx.x", 0, 64);
    row("%ntid.x * %nctaid.x + %ctaid.x", 0, 64);
    row("%laneid - lane + %warpid", 7, 0);
    row("lanes", 0, 32);
    row("%r0%4", 11, 3);
    row("2 + 3 * 4 - 6 / 2", 0, 11);
    row("(2 + 3) * 4", 0, 20);
    row("1 << 4 | 1", 0, 17);
    row("7 & 12 ^ 1", 0, 5);
    row("-7 / 2", 0, -3);
    row("-7 % 2", 0, -1);
    row("~0", 0, -1);
    row("!%p1", 1, 1);
    row("lane == 5 && %r13 > 3", 5, 1);
    row("lane == 5 && %r13 > 3", 6, 0);
    row("lane < 2 || lane >= 30", 31, 1);
    row("lane != 3", 3, 0);
    row("lane <= 3", 3, 1);
    row("lane>>1", 9, 4);
    row("shared[16 * lane]", 7, 7);
    row("shared[1028]", 7, 64);
    row("0x10 + 1", 0, 17);
    row("1.5 * 2 == 3", 0, 1);
    row("active", 0, 1);
    row("0 && 1 / 0", 0, 0);
}

void TestSimtStepExpressions::expressions()
{
    QFETCH(const QString, text);
    QFETCH(const int, lane);
    QFETCH(const qlonglong, wanted);
    Walk walk(everything());
    StepReader reader(walk.trace);
    reader.seek(reader.size());
    QCOMPARE(whole(walk.trace, reader, text.toLatin1().constData(), static_cast<std::uint32_t>(lane)), wanted);
    // Nothing is known at the start.
    reader.seek(0);
    const auto unknown = StepExpression::parse("%r13 + 1", walk.trace);
    QVERIFY(unknown.ok() && !unknown->evaluate(reader, 0, 0));
    const auto byZero = StepExpression::parse("1 / 0", walk.trace);
    QVERIFY(byZero.ok() && !byZero->evaluate(reader, 0, 0));
    const auto nowhere = StepExpression::parse("shared[-4] + shared[3]", walk.trace);
    QVERIFY(nowhere.ok() && !nowhere->evaluate(reader, 0, 0));
}

void TestSimtStepExpressions::badExpressions_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "lane ==", "(lane", "lane lane", "%r99999", "%", "i > 3", "shared[4", "shared 4",
                             "1.2.3", "0x", "lane & & 1", "lane $ 2"})
        QTest::newRow(text) << QString::fromLatin1(text);
    QTest::newRow("deep") << QString(5000, QLatin1Char('('));
    QTest::newRow("minus") << QString(5000, QLatin1Char('-'));
}

void TestSimtStepExpressions::badExpressions()
{
    QFETCH(const QString, text);
    Walk walk(everything());
    const auto parsed = StepExpression::parse(text.toStdString(), walk.trace);
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().code, std::string("bad-expression"));
    QVERIFY(parsed.error().message.find("is expected") != std::string::npos);
}

void TestSimtStepExpressions::breakpoints()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    const auto runTo = [&](const StepBreakpoint& at) {
        return reader.runTo([&](const TracedStep&) { return stopsAt(at, reader); });
    };
    const auto text = [&] { return walk.trace.code[reader.next()->instruction].text; };

    StepBreakpoint conflict;
    conflict.atBankConflict = true;
    QVERIFY(runTo(conflict));
    QCOMPARE(text(), std::string("st.shared.u32 [%r3], %r0"));

    StepBreakpoint divergence;
    divergence.atDivergence = true;
    reader.seek(0);
    QVERIFY(runTo(divergence));
    QCOMPARE(text(), std::string("mov.u32 %r7, 1000"));
    QCOMPARE(reader.next()->active, 0xffffff00u);

    StepBreakpoint third;
    const auto condition = StepExpression::parse("%r9 == 2 && lane == 5", walk.trace);
    QVERIFY(condition.ok());
    third.condition = *condition;
    third.warp = 1;
    reader.seek(0);
    QVERIFY(runTo(third));
    QCOMPARE(reader.next()->warp, std::uint16_t{1});
    QCOMPARE(reader.value(1, registerOf(walk.trace, "%r9"), 5), std::optional<std::uint64_t>(2));
    QVERIFY(reader.runBackTo([&](const TracedStep&) { return stopsAt(conflict, reader); }));

    StepBreakpoint line;
    line.ptxLine = walk.trace.code.back().ptxLine;
    reader.seek(0);
    QVERIFY(runTo(line));
    line.sourceLine = 3; // there is none
    reader.seek(0);
    QVERIFY(!runTo(line));
}

QTEST_GUILESS_MAIN(TestSimtStepExpressions)
#include "tst_simt_step_expressions.moc"
