// SPDX-License-Identifier: GPL-3.0-or-later
// What a block does, instruction by instruction: the recorder, the reader and the expressions of the debugger.
#include "base/step_expression.h"
#include "simt_lab.h"

#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// Guards, a divergent branch, shared memory with a four-way conflict, an atomic, a shuffle and a loop.
std::string everything()
{
    return handWritten(R"(
        .shared .align 4 .b8 tile[2048];
        .reg .b32 %base;
        mov.u32 %base, tile;
        mov.u32 %r14, %tid.x;
        mul.lo.u32 %r3, %r14, 16;
        add.u32 %r3, %r3, %base;
        st.shared.u32 [%r3], %r0;
        bar.sync 0;
        ld.shared.u32 %r4, [%r3];
        and.b32 %r5, %r0, 1;
        setp.eq.u32 %p1, %r5, 0;
        mov.u32 %r6, 7;
        @%p1 add.u32 %r6, %r4, 100;
        setp.lt.u32 %p2, %r0, 8;
        @%p2 bra LOW;
        mov.u32 %r7, 1000;
        bra.uni JOIN;
    LOW:
        mov.u32 %r7, 2000;
    JOIN:
        mov.u32 %r8, 0;
        mov.u32 %r9, 0;
    LOOP:
        add.u32 %r8, %r8, %r7;
        add.u32 %r9, %r9, 1;
        setp.lt.u32 %p3, %r9, 3;
        @%p3 bra LOOP;
        shfl.sync.down.b32 %r10, %r0, 1, 31, 0xffffffff;
        atom.shared.add.u32 %r11, [%base + 1028], 1;
        bar.sync 0;
        ld.shared.u32 %r12, [%base + 1028];
        add.u32 %r13, %r6, %r8;
        add.u32 %r13, %r13, %r10;
        add.u32 %r13, %r13, %r12;
        mul.wide.u32 %rd5, %r0, 4;
        add.u64 %rd6, %rd0, %rd5;
        st.global.u32 [%rd6], %r13;
    )");
}

std::uint32_t resultOf(std::uint32_t thread, std::uint32_t threads)
{
    const std::uint32_t six = thread % 2 == 0 ? thread + 100 : 7;
    const std::uint32_t eight = 3 * (thread < 8 ? 2000 : 1000);
    const std::uint32_t ten = thread % 32 == 31 ? thread : thread + 1;
    return six + eight + ten + threads;
}

struct Walk {
    Lab lab;
    DevicePtr out;
    std::uint64_t executed = 0; ///< PTX instructions of the whole launch
    StepTrace trace;
    std::optional<Error> problem;

    explicit Walk(const std::string& ptx, std::uint32_t threads = 64, std::uint32_t grid = 1, std::uint32_t block = 0,
                  std::size_t limit = 100000)
    {
        if (!lab.load(ptx)) {
            problem = lab.problem;
            return;
        }
        out = lab.put(std::vector<std::uint32_t>(std::size_t{threads} * grid), "out");
        LaunchOptions options;
        options.traceSteps = limit;
        options.stepsBlock = block;
        options.faultsAsReports = true;
        auto report = lab.device->launch(
            *lab.program, {"k", {grid}, {threads}, 0, {KernelArg(out), KernelArg(out), KernelArg(out)}}, options);
        if (!report) {
            problem = report.error();
            return;
        }
        executed = report->counters->instExecuted;
        trace = std::move(*report->steps);
    }
};

std::uint32_t registerOf(const StepTrace& trace, const char* name)
{
    for (std::uint32_t at = 0; at < trace.registers.size(); ++at)
        if (trace.registers[at].name == name)
            return at;
    qFatal("no register %s", name);
}

/// The state after the first `position` steps, by doing them one after the other.
struct Replay {
    std::map<std::array<std::uint32_t, 3>, std::uint64_t> registers; ///< warp, register, lane
    std::map<std::uint64_t, std::uint8_t> shared;
};
Replay replay(const StepTrace& trace, std::size_t position)
{
    Replay state;
    for (std::size_t at = 0; at < position; ++at) {
        const TracedStep& step = trace.steps[at];
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if ((step.executed >> lane & 1) == 0)
                continue;
            for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write)
                state.registers[{step.warp, trace.writes[write].reg, lane}] =
                    trace.word(trace.writes[write].values, step.executed, lane);
            if (step.access == TracedStep::kNoStep)
                continue;
            const StepAccess& access = trace.accesses[step.access];
            for (std::size_t part = 0; part < access.after.size(); ++part)
                for (std::uint64_t byte = 0; byte < std::min<std::uint64_t>(4, access.bytes - part * 4); ++byte)
                    state.shared[trace.word(access.addresses, step.executed, lane) + part * 4 + byte] =
                        static_cast<std::uint8_t>(trace.word(access.after[part], step.executed, lane) >> (8 * byte));
        }
    }
    return state;
}

void compare(const StepReader& reader, const Replay& state)
{
    const StepTrace& trace = reader.trace();
    for (std::uint32_t warp = 0; warp < trace.warps(); ++warp)
        for (std::uint32_t reg = 0; reg < trace.registers.size(); ++reg)
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                const auto wanted = state.registers.find({warp, reg, lane});
                const auto found = reader.value(static_cast<std::uint16_t>(warp), reg, lane);
                QCOMPARE(found.has_value(), wanted != state.registers.end());
                if (found)
                    QCOMPARE(*found, wanted->second);
            }
    for (std::uint32_t offset = 0; offset < trace.sharedBytes; offset += 4) {
        std::uint32_t word = 0;
        bool known = false;
        for (std::uint32_t byte = 0; byte < 4; ++byte)
            if (const auto at = state.shared.find(offset + byte); at != state.shared.end()) {
                word |= std::uint32_t{at->second} << (8 * byte);
                known = true;
            }
        QCOMPARE(reader.sharedWord(offset), known ? std::optional<std::uint32_t>(word) : std::nullopt);
    }
}

std::int64_t whole(const StepTrace& trace, const StepReader& reader, const char* text, std::uint32_t lane)
{
    const auto expression = StepExpression::parse(text, trace);
    if (!expression)
        qFatal("%s", toText(expression.error()).c_str());
    const auto value = expression->evaluate(reader, 0, lane);
    return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value) : -999999;
}

} // namespace

class TestSimtSteps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writesDownEveryInstruction();
    void registersAndMasks();
    void sharedMemoryAndItsBanks();
    void anyPositionForwardsAndBackwards();
    void waysOfADebugger();
    void anotherBlockAndALimit();
    void aFaultIsTheLastStep();
    void calledFunctions();
    void recordingChangesNothing();
    void roundTripAndDamage();
    void expressions_data();
    void expressions();
    void badExpressions_data();
    void badExpressions();
    void breakpoints();
};

void TestSimtSteps::writesDownEveryInstruction()
{
    Walk walk(everything());
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    QVERIFY(!walk.trace.isCut);
    QCOMPARE(walk.trace.steps.size(), static_cast<std::size_t>(walk.executed));
    const auto results = walk.lab.get<std::uint32_t>(walk.out, 64);
    for (std::uint32_t thread = 0; thread < 64; ++thread)
        QCOMPARE(results[thread], resultOf(thread, 64));
    QCOMPARE(walk.trace.buffers.size(), std::size_t{1});
    QCOMPARE(walk.trace.buffers[0].name, std::string("out"));
    for (const StepInstruction& each : walk.trace.code)
        QVERIFY(each.ptxLine > 0 && !each.text.empty() && each.text.find('\t') == std::string::npos);
}

void TestSimtSteps::registersAndMasks()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    reader.seek(reader.size());
    const std::uint32_t r13 = registerOf(walk.trace, "%r13"), p2 = registerOf(walk.trace, "%p2");
    for (std::uint32_t thread = 0; thread < 64; ++thread) {
        const auto warp = static_cast<std::uint16_t>(thread / 32);
        QCOMPARE(reader.value(warp, r13, thread % 32), std::optional<std::uint64_t>(resultOf(thread, 64)));
        QCOMPARE(reader.value(warp, p2, thread % 32), std::optional<std::uint64_t>(thread < 8 ? 1 : 0));
    }
    // The guarded add is a step of all lanes that even ones execute; lanes 0 to 7 part at the branch.
    bool guarded = false, low = false, high = false;
    for (const TracedStep& step : walk.trace.steps) {
        const std::string& text = walk.trace.code[step.instruction].text;
        if (text.find("%r6, %r4, 100") != std::string::npos) {
            QCOMPARE(step.active, ~std::uint32_t{0});
            QCOMPARE(step.executed, std::uint32_t{0x55555555});
            guarded = true;
        }
        if (text.find("%r7, 2000") != std::string::npos) {
            QCOMPARE(step.active, std::uint32_t{0xff});
            QCOMPARE(step.warp, std::uint16_t{0});
            low = true;
        }
        high = high || (text.find("%r7, 1000") != std::string::npos && step.warp == 0 && step.active == 0xffffff00);
    }
    QVERIFY(guarded && low && high);
}

void TestSimtSteps::sharedMemoryAndItsBanks()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    std::size_t stores = 0, atomics = 0, global = 0;
    for (const TracedStep& step : walk.trace.steps) {
        if (step.access == TracedStep::kNoStep)
            continue;
        const StepAccess& access = walk.trace.accesses[step.access];
        const std::string& text = walk.trace.code[step.instruction].text;
        if (access.space == StepAccess::Space::Shared && access.kind == StepAccess::Kind::Store) {
            QCOMPARE(int(access.passes), 4); // 16 bytes apart: lanes 0, 8, 16 and 24 meet in one bank
            QCOMPARE(int(access.least), 1);
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                QCOMPARE(reader.address(step, lane), std::optional<std::uint64_t>((step.warp * 32 + lane) * 16));
            ++stores;
        } else if (access.kind == StepAccess::Kind::Atomic) {
            QCOMPARE(reader.addressText(access, *reader.address(step, 3)), std::string("shared + 1028"));
            ++atomics;
        } else if (access.space == StepAccess::Space::Global) {
            QCOMPARE(int(access.passes), 4);
            QCOMPARE(reader.addressText(access, *reader.address(step, 3)),
                     "out + " + std::to_string((step.warp * 32 + 3) * 4));
            ++global;
        }
        QVERIFY(!text.empty());
    }
    QCOMPARE(stores, std::size_t{2});
    QCOMPARE(atomics, std::size_t{2});
    QCOMPARE(global, std::size_t{2});
    QVERIFY(!reader.sharedWord(0));
    reader.seek(reader.size());
    QCOMPARE(reader.sharedWord(16 * 37), std::optional<std::uint32_t>(37));
    QCOMPARE(reader.sharedWord(1028), std::optional<std::uint32_t>(64));
    QVERIFY(!reader.sharedWord(4));
    QVERIFY(!reader.sharedWord(1u << 20));
}

void TestSimtSteps::anyPositionForwardsAndBackwards()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    std::mt19937 random(7);
    std::vector<std::size_t> positions{0, 1, reader.size(), reader.size() - 1};
    for (int i = 0; i < 12; ++i)
        positions.push_back(random() % (reader.size() + 1));
    for (const std::size_t position : positions) {
        reader.seek(position);
        compare(reader, replay(walk.trace, position));
    }
    reader.seek(reader.size() + 5);
    QVERIFY(reader.atEnd() && !reader.step() && reader.next() == nullptr);
    std::size_t backwards = 0;
    while (reader.back())
        ++backwards;
    QCOMPARE(backwards, reader.size());
    QVERIFY(reader.last() == nullptr && reader.changed(0) == 0);
    while (reader.step())
        if (reader.last()->firstWrite < walk.trace.endWrite(reader.position() - 1))
            QCOMPARE(reader.changed(walk.trace.writes[reader.last()->firstWrite].reg), reader.last()->executed);
}

void TestSimtSteps::waysOfADebugger()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    QVERIFY(reader.toBarrier());
    QCOMPARE(walk.trace.code[reader.next()->instruction].text, std::string("bar.sync 0"));
    QCOMPARE(reader.next()->warp, std::uint16_t{0});
    QVERIFY(reader.toNextOf(1));
    QCOMPARE(reader.next()->warp, std::uint16_t{1});
    QCOMPARE(reader.nextOf(1), std::optional<std::size_t>(reader.position()));
    QVERIFY(!reader.lastOf(1));
    QVERIFY(reader.toPreviousOf(0));
    QCOMPARE(walk.trace.code[reader.next()->instruction].text, std::string("bar.sync 0"));
    QVERIFY(!reader.overLine()); // hand-written PTX has no source lines
    QVERIFY(reader.atEnd());
    QVERIFY(!reader.nextOf(0));
}

void TestSimtSteps::anotherBlockAndALimit()
{
    Walk second(everything(), 64, 3, 2);
    // Lanes part in the first block alone.
    Walk first(everything(), 64, 3, 0);
    QCOMPARE(first.trace.steps.size() + 2 * second.trace.steps.size(), static_cast<std::size_t>(second.executed));
    StepReader reader(second.trace);
    reader.seek(reader.size());
    QCOMPARE(reader.value(0, registerOf(second.trace, "%r1"), 5), std::optional<std::uint64_t>(2));
    QCOMPARE(second.trace.block[0], 2u);

    Walk cut(everything(), 64, 1, 0, 25);
    QVERIFY(cut.trace.isCut);
    QCOMPARE(cut.trace.steps.size(), std::size_t{25});
    const auto results = cut.lab.get<std::uint32_t>(cut.out, 64);
    QCOMPARE(results[63], resultOf(63, 64)); // the launch went on
    Walk exact(everything(), 64, 1, 0, 1000000);
    QVERIFY(!exact.trace.isCut);
}

void TestSimtSteps::aFaultIsTheLastStep()
{
    Walk walk(handWritten("mul.wide.u32 %rd5, %r0, 65536; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r0;"
                          " mov.u32 %r9, 1;"),
              32);
    QVERIFY(!walk.problem);
    const TracedStep& last = walk.trace.steps.back();
    QCOMPARE(walk.trace.code[last.instruction].text.find("st.global.u32") != std::string::npos, true);
    QVERIFY(last.access != TracedStep::kNoStep);
    const StepReader reader(walk.trace);
    const StepAccess& access = walk.trace.accesses[last.access];
    QCOMPARE(reader.addressText(access, *reader.address(last, 0)), std::string("out + 0"));
    QVERIFY(reader.addressText(access, *reader.address(last, 9)).starts_with("0x"));
}

void TestSimtSteps::calledFunctions()
{
    const std::string outside = R"(
        .func (.reg .u32 %result) twice(.reg .u32 %given)
        {
            add.u32 %result, %given, %given;
            ret;
        }
    )";
    Walk walk(handWritten("call (%r3), twice, (%r0); mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5;"
                          " st.global.u32 [%rd6], %r3;",
                          outside),
              32);
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    StepReader reader(walk.trace);
    reader.seek(reader.size());
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        QCOMPARE(reader.value(0, registerOf(walk.trace, "%r3"), lane), std::optional<std::uint64_t>(2 * lane));
        QCOMPARE(reader.value(0, registerOf(walk.trace, "%given@twice"), lane), std::optional<std::uint64_t>(lane));
    }
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 32)[9], 18u);
}

void TestSimtSteps::recordingChangesNothing()
{
    Walk walk(everything(), 128, 4, 1);
    Lab lab;
    QVERIFY(lab.load(everything()));
    const DevicePtr out = lab.put(std::vector<std::uint32_t>(512), "out");
    QVERIFY(lab.run("k", {4}, {128}, {KernelArg(out), KernelArg(out), KernelArg(out)}));
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 512), lab.get<std::uint32_t>(out, 512));
    // As written the loop's branches are there; the machine's own run has it unrolled.
    QVERIFY(walk.executed > lab.counters.instExecuted);
}

void TestSimtSteps::roundTripAndDamage()
{
    Walk walk(everything());
    const std::string bytes = encodeStepTrace(walk.trace);
    const auto back = decodeStepTrace(bytes);
    QVERIFY(back.ok());
    QVERIFY(*back == walk.trace);
    for (std::size_t length = 0; length < bytes.size(); length += 97)
        QCOMPARE(decodeStepTrace(std::string_view(bytes).substr(0, length)).error().code, std::string("bad-trace"));
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
        std::string damaged = bytes;
        damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
        QVERIFY(!decodeStepTrace(damaged).ok());
    }
    // Behind a checksum that fits, indices that point nowhere are refused, never followed.
    const auto refused = [&](const std::function<void(StepTrace&)>& spoil) {
        StepTrace trace = walk.trace;
        spoil(trace);
        const auto read = decodeStepTrace(encodeStepTrace(trace));
        return !read.ok() && read.error().code == "bad-trace";
    };
    QVERIFY(refused([](StepTrace& t) { t.steps[3].warp = 2; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].instruction = 9999; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].firstWrite = 9999999; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].executed = ~0u, t.steps[3].active = 1; }));
    QVERIFY(refused([](StepTrace& t) { t.writes[2].reg = 9999; }));
    QVERIFY(refused([](StepTrace& t) { t.writes[2].values.first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.accesses[0].addresses.first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.accesses[0].after[0].first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.blockDim = {0, 1, 1}; }));
    QVERIFY(refused([](StepTrace& t) { t.blockDim = {1u << 31, 1u << 31, 4}; }));
    QVERIFY(refused([](StepTrace& t) { t.words.resize(4); }));
    QVERIFY(refused([](StepTrace& t) { t.sharedBytes = 1u << 31; }));
}

void TestSimtSteps::expressions_data()
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

void TestSimtSteps::expressions()
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

void TestSimtSteps::badExpressions_data()
{
    QTest::addColumn<QString>("text");
    for (const char* text : {"", "lane ==", "(lane", "lane lane", "%r99999", "%", "i > 3", "shared[4", "shared 4",
                             "1.2.3", "0x", "lane & & 1", "lane $ 2"})
        QTest::newRow(text) << QString::fromLatin1(text);
    QTest::newRow("deep") << QString(5000, QLatin1Char('('));
    QTest::newRow("minus") << QString(5000, QLatin1Char('-'));
}

void TestSimtSteps::badExpressions()
{
    QFETCH(const QString, text);
    Walk walk(everything());
    const auto parsed = StepExpression::parse(text.toStdString(), walk.trace);
    QVERIFY(!parsed.ok());
    QCOMPARE(parsed.error().code, std::string("bad-expression"));
    QVERIFY(parsed.error().message.find("is expected") != std::string::npos);
}

void TestSimtSteps::breakpoints()
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

QTEST_GUILESS_MAIN(TestSimtSteps)
#include "tst_simt_steps.moc"
