// SPDX-License-Identifier: GPL-3.0-or-later
// What the page of kernels is made of, without a worker.
#include "app/kernels/compile_messages.h"
#include "app/kernels/debug_session.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_editor.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/kernel_shelf.h"
#include "app/kernels/launch_settings.h"
#include "app/kernels/problem_list.h"
#include "app/kernels/replace_bar.h"
#include "app/kernels/source_heat.h"
#include "base/json.h"
#include "base/paths.h"

#include <QLineEdit>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

Json compiled(const std::string& kernel, int parameters)
{
    Json list = Json::array();
    for (int at = 0; at < parameters; ++at)
        list.push_back(Json{{"name", "p"}, {"type", ".u64"}, {"bytes", 8}});
    return Json{{"kernels", Json::array({Json{{"kernel", kernel}, {"parameters", list}, {"registers", 12}}})}};
}

KernelScore counted(const std::string& version, std::uint64_t instructions, std::uint64_t reports = 0)
{
    KernelScore score;
    score.version = version;
    score.setting = "one";
    score.instructions = instructions;
    score.reports = reports;
    return score;
}

/// Two warps: warp 0 writes r1 = lane, then lanes 0-15 write r2 = 7 (line 3, of shared memory with conflicts), warp 1
/// writes r1 = 100.
StepTrace smallTrace()
{
    StepTrace trace;
    trace.kernel = "k";
    trace.blockDim = {64, 1, 1};
    trace.sharedBytes = 256;
    trace.code = {
        {"mov.u32 %r1, %tid.x", 10, 2, false}, {"st.shared.u32 [%r3], %r1", 11, 3, false}, {"bar.sync 0", 12, 4, true}};
    trace.registers = {{"%r1", 4, false, true}, {"%r2", 4, false, true}};
    trace.words = {0, 1, 7, 0, 128, 100};
    const std::uint32_t all = ~0u, half = 0xffff;
    trace.steps = {{0, 0, all, all, all, 0, TracedStep::kNoStep},
                   {0, 1, half, half, all, 1, 0},
                   {1, 0, all, all, all, 2, TracedStep::kNoStep},
                   {1, 2, all, all, all, 3, TracedStep::kNoStep},
                   {0, 2, all, all, all, 3, TracedStep::kNoStep}};
    trace.writes = {
        {0, {LaneWords::Kind::Affine, 0}}, {1, {LaneWords::Kind::Uniform, 2}}, {0, {LaneWords::Kind::Uniform, 5}}};
    StepAccess access;
    access.space = StepAccess::Space::Shared;
    access.kind = StepAccess::Kind::Store;
    access.passes = 16;
    access.least = 1;
    access.addresses = {LaneWords::Kind::Affine, 3};
    trace.accesses = {access};
    return trace;
}

} // namespace

class TestKernelParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parametersHaveTheNamesOfTheSource()
    {
        const std::string source = "// void f(int nothing)\n__global__ void __launch_bounds__(256) scale(const float* "
                                   "__restrict__ in, /* result */ float *out, unsigned int n, double factor = 1.0)\n{}";
        const auto kernels = kernelsOf(compiled("scale(float const*, float*, unsigned int, double)", 4), source);
        QCOMPARE(kernels.size(), std::size_t{1});
        QCOMPARE(kernels[0].bare, std::string("scale"));
        const auto& p = kernels[0].parameters;
        QCOMPARE(p[0].name, std::string("in"));
        QVERIFY(p[0].isPointer && p[0].isConst && p[0].element == DataType::F32);
        QCOMPARE(p[1].name, std::string("out"));
        QVERIFY(p[1].isPointer && !p[1].isConst);
        QCOMPARE(p[2].element, std::optional(DataType::U32));
        QCOMPARE(p[3].name, std::string("factor"));
        QCOMPARE(p[3].element, std::optional(DataType::F64));
        QCOMPARE(defaultSpec(p[0], 0, 512), std::string("in:f32:512:rand(1)"));
        QCOMPARE(defaultSpec(p[1], 1, 512), std::string("out:f32:512"));
        QCOMPARE(defaultSpec(p[2], 2, 512), std::string("u32:512"));
        QCOMPARE(defaultSpec(p[3], 3, 512), std::string("f64:1"));
    }

    void aTemplatesTypesComeFromTheCompiler()
    {
        const auto kernels = kernelsOf(compiled("void scale<int>(int const*, int*)", 2),
                                       "template<class T> __global__ void scale(const T* in, T* out) {}");
        QCOMPARE(kernels[0].bare, std::string("scale<int>"));
        QCOMPARE(kernels[0].parameters[0].name, std::string("in"));
        QCOMPARE(kernels[0].parameters[0].element, std::optional(DataType::I32));
        // Where the source cannot be read, the places are named.
        QCOMPARE(kernelsOf(compiled("odd", 1), "nothing")[0].parameters[0].name, std::string("argument 1"));
    }

    void everyDefaultIsASpecTheWorkerReads()
    {
        for (const char* type : {"const float*", "double *", "unsigned char", "long long", "__half*", "Thing*"}) {
            const auto kernels = kernelsOf(compiled("k", 1), std::string("__global__ void k(") + type + " a) {}");
            const std::string spec = defaultSpec(kernels[0].parameters[0], 0, 64);
            QVERIFY2(parseKernelArgument(spec, 1).ok(), spec.c_str());
        }
    }

    void aLaunchIsRememberedAndBecomesARequest()
    {
        LaunchSettings launch;
        launch.grid = "8,4";
        launch.block = "32,8";
        launch.sharedBytes = 1024;
        launch.args = {"in:f32:64:ones", "i32:64"};
        launch.checkGlobal = true;
        QCOMPARE(launchFromJson(toJson(launch)), launch);
        QCOMPARE(threadsOf(launch), std::uint64_t{8192});
        const auto request = requestOf(launch, {"a b.cu", "text", false}, "k<float>", "sim:h100-sxm");
        QVERIFY(request.ok());
        QCOMPARE(request->grid[1], std::uint64_t{4});
        const std::string line = commandLineOf(*request);
        QCOMPARE(line, std::string("ridge kernel run 'a b.cu' --kernel 'k<float>' --grid 8,4 --block 32,8 --smem 1024 "
                                   "--arg in:f32:64:ones --arg i32:64 --target sim:h100-sxm --check --check-global"));
        launch.grid = "0";
        QVERIFY(!requestOf(launch, {}, "k", "sim:h100-sxm").ok());
        QVERIFY(launchFromJson(Json{{"grid", 3}, {"args", "x"}}) == LaunchSettings());
    }

    void everyExampleSaysHowItIsLaunched()
    {
        int learning = 0;
        for (const KernelExample& example : kernelExamples(*dataFolder())) {
            QVERIFY(!example.title.empty());
            const auto draft = draftOfFile(example.file);
            QVERIFY2(draft.ok(), example.file.c_str());
            if (example.group != "For learning")
                continue;
            ++learning;
            QVERIFY(!example.about.empty());
            const auto launch = launchInHead(draft->text);
            QVERIFY2(launch && !launch->args.empty(), example.id.c_str());
            for (std::size_t at = 0; at < launch->args.size(); ++at)
                QVERIFY(parseKernelArgument(launch->args[at], at + 1).ok());
        }
        QCOMPARE(learning, 3);
    }

    void compilersAreUnderstood()
    {
        const QString nvidia = s("/tmp/bad.cu:6:23: identifier \"d\" is undefined (nvcc 13.0)\n"
                                 "/tmp/bad.cu(6): error: identifier \"d\" is undefined\n"
                                 "          c[i] = a[i] + d[i]\n"
                                 "                        ^\n\n"
                                 "/tmp/bad.cu(4): warning #177-D: variable \"unused\" was declared\n"
                                 "/usr/include/x.h(9): error: no\n");
        auto notes = compileMessages(nvidia, s("bad.cu"));
        QCOMPARE(notes.size(), std::size_t{3});
        QCOMPARE(notes[0].line, 6);
        QCOMPARE(notes[0].column, 23);
        QCOMPARE(notes[0].text, s("identifier \"d\" is undefined"));
        QVERIFY(notes[1].kind == SourceNote::Kind::Warning && notes[1].line == 4);
        QVERIFY(notes[2].line == 0 && notes[2].text.contains(s("x.h:9")));
        notes = compileMessages(s("a/bad.cu:6:23: error: use of undeclared identifier 'd'\n  d\n  ^\n"), s("bad.cu"));
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY(notes[0].line == 6 && notes[0].column == 23);
        QVERIFY(compileMessages(s("the file is empty"), s("bad.cu")).empty());
    }

    void heatIsWhatTheWorkerCounted()
    {
        const Json document{
            {"per_line",
             Json::array({Json{{"source_line", 9},
                               {"source_text", "b"},
                               {"inst_issued", 10},
                               {"global_requests", 4},
                               {"global_request_sectors", 128},
                               {"shared_wavefronts", 64},
                               {"shared_minimum_wavefronts", 2},
                               {"stalls", Json{{"selected", 10}, {"wait", 5}, {"long_scoreboard", 50}}}},
                          Json{{"source_line", 4}, {"inst_issued", 20}, {"stalls", Json{{"selected", 20}}}}})}};
        const auto lines = heatOf(document);
        QCOMPARE(lines[0].line, 4);
        QVERIFY(!lines[0].value(HeatMetric::SectorsPerRequest));
        QCOMPARE(lines[1].value(HeatMetric::SectorsPerRequest), std::optional<double>(32));
        QCOMPARE(lines[1].value(HeatMetric::BankConflicts), std::optional<double>(62));
        QCOMPARE(lines[1].value(HeatMetric::StallCycles), std::optional<double>(55));
        QCOMPARE(lines[1].mainStall, s("long_scoreboard"));
        QCOMPARE(hottestLine(lines, HeatMetric::Instructions), 4);
        QCOMPARE(hottestLine(lines, HeatMetric::StallCycles), 9);
        QCOMPARE(hottestLine({}, HeatMetric::StallCycles), 0);
        QVERIFY(heatOf(Json{{"per_line", nullptr}}).empty());
        QCOMPARE(shortNumber(4), s("4"));
        QCOMPARE(shortNumber(3.5), s("3.5"));
        QCOMPARE(shortNumber(10240), s("10.2k"));
        QCOMPARE(shortNumber(373224), s("373k"));
        QCOMPARE(shortNumber(1.25e6), s("1.25M"));
    }

    void gutterFollowsEdits()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        KernelEditor editor(theme);
        editor.setPlainText(s("a\nb\nc\nd"));
        HeatLine two, four;
        two.line = 2, four.line = 4;
        two.values[0] = 5, four.values[0] = 7;
        editor.setHeat({two, four}, HeatMetric::Instructions);
        QCOMPARE(editor.heatText(4), s("7"));
        editor.goToLine(3);
        QTest::keyClicks(&editor, s("x"));
        QCOMPARE(editor.heatText(4), s("7"));
        QTest::keyClick(&editor, Qt::Key_Return);
        QCOMPARE(editor.heatText(5), s("7"));
        QCOMPARE(editor.heatText(2), s("5"));
        editor.goToLine(2);
        QTest::keyClicks(&editor, s("x"));
        QVERIFY(editor.heatText(2).isEmpty()); // no longer the line that ran
    }

    void bracketsMatchOutsideOfComments()
    {
        QTextDocument document(s("f(a[1], \")\") { // )\n}"));
        CodeHighlighter* none = nullptr;
        Q_UNUSED(none);
        QCOMPARE(matchingBracket(document, 1, CodeLanguage::Cuda), 11);
        QCOMPARE(matchingBracket(document, 3, CodeLanguage::Cuda), 5);
        QCOMPARE(matchingBracket(document, 13, CodeLanguage::Cuda), 20);
        QCOMPARE(matchingBracket(document, 20, CodeLanguage::Cuda), 13);
        QCOMPARE(matchingBracket(document, 18, CodeLanguage::Cuda), -1);
    }

    void tabIndentsAndEscapeLeaves()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        KernelEditor editor(theme);
        QSignalSpy left(&editor, &KernelEditor::left);
        QTest::keyClicks(&editor, s("{"));
        QTest::keyClick(&editor, Qt::Key_Return);
        QTest::keyClicks(&editor, s("x;"));
        QTest::keyClick(&editor, Qt::Key_Return);
        QTest::keyClicks(&editor, s("}"));
        QCOMPARE(editor.toPlainText(), s("{\n    x;\n}"));
        editor.selectAll();
        QTest::keyClick(&editor, Qt::Key_Tab);
        QCOMPARE(editor.toPlainText(), s("    {\n        x;\n    }"));
        QTest::keyClick(&editor, Qt::Key_Backtab);
        QCOMPARE(editor.toPlainText(), s("{\n    x;\n}"));
        QTest::keyClick(&editor, Qt::Key_Escape);
        QCOMPARE(left.count(), 1);
    }

    void placesAreFoundAndReplaced()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        KernelEditor editor(theme);
        editor.setPlainText(s("one two One two"));
        QWidget place;
        ReplaceBar bar(theme, editor, &place);
        place.show();
        bar.open();
        bar.field()->setText(s("one"));
        QCOMPARE(bar.count(), 2);
        bar.replacement()->setText(s("1"));
        bar.replace();
        QCOMPARE(editor.toPlainText(), s("1 two One two"));
        bar.field()->setText(s("two"));
        QCOMPARE(bar.replaceAll(), 2);
        QCOMPARE(editor.toPlainText(), s("1 1 One 1"));
        editor.undo();
        QCOMPARE(editor.toPlainText(), s("1 two One two")); // one step back
    }

    void versionsAreOnlyAdded()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = historyFile(folder.path().toStdString(), "k");
        {
            KernelHistory history(file);
            const auto first = history.keep("text 1");
            QVERIFY(first.ok());
            QCOMPARE(*history.keep("text 1"), *first); // nothing new
            const auto named = history.keep("text 1", "a name");
            QVERIFY(named.ok() && *named != *first);
            QVERIFY(history.add(counted(*first, 100)).ok());
        }
        QFile broken(QString::fromStdString(file.string()));
        QVERIFY(broken.open(QIODevice::Append));
        broken.write("{\"kind\":\"vers"); // a crash in the middle of a line
        broken.close();
        KernelHistory again(file);
        QCOMPARE(again.versions().size(), std::size_t{2});
        QCOMPARE(again.scores().size(), std::size_t{1});
        QCOMPARE(again.damaged(), 1);
        QVERIFY(again.keep("text 2").ok());
        KernelHistory third(file);
        QCOMPARE(third.versions().size(), std::size_t{3});
        QCOMPARE(third.versions().back().text, std::string("text 2"));
    }

    void aScoreIsHeldAgainstTheBestEarlierVersion()
    {
        KernelHistory history;
        const std::string a = *history.keep("a"), b = *history.keep("b"), c = *history.keep("c");
        QVERIFY(history.add(counted(a, 200)).ok() && history.add(counted(b, 50, 3)).ok());
        QCOMPARE(*history.best("one", c)->instructions, std::uint64_t{200}); // b was wrong
        QVERIFY(!history.best("another launch", c));
        QVERIFY(!history.best("one", a));
        QVERIFY(scoreSentence(counted(c, 150), history.best("one", c)).contains(s("25 % fewer")));
        QVERIFY(scoreSentence(counted(c, 300), history.best("one", c)).contains(s("50 % more")));
        QVERIFY(scoreSentence(counted(c, 200), history.best("one", c)).startsWith(s("As many as")));
        QVERIFY(scoreSentence(counted(c, 1, 2), history.best("one", c)).contains(s("detectors")));
        QVERIFY(scoreSentence(KernelScore(), {}).isEmpty());
    }

    void differencesAreLines()
    {
        QVERIFY(differenceOf(s("a\nb"), s("a\nb")).isEmpty());
        const QString text = differenceOf(s("a\nb\nc"), s("a\nx\nc"));
        QVERIFY2(text.contains(s("− b")) && text.contains(s("+ x")), qPrintable(text));
        QVERIFY(!text.contains(s("− c")));
    }

    void reportsTeach()
    {
        const Json document{{"reports", Json::array({Json{{"code", "shared-race"},
                                                          {"message", "warp 2 reads what warp 1 writes"},
                                                          {"look_for", "A missing __syncthreads()."},
                                                          {"count", 64},
                                                          {"source_line", 10},
                                                          {"block", Json::array({0, 0, 0})},
                                                          {"thread", Json::array({64, 0, 0})},
                                                          {"warp", 2},
                                                          {"lane", 0},
                                                          {"other", Json{{"source_line", 9}}}}})}};
        const auto notes = detectorNotes(document);
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(notes[0].title, s("Shared race, 64 times"));
        QVERIFY(notes[0].line == 10 && notes[0].otherLine == 9);
        QVERIFY(notes[0].text.contains(s("lane 0")) && notes[0].text.contains(s("line 9")));
        QCOMPARE(notes[0].advice, s("A missing __syncthreads()."));
    }

    void expressionsAreReadAndRefused()
    {
        const auto known = [](const std::string& name) { return name == "lane" || name == "r4" || name == "%r4"; };
        const auto lookup = [](const std::string& name) -> std::optional<double> { return name == "lane" ? 5 : 7; };
        const auto value = [&](const char* text) {
            const auto read = WatchExpression::parse(text, known);
            return read ? read->value(lookup) : std::optional<double>(-1);
        };
        QCOMPARE(value("lane==5 && r4>3"), std::optional<double>(1));
        QCOMPARE(value("lane + %r4 * 2"), std::optional<double>(19));
        QCOMPARE(value("(lane + r4) * 2"), std::optional<double>(24));
        QCOMPARE(value("!(lane != 5) || 1/0"), std::optional<double>(1));
        QCOMPARE(value("r4 % 4"), std::optional<double>(3));
        QCOMPARE(value("-lane - -1"), std::optional<double>(-4));
        QCOMPARE(value("0x10"), std::optional<double>(16));
        QVERIFY(!value("1 / 0"));
        for (const char* bad : {"", "lane ==", "(lane", "i > 3", "lane 5", "1 +* 2", "&& 1"})
            QVERIFY2(!WatchExpression::parse(bad, known).ok(), bad);
        QVERIFY(!WatchExpression::parse(std::string(500, '('), known).ok());
    }

    void aSessionStopsWhereItShould()
    {
        DebugSession session(smallTrace());
        QCOMPARE(session.line(), 2);
        QVERIFY(session.setBreakpoint(2, "lane == 3 && r1 > 50").ok());
        QVERIFY(!session.setBreakpoint(3, "nothing > 1").ok());
        QVERIFY(!session.runOn()); // r1 is not written before line 2 of either warp
        session.reader().seek(0);
        QVERIFY(session.setBreakpoint(4, "lane == 3 && r1 > 50").ok());
        QVERIFY(session.runOn());
        QCOMPARE(session.reader().position(), std::size_t{3}); // warp 1, whose r1 is 100
        QVERIFY(!session.runOn());                             // warp 0 has 3 there
        session.reader().seek(0);
        session.removeBreakpoint(4);
        session.stopAtConflicts = true;
        QVERIFY(session.runOn());
        QCOMPARE(session.reader().position(), std::size_t{1});
        session.stopAtConflicts = false;
        session.stopAtDivergence = true;
        session.reader().seek(0);
        QVERIFY(session.runOn());
        QCOMPARE(session.reader().position(), std::size_t{1});
        QVERIFY(session.runBack() == false);
        QCOMPARE(session.reader().position(), std::size_t{0});
    }
};

QTEST_MAIN(TestKernelParts)
#include "tst_kernel_parts.moc"
