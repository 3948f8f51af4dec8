// SPDX-License-Identifier: GPL-3.0-or-later
// What the page of kernels is made of, without a worker.
#include "app/drawing/scenes/scene_view.h"
#include "app/kernels/access_picture.h"
#include "app/kernels/debug_models.h"
#include "app/kernels/debug_panel.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/kernel_results.h"
#include "app/kernels/kernel_shelf.h"
#include "app/kernels/launch_form.h"
#include "app/kernels/launch_settings.h"
#include "app/kernels/problem_list.h"
#include "app/kernels/replace_bar.h"
#include "app/session/background.h"
#include "app/session/draft_file.h"
#include "app/ui/compile_messages.h"
#include "app/ui/kernel_editor.h"
#include "app/ui/source_heat.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/struct_argument.h"
#include "tests/app/kernels/small_steps.h"

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

} // namespace

class TestKernelParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parametersHaveTheNamesOfTheSource()
    {
        const std::string source = "// void f(int nothing)\n__global__ void __launch_bounds__(256) scale(const float* "
                                   "__restrict__ in, /* result */ float *out, unsigned int n, double factor = 1.0)\n{}";
        Json document = compiled("scale(float const*, float*, unsigned int, double)", 4);
        document["kernels"][0]["parameters"][2] = Json{{"name", "p"}, {"type", ".u32"}, {"bytes", 4}};
        const auto kernels = kernelsOf(document, source);
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
            QVERIFY2(checkArgumentText(spec, 1).ok(), spec.c_str());
        }
        // By value: of what is known the elements, in all as many bytes as the parameter.
        const std::vector<std::tuple<const char*, std::uint64_t, const char*>> values{
            {"Thing", 24, "struct:{3*u64:0}"},
            {"Thing", 12, "struct:{3*u32:0}"},
            {"float4", 16, "struct:{4*f32:0}"},
            {"__half2", 4, "struct:{2*f16:0}"}};
        for (const auto& [type, bytes, expected] : values) {
            KernelParameterInfo parameter =
                kernelsOf(compiled("k", 1), std::string("__global__ void k(") + type + " a) {}")[0].parameters[0];
            parameter.bytes = bytes;
            const std::string spec = defaultSpec(parameter, 0, 64);
            QCOMPARE(spec, std::string(expected));
            QCOMPARE(parseStructArgument(spec, 1)->bytes, bytes);
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

    /// The compiler's sidecar beside PTX fills the form; one of another kernel is refused by name.
    void aSidecarFillsTheForm()
    {
        const QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& bytes) {
            QFile file(folder.filePath(s(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
        };
        const std::filesystem::path ptx = folder.filePath(s("mine.ptx")).toStdString();
        QByteArray text = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry mine(.param .u64 a, .param .align 8 .b8 b[16], .param .u32 n,\n"
                          ".param .u64 scratch, .param .u64 profile)\n.reqntid 128\n{\nret;\n}\n";
        text.append('\0'); // as some compilers end it
        write("mine.ptx", text);
        QVERIFY(draftOfFile(ptx)->launches.empty());
        const QByteArray json = R"({"name": "mine", "num_warps": 4, "num_ctas": 2, "shared": 4096,
            "target": {"arch": 90}, "global_scratch_size": 256, "profile_scratch_size": 0})";
        write("mine.json", json);
        const auto draft = draftOfFile(ptx);
        QVERIFY2(draft.ok(), draft ? "" : toText(draft.error()).c_str());
        QVERIFY(draft->text.ends_with("}\n"));
        QCOMPARE(draft->chosen, std::string("mine"));
        const LaunchSettings launch = launchFromJson(draft->launches["mine"]);
        QCOMPARE(launch.block, std::string("128"));
        QCOMPARE(launch.grid, std::string("128")); // 64 programs of two blocks
        QCOMPARE(launch.cluster, std::string("2"));
        QCOMPARE(launch.sharedBytes, std::uint64_t{4096});
        QCOMPARE(launch.args, (std::vector<std::string>{"", "", "", "out:u8:32768", "u64:0"}));
        // The form gives the kernel's own arguments something to begin with and leaves the others.
        Theme theme;
        LaunchForm form(theme);
        form.setLaunches(draft->launches, draft->chosen);
        CompiledKernel kernel{"mine", "mine", {}, {}, {}, {}};
        for (const std::uint64_t bytes : {8, 16, 4, 8, 8})
            kernel.parameters.push_back({"p", "", bytes, false, false, {}});
        form.setKernels({kernel});
        const auto args = form.launch().args;
        QCOMPARE(args.size(), std::size_t{5});
        QVERIFY(args[0].starts_with("out:f32:") && args[1] == "struct:{2*u64:0}" && args[2] == "i32:1");
        QCOMPARE(args[3], std::string("out:u8:32768"));
        QCOMPARE(args[4], std::string("u64:0"));
        write("mine.json", "[1, 2]"); // none of the kernel's
        QVERIFY(draftOfFile(ptx)->launches.empty());
        write("mine.json", QByteArray(json).replace("\"mine\"", "\"other\""));
        const auto refused = draftOfFile(ptx);
        QVERIFY2(!refused && refused.error().message.find("is of kernel other") != std::string::npos,
                 refused ? "taken" : toText(refused.error()).c_str());
    }

    /// What a tensor map or a variable is given survives the form, and the command line says it.
    void mapsAndVariablesBecomeACommand()
    {
        LaunchSettings launch;
        launch.args = {"tensor:{in:f16:8192:iota,size=128x64,box=64x32}", "a::taps=in:f32:3:ones"};
        launch.check = false;
        const auto request = requestOf(launch, {"a.cu", "text", false}, "k", "sim:h100-sxm");
        QVERIFY(request.ok());
        QCOMPARE(commandLineOf(*request),
                 std::string("ridge kernel run a.cu --kernel k --grid 64 --block 256 --arg "
                             "'tensor:{in:f16:8192:iota,size=128x64,box=64x32}' --set-symbol a::taps=in:f32:3:ones "
                             "--target sim:h100-sxm"));
        launch.args = {"tensor:{in:f16:8192:iota,size=128x64,box=300x32}"};
        QVERIFY(!requestOf(launch, {"a.cu", "text", false}, "k", "sim:h100-sxm"));
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
                QVERIFY(checkArgumentText(launch->args[at], at + 1).ok());
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

    void aWatchLivesThroughAnotherRecording()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        WatchModel watches(theme, nullptr);
        QCOMPARE(watches.add("lane").error().code, std::string("no-session"));
        DebugSession first(smallTrace());
        first.reader().seek(first.reader().size());
        watches.setSession(&first);
        QVERIFY(watches.add("r2 + threadIdx.x").ok());
        QVERIFY(!watches.add("i > 3").ok());
        QCOMPARE(watches.index(0, 4).data().toString(), s("10"));
        // The registers of another kernel have other places, or are not there at all.
        StepTrace other = smallTrace();
        std::swap(other.registers[0], other.registers[1]);
        DebugSession second(std::move(other));
        second.reader().seek(1);
        watches.setSession(&second);
        QCOMPARE(watches.index(0, 4).data().toString(), s("6")); // 3 by what was written as r1 before, and 3
        other = smallTrace();
        other.registers[1].name = "%f1";
        DebugSession third(std::move(other));
        watches.setSession(&third);
        QCOMPARE(watches.index(0, 4).data().toString(), s("–"));
        QVERIFY(!watches.index(0, 0).data(Qt::ToolTipRole).toString().isEmpty());
        watches.setSession(&first);
        QCOMPARE(watches.index(0, 4).data().toString(), s("10"));
    }

    void blocksAreNamedByNumberOrPlace()
    {
        const std::array<std::uint64_t, 3> grid{4, 3, 2};
        QCOMPARE(*blockFromText("", grid), std::uint64_t{0});
        QCOMPARE(*blockFromText(" 23 ", grid), std::uint64_t{23});
        QCOMPARE(*blockFromText("3,2,1", grid), std::uint64_t{23});
        QCOMPARE(*blockFromText("(1, 2)", grid), std::uint64_t{9});
        for (const char* bad : {"24", "4,0", "0,3,0", "0,0,2", "-1", "x", "1,2,3,4", "99999999999999999999999"}) {
            const auto read = blockFromText(bad, grid);
            QVERIFY2(!read.ok(), bad);
            QCOMPARE(read.error().code, std::string("bad-argument"));
            QVERIFY2(read.error().message.find("numbered 0 to 23") != std::string::npos, read.error().message.c_str());
        }
    }

    void kernelsAreRenamedAndTakenAway()
    {
        QTemporaryDir place;
        const std::filesystem::path folder = place.path().toStdString();
        const auto put = [&](const char* name, const char* text) {
            KernelDraft draft;
            draft.text = text;
            DraftFile(folder, "kernels", name).keep(toJson(draft));
            QVERIFY(KernelHistory(historyFile(folder, name)).keep(text).ok());
        };
        put("one", "the first");
        put("two", "the second");
        QVERIFY(renameKernel(folder, "one", "uno").ok());
        QVERIFY(hasKernel(folder, "uno") && !hasKernel(folder, "one"));
        QCOMPARE(KernelHistory(historyFile(folder, "uno")).versions().size(), std::size_t{1});
        for (const char* bad : {"", "a/b", "..", "new", "two words"})
            QCOMPARE(renameKernel(folder, "uno", bad).error().code, std::string("bad-name"));
        QCOMPARE(renameKernel(folder, "uno", "two").error().code, std::string("name-taken"));
        QVERIFY(removeKernel(folder, "two").ok());
        QCOMPARE(kernelsIn(folder).size(), std::size_t{1});
        // What it was committed to stays, and stays its own.
        QCOMPARE(KernelHistory(historyFile(folder, "two")).versions().front().text, std::string("the second"));
        QCOMPARE(freeKernelName(folder, "two"), std::string("two-2"));
        QCOMPARE(renameKernel(folder, "uno", "two").error().code, std::string("name-taken"));
        QVERIFY(restoreKernel(folder, "two").ok());
        QCOMPARE(draftFromJson(DraftFile(folder, "kernels", "two").load(), "two").text, std::string("the second"));
        QCOMPARE(removeKernel(folder, "nobody").error().code, std::string("cannot-write"));
    }

    void anAccessHasAPicture()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        const StepTrace trace = smallTrace();
        const auto drawn = memoryTraceOf(trace, trace.steps[1]);
        QVERIFY(drawn);
        QCOMPARE(drawn->requests.front().addresses[5], std::uint64_t{5 * 128});
        QCOMPARE(drawn->requests.front().activeMask, trace.steps[1].executed);
        QVERIFY(!memoryTraceOf(trace, trace.steps[0]));
        AccessPicture picture(theme);
        picture.setAccess(trace, nullptr);
        QVERIFY(!picture.message().isEmpty());
        picture.setAccess(trace, &trace.steps[1]);
        QVERIFY(picture.message().isEmpty());
        QCOMPARE(picture.view()->sceneId(), s("shared_banks"));
        // The scene counts what the simulator counted.
        QVERIFY2(picture.view()->summary().contains(s("16 wavefronts")), qPrintable(picture.view()->summary()));
        StepTrace wide = trace;
        wide.accesses[0].bytes = 32;
        picture.setAccess(wide, &wide.steps[1]);
        QVERIFY(picture.message().contains(s("no picture")));
    }

    void thePanelStepsOverIntoAndOutOfACall()
    {
        Theme theme;
        QVERIFY(theme.load(s("light")).ok());
        Background background;
        DebugPanel panel(theme, background);
        QSignalSpy recorded(&panel, &DebugPanel::recorded);
        panel.setTrace(encodeStepTrace(callTrace()));
        QVERIFY(recorded.wait(60000));
        const StepReader& reader = panel.session()->reader();
        QVERIFY(!panel.positionText().contains(s("deep")));
        // In the kernel there is nothing to step out of: it is said, and nothing moves.
        panel.go(DebugPanel::Move::Out);
        QCOMPARE(reader.position(), std::size_t{0});
        QVERIFY2(panel.standingText().contains(s("nothing called it")), qPrintable(panel.standingText()));
        panel.go(DebugPanel::Move::Over);
        QCOMPARE(reader.position(), std::size_t{4});
        QCOMPARE(panel.session()->line(), 3);
        panel.seek(0);
        panel.go(DebugPanel::Move::IntoLine);
        QCOMPARE(panel.session()->line(), 7);
        QVERIFY2(panel.positionText().endsWith(s(" · in twice(int), 1 call deep")), qPrintable(panel.positionText()));
        panel.go(DebugPanel::Move::Out);
        QCOMPARE(reader.position(), std::size_t{3});
        QCOMPARE(panel.session()->line(), 2);
        QVERIFY(!panel.positionText().contains(s("deep")));
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
