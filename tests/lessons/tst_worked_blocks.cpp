// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks in which the reader works something out: explain, draw, worksheet, compare, and scenes that are pointed at.
#include "desk.h"

#include "lessons/answers.h"
#include "lessons/drawn_curve.h"
#include "lessons/learner.h"
#include "lessons/lesson_evidence.h"
#include "lessons/pointing.h"
#include "lessons/worksheet.h"

#include <cmath>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

const char* const kWorked = R"(
```draw
id: sketch
question: Draw the sectors over the stride.
experiment: coalescing
metric: sectors_per_request
unit: sectors/request
set: {element_bytes: 4}
sweep: "stride=1..16:log2"
min: 1
max: 64
mechanism: The span doubles with the stride.
again: [{element_bytes: 8}]
```

```sweep
id: drawn
experiment: coalescing
after: sketch
set: {element_bytes: 4}
sweep: ["stride=1..16:log2"]
chart: sectors_over_stride
caption: Both curves. A GPU reads more elements.
```

```worksheet
id: sheet
title: What {{users}} users read
vars: {users: [2, 8]}
given:
  - {name: width, label: Bytes a sector, unit: B, value: 32}
  - {name: seen, label: Sectors at stride 8, from: "run:curve.sectors_per_request@stride=8"}
  - {name: pins, label: Published, unit: GB/s, from: "claim:t4.read_stride1"}
cells:
  - name: one
    label: One request
    unit: B
    formula: width * seen
    hint: Every sector moves whole.
  - name: all
    label: All users
    unit: B
    formula: one * users
    tolerance: 0.05
```

```compare
id: three
experiment: coalescing
after: guess
metric: sectors_per_request
at: {stride: 8}
```

```scene
id: point
scene: lanes_sectors
of: curve
at: {stride: 8}
ask: Point at a lane of the second sector.
answer: [lane.1]
explains: Each lane has a sector of its own.
```

```explain
id: why
question: Why does it end at 32?
model: >-
  One aligned load of four bytes touches one sector, and a warp has thirty-two lanes, so thirty-two sectors are the most that
  one request can touch, however wide the stride grows.
```

```kernel
id: write
task: saxpy
caption: Write it.
```
)";

std::string workedLesson()
{
    std::string text = replaced(fullLesson(), "\n## Ship it", std::string(kWorked) + "\n## Ship it");
    text = replaced(text, "  - id: shipped\n",
                    "  - id: sketched\n    title: Sketched\n    kind: drawn\n    block: sketch\n"
                    "    max: 0.25\n  - id: filled\n    title: Filled\n    kind: answered\n"
                    "    blocks: [sheet, point]\n  - id: shipped\n");
    return replaced(text, "minutes: 20", "minutes: 25");
}

Lesson worked()
{
    const ParsedLesson parsed = parseLesson(workedLesson(), kLesson);
    if (!parsed.problems.empty())
        qFatal("%s", shown(parsed.problems).c_str());
    return *parsed.lesson;
}

template<class Body>
const Body& bodyOf(const Lesson& lesson, const char* id)
{
    return std::get<Body>(lesson.block(id)->body);
}

EvidenceRun run(double stride, double sectors, std::int64_t seq, std::int64_t bytes = 4)
{
    EvidenceRun one;
    one.experiment = "coalescing";
    one.block = "curve";
    one.params = {{"stride", stride}, {"element_bytes", bytes}};
    one.metrics["sectors_per_request"] = {sectors, "sectors/request", Provenance::Simulated};
    one.validity = "valid";
    one.seq = seq;
    return one;
}

CheckOutcome outcomeOf(const Lesson& lesson, const Evidence& evidence, const std::string& id)
{
    for (const CheckOutcome& outcome : evaluateChecks(lesson, evidence))
        if (outcome.id == id)
            return outcome;
    return {};
}

} // namespace

class WorkedBlocksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocksAreRead();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
    void curvesAreComparedByHand();
    void curvesCountOnlyWhatWasNew();
    void theNextCurveIsTheFirstNewOne();
    void sheetsAreSolved();
    void sheetsSayWhatIsMissing();
    void progressOfASheet();
    void cellsHaveATolerance();
    void thingsToPointAt();
    void learnersAnswerThem();
    void answersInWords();
};

void WorkedBlocksTest::blocksAreRead()
{
    const Lesson lesson = worked();
    const auto& draw = bodyOf<DrawBlock>(lesson, "sketch");
    QCOMPARE(draw.sweep, std::string("stride=1..16:log2"));
    QVERIFY(draw.logScale);
    QCOMPARE(draw.again.size(), std::size_t{1});
    const auto& sheet = bodyOf<WorksheetBlock>(lesson, "sheet");
    QCOMPARE(sheet.vars.size(), std::size_t{2});
    QCOMPARE(asNumber(sheet.vars[1].at("users")), 8.0);
    QCOMPARE(sheet.given.size(), std::size_t{3});
    QCOMPARE(sheet.given[1].from, std::string("run:curve.sectors_per_request@stride=8"));
    QCOMPARE(sheet.cells[0].tolerance, 0.01);
    QCOMPARE(sheet.cells[1].tolerance, 0.05);
    QCOMPARE(bodyOf<CompareBlock>(lesson, "three").after, std::string("guess"));
    QCOMPARE(simulatorOf(lesson, bodyOf<CompareBlock>(lesson, "three")), std::string("sim:h100-sxm"));
    QCOMPARE(bodyOf<SceneBlock>(lesson, "point").answer, (std::vector<std::string>{"lane.1"}));
    const auto& kernel = bodyOf<KernelBlock>(lesson, "write");
    QCOMPARE(kernel.task, std::string("saxpy"));
    QVERIFY(kernel.edit);
    Desk desk;
    std::filesystem::create_directories(desk.data() / "assets" / "tasks" / "saxpy");
    Desk::write(desk.data() / "assets" / "tasks" / "saxpy" / "task.json", "{}");
    Desk::write(desk.root() / kLesson, workedLesson());
    const std::vector<Problem> problems = desk.check();
    // Only its length: the words of the desk's lesson were counted without these blocks.
    for (const Problem& problem : problems)
        QVERIFY2(problem.message.find("minutes") != std::string::npos, shown(problems).c_str());
}

void WorkedBlocksTest::mistakesAreNamed_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* message) {
        QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to) << QString::fromUtf8(message);
    };
    row("another axis", "sweep: \"stride=1..16:log2\"\nmin", "sweep: \"stride=1..8:log2\"\nmin",
        "'sweep' is not the one");
    row("another setting", "set: {element_bytes: 4}\nsweep: \"", "set: {element_bytes: 16}\nsweep: \"",
        "'set' is not that of the curve");
    row("no sweep", "after: sketch", "after: guess", "no sweep block names it");
    row("few points", "sweep: \"stride=1..16:log2\"\nmin", "sweep: \"stride=1..2:log2\"\nmin",
        "2 points; a hand can draw 3 to 33");
    row("unit of a curve", "unit: sectors/request\nset", "unit: sectors\nset", "write that");
    row("range", "min: 1\nmax: 64\nmechanism", "min: 0\nmax: 64\nmechanism", "must be above 0 on a log scale");
    row("again along the axis", "again: [{element_bytes: 8}]", "again: [{stride: 8}]", "along which the curve runs");
    row("name twice", "name: all", "name: one", "is used twice");
    row("name for a formula", "name: all", "name: 2all", "cannot stand in a formula");
    row("a cell below", "formula: width * seen", "formula: width * all", "reads 'all', which no row above it has");
    row("formula", "formula: one * users", "formula: one *", "sheet'");
    row("two sources", "unit: B, value: 32", "unit: B, value: 32, from: \"claim:t4.unused\"", "exactly one of them");
    row("claim", "claim:t4.read_stride1\"}", "claim:t4.read_stride\"}", "did you mean 't4.read_stride1'");
    row("run of nothing", "run:curve.sectors", "run:curved.sectors", "no earlier run or sweep");
    row("metric of a run", "run:curve.sectors_per_request", "run:curve.sector", "has no metric 'sector'");
    row("division", "formula: one * users", "formula: one / (users - 8)", "division by zero");
    row("empty vars", "users: [2, 8]", "users: []", "vars");
    row("tolerance", "tolerance: 0.05", "tolerance: 5", "from 0 to 0.5");
    row("pointed thing", "answer: [lane.1]", "answer: [bank.1]", "nobody can point at in lanes_sectors");
    row("explains of a pointed scene", "explains: Each lane has a sector of its own.\n", "", "missing key 'explains'");
    row("answer is missing", "answer: [lane.1]\n", "", "go with 'answer'");
    row("short model answer", "model: >-\n  One aligned", "model: Yes.\nx: >-\n  One aligned", "1 words");
    row("baseline", "at: {stride: 8}\n```\n\n```scene", "at: {stride: 8}\nrecorded: [h300]\n```\n\n```scene",
        "no file of assets/baselines/");
    row("simulator", "at: {stride: 8}\n```\n\n```scene", "at: {stride: 8}\nsimulator: \"machine:x\"\n```\n\n```scene",
        "does not run on machine:x");
    row("task", "task: saxpy", "task: sexpy", "is not there");
    row("task and file", "task: saxpy", "task: saxpy\nfile: coalescing/01_strided_read.cu", "shows one of them");
    row("a design from elsewhere", "```kernel\nid: write\ntask: saxpy", "```rtl\nid: write\nfile: ../array.sv",
        "must stay below labs/rtl/");
    row("no such design", "```kernel\nid: write\ntask: saxpy", "```rtl\nid: write\nfile: none.sv",
        "design file 'labs/rtl/none.sv' is not there");
    row("a key of kernels", "```kernel\nid: write\ntask: saxpy", "```rtl\nid: write\nfile: array.sv\ntask: saxpy",
        "task");
    row("drawn names a quiz", "block: sketch", "block: count", "it must name a draw block");
    row("answered names a curve", "blocks: [sheet, point]", "blocks: [sheet, sketch]", "must name a quiz");
    row("unmarked scene", "blocks: [sheet, point]", "blocks: [sheet, scene-1]", "scene with 'answer'");
}

void WorkedBlocksTest::mistakesAreNamed()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, message);
    Desk desk;
    std::filesystem::create_directories(desk.data() / "assets" / "tasks" / "saxpy");
    Desk::write(desk.data() / "assets" / "tasks" / "saxpy" / "task.json", "{}");
    Desk::write(desk.root() / kLesson, replaced(workedLesson(), from.toStdString(), to.toStdString()));
    const std::vector<Problem> problems = desk.check();
    QVERIFY2(std::ranges::any_of(problems,
                                 [&](const Problem& problem) {
                                     return problem.message.find(message.toStdString()) != std::string::npos;
                                 }),
             shown(problems).c_str());
}

void WorkedBlocksTest::curvesAreComparedByHand()
{
    // Twice, half and right: the mean of |ln| is 2 ln 2 / 3.
    const std::vector<DrawnPoint> points = {{1, 8, 4}, {2, 4, 8}, {4, 16, 16}};
    QVERIFY(std::abs(*curveError(points, true) - (std::pow(2.0, 2.0 / 3) - 1)) < 1e-12);
    // Distances 4 + 4 + 0 over sizes 4 + 8 + 16.
    QVERIFY(std::abs(*curveError(points, false) - 8.0 / 28) < 1e-12);
    const std::vector<DrawnPoint> zero = {{1, 1, 0}, {2, 2, 4}};
    QVERIFY(std::abs(*curveError(zero, true) - 3.0 / 4) < 1e-12);
    QVERIFY(!curveError({}, true));
    QVERIFY(!curveError(std::vector<DrawnPoint>{{1, 1, 0}}, false));
}

void WorkedBlocksTest::curvesCountOnlyWhatWasNew()
{
    const Lesson lesson = worked();
    Evidence evidence;
    QCOMPARE(outcomeOf(lesson, evidence, "sketched").state, CheckState::Missing);
    evidence.runs = {run(1, 4, 1)};
    AnswerGiven given;
    given.curve = {{1, 4}, {2, 8}, {4, 16}, {8, 32}, {16, 16}};
    given.held = {1};
    evidence.answers.push_back({"sketch", false, 2, given});
    QCOMPARE(outcomeOf(lesson, evidence, "sketched").state, CheckState::Missing);
    evidence.runs.push_back(run(2, 8, 3));
    evidence.runs.push_back(run(4, 16, 4));
    evidence.runs.push_back(run(8, 32, 5));
    evidence.runs.push_back(run(16, 32, 6, 8)); // another setting
    QCOMPARE(outcomeOf(lesson, evidence, "sketched").state, CheckState::Missing);
    evidence.runs.push_back(run(16, 32, 7));
    // One of four is off by 2: 2^(1/4) - 1 = 18.9 %.
    const CheckOutcome near = outcomeOf(lesson, evidence, "sketched");
    QVERIFY2(near.state == CheckState::Passed, near.detail.c_str());
    QVERIFY2(near.detail.find("18.9 %") != std::string::npos, near.detail.c_str());
    evidence.answers[0].given.curve[3].second = 8;
    const CheckOutcome far = outcomeOf(lesson, evidence, "sketched");
    QVERIFY2(far.state == CheckState::Failed && far.detail.find("The span doubles") != std::string::npos,
             far.detail.c_str());
    // A curve at which the record held all but two points says nothing.
    evidence.answers[0].given.held = {1, 2, 4};
    const CheckOutcome old = outcomeOf(lesson, evidence, "sketched");
    QVERIFY2(old.state == CheckState::Missing && old.detail.find("draw another") != std::string::npos,
             old.detail.c_str());
    QVERIFY(!mayPass(lesson, {}));
    QVERIFY(runsRead(lesson).metrics.contains("sectors_per_request"));
}

void WorkedBlocksTest::theNextCurveIsTheFirstNewOne()
{
    const Lesson lesson = worked();
    const auto& draw = bodyOf<DrawBlock>(lesson, "sketch");
    QCOMPARE(nextInstance(draw, {}, [](int) { return false; }), 0);
    QCOMPARE(nextInstance(draw, {}, [](int instance) { return instance == 0; }), 1);
    QCOMPARE(nextInstance(draw, {0}, [](int) { return false; }), 1);
    QCOMPARE(nextInstance(draw, {0, 1}, [](int) { return true; }), 1); // nobody is left without a curve
    QCOMPARE(settingOf(draw, 0), (ParamSet{{"element_bytes", std::int64_t{4}}}));
    QCOMPARE(settingOf(draw, 1), (ParamSet{{"element_bytes", std::int64_t{8}}}));
}

void WorkedBlocksTest::sheetsAreSolved()
{
    const Lesson lesson = worked();
    const auto& sheet = bodyOf<WorksheetBlock>(lesson, "sheet");
    Curriculum curriculum;
    Claim claim;
    claim.value = 206;
    curriculum.claims["t4.read_stride1"] = claim;
    Evidence evidence;
    evidence.runs = {run(8, 30, 1), run(8, 32, 2)};
    const GivenLookup lookup = givenLookup(curriculum, evidence);
    QCOMPARE(instancesOf(sheet), 2);
    const auto first = solveSheet(sheet, 0, lookup);
    QVERIFY(first.ok());
    QCOMPARE(first->at("seen"), 32.0); // the newest
    QCOMPARE(first->at("pins"), 206.0);
    QCOMPARE(first->at("one"), 1024.0);
    QCOMPARE(first->at("all"), 2048.0);
    QCOMPARE(solveSheet(sheet, 1, lookup)->at("all"), 8192.0);
    QCOMPARE(solveSheet(sheet, 2, lookup)->at("all"), 2048.0); // and again from the front
    QCOMPARE(withVars(sheet.title, sheet, 1), std::string("What 8 users read"));
}

void WorkedBlocksTest::sheetsSayWhatIsMissing()
{
    const Lesson lesson = worked();
    const auto& sheet = bodyOf<WorksheetBlock>(lesson, "sheet");
    const Curriculum curriculum;
    const Evidence evidence;
    const auto solved = solveSheet(sheet, 0, givenLookup(curriculum, evidence));
    QVERIFY(!solved.ok());
    QCOMPARE(solved.error().code, std::string("not-run"));
    QVERIFY(solved.error().place.find("'seen'") != std::string::npos);
}

void WorkedBlocksTest::progressOfASheet()
{
    const Lesson lesson = worked();
    const auto& sheet = bodyOf<WorksheetBlock>(lesson, "sheet");
    const auto row = [&](int instance, const char* cell, double number, std::map<std::string, double> cells) {
        AnswerGiven given;
        given.instance = instance;
        given.hasInstance = true;
        given.vars = varsOf(sheet, instance);
        given.cell = cell;
        given.number = number;
        given.cells = std::move(cells);
        return given;
    };
    std::vector<AnswerGiven> answers = {row(0, "one", 3, {}), row(0, "one", 1024, {{"one", 1024}})};
    SheetProgress progress = sheetProgress(sheet, answers);
    QCOMPARE(progress.wrong, 1);
    QVERIFY(!progress.done && progress.right.contains("one"));
    AnswerGiven shown;
    shown.shown = true;
    shown.hasInstance = true;
    shown.vars = varsOf(sheet, 0);
    shown.cells = {{"one", 1024}, {"all", 2048}};
    answers.push_back(shown);
    progress = sheetProgress(sheet, answers);
    QVERIFY2(!progress.done, "who was shown the numbers has not worked them out");
    answers.push_back(row(1, "one", 1024, {{"one", 1024}}));
    progress = sheetProgress(sheet, answers);
    QVERIFY(!progress.shown && !progress.done && progress.instance == 1 && progress.wrong == 0);
    answers.push_back(row(1, "all", 8192, {{"one", 1024}, {"all", 8192}}));
    QVERIFY(sheetProgress(sheet, answers).done);

    const std::string csv =
        sheetCsv(sheet, sheetProgress(sheet, answers), [](const std::string&) { return std::optional<double>(); });
    QVERIFY2(csv.find("width,Bytes a sector,32,B,given\r\n") != std::string::npos, csv.c_str());
    QVERIFY2(csv.find("all,All users,8192,B,one * users\r\n") != std::string::npos, csv.c_str());
    QVERIFY2(csv.find("seen,Sectors at stride 8,,,run:curve") != std::string::npos, csv.c_str());

    // A half full sheet is not wrong, it is not done.
    Evidence evidence;
    evidence.answers.push_back({"sheet", false, 1, answers[1]});
    AnswerGiven pointed;
    pointed.item = "lane.1";
    evidence.answers.push_back({"point", true, 2, pointed});
    QCOMPARE(outcomeOf(lesson, evidence, "filled").state, CheckState::Missing);
    evidence.answers.push_back({"sheet", true, 3, answers.back()});
    QCOMPARE(outcomeOf(lesson, evidence, "filled").state, CheckState::Passed);
}

void WorkedBlocksTest::cellsHaveATolerance()
{
    WorksheetCell cell;
    cell.tolerance = 0.01;
    QVERIFY(isCellRight(cell, 100, 101));
    QVERIFY(isCellRight(cell, -100, -99));
    QVERIFY(!isCellRight(cell, 100, 101.1));
    QVERIFY(!isCellRight(cell, 0, 1e-12));
    QVERIFY(isCellRight(cell, 0, 0));
    QVERIFY(!isCellRight(cell, 100, std::nan("")));
}

void WorkedBlocksTest::thingsToPointAt()
{
    QVERIFY(isPointable("shared_banks", "bank.3"));
    QVERIFY(isPointable("shared_banks", "cell.2.31"));
    QVERIFY(isPointable("memory_hierarchy", "level.l2"));
    for (const char* wrong : {"bank", "bank.", "bank.x", "bank.3.4", "cell.2", "counter.lane.1", "", "."})
        QVERIFY2(!isPointable("shared_banks", wrong), wrong);
    QVERIFY(!isPointable("nothing", "lane.1"));
    QCOMPARE(pointedText("bank.3"), std::string("bank 3"));
    QCOMPARE(pointedText("cell.2.3"), std::string("cell 2, 3"));
}

void WorkedBlocksTest::learnersAnswerThem()
{
    const Lesson lesson = worked();
    const Block& why = *lesson.block("why");
    QVERIFY(isRight(why, answerOf(why, Learner::Ideal)));
    QVERIFY(!isRight(why, answerOf(why, Learner::Wrong)));
    AnswerGiven two;
    two.text = "It stops";
    two.rating = "yes";
    QVERIFY2(!isRight(why, two), "two words are no explanation");
    const Block& point = *lesson.block("point");
    QVERIFY(isRight(point, answerOf(point, Learner::Ideal)));
    QCOMPARE(answerOf(point, Learner::Wrong).item, std::string("lane.0"));
    const auto& draw = bodyOf<DrawBlock>(lesson, "sketch");
    const std::vector<std::pair<double, double>> results = {{1, 4}, {2, 8}, {4, 128}};
    QCOMPARE(curveOf(draw, Learner::Ideal, results).curve.back().second, 64.0); // as far as the axis goes
    QCOMPARE(curveOf(draw, Learner::Wrong, results).curve.front().second, 8.0); // sqrt(1 · 64)
    const auto& sheet = bodyOf<WorksheetBlock>(lesson, "sheet");
    const GivenLookup lookup = [](const std::string&) { return std::optional(32.0); };
    const auto ideal = fillingsOf(sheet, Learner::Ideal, lookup);
    QCOMPARE(ideal->size(), std::size_t{2});
    QVERIFY(sheetProgress(sheet, *ideal).done);
    const auto wrong = fillingsOf(sheet, Learner::Wrong, lookup);
    QCOMPARE(wrong->size(), std::size_t{1});
    QVERIFY(wrong->front().cells.empty());
}

void WorkedBlocksTest::answersInWords()
{
    const Lesson lesson = worked();
    AnswerGiven given;
    given.text = "Because.";
    given.rating = "partly";
    QCOMPARE(answerText(*lesson.block("why"), given), std::string("“Because.”, rated partly"));
    given = {};
    given.cell = "one";
    given.number = 7;
    QCOMPARE(answerText(*lesson.block("sheet"), given), std::string("0 of 2 cells, the last one = 7 B"));
    QCOMPARE(explanationOf(*lesson.block("sheet"), given), std::string("Every sector moves whole."));
    given = {};
    given.item = "lane.7";
    QCOMPARE(answerText(*lesson.block("point"), given), std::string("lane 7"));
    given = {};
    given.curve = {{1, 2}};
    QCOMPARE(answerText(*lesson.block("sketch"), given), std::string("a curve of 1 points"));
}

QTEST_GUILESS_MAIN(WorkedBlocksTest)
#include "tst_worked_blocks.moc"
