// SPDX-License-Identifier: GPL-3.0-or-later
#include "desk.h"

#include "base/kernel_task.h"
#include "labs/catalogue.h"
#include "lessons/inline.h"
#include "silicon/machines.h"

#include <QProcess>
#include <sys/stat.h>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

/// Only this problem, on this line.
void expectOne(const std::vector<Problem>& problems, const std::string& file, int line, const std::string& message)
{
    QVERIFY2(problems.size() == 1 && count(problems, file, line, message) == 1,
             (shown(problems) + "wanted one, " + file + ":" + std::to_string(line) + " " + message).c_str());
}

} // namespace

class LessonLintTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shippedCurriculumIsClean();
    void everyTaskGoesWithALesson();
    void lessonsKeepToTheGrain();
    void deskIsClean();
    void lessonRules_data();
    void lessonRules();
    void aPipeIsNoLesson();
    void otherFiles_data();
    void otherFiles();
    void bareNumbers_data();
    void bareNumbers();
    void formulasNeedAssets();
    void lengthAndTime();
    void whatLessonsMustHave();
    void unknownHeadIsReported();
    void filesOfModules();
    void termsComeBeforeTheirUse_data();
    void termsComeBeforeTheirUse();
    void everyModelIsKnown();
    void oneFileAlone();
    void newLessonLacksOnlyWords();
    void renderedFormulasAreCurrent();
};

void LessonLintTest::shippedCurriculumIsClean()
{
    const LoadedCurriculum loaded = loadCurriculum(sourceRoot() / "curriculum");
    QVERIFY(!loaded.curriculum.heads.empty());
    std::vector<ExperimentInfo> shipped;
    for (const auto& experiment : labs::makeCatalogue())
        shipped.push_back(experiment->info());
    // As `ridge-worker describe` fills them in.
    const auto machines = silicon::shippedMachines();
    QVERIFY(machines.ok());
    for (ExperimentInfo& info : shipped)
        for (const silicon::Machine& machine : *machines)
            if (!info.engine.empty() && machine.engine == info.engine)
                info.machines.push_back(machine.id);
    const std::vector<Problem> problems = lint(loaded.curriculum, shipped, sourceRoot());
    QVERIFY2(problems.empty(), shown(problems).c_str());
}

/// Pages of lessons and modules offer the tasks by what their files say.
void LessonLintTest::everyTaskGoesWithALesson()
{
    const LoadedCurriculum loaded = loadCurriculum(sourceRoot() / "curriculum");
    const auto tasks = shippedTasks();
    QVERIFY(tasks.ok());
    std::set<std::string> offering;
    for (const KernelTask& task : *tasks) {
        const Lesson* lesson = loaded.curriculum.head(task.lesson);
        QVERIFY2(lesson && lesson->kind != LessonKind::Capstone, (task.id + " names " + task.lesson).c_str());
        offering.insert(task.lesson);
    }
    // Of module 2 all but streams and profiling, where nobody writes a kernel of their own.
    for (const char* lesson : {"2.1", "2.2", "2.3", "2.4", "2.5", "2.8"})
        QVERIFY2(offering.contains(lesson), lesson);
}

/// They have the value of a chip's key and are not that key: the clock at which a chip was measured, and the sparse
/// peak of a card that the capstone quotes as printed.
const std::set<std::string> kOtherThanTheKey = {"'a100.chase_clock'", "'l40s.card_bf16_sparse'"};

void LessonLintTest::lessonsKeepToTheGrain()
{
    const LoadedCurriculum loaded = loadCurriculum(sourceRoot() / "curriculum");
    std::vector<Lesson> heads = loaded.curriculum.heads;
    heads.insert(heads.end(), loaded.curriculum.capstones.begin(), loaded.curriculum.capstones.end());
    for (const Lesson& head : heads) {
        const ParsedLesson parsed = parseLesson(read(sourceRoot() / "curriculum" / head.at.file), head.at.file);
        QVERIFY(parsed.lesson);
        const std::vector<Problem> problems = lintGrain(*parsed.lesson, loaded.curriculum);
        QVERIFY2(problems.empty(), shown(problems).c_str());
    }
    for (const Problem& problem : lintTwins(loaded.curriculum))
        QVERIFY2(std::ranges::any_of(
                     kOtherThanTheKey,
                     [&](const std::string& name) { return problem.message.find(name) != std::string::npos; }),
                 shown({problem}).c_str());
}

void LessonLintTest::deskIsClean()
{
    const std::vector<Problem> problems = Desk().check();
    QVERIFY2(problems.empty(), shown(problems).c_str());
}

void LessonLintTest::lessonRules_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("onLine");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* onLine, const char* message) {
        QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to) << QString::fromUtf8(onLine)
                            << QString::fromUtf8(message);
    };
    row("experiment", "explains: So it goes.",
        "explains: So it goes.\n```\n\n```run\nexperiment: coalesing\nafter: guess", "```run\nexperiment: coalesing",
        "predict the same experiment");
    row("target that not all have", "layers: [L2, L3]\n", "layers: [L2, L3]\ntarget: gpu:0\n", "target: gpu:0",
        "which not everybody has; name a simulated GPU, as sim:h100-sxm or a simulated machine");
    row("no target", "layers: [L2, L3]\n", "layers: [L2, L3]\ntarget: smi:t4\n", "target: smi:t4",
        "did you mean sim:t4");
    row("no machine", "layers: [L2, L3]\n", "layers: [L2, L3]\ntarget: machine:abacus\n",
        "---\nid:", "no experiment runs on the machine 'abacus'");
    row("metric", "metric: sectors_per_request\nunit", "metric: sectors_per_reqest\nunit", "```predict",
        "has no metric 'sectors_per_reqest'; did you mean 'sectors_per_request'");
    row("unit", "unit: sectors/request", "unit: sectors", "```predict", "is in 'sectors/request'; write that");
    row("parameter", "at: {stride: 2, element_bytes: 4}", "at: {strid: 2}", "```predict",
        "unknown parameter 'strid'; did you mean 'stride'");
    row("range", "at: {stride: 2, element_bytes: 4}", "at: {stride: 256}", "```predict", "stride");
    row("choice", "at: {stride: 2, element_bytes: 4}", "at: {stride: 2, element_bytes: 5}", "```predict",
        "element_bytes");
    row("control", "controls: [stride, offset]", "controls: [stride, ofset]", "```run",
        "'controls' names unknown parameter 'ofset'; did you mean 'offset'");
    row("several values of a control", "controls: [stride]\nset: {element_bytes: 4}\ncheck",
        "controls: [\"stride=1..300\"]\nset: {element_bytes: 4}\ncheck", "```challenge", "stride");
    row("a run with another setting on a GPU", "One run. A GPU gets more elements.", "One run.", "```run",
        "'elements' is 65536 on the simulator and 4194304 on a GPU; set it, or say in 'caption' that it differs");
    row("a sweep with another setting on a GPU", "A curve. A GPU gets more elements.", "A curve.", "```sweep",
        "'elements' is 65536 on the simulator");
    row("sweep text", "stride=1..128:log2", "stride=1...128", "```sweep", "");
    row("sweep range", "stride=1..128:log2", "stride=1..300:log2", "```sweep", "stride");
    row("swept and set", "set: {element_bytes: 4}\nsweep", "set: {stride: 4}\nsweep", "```sweep", "stride");
    row("chart", "chart: sectors_over_stride", "chart: sectors_over_strides", "```sweep",
        "has no chart 'sectors_over_strides'; did you mean 'sectors_over_stride'");
    row("scene", "scene: lanes_sectors", "scene: lane_sectors", "```scene",
        "unknown scene 'lane_sectors'; did you mean 'lanes_sectors'");
    row("scene of the other experiment", "scene: lanes_sectors", "scene: shared_banks", "```scene",
        "whose trace is for the scene 'lanes_sectors'");
    row("model", "model: warp_access", "model: warp_acces", "```explore",
        "unknown model 'warp_acces'; did you mean 'warp_access'");
    row("model parameter", "set: {stride: 1}\ncontrols: [stride]", "set: {stride: 1}\ncontrols: [lane_xor]",
        "```explore", "unknown parameter 'lane_xor'");
    const char* const model = "model: warp_access\nset: {stride: 1}\ncontrols: [stride]";
    row("model's chip", model, "model: roofline\nset: {chip: h100-sxn}\ncontrols: [intensity]", "```explore", "chip");
    row("model's chip without limits", model, "model: occupancy\nset: {chip: mi300x}\ncontrols: [registers]",
        "```explore", "chip");
    row("model's choice", model, "model: crossover\nset: {copies: maybe}\ncontrols: [n]", "```explore", "copies");
    row("model's step", model, "model: occupancy\nset: {block_threads: 33}\ncontrols: [registers]", "```explore",
        "block_threads");
    row("model's range", model, "model: gpu_choice\nset: {price_ratio: 9}\ncontrols: [view]", "```explore",
        "price_ratio");
    row("two misconceptions", "  - id: each\n    says: I counted lanes\n    value: 32\n    explains: Lanes share.\n",
        "", "```predict", "2 misconceptions");
    row("misconception off the slider", "value: 32\n    explains: Lanes share.",
        "value: 320\n    explains: Lanes share.", "```predict", "outside 'min' and 'max'");
    row("point that was run", "```predict\nid: guess\n",
        "```run\nid: before\nexperiment: coalescing\nset: {stride: 2, element_bytes: 4}\ncaption: One.\n```\n\n"
        "```predict\nid: guess\n",
        "```predict", "'before' above runs, so it is never asked");
    row("point that was swept", "```predict\nid: guess\n",
        "```sweep\nid: before\nexperiment: coalescing\nset: {element_bytes: 4}\nsweep: [\"stride=1..4:log2\"]\n"
        "chart: sectors_over_stride\ncaption: One.\n```\n\n```predict\nid: guess\n",
        "```predict", "'before' above runs, so it is never asked");
    row("check metric", "metric: load_efficiency", "metric: efficiency", "- id: quarter", "has no metric 'efficiency'");
    row("check parameter", "over: {stride: 1}", "over: {strides: 1}", "- id: quarter", "unknown parameter 'strides'");
    row("check formula", "formula: min(32, 4 * stride)", "formula: min(32, 4 * strid)", "- id: law",
        "'strid' is no numeric parameter or metric; did you mean 'stride'");
    row("check formula broken", "formula: min(32, 4 * stride)", "formula: min(32, 4 *", "- id: law", "ends where");
    row("claim metric", "{{run:curve.sectors_per_request@", "{{run:curve.sektors@", "```artifact",
        "has no metric 'sektors'; did you mean 'sectors'");
    row("claim parameter", "sectors_per_request@stride=8", "sectors_per_request@step=8", "```artifact",
        "unknown parameter 'step'");
    row("kernel file", "file: coalescing/01_strided_read.cu", "file: coalescing/02_strided_read.cu", "```kernel",
        "no experiment runs the kernel");
    row("kernel line", "highlight: [19]", "highlight: [1900]", "```kernel", "'highlight' names line 1900");
    row("claim unknown", "{{claim:t4.read_stride1}}", "{{claim:t4.read_strid1}}", "Opening",
        "unknown claim 't4.read_strid1'; did you mean 't4.read_stride1'");
    row("claim unknown in a block", "caption: A curve.", "caption: It reached {{claim:t4.none}}.",
        "caption: It reached", "unknown claim 't4.none'");
    row("placeholder in prose", "Opening words", "Opening {{run:curve.x}} words", "Opening", "means nothing here");
    row("bold", "Opening words", "Opening **wordy** words", "Opening", "bold 'wordy' is no term");
    row("bold in a block", "caption: A curve.", "caption: A **curve**.", "caption: A **curve**",
        "bold 'curve' is no term");
    row("picture of any path", "Opening words", "Opening ![x](/dev/zero) words", "Opening",
        "the picture '![x](/dev/zero)' is not shown; draw it as SVG and write a figure block");
    row("picture from elsewhere", "Opening words", "Opening ![x](http://example.org/a.png) words", "Opening",
        "is not shown");
    row("picture by reference", "Opening words", "Opening ![x][there] words", "Opening", "is not shown");
    row("picture as HTML", "caption: A curve.", "caption: <IMG src='/dev/zero'>", "caption: <IMG", "is not shown");
    row("term block unknown", "term: sector", "term: secter", "```term",
        "is not in the glossary; did you mean 'sector'");
    row("term of another lesson", "term: sector", "term: warp", "```term", "belongs to lesson 1.2");
    row("selling", "Opening words", "Opening powerful words", "Opening", "'powerful' sells");
    row("unfinished", "Opening words", "Opening TODO words", "Opening", "'TODO' is left");
    row("no number", "Opening words", "Opening words of the last lesson", "Opening", "'last lesson' is another one on");
    row("no number of a module", "Opening words", "Opening words, next module", "Opening", "'next module' is another");
    row("file number", "id: \"2.1\"", "id: \"2.3\"", "---\nid", "begin it with '03-'");
    row("module folder", "id: \"2.1\"\ntitle: Small\nmodule: 2", "id: \"3.1\"\ntitle: Small\nmodule: 3", "---\nid",
        "stands in the folder of module 2");
}

void LessonLintTest::lessonRules()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, onLine);
    QFETCH(QString, message);
    Desk desk;
    const std::string edited = replaced(fullLesson(), from.toStdString(), to.toStdString());
    Desk::write(desk.root() / kLesson, edited);
    const std::vector<Problem> problems = desk.check();
    const int line = lineWith(edited, onLine.toStdString());
    QVERIFY2(count(problems, kLesson, line, message.toStdString()) >= 1,
             (shown(problems) + "wanted line " + std::to_string(line)).c_str());
}

/// Every start reads the heads of all lessons: a pipe among them must not keep it waiting.
void LessonLintTest::aPipeIsNoLesson()
{
    Desk desk;
    const std::string name = "2-cuda-programming/02-pipe.md";
    QCOMPARE(::mkfifo((desk.root() / name).c_str(), 0600), 0);
    const std::vector<Problem> problems = desk.check();
    QVERIFY2(count(problems, name, 1, "is a pipe, not a file") == 1, shown(problems).c_str());
    QCOMPARE(loadCurriculum(desk.root()).curriculum.heads.size(), std::size_t{1});
}

void LessonLintTest::otherFiles_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("message");
    const auto claim = [](const char* name, const char* from, const char* to, int line, const char* message) {
        QTest::newRow(name) << QStringLiteral("claims.yaml") << QString::fromUtf8(from) << QString::fromUtf8(to) << line
                            << QString::fromUtf8(message);
    };
    const auto term = [](const char* name, const char* from, const char* to, int line, const char* message) {
        QTest::newRow(name) << QStringLiteral("glossary.yaml") << QString::fromUtf8(from) << QString::fromUtf8(to)
                            << line << QString::fromUtf8(message);
    };
    claim("claim without source", "  source: GPU Glossary\n  url", "  url", 2,
          "claim 't4.read_stride1': missing key 'source'");
    claim("claim without date", "  date: 2026-05\n", "", 2, "missing key 'date'");
    claim("claim date", "date: 2026-05\n", "date: May 2026\n", 6, "write 2025-07-10");
    claim("claim value", "value: 206", "value: 206 GB/s", 2, "'value' is not a number");
    claim("claim provenance", "provenance: published\n  exp", "provenance: heard\n  exp", 7,
          "'provenance' cannot be 'heard'");
    claim("claim key", "t4.unused:", "Unused:", 10, "is no claim key");
    claim("claim twice", "t4.unused:", "t4.read_stride1:", 10, "is given twice");
    claim("claim experiment", "experiment: coalescing", "experiment: coalesce", 1, "coalescing");
    claim("claim parameter", "at: {stride: 1}", "at: {stride: 1000}", 1, "stride");
    claim("claim url", "url: https:", "url: ftp:", 5, "does not begin with https");
    term("long card", "An aligned block of 32 bytes.",
         "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
         "a a a a a a a",
         4, "61 words; keep it to 60");
    term("two cards for a word", "- name: warp", "- name: Sectors", 5, "already names the term 'sector'");
    term("owner does not exist", "lesson: \"1.2\"", "lesson: \"9.2\"", 5, "does not exist");
    term("owner never introduces", "lesson: \"1.2\"", "lesson: \"2.1\"", 5, "owns it but never sets it in bold");
    term("number in a card", "of 32 bytes", "of 32 bytes at 206 GB/s", 4, "bare performance number '206 GB/s'");
    term("no owner", "  lesson: \"1.2\"\n", "", 5, "missing key 'lesson'");
}

void LessonLintTest::otherFiles()
{
    QFETCH(QString, file);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, message);
    Desk desk;
    const std::string original = file == QStringLiteral("claims.yaml") ? kClaims : kGlossary;
    Desk::write(desk.root() / file.toStdString(), replaced(original, from.toStdString(), to.toStdString()));
    const std::vector<Problem> problems = desk.check();
    QVERIFY2(count(problems, file.toStdString(), line, message.toStdString()) == 1, shown(problems).c_str());
}

void LessonLintTest::bareNumbers_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("bare");
    const auto bad = [](const char* text) { QTest::newRow(text) << QString::fromUtf8(text) << true; };
    const auto fine = [](const char* text) { QTest::newRow(text) << QString::fromUtf8(text) << false; };
    bad("It reads 206 GB/s here.");
    bad("It reads 3.35TB/s here.");
    bad("It takes 400 ns to come.");
    bad("It takes 12 µs to come.");
    bad("It takes 1.5 ms to come.");
    bad("It takes 3 seconds to come.");
    bad("It costs 32 cycles.");
    bad("A 32-cycle wait.");
    bad("It reaches 1,986.5 GFLOP/s.");
    bad("It has 989 TFLOPS.");
    bad("It runs at 1.98 GHz.");
    bad("It burns 700 W.");
    bad("It serves 250 tokens/s.");
    bad("It moves 128 B/clk.");
    bad("It serves 40 requests per second.");
    bad("It is 6.4× faster.");
    bad("It is 6 times faster.");
    bad("It is 30x slower than that.");
    bad("It reaches 93 % of peak.");
    bad("It is 40% slower.");
    bad("It reads 206\nGB/s over a line break.");
    bad("**206 GB/s**, since a warp waits.");
    fine("A sector has 32 bytes and a line 128.");
    fine("A warp has 32 lanes, 4 sectors, 2 requests.");
    fine("The arithmetic `206 GB/s / 4` is code.");
    fine("It reads {{claim:t4.read_stride1}} here.");
    fine("At stride 8 it is a quarter.");
    fine("The L2 sits below; sm_90 s is a name.");
    fine("Six of 8 words are 75 % of a sector.");
    fine("32 × 4 bytes make 128.");
    fine("A tensor of shape 4096 × 4096.");
    fine("The 24 KB/tile budget is size, not rate.");
    fine("In 2023 Simon Boehm wrote it.");
    fine("Version 12.8 works as well.");
    fine("Lanes 4 and 8 share; 16 something.");
}

void LessonLintTest::bareNumbers()
{
    QFETCH(QString, text);
    QFETCH(bool, bare);
    Desk desk;
    std::string sentence = text.toStdString();
    if (const std::size_t bold = sentence.find("**"); bold != std::string::npos) {
        sentence.erase(bold, 2);
        sentence.erase(sentence.find("**"), 2);
    }
    const std::string edited = replaced(fullLesson(), "Opening words", sentence + " Opening words");
    Desk::write(desk.root() / kLesson, edited);
    const std::vector<Problem> problems = desk.check();
    if (bare)
        expectOne(problems, kLesson, lineWith(edited, sentence), "bare performance number");
    else
        QVERIFY2(problems.empty(), shown(problems).c_str());
    // The same sentence in a caption: block texts are read like prose.
    const std::string inBlock =
        replaced(fullLesson(), "caption: A curve. A GPU gets more elements.",
                 "caption: |-\n  A curve. A GPU gets more elements. " +
                     replaced(sentence + "\n", "\n", sentence.find('\n') == std::string::npos ? "" : "\n  "));
    Desk::write(desk.root() / kLesson, inBlock);
    QCOMPARE(desk.check().size(), std::size_t{bare ? 1u : 0u});
}

void LessonLintTest::formulasNeedAssets()
{
    Desk desk;
    const std::string edited = replaced(fullLesson(), "Opening words", "Opening $x^2$ words");
    const int line = lineWith(edited, "$x^2$");
    const std::string asset = formulaAsset("x^2");
    const auto index = [&](const char* tex, const char* spoken, double width) {
        const Json json{
            {asset, Json{{"tex", tex}, {"spoken", spoken}, {"width", width}, {"height", 1.0}, {"baseline", 0.1}}}};
        Desk::write(desk.data() / "assets/formulas/index.json", json.dump());
    };
    Desk::write(desk.root() / kLesson, edited);
    expectOne(desk.check(), kLesson, line, "has no rendered asset; run tools/render-formulas");
    index("x^2", "x squared", 1);
    expectOne(desk.check(), kLesson, line, "is missing; run tools/render-formulas");
    Desk::write(desk.data() / "assets/formulas" / asset, "not an image");
    expectOne(desk.check(), kLesson, line, "is no SVG");
    Desk::write(desk.data() / "assets/formulas" / asset, "<svg/>");
    QVERIFY2(desk.check().empty(), shown(desk.check()).c_str());
    index("x^2", " ", 1);
    expectOne(desk.check(), kLesson, line, "has no spoken text");
    index("x^3", "x cubed", 1);
    expectOne(desk.check(), kLesson, line, "has other text");
    index("x^2", "x squared", 0);
    expectOne(desk.check(), kLesson, line, "has no size");
    Desk::write(desk.data() / "assets/formulas/index.json", "{\"a.svg\": 1}");
    QCOMPARE(count(desk.check(), "assets/formulas/index.json", 1, "lacks tex, spoken"), 1);
    Desk::write(desk.data() / "assets/formulas/index.json", "{");
    QVERIFY(!desk.check().empty());
}

void LessonLintTest::lengthAndTime()
{
    Desk desk;
    const auto withWords = [](int words) {
        std::string text;
        for (int i = 0; i < words; ++i)
            text += " word";
        return replaced(read(sourceRoot() / "tests" / "lessons" / "small.md"), "Before the run.", text);
    };
    Desk::write(desk.root() / kLesson, withWords(100));
    expectOne(desk.check(), kLesson, 1, "it needs 1300 to 2200");
    Desk::write(desk.root() / kLesson, withWords(2300));
    QCOMPARE(count(desk.check(), kLesson, 1, "it needs 1300 to 2200"), 1);
    Desk::write(desk.root() / kLesson, replaced(fullLesson(), "minutes: 20", "minutes: 8"));
    QCOMPARE(count(desk.check(), kLesson, 1, "'minutes' says 8"), 1);
    Desk::write(desk.root() / kLesson, withWords(6000));
    QCOMPARE(count(desk.check(), kLesson, 1, "cut it to 30"), 1);
}

void LessonLintTest::whatLessonsMustHave()
{
    Desk desk;
    std::string bare = "---\nid: \"2.1\"\ntitle: Bare\nmodule: 2\nminutes: 10\nquestion: Why?\nobjectives: "
                       "[a]\nlayers: [L1]\nexit_criteria: [b]\nchecks: []\n---\n";
    for (const std::string_view title : kSectionTitles)
        bare += "\n## " + std::string(title) + "\n\nA **sector** and a sentence.\n";
    Desk::write(desk.root() / kLesson, bare);
    const std::vector<Problem> problems = desk.check();
    for (const char* what : {"no prediction", "no experiment", "no check", "no artifact"})
        QVERIFY2(count(problems, kLesson, 1, what) == 1, (shown(problems) + what).c_str());
}

void LessonLintTest::unknownHeadIsReported()
{
    Desk desk;
    Desk::write(desk.root() / kLesson, replaced(fullLesson(), "title: Small\n", ""));
    QCOMPARE(count(desk.check(), kLesson, 2, "missing key 'title'"), 1);
    std::filesystem::remove(desk.root() / "claims.yaml");
    QCOMPARE(count(desk.check(), "claims.yaml", 1, "cannot be read"), 1);
}

/// A module's claims and terms are a file of their own; what is wrong is told of the file and line where it is.
void LessonLintTest::filesOfModules()
{
    Desk desk;
    const auto claims = desk.root() / "claims", glossary = desk.root() / "glossary";
    std::filesystem::create_directories(claims);
    std::filesystem::create_directories(glossary);
    Desk::write(claims / "notes.txt", "no claims");
    Desk::write(claims / "2-b.yaml", replaced(replaced(kClaims, "t4.unused", "t4.other"), "{stride: 1}", "{strid: 1}"));
    Desk::write(claims / "1-a.yaml", "t4.first:\n  value: fast\n  unit: GB/s\n  source: S\n  date: 2026-05\n"
                                     "  provenance: published\n");
    Desk::write(glossary / "1-a.yaml", "- name: lane\n  also: [Sectors]\n  lesson: \"1.2\"\n  text: One at 9 GB/s.\n");
    Desk::write(glossary / "2-b.yaml", "- name: block\n  lesson: \"9.9\"\n  text: Threads.\n");
    const std::vector<Problem> problems = desk.check();
    const auto told = [&](const char* file, int line, const char* message) {
        return count(problems, file, line, message) == 1;
    };
    QVERIFY2(told("claims/1-a.yaml", 2, "'value'"), shown(problems).c_str());
    QVERIFY2(told("claims/2-b.yaml", 1, "claim 't4.read_stride1' is given twice, first at claims.yaml:1; keep one"),
             shown(problems).c_str());
    QVERIFY2(told("glossary/1-a.yaml", 1, "'Sectors' already names the term 'sector' at glossary.yaml:1"),
             shown(problems).c_str());
    QVERIFY2(told("glossary/1-a.yaml", 4, "bare performance number '9 GB/s'"), shown(problems).c_str());
    QVERIFY2(told("glossary/2-b.yaml", 1, "lesson '9.9' does not exist"), shown(problems).c_str());
    // The first of two claims counts, and what the catalogue says about one is told where it stands.
    std::filesystem::remove(desk.root() / "claims.yaml");
    const auto loaded = loadCurriculum(desk.root());
    QVERIFY(loaded.curriculum.claims.contains("t4.read_stride1") && loaded.curriculum.claims.contains("t4.other"));
    const std::vector<Problem> alone = desk.check();
    QVERIFY2(count(alone, "claims/2-b.yaml", 1, "there is no parameter \"strid\"") == 1, shown(alone).c_str());
    QCOMPARE(count(alone, "claims.yaml", 1, "cannot be read"), 0);
}

void LessonLintTest::termsComeBeforeTheirUse_data()
{
    QTest::addColumn<QString>("order");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("used"); ///< the form that is told, empty: none
    const auto row = [](const char* name, const char* order, const char* words, const char* used) {
        QTest::newRow(name) << QString::fromUtf8(order) << QString::fromUtf8(words) << QString::fromUtf8(used);
    };
    row("before its lesson", "\"2.1\", \"2.2\"", "Two bank conflicts.", "bank conflicts");
    row("behind its lesson", "\"2.2\", \"2.1\"", "Two bank conflicts.", "");
    row("on a path without its lesson", "\"2.1\"", "A ZeRO stage.", "ZeRO");
    row("said there what it means", "\"2.1\", \"2.2\"", "A **bank conflict** is a wait. Two bank conflicts.", "");
    row("with its lesson named", "\"2.1\", \"2.2\"", "Two bank conflicts (2.2).", "");
    row("its lesson named elsewhere", "\"2.1\", \"2.2\"", "Two bank conflicts.\n\nSee 2.2.", "bank conflicts");
    row("an everyday word", "\"2.1\", \"2.2\"", "Draw a ring, from zero.", "");
    row("a part of another word", "\"2.1\", \"2.2\"", "A non-bank conflict-free ZeROs.", "");
    row("in code", "\"2.1\", \"2.2\"", "The flag `ZeRO`.", "");
}

/// On every path a term is introduced before it is used, by its lesson or in bold, or the lesson that does is named.
void LessonLintTest::termsComeBeforeTheirUse()
{
    QFETCH(QString, order);
    QFETCH(QString, words);
    QFETCH(QString, used);
    Desk desk;
    const std::string first = replaced(fullLesson(), "Opening words", words.toStdString() + "\n\nOpening words");
    std::string second = replaced(fullLesson(), "id: \"2.1\"", "id: \"2.2\"");
    second = replaced(second, "Opening words", "A **bank conflict** in a **ring** with **ZeRO**.\n\nOpening words");
    Desk::write(desk.root() / kLesson, first);
    Desk::write(desk.root() / "2-cuda-programming" / "02-next.md", second);
    Desk::write(desk.root() / "glossary.yaml",
                std::string(kGlossary) +
                    "- name: bank conflict\n  also: [bank conflicts]\n  lesson: \"2.2\"\n  text: A wait.\n"
                    "- name: ring\n  lesson: \"2.2\"\n  text: A circle.\n"
                    "- name: ZeRO\n  lesson: \"2.2\"\n  text: Shares.\n");
    Desk::write(desk.root() / "paths.yaml", "paths:\n  - id: way\n    title: Way\n    about: A way.\n    order: [" +
                                                order.toStdString() +
                                                "]\nfoundations: []\nlessons:\n  - {id: \"2.1\", title: Small}\n"
                                                "  - {id: \"2.2\", title: Small}\n");
    const std::vector<Problem> problems = desk.check();
    int told = 0;
    for (const Problem& problem : problems)
        told += problem.message.find("is used before it is introduced") != std::string::npos;
    QVERIFY2(told == (used.isEmpty() ? 0 : 1), shown(problems).c_str());
    if (!used.isEmpty())
        QVERIFY2(count(problems, kLesson, lineWith(first, used.toStdString()),
                       "'" + used.toStdString() + "' is used before it is introduced on path 'way'") == 1,
                 shown(problems).c_str());
}

void LessonLintTest::everyModelIsKnown()
{
    const std::string before = "model: warp_access\nset: {stride: 1}\ncontrols: [stride]";
    for (const char* good :
         {"model: occupancy\nset: {chip: l40s, block_threads: 96}\ncontrols: [registers, shared_bytes]",
          "model: roofline\nset: {chip: mi300x, precision: fp8, intensity: 0.5}\ncontrols: [chip, intensity]",
          "model: generations\nset: {chip_a: h100-sxm, chip_b: h200-sxm, profile: decode}\ncontrols: [profile]",
          "model: latency\nset: {chip_a: gh200, unit: ns}\ncontrols: [chip_b]",
          "model: transfer\nset: {link: nvlink5, bytes: 4096, latency_us: 3}\ncontrols: [bytes]",
          "model: gpu_choice\nset: {workload: long_70b, price_ratio: 1.5, view: performance}\ncontrols: [workload]",
          "model: crossover\nset: {work: sgemm, n: 1024, copies: yes}\ncontrols: [n]"}) {
        Desk desk;
        Desk::write(desk.root() / kLesson, replaced(fullLesson(), before, good));
        const std::vector<Problem> problems = desk.check();
        QVERIFY2(problems.empty(), (std::string(good) + "\n" + shown(problems)).c_str());
    }
    // Without a table of chips only the models that name one are a problem.
    Desk desk;
    std::filesystem::remove(desk.data() / "assets" / "chips" / "gpus.json");
    QVERIFY(desk.check().empty());
    Desk::write(desk.root() / kLesson, replaced(fullLesson(), before, "model: roofline\ncontrols: [intensity]"));
    QCOMPARE(desk.check().size(), std::size_t(1));
}

void LessonLintTest::oneFileAlone()
{
    Desk desk;
    const Curriculum curriculum = loadCurriculum(desk.root()).curriculum;
    const auto alone = [&](const std::string& text) {
        return lintFile(text, "/tmp/draft.md", curriculum, catalogue(), desk.data());
    };
    QVERIFY2(alone(fullLesson()).empty(), shown(alone(fullLesson())).c_str());
    const std::string edited = replaced(fullLesson(), "Opening words", "Opening 206 GB/s words");
    expectOne(alone(edited), "/tmp/draft.md", lineWith(edited, "206 GB/s words"), "bare performance number");
    QVERIFY(!alone("").empty());
}

void LessonLintTest::newLessonLacksOnlyWords()
{
    Desk desk;
    const auto make = [&](const QStringList& arguments) {
        QProcess process;
        const QString root = QString::fromStdString(desk.root().string());
        process.start(QString::fromStdString((sourceRoot() / "tools" / "new-lesson").string()),
                      QStringList{QStringLiteral("--root"), root} + arguments);
        return process.waitForFinished() ? process.exitCode() : -1;
    };
    QCOMPARE(make({QStringLiteral("2.5"), QStringLiteral("Warp \"divergence\"")}), 0);
    const std::string file = "2-cuda-programming/05-warp-divergence.md";
    const std::vector<Problem> problems = desk.check();
    expectOne(problems, file, 1, "words; it needs 1300 to 2200");
    QCOMPARE(loadCurriculum(desk.root()).curriculum.heads.back().title, std::string("Warp \"divergence\""));
    // The first lesson of module 1 has nothing to recall; those after it have.
    QCOMPARE(make({QStringLiteral("1.1"), QStringLiteral("First")}), 0);
    QCOMPARE(make({QStringLiteral("1.3"), QStringLiteral("Third")}), 0);
    QCOMPARE(make({QStringLiteral("1.4"), QStringLiteral("Fourth")}), 0);
    const std::string fourth = read(desk.root() / "1-gpu-architecture/04-fourth.md");
    QVERIFY(fourth.find("recalls: \"1.3\"") != std::string::npos &&
            fourth.find("recalls: \"1.1\"") != std::string::npos);
    QVERIFY(read(desk.root() / "1-gpu-architecture/01-first.md").find("recalls") == std::string::npos);
    for (const Problem& problem : desk.check())
        QVERIFY2(problem.message.find("words; it needs 1300 to 2200") != std::string::npos, problem.message.c_str());
    // It never overwrites, and it says what is wrong with what it was given.
    QCOMPARE(make({QStringLiteral("2.5"), QStringLiteral("Other")}), 2);
    QCOMPARE(make({QStringLiteral("8.1"), QStringLiteral("Other")}), 2);
    QCOMPARE(make({QStringLiteral("2.6")}), 2);
}

void LessonLintTest::renderedFormulasAreCurrent()
{
    // The author's tool and the linter must find the same formulas; it needs matplotlib only to draw.
    QProcess process;
    process.start(
        QStringLiteral("python3"),
        {QString::fromStdString((sourceRoot() / "tools" / "render-formulas").string()), QStringLiteral("--check")});
    if (!process.waitForStarted())
        QSKIP("no python3 here; only authors need it");
    QVERIFY(process.waitForFinished());
    QVERIFY2(process.exitCode() == 0, (process.readAllStandardOutput() + process.readAllStandardError()).constData());
}

QTEST_GUILESS_MAIN(LessonLintTest)
#include "tst_lesson_lint.moc"
