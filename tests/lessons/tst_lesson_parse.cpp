// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_support.h"

#include "lessons/inline.h"
#include "tests/support/pace.h"

#include <QTemporaryDir>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

const char* const kFile = "2-cuda-programming/01-small.md";

std::string smallLesson()
{
    return read(sourceRoot() / "tests" / "lessons" / "small.md");
}

} // namespace

class LessonParseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallLessonIsRead();
    void everyKeyOfEveryBlockIsRead();
    void mistakesAreNamedWithTheirLine_data();
    void mistakesAreNamedWithTheirLine();
    void lineEndingsAndMarksDoNotMatter();
    void nothingCrashes_data();
    void nothingCrashes();
    void truncatedLessonsNeverCrash();
    void footnotesStandBelowTheirText();
    void inlinePieces();
    void formulaAssetsAreHashes();
    void lessonsAreFound();
    void headsAreReadAlone();
    void brokenFilesDoNotHideTheOthers();
};

void LessonParseTest::smallLessonIsRead()
{
    const ParsedLesson parsed = parseLesson(smallLesson(), kFile);
    QVERIFY2(parsed.problems.empty(), shown(parsed.problems).c_str());
    QVERIFY(parsed.lesson);
    const Lesson& lesson = *parsed.lesson;
    QCOMPARE(lesson.id, std::string("2.1"));
    QCOMPARE(lesson.minutes, 20);
    QCOMPARE(lesson.sections.size(), kSectionTitles.size());
    QCOMPARE(lesson.layers, (std::vector<std::string>{"L2", "L3"}));
    QCOMPARE(lesson.experiments(), (std::vector<std::string>{"coalescing", "bank_conflicts"}));
    QVERIFY(lesson.artifact());
    QCOMPARE(lesson.artifact()->level, 3);
    QVERIFY(!lesson.block("nowhere"));
    // The code fence belongs to the prose around it; the unnamed quiz got its id from kind and position.
    const auto* prose = std::get_if<Prose>(&lesson.sections[2].segments.at(0));
    QVERIFY(prose);
    QVERIFY(prose->markdown.find("## not a section") != std::string::npos);
    QVERIFY(lesson.block("quiz-2"));
    QCOMPARE(lesson.block("quiz-2")->at.line, lineWith(smallLesson(), "```quiz\nquestion: Unnamed"));
}

void LessonParseTest::everyKeyOfEveryBlockIsRead()
{
    const Lesson lesson = *parseLesson(smallLesson(), kFile).lesson;
    const auto& predict = std::get<PredictBlock>(lesson.block("guess")->body);
    QCOMPARE(predict.metric, std::string("sectors_per_request"));
    QCOMPARE(predict.unit, std::string("sectors/request"));
    QCOMPARE(predict.at.at("stride"), ParamValue(std::int64_t{2}));
    QCOMPARE(predict.min, 1.0);
    QCOMPARE(predict.max, 128.0);
    QVERIFY(predict.logScale);
    QCOMPARE(predict.first, std::string("predict"));
    QCOMPARE(predict.misconceptions.size(), std::size_t{3});
    QCOMPARE(predict.misconceptions[2].value, 32.0);
    QVERIFY(!std::get<PredictBlock>(lesson.block("guess-banks")->body).logScale);
    const auto& run = std::get<RunBlock>(lesson.block("once")->body);
    QCOMPARE(run.after, std::string("guess"));
    QCOMPARE(run.controls, (std::vector<std::string>{"stride", "offset"}));
    const auto& sweep = std::get<SweepBlock>(lesson.block("curve")->body);
    QCOMPARE(sweep.sweep, (std::vector<std::string>{"stride=1..128:log2"}));
    QCOMPARE(sweep.chart, std::string("sectors_over_stride"));
    QCOMPARE(std::get<ChartBlock>(lesson.block("chart-1")->body).chart, std::string("efficiency_over_stride"));
    QCOMPARE(std::get<SceneBlock>(lesson.block("scene-1")->body).of, std::string("curve"));
    QCOMPARE(std::get<ExploreBlock>(lesson.block("explore-1")->body).model, std::string("warp_access"));
    const auto& numeric = std::get<QuizBlock>(lesson.block("count")->body);
    QCOMPARE(numeric.number, std::optional(12.0));
    QCOMPARE(numeric.misconceptions.size(), std::size_t{1});
    const auto& choices = std::get<QuizBlock>(lesson.block("quiz-2")->body);
    QCOMPARE(choices.choices.size(), std::size_t{2});
    QVERIFY(choices.choices[1].correct);
    QCOMPARE(std::get<OrderBlock>(lesson.block("order-1")->body).steps.size(), std::size_t{3});
    QCOMPARE(std::get<KernelBlock>(lesson.block("kernel-1")->body).highlight, (std::vector<int>{19}));
    QCOMPARE(std::get<ChallengeBlock>(lesson.block("challenge-1")->body).check, std::string("law"));
    QCOMPARE(std::get<ArtifactBlock>(lesson.block("artifact")->body).requires_, (std::vector<std::string>{"curve"}));
    QCOMPARE(std::get<TermBlock>(lesson.block("term-1")->body).term, std::string("sector"));
    const CheckSpec& law = lesson.checks.at(1);
    QCOMPARE(law.points, 4);
    QCOMPARE(law.where.size(), std::size_t{2});
    QCOMPARE(lesson.checks.at(2).max, std::optional(0.25));
}

void LessonParseTest::mistakesAreNamedWithTheirLine_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("onLine");  // a piece of the line after the edit
    QTest::addColumn<QString>("message"); // must be part of it
    const auto row = [](const char* name, const char* from, const char* to, const char* onLine, const char* message) {
        QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to) << QString::fromUtf8(onLine)
                            << QString::fromUtf8(message);
    };
    row("unknown block kind", "```order", "```ordre", "```ordre", "unknown block kind 'ordre'; did you mean 'order'");
    row("unknown key", "mechanism: Lanes", "mecanism: Lanes", "mecanism",
        "unknown key 'mecanism'; did you mean 'mechanism'");
    row("missing key", "max: 128\n", "", "id: guess\n", "missing key 'max'");
    row("wrong type", "max: 128", "max: many", "max: many", "'max' is not a number");
    row("quoted number", "max: 128", "max: '128'", "max: '128'", "'max' is not a number");
    row("list for a text", "unit: sectors/request", "unit: [a, b]", "unit: [a", "'unit' is a list");
    row("no value", "unit: sectors/request", "unit:", "unit:\nat", "'unit' has no value");
    row("key twice", "max: 128", "max: 128\nmax: 129", "max: 129", "key 'max' is given twice");
    row("range upside down", "max: 128", "max: 0.5", "max: 0.5", "'max' is not above 'min'");
    row("log scale from zero", "min: 1\n", "min: 0\n", "min: 0\n", "above 0 on a log scale");
    row("bad enum", "scale: linear", "scale: liner", "scale: liner", "did you mean 'linear'");
    row("bad YAML in a block", "min: 1\n", "min: [1\n", "max: 128", "predict block is not YAML");
    row("tab in a block", "  - id: lines", "\t- id: lines", "\t- id: lines", "a tab indents this line");
    row("alias", "min: 1\n", "min: &low 1\n", "min: &low 1", "anchors (&name) are not allowed");
    row("empty block", "```term\nterm: sector\n```", "```term\n```", "```term", "term block is empty");
    row("block is a list", "```term\nterm: sector", "```term\n- sector", "```term", "term block has no keys");
    row("block never closed", "  - second reflection\n```", "  - second reflection\n", "```artifact",
        "this fence is never closed");
    row("info after the kind", "```kernel", "```kernel big", "```kernel big", "text after the block kind");
    row("block id twice", "id: once", "id: guess", "```run", "the id is already used on line");
    row("block id unusable", "id: once", "id: Once!", "id: Once!", "is not usable");
    row("four controls", "controls: [stride, offset]", "controls: [stride, offset, elements, lane_xor]", "lane_xor]",
        "keep at most three");
    row("two right choices", "text: Wrong", "text: Wrong\n    correct: true",
        "choices:", "2 choices are 'correct: true'");
    row("quiz of both kinds", "number: 12",
        "number: 12\nchoices: [{text: a, explains: b}, {text: c, correct: true, explains: d}]",
        "question: How many for", "a quiz has either 'choices' or 'number'");
    row("misconception is right", "value: 3\n", "value: 12\n", "misconceptions:\n  - id: stride",
        "has the right answer as its value");
    row("two steps", "  - Third\n", "", "steps:", "at least three");
    row("kernel outside", "file: coalescing/", "file: ../coalescing/", "file: ../", "must stay below kernels/");
    row("artifact level", "level: 3", "level: 6", "level: 6", "the artifact ladder has 1 to 5");
    row("after nothing", "after: guess\nset: {stride: 2", "after: gues\nset: {stride: 2", "```run",
        "is no block of this lesson; did you mean 'guess'");
    row("after missing", "after: guess\nset: {stride: 2", "set: {stride: 2", "id: once", "missing key 'after'");
    row("after a quiz", "after: guess\nset: {stride: 2", "after: count\nset: {stride: 2", "```run",
        "it must name a predict or draw block");
    row("after a later prediction", "after: guess\nset: {stride: 2", "after: guess-banks\nset: {stride: 2", "```run",
        "stands later; the prediction comes before the run");
    row("after another experiment", "experiment: coalescing\nafter: guess\nset: {stride: 2",
        "experiment: bank_conflicts\nafter: guess\nset: {stride: 2", "```run", "predict the same experiment");
    row("scene of nothing", "of: curve", "of: curves", "```scene", "did you mean 'curve'");
    row("scene of a quiz", "of: curve", "of: count", "```scene", "it must name a run or a sweep");
    row("chart before its runs", "```chart\nexperiment: coalescing", "```chart\nexperiment: bank_conflicts", "```chart",
        "no earlier run or sweep");
    row("challenge without check", "check: law", "check: laws", "```challenge",
        "is no check of this lesson; did you mean 'law'");
    row("requires nothing", "requires: [curve]", "requires: [curves]", "```artifact", "did you mean 'curve'");
    row("requires a quiz", "requires: [curve]", "requires: [count]", "```artifact",
        "only run, sweep and challenge blocks have runs");
    row("claim from nothing", "{{run:curve.", "{{run:carve.", "```artifact", "which is no run or sweep of this lesson");
    row("claim without number", "{{run:curve.sectors_per_request@stride=8}}", "many", "```artifact",
        "takes no number from a run");
    row("claim half written", "{{run:curve.sectors_per_request@stride=8}}", "{{run:curve}}", "```artifact",
        "is no reference to a run");
    row("check block unknown", "block: guess\n", "block: gues\n", "- id: predicted", "did you mean 'guess'");
    row("check block of wrong kind", "block: guess\n", "block: count\n", "- id: predicted",
        "it must name a predict block");
    row("check twice", "id: law", "id: predicted", "- id: predicted\n    title: Law",
        "check 'predicted' is given twice");
    row("check kind unknown", "kind: shipped", "kind: shiped", "kind: shiped", "did you mean 'shipped'");
    row("check key of another kind", "points: 4", "over: {stride: 1}", "over: {stride: 1}\n    where",
        "unknown key 'over'");
    row("ratio without bound", "    max: 0.25\n", "", "kind: metric_ratio", "needs 'min', 'max' or both");
    row("section unknown", "## Build it", "## Build", "## Build\n",
        "section 'Build' is not one of the seven; did you mean 'Build it'");
    row("section missing", "## Build it\n", "", "## Use it in the real stack", "section 'Build it' is missing before");
    row("sections swapped", "## Build it", "## Measure it", "## Use it in the real stack", "move it up");
    row("section twice", "## Build it", "## Mental model", "## Mental model\n\n```text", "stands twice");
    row("last section missing", "## Exit criteria", "### Exit criteria", "What now?",
        "section 'Exit criteria' is missing");
    row("text before sections", "## Why it matters", "Hello.\n\n## Why it matters", "Hello.",
        "text stands before the first section");
    row("title in the body", "Opening", "# Opening", "# Opening", "a first-level heading");
    row("unknown key in the head", "minutes: 20", "minuts: 20", "minuts: 20",
        "unknown key 'minuts'; did you mean 'minutes'");
    row("id wrong", "id: \"2.1\"", "id: two", "id: two", "write module and number");
    row("module disagrees", "module: 2", "module: 3", "module: 3", "make them agree");
    row("too long", "minutes: 20", "minutes: 40", "minutes: 40", "a lesson takes 1 to 30");
    row("layer wrong", "[L2, L3]", "[L2, L9]", "[L2, L9]", "layer 'L9' does not exist");
    row("prerequisite wrong", "prerequisites: []", "prerequisites: [later]", "[later]", "is no lesson id");
    row("tab in the head", "  - id: law", "\t- id: law", "\t- id: law", "a tab indents this line");
    row("bad YAML in the head", "title: Small", "title: Small: one", "title: Small: one", "front matter is not YAML");
    row("head never closed", "---\n\n## Why", "\n## Why", "---\nid", "never closed");
    row("no head", "---\nid", "id", "id: \"2.1\"", "no front matter");
    row("not UTF-8", "Opening", "Open\xFFing", "Open", "is not UTF-8");
}

void LessonParseTest::mistakesAreNamedWithTheirLine()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, onLine);
    QFETCH(QString, message);
    std::string edited = replaced(smallLesson(), from.toStdString(), to.toStdString());
    if (QByteArrayView(QTest::currentDataTag()) == QByteArrayView("not UTF-8"))
        edited = replaced(smallLesson(), "Opening", "Open\xFFing"); // QString would have repaired it
    const ParsedLesson parsed = parseLesson(edited, kFile);
    const int line = lineWith(edited, onLine.toStdString());
    QVERIFY2(count(parsed.problems, kFile, line, message.toStdString()) == 1,
             (shown(parsed.problems) + "wanted line " + std::to_string(line)).c_str());
}

void LessonParseTest::lineEndingsAndMarksDoNotMatter()
{
    std::string windows = "\xEF\xBB\xBF";
    for (const char c : smallLesson())
        windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const ParsedLesson parsed = parseLesson(windows, kFile);
    QVERIFY2(parsed.problems.empty(), shown(parsed.problems).c_str());
    QCOMPARE(parsed.lesson->block("guess")->at.line, parseLesson(smallLesson(), kFile).lesson->block("guess")->at.line);
}

void LessonParseTest::nothingCrashes_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto inBlock = [](const std::string& body) {
        return QByteArray::fromStdString(replaced(smallLesson(), "term: sector", body));
    };
    const auto inHead = [](const std::string& line) {
        return QByteArray::fromStdString(replaced(smallLesson(), "title: Small", line));
    };
    std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'k'; ++c) {
        laughs += std::string(1, c) + ": &" + c + " [";
        for (int i = 0; i < 9; ++i)
            laughs += std::string(i ? ", *" : "*") + static_cast<char>(c - 1);
        laughs += "]\n";
    }
    QTest::newRow("billion laughs in a block") << inBlock(laughs);
    QTest::newRow("billion laughs in the head") << inHead(laughs);
    QTest::newRow("deep brackets") << inBlock("a: " + std::string(60000, '['));
    std::string column;
    for (int i = 0; i < 3000; ++i)
        column += std::string(static_cast<std::size_t>(i), ' ') + "-\n";
    QTest::newRow("deep lists") << inBlock(column.substr(0, 800000));
    std::string many = "steps: [";
    for (int i = 0; i < 30000; ++i)
        many += "x, ";
    QTest::newRow("many values") << inBlock(many + "x]");
    QTest::newRow("huge number") << inHead("title: Small\nminutes: 99999999999999999999999999");
    QTest::newRow("mapping as key") << inBlock("{a: b}: c\nterm: sector");
    QTest::newRow("two documents") << inBlock("term: sector\n---\nterm: lane");
    QTest::newRow("directive") << inBlock("%YAML 9.9\n---\nterm: sector");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("one rule") << QByteArray("---");
    QTest::newRow("empty head") << QByteArray("---\n---\n");
    QTest::newRow("head is a list") << QByteArray("---\n- a\n---\n");
    QTest::newRow("NUL") << QByteArray("---\nid: \0\n---\n", 14);
    QTest::newRow("too large") << QByteArray(2 << 20, 'x');
    QTest::newRow("fence only") << QByteArray("---\nid: \"2.1\"\ntitle: a\n---\n```predict");
}

void LessonParseTest::nothingCrashes()
{
    QFETCH(QByteArray, text);
    const ridge::test::PacedClock clock;
    const ParsedLesson parsed = parseLesson(text.toStdString(), kFile);
    const double took = clock.ms();
    QVERIFY(!parsed.problems.empty());
    QVERIFY2(took < 5000, "a hostile file took more than five seconds");
    for (const Problem& problem : parsed.problems) {
        QCOMPARE(problem.at.file, std::string(kFile));
        QVERIFY(problem.at.line >= 1);
        QVERIFY(!problem.message.empty());
    }
}

void LessonParseTest::truncatedLessonsNeverCrash()
{
    const std::string text = smallLesson();
    for (std::size_t length = 0; length < text.find("## Exit"); length += 7) {
        const ParsedLesson parsed = parseLesson(text.substr(0, length), kFile);
        QVERIFY2(!parsed.problems.empty(), std::to_string(length).c_str());
    }
}

void LessonParseTest::footnotesStandBelowTheirText()
{
    const std::string before = "## Mental model\n";
    const auto with = [&](const std::string& prose) {
        std::string text = smallLesson();
        return parseLesson(text.insert(text.find(before) + before.size(), "\n" + prose + "\n"), kFile);
    };
    const ParsedLesson parsed =
        with("[^late]: Since *Volta*.\nLanes part[^late] and meet[^b] again[^late], `a[^late]`.\n"
             "\n```text\nraw[^late]\n```\n\n[^b]: At a barrier.");
    QVERIFY2(parsed.problems.empty(), shown(parsed.problems).c_str());
    const auto* prose = std::get_if<Prose>(&parsed.lesson->sections[1].segments.at(0));
    QVERIFY(prose);
    const std::string& markdown = prose->markdown;
    QVERIFY2(markdown.find("Lanes part¹ and meet² again¹, `a[^late]`.") != std::string::npos, markdown.c_str());
    QVERIFY2(markdown.find("\nraw[^late]\n") != std::string::npos, markdown.c_str());
    QVERIFY2(markdown.find("\n\n¹ Since *Volta*.\n\n² At a barrier.\n") != std::string::npos, markdown.c_str());
    QVERIFY(markdown.find("[^late]:") == std::string::npos);

    const auto refused = [&](const std::string& prose, const char* why, const char* where) {
        const ParsedLesson bad = with(prose);
        return bad.problems.size() == 1 && bad.problems[0].message.find(why) != std::string::npos &&
               bad.problems[0].message.find(where) != std::string::npos;
    };
    QVERIFY(refused("Lanes part[^nowhere].", "has no text", "'nowhere'"));
    QVERIFY(refused("Lanes part.\n\n[^lost]: Since Volta.", "nothing points to", "'lost'"));
    QVERIFY(refused("Lanes[^a].\n\n[^a]: One.\n[^a]: Two.", "written twice", "'a'"));
}

void LessonParseTest::inlinePieces()
{
    const std::vector<Inline> parts = splitInline("A {{claim:t4.read}} and $x^2$, `$no$ {{claim:no.no}}`.");
    QCOMPARE(parts.size(), std::size_t{5});
    QCOMPARE(std::get<InlineText>(parts[0]).markdown, std::string("A "));
    QCOMPARE(std::get<InlineClaim>(parts[1]).key, std::string("t4.read"));
    QCOMPARE(std::get<InlineFormula>(parts[3]).tex, std::string("x^2"));
    QCOMPARE(std::get<InlineText>(parts[4]).markdown, std::string(", `$no$ {{claim:no.no}}`."));

    const auto whole = [](const char* text) {
        const std::vector<Inline> list = splitInline(text);
        return list.size() == 1 && std::holds_alternative<InlineText>(list[0]) &&
               std::get<InlineText>(list[0]).markdown == text;
    };
    QVERIFY(whole("It costs $2 and $3 more."));
    QVERIFY(whole("An escaped \\$x$ stays."));
    QVERIFY(whole("A $x\ny$ over two lines stays."));
    QVERIFY(whole("```cpp\n$a$ {{claim:a.b}}\n```\n"));
    QVERIFY(whole("``a ` $b$ ` c``"));
    QVERIFY(whole("An open {{claim:a.b stays"));
    QVERIFY(whole("{{run:a.b}} is for artifacts"));
    QVERIFY(splitInline("").empty());
    QCOMPARE(splitInline("open ` tick $x$").size(), std::size_t{2});
}

void LessonParseTest::formulaAssetsAreHashes()
{
    // printf 'x^2' | sha256sum
    QCOMPARE(formulaAsset("x^2"), std::string("5b029881cc5d477a.svg"));
}

void LessonParseTest::lessonsAreFound()
{
    const LoadedCurriculum loaded = loadCurriculum(sourceRoot() / "curriculum");
    QVERIFY2(loaded.problems.empty(), shown(loaded.problems).c_str());
    const Curriculum& curriculum = loaded.curriculum;
    QCOMPARE(curriculum.modules.size(), std::size_t{7});
    const Result<Lesson> lesson = loadLesson(curriculum, "2.4");
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : toText(lesson.error()).c_str());
    QCOMPARE(lesson.value().experiments(), (std::vector<std::string>{"coalescing", "bank_conflicts"}));
    const Result<Lesson> none = loadLesson(curriculum, "7.9");
    QVERIFY(!none.ok());
    QCOMPARE(none.error().code, std::string("unknown-lesson"));
    QVERIFY(none.error().fix.find("2.4") != std::string::npos);
    QVERIFY(curriculum.claim("t4.read_stride1"));
    QCOMPARE(curriculum.claim("t4.read_stride1")->text, std::string("206 GB/s"));
    QVERIFY(!curriculum.claim("t4.nothing"));
    QVERIFY(curriculum.term("Bank Conflicts"));
    QCOMPARE(curriculum.term("Bank Conflicts")->name, std::string("bank conflict"));
    QVERIFY(!curriculum.term("bunk"));
}

void LessonParseTest::headsAreReadAlone()
{
    QTemporaryDir home;
    const std::filesystem::path root = home.path().toStdString();
    std::filesystem::create_directories(root / "2-cuda-programming");
    std::filesystem::copy(sourceRoot() / "curriculum" / "curriculum.yaml", root / "curriculum.yaml");
    QVERIFY(writeFile(root / "claims.yaml", "").ok());
    QVERIFY(writeFile(root / "glossary.yaml", "").ok());
    // A body that would be a feast of problems is not even looked at.
    std::string text = smallLesson();
    text = text.substr(0, text.find("## Why")) + std::string(3 << 20, '`');
    QVERIFY(writeFile(root / kFile, text).ok());
    const LoadedCurriculum loaded = loadCurriculum(root);
    QVERIFY2(loaded.problems.empty(), shown(loaded.problems).c_str());
    QCOMPARE(loaded.curriculum.heads.size(), std::size_t{1});
    QVERIFY(loaded.curriculum.heads[0].sections.empty());
    const Result<Lesson> lesson = loadLesson(loaded.curriculum, "2.1");
    QVERIFY(!lesson.ok());
    QCOMPARE(lesson.error().code, std::string("bad-lesson"));
    QCOMPARE(lesson.error().place, std::string(kFile) + ":1");
}

void LessonParseTest::brokenFilesDoNotHideTheOthers()
{
    QTemporaryDir home;
    const std::filesystem::path root = home.path().toStdString();
    std::filesystem::create_directories(root / "2-cuda-programming");
    std::filesystem::copy(sourceRoot() / "curriculum" / "curriculum.yaml", root / "curriculum.yaml");
    QVERIFY(writeFile(root / "claims.yaml", "a.b:\n  value: [\n").ok());
    QVERIFY(writeFile(root / kFile, smallLesson()).ok());
    QVERIFY(writeFile(root / "2-cuda-programming/02-broken.md", "---\nid: \"2.2\"\n\ttitle: x\n---\n").ok());
    QVERIFY(writeFile(root / "2-cuda-programming/03-twin.md", smallLesson()).ok());
    QVERIFY(writeFile(root / "2-cuda-programming/notes.md", "x").ok());
    const LoadedCurriculum loaded = loadCurriculum(root);
    QCOMPARE(loaded.curriculum.heads.size(), std::size_t{1});
    QCOMPARE(count(loaded.problems, "2-cuda-programming/02-broken.md", 3, "a tab indents"), 1);
    QCOMPARE(count(loaded.problems, "2-cuda-programming/03-twin.md", 1, "lesson 2.1 is already in"), 1);
    QCOMPARE(count(loaded.problems, "2-cuda-programming/notes.md", 1, "NN-slug.md"), 1);
    QCOMPARE(count(loaded.problems, "glossary.yaml", 1, "cannot be read"), 1);
    QVERIFY(std::any_of(loaded.problems.begin(), loaded.problems.end(),
                        [](const Problem& p) { return p.at.file == "claims.yaml"; }));
    QVERIFY(!loadCurriculum(root / "nowhere").problems.empty());
}

QTEST_GUILESS_MAIN(LessonParseTest)
#include "tst_lesson_parse.moc"
