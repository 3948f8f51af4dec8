// SPDX-License-Identifier: GPL-3.0-or-later
// Calls in the record of a block: how deep each lane is, and a debugger that steps over, into and out of functions.
#include "corpus_lab.h"
#include "step_walk.h"

#include <map>
#include <random>
#include <set>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using Flow = StepInstruction::Flow;
constexpr std::uint32_t kKernelLine = 84, kKernelEnd = 85, kFunctionLine = 80; // of `recursion` and `fibonacci`

/// A kernel of fixtures/corpus/library.cu, as a compiler made it.
struct CorpusWalk {
    Lab lab;
    StepTrace trace;
    explicit CorpusWalk(const char* kernel)
    {
        if (!load(lab, "library"))
            qFatal("%s", lab.why().constData());
        const DevicePtr out = lab.put(std::vector<int>(32), "out");
        LaunchOptions options;
        options.traceSteps = 200000;
        auto report = lab.device->launch(*lab.program, {kernel, {1}, {32}, 0, {KernelArg(out)}}, options);
        if (!report)
            qFatal("%s", toText(report.error()).c_str());
        trace = std::move(*report->steps);
    }
};

/// How deep the lanes are before each step, by counting.
std::vector<std::array<int, 32>> countedDepths(const StepTrace& trace)
{
    std::vector<std::array<int, 32>> all;
    std::array<int, 32> now{};
    for (const TracedStep& step : trace.steps) {
        all.push_back(now);
        const Flow flow = trace.code[step.instruction].flow;
        for (std::size_t lane = 0; lane < 32; ++lane)
            if ((step.executed >> lane & 1) != 0)
                now[lane] += flow == Flow::Call ? 1 : flow == Flow::Return ? -1 : 0;
    }
    return all;
}

std::uint32_t lineAt(const StepReader& reader)
{
    return reader.next() ? reader.trace().code[reader.next()->instruction].sourceLine : 0;
}

std::string functionAt(const StepReader& reader)
{
    const StepTrace& trace = reader.trace();
    return reader.next() ? trace.functions[trace.code[reader.next()->instruction].function] : std::string();
}

/// A function that calls itself and has no ret: it returns where it ends. In registers it could be inlined only.
std::string countsDown()
{
    return handWritten(R"(
        .param .b32 first;
        st.param.b32 [first], 3;
        call.uni down, (first);
        mul.wide.u32 %rd5, %r0, 4;
        add.u64 %rd6, %rd0, %rd5;
        mov.u32 %r3, 7;
        st.global.u32 [%rd6], %r3;
    )",
                       R"(
        .func down(.param .b32 given)
        {
            .reg .pred %q;
            .reg .b32 %a<3>;
            .param .b32 less;
            ld.param.u32 %a0, [given];
            setp.eq.u32 %q, %a0, 0;
            sub.u32 %a1, %a0, 1;
            st.param.b32 [less], %a1;
            @!%q call.uni down, (less);
        }
    )");
}

} // namespace

class TestSimtStepCalls : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLaneHasItsDepth_data() { variants(); }
    void everyLaneHasItsDepth();
    void overIntoAndOut_data() { variants(); }
    void overIntoAndOut();
    void noCallIsEnteredByOver_data() { variants(); }
    void noCallIsEnteredByOver();
    void outOfARecursion_data() { variants(); }
    void outOfARecursion();
    void callsThroughPointers_data() { variants(); }
    void callsThroughPointers();
    void functionsThatTheSimulatorInlines();
    void aFunctionWithoutReturnReturns();
    void calledTracesTravelAndDamageIsRefused();
};

void TestSimtStepCalls::everyLaneHasItsDepth()
{
    CorpusWalk walk("recursion");
    const StepReader reader(walk.trace);
    const auto counted = countedDepths(walk.trace);
    std::array<std::uint32_t, 32> deepest{}, calls{};
    for (std::size_t at = 0; at < walk.trace.steps.size(); ++at) {
        const TracedStep& step = walk.trace.steps[at];
        const StepInstruction& code = walk.trace.code[step.instruction];
        QCOMPARE(int(code.inlined), 0);
        const bool inFunction = walk.trace.functions[code.function] == "fibonacci(int)";
        QCOMPARE(inFunction, reader.shallowestOf(at) > 0);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if ((step.active >> lane & 1) == 0)
                continue;
            QCOMPARE(int(reader.calls().depth(at, lane)), counted[at][lane]);
            deepest[lane] = std::max(deepest[lane], reader.calls().depth(at, lane));
            calls[lane] += code.flow == Flow::Call && (step.executed >> lane & 1) != 0 ? 1 : 0;
        }
    }
    // fibonacci(n) is n activations deep, and makes as many calls as its definition says; clang makes a loop of the
    // second of the two, which saves the activation of fibonacci(n - 2).
    QFETCH(QString, file);
    const std::uint32_t activation = file == QLatin1String("clang") ? 0 : 1;
    std::array<std::uint32_t, 12> wanted{1, 1};
    for (std::size_t n = 2; n < wanted.size(); ++n)
        wanted[n] = wanted[n - 1] + wanted[n - 2] + activation;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        QCOMPARE(deepest[lane], std::max(1u, lane % 12));
        QCOMPARE(calls[lane], wanted[lane % 12]);
    }
    const auto depth = StepExpression::parse("depth", walk.trace);
    QVERIFY(depth.ok());
    QCOMPARE(std::get<std::int64_t>(*depth->evaluate(reader, 0, 3)), std::int64_t{0});
}

void TestSimtStepCalls::overIntoAndOut()
{
    CorpusWalk walk("recursion");
    StepReader reader(walk.trace);
    while (lineAt(reader) != kKernelLine)
        QVERIFY(reader.step());
    const std::size_t begin = reader.position();
    // Out of the kernel itself there is no way, and nothing moves.
    QVERIFY(!reader.hasCaller(0));
    QVERIFY(!reader.out(0));
    QCOMPARE(reader.position(), begin);
    // Over: the thousands of steps of the function are passed.
    QVERIFY(reader.overLine(0));
    QCOMPARE(reader.deepestOf(reader.position()), 0u);
    QCOMPARE(lineAt(reader), kKernelEnd);
    QVERIFY(reader.position() > begin + 20);
    // Into: the function's first line; out of it: the middle of the line that called.
    reader.seek(begin);
    QVERIFY(reader.intoLine(0));
    QCOMPARE(functionAt(reader), std::string("fibonacci(int)"));
    QCOMPARE(reader.shallowestOf(reader.position()), 1u);
    QVERIFY(reader.hasCaller(0));
    QVERIFY(reader.out(0));
    QCOMPARE(functionAt(reader), std::string("recursion"));
    QCOMPARE(reader.deepestOf(reader.position()), 0u);
    QCOMPARE(lineAt(reader), kKernelLine);
    // By instructions the call is entered as well.
    reader.seek(begin);
    while (reader.deepestOf(reader.position()) == 0)
        QVERIFY(reader.toNextOf(0));
    QCOMPARE(functionAt(reader), std::string("fibonacci(int)"));
    // At the warp's end there is nothing to step from.
    reader.seek(reader.size());
    QVERIFY(!reader.overLine(0) && !reader.intoLine(0) && !reader.out(0) && !reader.hasCaller(0));
    QVERIFY(reader.atEnd());
}

void TestSimtStepCalls::noCallIsEnteredByOver()
{
    CorpusWalk walk("recursion");
    StepReader reader(walk.trace);
    const auto counted = countedDepths(walk.trace);
    std::mt19937 random(5);
    for (int tries = 0; tries < 200; ++tries) {
        const std::size_t from = random() % reader.size();
        const TracedStep& begin = walk.trace.steps[from];
        const std::uint32_t line = walk.trace.code[begin.instruction].sourceLine;
        reader.seek(from);
        const bool found = reader.overLine(0);
        const std::size_t to = reader.position();
        QVERIFY(to > from && (found || reader.atEnd()));
        for (std::size_t at = from + 1; at <= to && at < reader.size(); ++at) {
            const TracedStep& step = walk.trace.steps[at];
            const std::uint32_t here = walk.trace.code[step.instruction].sourceLine;
            bool stops = false;
            for (std::size_t lane = 0; lane < 32; ++lane)
                if ((step.active & begin.active) >> lane & 1)
                    stops = stops || counted[at][lane] < counted[from][lane] ||
                            (here != line && here != 0 && counted[at][lane] <= counted[from][lane]);
            QVERIFY2(at == to || !stops, qPrintable(QStringLiteral("passed %1 from %2").arg(at).arg(from)));
        }
    }
}

void TestSimtStepCalls::outOfARecursion()
{
    CorpusWalk walk("recursion");
    StepReader reader(walk.trace);
    const auto counted = countedDepths(walk.trace);
    for (const int depth : {2, 5, 9, 11}) {
        reader.seek(0);
        while (reader.next() && counted[reader.position()][11] != depth)
            reader.step();
        while (reader.next() && (reader.next()->active >> 11 & 1) == 0) // lane 11 takes the step
            reader.step();
        QVERIFY(reader.next());
        const std::size_t from = reader.position();
        const std::uint32_t active = reader.next()->active;
        QVERIFY(reader.out(0));
        bool back = false;
        for (std::size_t lane = 0; lane < 32; ++lane)
            back = back || ((active & reader.next()->active) >> lane & 1 &&
                            counted[reader.position()][lane] < counted[from][lane]);
        QVERIFY(back);
        QVERIFY(lineAt(reader) == kFunctionLine || lineAt(reader) == kKernelLine);
    }
}

void TestSimtStepCalls::callsThroughPointers()
{
    Lab lab;
    QVERIFY2(load(lab, "library"), lab.why());
    std::vector<int> which(32);
    for (std::size_t lane = 0; lane < 32; ++lane)
        which[lane] = static_cast<int>(lane % 3);
    const DevicePtr in = lab.put(which, "which"), out = lab.put(std::vector<int>(32), "out");
    LaunchOptions options;
    options.traceSteps = 10000;
    auto report =
        lab.device->launch(*lab.program, {"function_pointers", {1}, {32}, 0, {KernelArg(in), KernelArg(out)}}, options);
    QVERIFY2(report.ok(), report ? "" : toText(report.error()).c_str());
    StepReader reader(*report->steps);
    std::set<std::string> entered;
    for (std::size_t at = 0; at < reader.size(); ++at)
        if (reader.shallowestOf(at) == 1)
            entered.insert(
                report->steps->functions[report->steps->code[report->steps->steps[at].instruction].function]);
    QCOMPARE(entered, (std::set<std::string>{"addUp(int, int)", "takeAway(int, int)", "multiply(int, int)"}));
    while (reader.next() && report->steps->code[reader.next()->instruction].flow != Flow::Call)
        reader.step();
    QVERIFY(reader.overLine(0));
    QCOMPARE(reader.deepestOf(reader.position()), 0u);
}

void TestSimtStepCalls::functionsThatTheSimulatorInlines()
{
    // `twice` is called by `four`: both are inlined, and are calls for whoever reads the code.
    Walk walk(handWritten("call (%r3), four, (%r0); mul.wide.u32 %rd5, %r0, 4;\nadd.u64 %rd6, %rd0, %rd5;"
                          " st.global.u32 [%rd6], %r3;",
                          R"(
        .func (.reg .u32 %result) twice(.reg .u32 %given)
        {
            add.u32 %result, %given, %given;
            ret;
        }
        .func (.reg .u32 %result) four(.reg .u32 %given)
        {
            .reg .u32 %half;
            call (%half), twice, (%given);
            add.u32 %result, %half, %half;
            ret;
        }
    )"),
              32);
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    StepReader reader(walk.trace);
    std::map<std::string, std::set<std::uint32_t>> depths;
    for (std::size_t at = 0; at < reader.size(); ++at) {
        const StepInstruction& code = walk.trace.code[walk.trace.steps[at].instruction];
        QCOMPARE(code.flow, Flow::Plain);
        depths[walk.trace.functions[code.function]].insert(reader.deepestOf(at));
        if (code.text.starts_with("call")) // everybody calls
            QCOMPARE(walk.trace.steps[at].executed, ~std::uint32_t{0});
    }
    QCOMPARE(depths["k"], std::set<std::uint32_t>{0});
    QCOMPARE(depths["four"], std::set<std::uint32_t>{1});
    QCOMPARE(depths["twice"], std::set<std::uint32_t>{2});
    // Hand-written PTX has no source lines: over goes by its own.
    reader.seek(0);
    while (!walk.trace.code[reader.next()->instruction].text.starts_with("call"))
        QVERIFY(reader.toNextOf(0));
    const std::size_t call = reader.position();
    QVERIFY(reader.overLine(0));
    QVERIFY2(walk.trace.code[reader.next()->instruction].text.find("add.u64 %rd6") != std::string::npos,
             walk.trace.code[reader.next()->instruction].text.c_str());
    reader.seek(call);
    QVERIFY(reader.intoLine(0));
    QCOMPARE(functionAt(reader), std::string("four"));
    QVERIFY(reader.intoLine(0));
    QCOMPARE(functionAt(reader), std::string("twice"));
    QVERIFY(reader.out(0));
    QCOMPARE(functionAt(reader), std::string("four"));
    QVERIFY(reader.out(0));
    QCOMPARE(functionAt(reader), std::string("k"));
}

void TestSimtStepCalls::aFunctionWithoutReturnReturns()
{
    Walk walk(countsDown(), 32);
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    const StepReader reader(walk.trace);
    std::uint32_t deepest = 0;
    std::size_t returns = 0;
    for (std::size_t at = 0; at < reader.size(); ++at) {
        const StepInstruction& code = walk.trace.code[walk.trace.steps[at].instruction];
        deepest = std::max(deepest, reader.deepestOf(at));
        returns += code.flow == Flow::Return ? 1 : 0;
        if (code.flow == Flow::Return)
            QVERIFY2(code.text.starts_with("ret"), code.text.c_str());
        if (code.text.starts_with("st.global"))
            QCOMPARE(reader.deepestOf(at), 0u);
    }
    QCOMPARE(deepest, 4u); // 3, 2, 1, 0
    QCOMPARE(returns, std::size_t{4});
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 32)[31], 7u);
}

void TestSimtStepCalls::calledTracesTravelAndDamageIsRefused()
{
    Walk walk(countsDown(), 32);
    QVERIFY(!walk.problem);
    const std::string bytes = encodeStepTrace(walk.trace);
    const auto back = decodeStepTrace(bytes);
    QVERIFY(back.ok() && *back == walk.trace);
    const auto refused = [&](const std::function<void(StepTrace&)>& spoil) {
        StepTrace trace = walk.trace;
        spoil(trace);
        const auto read = decodeStepTrace(encodeStepTrace(trace));
        return !read.ok() && read.error().code == "bad-trace";
    };
    QVERIFY(refused([](StepTrace& t) { t.code[0].function = 99; }));
    QVERIFY(refused([](StepTrace& t) { t.functions.clear(); }));
    QVERIFY(refused([](StepTrace& t) { t.code[0].flow = Flow::Return; })); // of what nobody called
    QVERIFY(refused([](StepTrace& t) {
        t.code[t.steps[0].instruction].flow = Flow::Call; // deeper than any stack
        t.steps.assign(StepTrace::kMostCalls + 2, t.steps[0]);
        t.steps.back().firstWrite = t.steps.front().firstWrite;
    }));
    std::string older = bytes;
    older[4] = 3;
    const auto read = decodeStepTrace(older);
    QVERIFY(!read.ok() && read.error().code == "bad-trace");
    QVERIFY2(read.error().message.find("older ridge-worker") != std::string::npos, read.error().message.c_str());
    QVERIFY(!read.error().fix.empty());
}

QTEST_GUILESS_MAIN(TestSimtStepCalls)
#include "tst_simt_step_calls.moc"
