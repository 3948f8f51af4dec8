// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of checks, questions that recall a lesson, figures and capstones: what is read and what is refused.
#include "desk.h"

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

const std::string kShipped = "    title: Shipped\n    kind: shipped\n";

/// The lesson with another check in the place of its last.
std::string withCheck(const std::string& keys)
{
    std::string indented;
    for (const char c : keys + "\n")
        indented += c == '\n' ? "\n    " : std::string(1, c);
    return replaced(fullLesson(), kShipped, "    title: New\n    " + indented + "\n");
}

std::string quiz(const std::string& id, const std::string& recalls)
{
    return "```quiz\nid: " + id + "\nquestion: What was it?\nnumber: 3\nexplains: It was.\nrecalls: \"" + recalls +
           "\"\n```\n\n";
}

/// The lesson with questions before its first prediction.
std::string withQuestions(const std::string& questions, const std::string& prerequisites = "[]")
{
    return replaced(replaced(fullLesson(), "prerequisites: []", "prerequisites: " + prerequisites),
                    "```predict\nid: guess\n", questions + "```predict\nid: guess\n");
}

const char* const kCapstoneFile = "2-cuda-programming/capstone.md";

/// A capstone made of the small lesson's blocks.
std::string capstone()
{
    std::string text = fullLesson();
    text = replaced(text, "minutes: 20", "minutes: 15");
    text = replaced(text, "id: \"2.1\"\n", "id: \"2.capstone\"\nkind: capstone\n");
    text = replaced(text, "## Why it matters", "## The task");
    text = replaced(text, "## Mental model\n", "## From the datasheet\n");
    text = replaced(text, "```term\nterm: sector\n```\n", "");
    text = replaced(text, "## Build it\n", "");
    text = replaced(text, "## Use it in the real stack\n", "");
    text = replaced(text, "## Ship it\n", "## The memo\n");
    text = replaced(text, "## Exit criteria\n", "");
    for (int i = 0; i < 700; ++i)
        text = replaced(text, " word word", " word");
    return text;
}

} // namespace

class LessonWordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checks_data();
    void checks();
    void checksAreRead();
    void challengesNeedASolution_data();
    void challengesNeedASolution();
    void recallRules();
    void figures_data();
    void figures();
    void figureFiles();
    void capstonesStandBesideTheLessons();
    void capstoneRules();
};

void LessonWordsTest::checks_data()
{
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("message"); // empty: nothing is wrong
    const auto row = [](const char* name, const std::string& keys, const char* message = "") {
        QTest::newRow(name) << QString::fromStdString(keys) << QString::fromUtf8(message);
    };
    const std::string of = "\nexperiment: coalescing\nmetric: ";
    row("estimated", "kind: estimated\nblock: guess\nfactor: 1.5");
    row("estimated by nothing", "kind: estimated\nblock: guess", "missing key 'factor'");
    row("estimated below 1", "kind: estimated\nblock: guess\nfactor: 0.5", "a factor is 1 or more");
    row("estimated a quiz", "kind: estimated\nblock: count\nfactor: 2", "it must name a predict block");
    row("bound", "kind: metric_bound" + of + "sectors_per_request\nmin: 4\nmax: 32\npoints: 3\nwhere: {offset: 0}");
    row("bound without bounds", "kind: metric_bound" + of + "time", "needs 'min', 'max' or both");
    row("bound upside down", "kind: metric_bound" + of + "time\nmin: 2\nmax: 1", "'max' is below 'min'");
    row("bound points", "kind: metric_bound" + of + "time\nmin: 2\npoints: 0", "'points' is below 1");
    row("bound metric", "kind: metric_bound" + of + "tim\nmin: 2", "has no metric 'tim'; did you mean 'time'");
    row("bound where", "kind: metric_bound" + of + "time\nmin: 2\nwhere: {strid: 1}", "unknown parameter 'strid'");
    row("order", "kind: metric_order" + of + "sectors\norder: [{stride: 1}, {stride: 2}]\nratio: 1.5");
    row("order of one", "kind: metric_order" + of + "sectors\norder: [{stride: 1}]", "an order needs two or more");
    row("order of none", "kind: metric_order" + of + "sectors\norder: []", "'order' is an empty list");
    row("order of texts", "kind: metric_order" + of + "sectors\norder: [one, two]", "an item that is no parameters");
    row("order off range", "kind: metric_order" + of + "sectors\norder: [{stride: 1}, {stride: 900}]", "stride");
    row("order ratio", "kind: metric_order" + of + "sectors\norder: [{stride: 1}, {stride: 2}]\nratio: 0.9",
        "'ratio' is below 1");
    row("count", "kind: metric_count" + of + "sectors\ndistinct: 3");
    row("count of one", "kind: metric_count" + of + "sectors\ndistinct: 1", "'distinct' is below 2");
    row("count of nothing", "kind: metric_count" + of + "sectors", "missing key 'distinct'");
    row("plateaus", "kind: plateaus" + of + "time\nalong: stride\ncount: 3\nrise: 1.4\nwhere: {offset: 0}");
    row("hidden parameter", "kind: metric_bound" + of + "time\nmin: 2\nhidden: [{strid: 1}]",
        "unknown parameter 'strid'");
    row("hidden value", "kind: metric_bound" + of + "time\nmin: 2\nhidden: [{stride: 100000}]", "stride");
    row("hidden pinned", "kind: metric_bound" + of + "time\nmin: 2\nwhere: {stride: 1}\nhidden: [{stride: 2}]",
        "'hidden' sets 'stride', by which the check tells its points apart");
    row("hidden points",
        "kind: metric_formula" + of + "sectors_per_request\nformula: stride\npoints: 3\nhidden: [{stride: 2}]",
        "'hidden' sets 'stride', by which the check tells its points apart");
    row("hidden elsewhere", "kind: metric_count" + of + "time\ndistinct: 2\nhidden: [{stride: 2}]", "hidden");
    row("plateaus along", "kind: plateaus" + of + "time\nalong: strid\ncount: 3", "'along' names unknown parameter");
    row("plateaus count", "kind: plateaus" + of + "time\nalong: stride", "missing key 'count'");
    row("plateaus rise", "kind: plateaus" + of + "time\nalong: stride\ncount: 2\nrise: 0.5", "'rise' is below 1");
    row("fit", "kind: linear_fit" + of + "time\nalong: elements\nmax: 0.1\npoints: 5");
    row("fit without max", "kind: linear_fit" + of + "time\nalong: elements", "missing key 'max'");
    row("fit with no slack", "kind: linear_fit" + of + "time\nalong: elements\nmax: 0", "'max' is not above 0");
    row("fit of two", "kind: linear_fit" + of + "time\nalong: elements\nmax: 0.1\npoints: 2", "'points' is below 3");
    row("fit fixed", "kind: linear_fit" + of + "time\nalong: stride\nmax: 0.1\nwhere: {stride: 1}",
        "'where' fixes 'stride'");
    row("crossing", "kind: crossing" + of + "time\nalong: stride\nlevel: 2\nrepeats: 3\nwithin: 1.5");
    row("crossing within", "kind: crossing" + of + "time\nalong: stride\nwithin: 0.5", "'within' is below 1");
    row("crossing repeats", "kind: crossing" + of + "time\nalong: stride\nrepeats: 0", "'repeats' is below 1");
    row("knee", "kind: knee" + of + "time\nalong: stride\npoints: 6\ntolerance: 0.3");
    row("knee along a metric", "kind: knee" + of + "useful_bandwidth\nalong: load_efficiency");
    row("knee points", "kind: knee" + of + "time\nalong: stride\npoints: 3", "'points' is below 4");
    row("knee tolerance", "kind: knee" + of + "time\nalong: stride\ntolerance: 0", "'tolerance' is not above 0");
    row("step", "kind: step" + of + "time\nalong: elements\nsize: bytes_moved\nwithin: 3\nrise: 2\nwhere: {offset: 0}");
    row("step without size", "kind: step" + of + "time\nalong: elements", "missing key 'size'");
    row("step of unknown size", "kind: step" + of + "time\nalong: elements\nsize: l2", "has no metric 'l2'");
    row("step within", "kind: step" + of + "time\nalong: elements\nsize: time\nwithin: 1", "'within' is not above 1");
    row("step rise", "kind: step" + of + "time\nalong: elements\nsize: time\nrise: 1", "'rise' is not above 1");
    const std::string field = "kind: winners" + of + "time\namong: stride\nby: [offset]\nbest: min";
    row("winners", field + "\ncontestants: 4\ndistinct: 2\nblock: curve");
    row("winners without best", "kind: winners" + of + "time\namong: stride\nby: [offset]", "missing key 'best'");
    row("winners best", "kind: winners" + of + "time\namong: stride\nby: [offset]\nbest: most", "cannot be 'most'");
    row("winners by itself", "kind: winners" + of + "time\namong: stride\nby: [stride]\nbest: min",
        "whose values compete");
    row("winners among", "kind: winners" + of + "time\namong: chip\nby: [offset]\nbest: min",
        "unknown parameter 'chip'");
    row("winners by", "kind: winners" + of + "time\namong: stride\nby: [chip]\nbest: min", "unknown parameter 'chip'");
    row("winners of a quiz", field + "\nblock: count", "it must name a run, a sweep or a challenge");
    row("winner alone", field + "\ncontestants: 1", "'contestants' is below 2");
    row("answered several", "kind: answered\nblocks: [count, quiz-2, order-1]\npoints: 2");
    row("answered too many", "kind: answered\nblocks: [count, quiz-2]\npoints: 3", "asks for 3 of 2 blocks");
    row("answered twice", "kind: answered\nblocks: [count, count]", "names 'count' twice");
    row("answered a prediction", "kind: answered\nblocks: [count, guess]", "it must name a quiz, an order");
    row("answered nothing", "kind: answered\nblocks: [count, cuont]", "did you mean 'count'");
    row("answered both ways", "kind: answered\nblock: count\nblocks: [count, quiz-2]", "keep one of them");
    row("answered with points", "kind: answered\nblock: count\npoints: 2", "'points' goes with 'blocks'");
    row("formula of metrics",
        "kind: metric_formula" + of + "load_efficiency\nformula: 100 * bytes_useful / bytes_moved");
    row("formula of a difference", "kind: metric_formula" + of + "time\nformula: 1 / (sectors - requests)");
    row("formula of unknown", "kind: metric_formula" + of + "time\nformula: sektors / requests",
        "'sektors' is no numeric parameter or metric; did you mean 'sectors'");
    row("key of another kind", "kind: plateaus" + of + "time\nalong: stride\ncount: 2\nmax: 1", "unknown key 'max'");
    row("kind", "kind: plateau" + of + "time", "did you mean 'plateaus'");
}

void LessonWordsTest::checks()
{
    QFETCH(QString, keys);
    QFETCH(QString, message);
    Desk desk;
    const std::string text = withCheck(keys.toStdString());
    Desk::write(desk.root() / kLesson, text);
    const std::vector<Problem> problems = desk.check();
    if (message.isEmpty()) {
        QVERIFY2(problems.empty(), shown(problems).c_str());
        return;
    }
    const int first = lineWith(text, "- id: shipped"), last = lineWith(text, "## Why it matters");
    const auto told = std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) {
        return problem.at.file == kLesson && problem.at.line >= first && problem.at.line < last &&
               problem.message.find(message.toStdString()) != std::string::npos;
    });
    QVERIFY2(told == 1, shown(problems).c_str());
}

void LessonWordsTest::checksAreRead()
{
    const auto read = [](const std::string& keys) {
        return parseLesson(withCheck(keys), kLesson).lesson.value().checks.back();
    };
    const std::string of = "\nexperiment: coalescing\nmetric: time\nalong: stride\n";
    const CheckSpec crossing = read("kind: crossing" + of + "level: 3");
    QCOMPARE(crossing.along, std::string("stride"));
    QCOMPARE(crossing.level, 3.0);
    QCOMPARE(crossing.repeats, 2);
    QCOMPARE(crossing.within, 2.0);
    QCOMPARE(read("kind: plateaus" + of + "count: 2").rise, 1.25);
    QCOMPARE(read("kind: linear_fit" + of + "max: 0.1").points, 4);
    QCOMPARE(read("kind: knee" + of).points, 5);
    QCOMPARE(read("kind: knee" + of).tolerance, 0.2);
    const CheckSpec step = read("kind: step" + of + "size: bytes_moved");
    QCOMPARE(step.size, std::string("bytes_moved"));
    QCOMPARE(step.within, 2.0);
    QCOMPARE(step.rise, 1.25);
    const CheckSpec winners =
        read("kind: winners\nexperiment: coalescing\nmetric: time\namong: stride\nby: [offset, elements]\nbest: min");
    QVERIFY(!winners.bestIsMax);
    QCOMPARE(winners.by.size(), std::size_t{2});
    QCOMPARE(winners.contestants, 3);
    QCOMPARE(winners.distinct, 3);
    const CheckSpec answered = read("kind: answered\nblocks: [count, quiz-2]");
    QCOMPARE(answered.points, 2); // all of them
    QCOMPARE(read("kind: estimated\nblock: guess\nfactor: 2").factor, 2.0);
    const CheckSpec order =
        read("kind: metric_order\nexperiment: coalescing\nmetric: time\norder: [{stride: 1}, {stride: 2}]");
    QCOMPARE(order.order.size(), std::size_t{2});
    QCOMPARE(order.order[1].at("stride"), ParamValue(std::int64_t{2}));
    QCOMPARE(order.ratio, 1.0);
}

void LessonWordsTest::challengesNeedASolution_data()
{
    QTest::addColumn<QString>("solution");
    QTest::addColumn<QString>("onLine");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* solution, const char* onLine, const char* message) {
        QTest::newRow(name) << QString::fromUtf8(solution) << QString::fromUtf8(onLine) << QString::fromUtf8(message);
    };
    row("none", "", "question: Show the law", "missing key 'solution'; give it a list of parameters");
    row("empty", "solution: []\n", "solution: []", "'solution' is an empty list");
    row("one", "solution: {stride: 1}\n", "solution: {", "'solution' is a mapping; give it a list of parameters");
    row("not a control", "solution: [{offset: 1}]\n", "solution: [", "changes 'offset', which is none of the controls");
    row("out of range", "solution: [{stride: 999}]\n", "```challenge", "stride");
}

void LessonWordsTest::challengesNeedASolution()
{
    QFETCH(QString, solution);
    QFETCH(QString, onLine);
    QFETCH(QString, message);
    Desk desk;
    const std::string text = replaced(fullLesson(), "solution: [{stride: 1}, {stride: 2}, {stride: 4}, {stride: 8}]\n",
                                      solution.toStdString());
    Desk::write(desk.root() / kLesson, text);
    const std::vector<Problem> problems = desk.check();
    QVERIFY2(problems.size() == 1 &&
                 count(problems, kLesson, lineWith(text, onLine.toStdString()), message.toStdString()) == 1,
             shown(problems).c_str());
}

void LessonWordsTest::recallRules()
{
    Desk desk;
    const auto problemsOf = [&](const std::string& text) {
        Desk::write(desk.root() / kLesson, text);
        return desk.check();
    };
    // 2.1 builds on nothing that is written: it may recall and need not.
    std::filesystem::copy(sourceRoot() / "curriculum" / "paths.yaml", desk.root() / "paths.yaml");
    QVERIFY2(problemsOf(withQuestions(quiz("a", "1.2"))).empty(), shown(desk.check()).c_str());
    const std::string odd = withQuestions(quiz("a", "0.2") + quiz("b", "2.3"));
    const std::vector<Problem> wrong = problemsOf(odd);
    QCOMPARE(count(wrong, kLesson, lineWith(odd, "recalls: \"0.2\""), "'0.2' is no lesson id"), 1);
    QCOMPARE(count(wrong, kLesson, lineWith(odd, "```quiz\nid: b"), "which the reader has not met"), 1);
    const std::string unknown = withQuestions(quiz("a", "1.9"));
    QCOMPARE(count(problemsOf(unknown), kLesson, lineWith(unknown, "```quiz\nid: a"), "no lesson of the curriculum"),
             1);
    // A written prerequisite asks for one to three questions, and they stand before the first prediction.
    std::string other = replaced(fullLesson(), "id: \"2.1\"", "id: \"2.2\"");
    Desk::write(desk.root() / "2-cuda-programming/02-other.md", replaced(other, "```term\nterm: sector\n```\n", ""));
    const std::string builds = "[\"2.2\"]";
    QCOMPARE(count(problemsOf(withQuestions("", builds)), kLesson, 1, "builds on 2.2 and asks 0 questions"), 1);
    QVERIFY2(problemsOf(withQuestions(quiz("a", "2.2"), builds)).empty(), shown(desk.check()).c_str());
    const std::string two = quiz("a", "2.2") + quiz("b", "1.2"), four = two + quiz("c", "1.3") + quiz("d", "1.4");
    QVERIFY2(problemsOf(withQuestions(two, builds)).empty(), shown(desk.check()).c_str());
    QCOMPARE(count(problemsOf(withQuestions(four, builds)), kLesson, 1, "4 questions with 'recalls'"), 1);
    const std::string late = replaced(withQuestions("", builds), "## Build it\n", "## Build it\n\n" + two);
    QVERIFY2(problemsOf(late).empty(), shown(desk.check()).c_str()); // where the lesson uses the answer
    // Module 1 is read in order: there any earlier lesson counts.
    std::filesystem::create_directories(desk.root() / "1-gpu-architecture" / "figures");
    std::filesystem::copy(desk.root() / kFigure, desk.root() / "1-gpu-architecture/figures/small-lanes.svg");
    const auto first = [&](const char* id) {
        const std::string text = replaced(fullLesson(), "id: \"2.1\"\ntitle: Small\nmodule: 2",
                                          "id: \"" + std::string(id) + "\"\ntitle: Small\nmodule: 1");
        return replaced(text, "```term\nterm: sector\n```\n", "");
    };
    Desk::write(desk.root() / "1-gpu-architecture/01-a.md", first("1.1"));
    Desk::write(desk.root() / "1-gpu-architecture/03-c.md", first("1.3"));
    const std::vector<Problem> module1 = problemsOf(withQuestions(two, builds));
    QCOMPARE(count(module1, "1-gpu-architecture/03-c.md", 1, "builds on 1.1 and asks 0 questions"), 1);
    QCOMPARE(count(module1, "1-gpu-architecture/01-a.md", 1, "questions with 'recalls'"), 0);
}

void LessonWordsTest::figures_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("message"); // empty: nothing is wrong
    const auto row = [](const char* name, const char* from, const char* to, int line, const char* message) {
        QTest::newRow(name) << QString::fromUtf8(from) << QString::fromUtf8(to) << line << QString::fromUtf8(message);
    };
    row("none is a colour", "stroke=\"{borderStrong}\"", "stroke=\"none\"", 0, "");
    row("pixels", "font-size=\"14\"", "font-size=\"14px\"", 0, "");
    row("moved text", "<text x", "<text transform=\"rotate(-90 20 30)\" x", 0, "");
    row("narrow", "0 0 720 200", "0 0 640 200", 1, "it must be 720 wide");
    row("no box", " viewBox=\"0 0 720 200\"", "", 1, "it must be 720 wide");
    row("hex", "fill=\"{surface2}\"", "fill=\"#eef1f5\"", 3, "'fill' is '#eef1f5'; a colour is a role");
    row("named", "stroke=\"{series1}\"", "stroke=\"blue\"", 7, "'stroke' is 'blue'");
    row("current", "stroke=\"{series1}\"", "stroke=\"currentColor\"", 7, "a colour is a role");
    row("unknown role", "{borderStrong}", "{borderStrng}", 4 - 1,
        "unknown role 'borderStrng'; did you mean 'borderStrong'");
    row("role elsewhere", "x=\"10\"", "x=\"{accent}\"", 3, "stand in fill and stroke only");
    row("role in text", "32 lanes,", "{accent} lanes", 5, "text shows '{accent}'");
    row("no fill", "height=\"40\" fill=\"{surface2}\"", "height=\"40\"", 3, "<rect> has no fill");
    row("style", "x=\"10\"", "style=\"fill:red\" x=\"10\"", 3, "'style' is CSS");
    row("gradient", "<title>Lanes</title>", "<linearGradient id=\"g\"/>", 2, "<linearGradient> is not drawn the same");
    row("filter", "<title>Lanes</title>", "<filter id=\"g\"/>", 2, "<filter> is not drawn");
    row("html", "<title>Lanes</title>", "<foreignObject/>", 2, "<foreignObject> is not drawn");
    row("picture", "<title>Lanes</title>", "<use href=\"http://example.org/a.svg\"/>", 2, "leads out of the file");
    row("font", "font-family=\"Inter\"", "font-family=\"Arial\"", 5, "the font is 'Arial'");
    row("no font", " font-family=\"Inter\"", "", 5, "text has no font");
    row("small", "font-size=\"14\"", "font-size=\"12\"", 5, "it needs 13 or more");
    row("small span", "<tspan ", "<tspan font-size=\"9\" ", 5, "text is 9 units high");
    row("no size", " font-size=\"14\"", "", 5, "text has no font-size");
    row("size in em", "font-size=\"14\"", "font-size=\"1.2em\"", 4, "write it in units of the viewBox");
    row("scaled", "<g fill", "<g transform=\"scale(0.5)\" fill", 5, "text stands inside a scaled group");
    row("not XML", "</g>", "", 8, "is not well-formed XML");
    row("entity bomb", "<svg", "<!DOCTYPE a [<!ENTITY b \"bb\">]><svg", 1, "a DOCTYPE stands here");
    row("other root", "<svg xmlns", "<g xmlns", 1, "the root is <g>");
    row("number", "4 sectors", "33 cycles", 5, "bare performance number '33 cycles'");
}

void LessonWordsTest::figures()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, message);
    Desk desk;
    Desk::write(desk.root() / kFigure, replaced(kSvg, from.toStdString(), to.toStdString()));
    const std::vector<Problem> problems = desk.check();
    if (message.isEmpty())
        QVERIFY2(problems.empty(), shown(problems).c_str());
    else
        QVERIFY2(count(problems, kFigure, line, message.toStdString()) >= 1, shown(problems).c_str());
}

void LessonWordsTest::figureFiles()
{
    Desk desk;
    const std::string text = fullLesson();
    std::filesystem::remove(desk.root() / kFigure);
    QCOMPARE(count(desk.check(), kLesson, lineWith(text, "```figure"), "small-lanes.svg' is not there"), 1);
    Desk::write(desk.root() / kFigure, kSvg + std::string(200 << 10, ' '));
    QCOMPARE(count(desk.check(), kFigure, 1, "larger than 128 KiB"), 1);
    Desk::write(desk.root() / kFigure, kSvg);
    for (const char* name : {"../small.svg", "Small.svg", "small.png", ".svg"}) {
        const std::string edited = replaced(text, "file: small-lanes.svg", "file: " + std::string(name));
        Desk::write(desk.root() / kLesson, edited);
        QVERIFY2(count(desk.check(), kLesson, lineWith(edited, "file: " + std::string(name)), "name an SVG") == 1,
                 name);
    }
    for (const char* key : {"alt: Thirty-two lanes above their sectors.\n", "caption: Lanes share a sector.\n"}) {
        const std::string edited = replaced(text, key, "");
        Desk::write(desk.root() / kLesson, edited);
        QCOMPARE(count(desk.check(), kLesson, lineWith(edited, "id: picture"), "missing key"), 1);
    }
    const std::size_t from = text.find("description: >-"), to = text.find("caption: Lanes share");
    const auto described = [&](const std::string& words) { return text.substr(0, from) + words + text.substr(to); };
    const int block = lineWith(text, "```figure");
    Desk::write(desk.root() / kLesson, described(""));
    QCOMPARE(count(desk.check(), kLesson, block + 1, "missing key 'description'"), 1);
    Desk::write(desk.root() / kLesson, described("description: Lanes, and sectors below them.\n"));
    QCOMPARE(count(desk.check(), kLesson, block, "its description has 5 words"), 1);
    // What is drawn and said is read by the rules of prose, too.
    const std::string edited = replaced(text, "alt: Thirty-two", "alt: At 206 GB/s thirty-two");
    Desk::write(desk.root() / kLesson, edited);
    QCOMPARE(count(desk.check(), kLesson, lineWith(edited, "alt: At"), "bare performance number"), 1);
    std::filesystem::remove(desk.data() / "assets" / "themes" / "light.json");
    QCOMPARE(count(desk.check(), "assets/themes/light.json", 1, "gives no roles"), 1);
}

void LessonWordsTest::capstonesStandBesideTheLessons()
{
    Desk desk;
    Desk::write(desk.root() / kCapstoneFile, capstone());
    QVERIFY2(desk.check().empty(), shown(desk.check()).c_str());
    const Curriculum curriculum = loadCurriculum(desk.root()).curriculum;
    QCOMPARE(curriculum.heads.size(), std::size_t{1});
    QVERIFY(curriculum.capstone(2) && !curriculum.capstone(1));
    QCOMPARE(curriculum.capstone(2)->id, std::string("2.capstone"));
    QVERIFY(curriculum.head("2.capstone") == curriculum.capstone(2));
    QCOMPARE(curriculum.planned.size(), std::size_t{1});
    const Result<Lesson> loaded = loadLesson(curriculum, "2.capstone");
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : toText(loaded.error()).c_str());
    QVERIFY(loaded.value().kind == LessonKind::Capstone);
    QCOMPARE(loaded.value().sections.size(), kCapstoneTitles.size());
    QVERIFY(loadLesson(curriculum, "1.capstone").error().fix.find("2.capstone") != std::string::npos);
}

void LessonWordsTest::capstoneRules()
{
    Desk desk;
    const auto told = [&](const std::string& text, int line, const char* message) {
        Desk::write(desk.root() / kCapstoneFile, text);
        return count(desk.check(), kCapstoneFile, line, message);
    };
    const std::string good = capstone();
    QCOMPARE(told(replaced(good, "kind: capstone\n", ""), 1, "capstone.md is no capstone"), 1);
    QCOMPARE(told(replaced(good, "2.capstone", "2.9"), 2, "a capstone is called after its module"), 1);
    QCOMPARE(told(replaced(good, "kind: capstone", "kind: capston"), 3, "did you mean 'capstone'"), 1);
    const std::string section = replaced(good, "## The memo", "## Ship it");
    QCOMPARE(told(section, lineWith(section, "## Ship it"), "is not one of the four"), 1);
    std::string words;
    for (int i = 0; i < 700; ++i)
        words += " word";
    QCOMPARE(told(replaced(good, "Opening words", "Opening words" + words), 1, "it needs 600 to 1400"), 1);
    // A lesson cannot be one, and 2.capstone is no number of a lesson.
    std::filesystem::remove(desk.root() / kCapstoneFile);
    Desk::write(desk.root() / kLesson, good);
    QCOMPARE(count(desk.check(), kLesson, 1, "a capstone stands in capstone.md"), 1);
    Desk::write(desk.root() / kLesson, replaced(fullLesson(), "id: \"2.1\"", "id: \"2.capstone\""));
    QCOMPARE(count(desk.check(), kLesson, 2, "write module and number"), 1);
}

QTEST_GUILESS_MAIN(LessonWordsTest)
#include "tst_lesson_words.moc"
