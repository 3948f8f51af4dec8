// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_support.h"

#include "lessons/lesson_evidence.h"
#include "lessons/placeholders.h"

#include <cmath>
#include <numeric>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

EvidenceRun run(std::int64_t seq, const std::string& experiment, ParamSet params, std::map<std::string, double> metrics,
                const std::string& block = {}, const std::string& target = "sim:h100-sxm")
{
    EvidenceRun r;
    r.id = "run-" + std::to_string(seq);
    r.experiment = experiment;
    r.target = target;
    r.block = block;
    r.params = std::move(params);
    r.validity = "valid";
    r.seq = seq;
    for (const auto& [name, value] : metrics)
        r.metrics[name] = {value, name == "sectors_per_request" ? "sectors/request" : "%", Provenance::Simulated};
    return r;
}

ParamValue whole(std::int64_t value)
{
    return value;
}

Lesson lessonWith(CheckSpec check)
{
    Lesson lesson;
    PredictBlock predict;
    predict.experiment = "coalescing";
    predict.metric = "sectors_per_request";
    predict.at = {{"stride", whole(2)}};
    lesson.sections = {
        {"Why it matters", {Block{"predict", "guess", {}, predict}, Block{"quiz", "count", {}, QuizBlock{}}}}};
    check.id = "c";
    check.title = "t";
    lesson.checks = {std::move(check)};
    return lesson;
}

CheckOutcome outcome(const CheckSpec& check, const Evidence& evidence)
{
    return evaluateChecks(lessonWith(check), evidence).at(0);
}

CheckSpec law()
{
    CheckSpec check;
    check.kind = "metric_formula";
    check.experiment = "bank_conflicts";
    check.metric = "conflict_degree";
    check.formula = "gcd(stride, 32)";
    check.points = 3;
    check.where = {{"word_bytes", whole(4)}};
    return check;
}

EvidenceRun banks(std::int64_t seq, std::int64_t stride, double degree, std::int64_t width = 4, std::int64_t warps = 1)
{
    return run(seq, "bank_conflicts",
               {{"stride", whole(stride)}, {"word_bytes", whole(width)}, {"warps", whole(warps)}},
               {{"conflict_degree", degree}});
}

} // namespace

class LessonEvidenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void formulas_data();
    void formulas();
    void brokenFormulas_data();
    void brokenFormulas();
    void metricFormula();
    void metricRatio();
    void predicted();
    void answeredAndShipped();
    void shippedLessonCanBePassed();
    void scores();
    void templates();
};

void LessonEvidenceTest::formulas_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("value");
    const auto row = [](const char* text, double value) { QTest::newRow(text) << QString::fromUtf8(text) << value; };
    row("1 + 2 * 3", 7);
    row("(1 + 2) * 3", 9);
    row("8 - 2 - 1", 5);
    row("16 / 4 / 2", 2);
    row("-stride + 30", 6);
    row("--2", 2);
    row("gcd(stride, 32)", 8);
    row("gcd(12, 18, 27)", 3);
    row("gcd(-24, 32)", 8);
    row("min(32, 4 * stride)", 32);
    row("max(1, 2, 3)", 3);
    row("ceil(7 / 2) + floor(7 / 2)", 7);
    row("log2(1024)", 10);
    row("share * 4", 2);
    row("1.5e1", 15);
    row("4 + min(1, offset - 8 * floor(offset / 8))", 5);
}

void LessonEvidenceTest::formulas()
{
    QFETCH(QString, text);
    QFETCH(double, value);
    const Result<double> got =
        evaluateFormula(text.toStdString(),
                        {{"stride", whole(24)}, {"share", 0.5}, {"offset", whole(9)}, {"mode", std::string("fast")}});
    QVERIFY2(got.ok(), got.ok() ? "" : toText(got.error()).c_str());
    QCOMPARE(got.value(), value);
}

void LessonEvidenceTest::brokenFormulas_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* text, const char* code, const char* part) {
        QTest::newRow(*text ? text : "empty")
            << QString::fromUtf8(text) << QString::fromUtf8(code) << QString::fromUtf8(part);
    };
    row("", "bad-formula", "character 1");
    row("1 +", "bad-formula", "character 4");
    row("(1", "bad-formula", "')' is missing");
    row("1)", "bad-formula", "character 2");
    row("1 2", "bad-formula", "character 3");
    row("2 $ 3", "bad-formula", "character 3");
    row("strid", "unknown-name", "did you mean 'stride'");
    row("mode", "unknown-name", "'mode' is no numeric parameter");
    row("cbrt(8)", "unknown-name", "'cbrt' is no function");
    row("gcd(1.5, 3)", "bad-formula", "not whole");
    row("gcd(3)", "bad-formula", "two or more");
    row("ceil(1, 2)", "bad-formula", "one argument");
    row("1 / (stride - 24)", "bad-formula", "division by zero");
    row("log2(0)", "bad-formula", "not positive");
    row("1e308 * 1e308", "bad-formula", "not a finite");
    row("min()", "bad-formula", "");
}

void LessonEvidenceTest::brokenFormulas()
{
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(QString, part);
    const Result<double> got =
        evaluateFormula(text.toStdString(), {{"stride", whole(24)}, {"mode", std::string("fast")}});
    QVERIFY(!got.ok());
    QCOMPARE(QString::fromStdString(got.error().code), code);
    QVERIFY2(toText(got.error()).find(part.toStdString()) != std::string::npos, toText(got.error()).c_str());
    QVERIFY(!evaluateFormula(std::string(100000, '('), {}).ok());
    QVERIFY(!evaluateFormula(std::string(100000, '-'), {}).ok());
}

void LessonEvidenceTest::metricFormula()
{
    Evidence evidence;
    QCOMPARE(outcome(law(), evidence).state, CheckState::Missing);
    evidence.runs = {banks(1, 1, 1), banks(2, 2, 2)};
    QCOMPARE(outcome(law(), evidence).state, CheckState::Missing);
    QVERIFY(outcome(law(), evidence).detail.find("1 more") != std::string::npos);
    // The same stride again, or under another setting that the law does not read, is no new point.
    evidence.runs.push_back(banks(3, 2, 2));
    evidence.runs.push_back(banks(4, 2, 2, 4, 8));
    QCOMPARE(outcome(law(), evidence).state, CheckState::Missing);
    // What 'where' excludes neither helps nor harms.
    evidence.runs.push_back(banks(5, 4, 99, 8));
    QCOMPARE(outcome(law(), evidence).state, CheckState::Missing);
    evidence.runs.push_back(banks(6, 32, 32));
    QCOMPARE(outcome(law(), evidence).state, CheckState::Passed);
    evidence.runs.push_back(banks(7, 3, 2));
    QCOMPARE(outcome(law(), evidence).state, CheckState::Failed);
    QVERIFY(outcome(law(), evidence).detail.find("stride = 3") != std::string::npos);
    CheckSpec loose = law();
    loose.tolerance = 1.0;
    QCOMPARE(outcome(loose, evidence).state, CheckState::Passed);
    CheckSpec wrong = law();
    wrong.formula = "gcd(strid, 32)";
    QCOMPARE(outcome(wrong, evidence).state, CheckState::Failed);
    CheckSpec other = law();
    other.metric = "time";
    QCOMPARE(outcome(other, evidence).state, CheckState::Missing);
}

void LessonEvidenceTest::metricRatio()
{
    CheckSpec check;
    check.kind = "metric_ratio";
    check.experiment = "coalescing";
    check.metric = "load_efficiency";
    check.at = {{"stride", whole(8)}};
    check.over = {{"stride", whole(1)}};
    check.max = 0.25;
    const auto at = [](std::int64_t seq, std::int64_t stride, double value, const char* target = "sim:h100-sxm",
                       std::int64_t offset = 0) {
        return run(seq, "coalescing", {{"stride", whole(stride)}, {"offset", whole(offset)}},
                   {{"load_efficiency", value}}, {}, target);
    };
    Evidence evidence;
    evidence.runs = {at(1, 8, 12.5)};
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    // Another chip or another offset is no comparison.
    evidence.runs.push_back(at(2, 1, 100, "gpu:0"));
    evidence.runs.push_back(at(3, 1, 100, "sim:h100-sxm", 1));
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    evidence.runs.push_back(at(4, 1, 100));
    QCOMPARE(outcome(check, evidence).state, CheckState::Passed);
    QVERIFY(outcome(check, evidence).detail.find("0.125") != std::string::npos);
    evidence.runs[0] = at(1, 8, 40);
    QCOMPARE(outcome(check, evidence).state, CheckState::Failed);
    evidence.runs[0] = at(1, 8, 25);
    QCOMPARE(outcome(check, evidence).state, CheckState::Passed); // the bound itself is inside
    check.min = 0.3;
    check.max.reset();
    QCOMPARE(outcome(check, evidence).state, CheckState::Failed);
    evidence.runs[3] = at(4, 1, 0);
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing); // nothing can be said over zero
}

void LessonEvidenceTest::predicted()
{
    CheckSpec check;
    check.kind = "predicted";
    check.block = "guess";
    const auto runAt = [](std::int64_t seq, std::int64_t stride) {
        return run(seq, "coalescing", {{"stride", whole(stride)}, {"offset", whole(0)}}, {{"sectors_per_request", 8}});
    };
    Evidence evidence;
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    evidence.runs = {runAt(5, 2)};
    evidence.predictions = {{"guess", 8, 4, 16, 7}};
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing); // the run came first
    evidence.runs.push_back(runAt(9, 4));
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing); // another point
    evidence.runs.push_back(run(10, "bank_conflicts", {{"stride", whole(2)}}, {}));
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing); // another experiment
    evidence.runs.push_back(runAt(11, 2));
    QCOMPARE(outcome(check, evidence).state, CheckState::Passed);
    evidence.predictions[0].block = "other";
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    check.block = "count";
    QCOMPARE(outcome(check, evidence).state, CheckState::Failed); // no prediction by that name: the check is wrong
}

void LessonEvidenceTest::answeredAndShipped()
{
    CheckSpec check;
    check.kind = "answered";
    check.block = "count";
    Evidence evidence;
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    evidence.answers = {{"count", false, 1}, {"other", true, 2}};
    QCOMPARE(outcome(check, evidence).state, CheckState::Failed);
    evidence.answers.push_back({"count", true, 3});
    QCOMPARE(outcome(check, evidence).state, CheckState::Passed);
    check.kind = "shipped";
    QCOMPARE(outcome(check, evidence).state, CheckState::Missing);
    evidence.artifacts = 1;
    QCOMPARE(outcome(check, evidence).state, CheckState::Passed);
    check.kind = "magic";
    QCOMPARE(outcome(check, evidence).state, CheckState::Failed);
}

/// What the lesson asks for can be reached: every check of 2.4 passes on the counts that its experiments give.
void LessonEvidenceTest::shippedLessonCanBePassed()
{
    const Result<Lesson> lesson = loadLesson(loadCurriculum(sourceRoot() / "curriculum").curriculum, "2.4");
    QVERIFY(lesson.ok());
    Evidence evidence;
    for (const CheckOutcome& check : evaluateChecks(lesson.value(), evidence))
        QCOMPARE(check.state, CheckState::Missing);
    evidence.predictions = {{"guess-sectors", 8, 4, 32, 1}};
    AnswerGiven drawn;
    for (int stride = 1; stride <= 33; ++stride)
        drawn.curve.emplace_back(stride, std::gcd(stride, 32));
    evidence.answers = {{"draw-teeth", false, 2, drawn}};
    std::int64_t seq = 10;
    const auto global = [&](std::int64_t stride, std::int64_t offset, const char* block) {
        const double sectors =
            stride == 1 ? (offset % 8 == 0 ? 4.0 : 5.0) : static_cast<double>(std::min<std::int64_t>(32, 4 * stride));
        evidence.runs.push_back(run(++seq, "coalescing",
                                    {{"stride", whole(stride)},
                                     {"element_bytes", whole(4)},
                                     {"offset", whole(offset)},
                                     {"lane_xor", whole(0)},
                                     {"elements", whole(65536)}},
                                    {{"sectors_per_request", sectors}, {"load_efficiency", 400.0 / sectors}}, block));
    };
    for (std::int64_t stride = 1; stride <= 128; stride *= 2)
        global(stride, 0, "sweep-global");
    for (const std::int64_t offset : {1, 7, 8, 16})
        global(1, offset, "shifted");
    for (std::int64_t stride = 1; stride <= 33; ++stride)
        evidence.runs.push_back(run(++seq, "bank_conflicts", {{"stride", whole(stride)}, {"word_bytes", whole(4)}},
                                    {{"conflict_degree", static_cast<double>(std::gcd(stride, 32))}}, "sweep-shared"));
    AnswerGiven granule, explained;
    granule.number = 256;
    granule.hasInstance = true;
    granule.vars = {{"flat", whole(64)}};
    explained.text = "It is the fullest bank that decides.";
    explained.rating = "yes";
    evidence.answers.push_back({"find-granule", true, 90, granule});
    evidence.answers.push_back({"exit-nine", true, 91, explained});
    evidence.answers.push_back({"exit-medicine", true, 92, explained});
    evidence.artifacts = 1;
    for (const CheckOutcome& check : evaluateChecks(lesson.value(), evidence))
        QVERIFY2(check.state == CheckState::Passed, (check.id + ": " + check.detail).c_str());
    const FilledTemplate claim = fillTemplate(lesson.value().artifact()->claim, evidence);
    QVERIFY2(claim.missing.empty(), claim.text.c_str());
    QVERIFY2(claim.text.find("touches 4 sectors/request, at stride 8 it touches 32 sectors/request") !=
                 std::string::npos,
             claim.text.c_str());
}

void LessonEvidenceTest::scores()
{
    PredictionScore score = scorePrediction(32, 16, 64, 8);
    QCOMPARE(score.factor, 4.0);
    QCOMPARE(score.difference, 24.0);
    QVERIFY(!score.insideInterval);
    QCOMPARE(score.intervalScore, 2.0 + 10.0 * 1.0); // width log2(64/16), missed by one octave
    score = scorePrediction(4, 2, 32, 8);
    QCOMPARE(score.factor, 2.0);
    QVERIFY(score.insideInterval);
    QCOMPARE(score.intervalScore, 4.0);
    QCOMPARE(scorePrediction(4, 1, 2, 16).intervalScore, 1.0 + 10.0 * 3.0);
    // Ends are inside, and a reversed interval means the same.
    QVERIFY(scorePrediction(4, 2, 8, 8).insideInterval);
    QCOMPARE(scorePrediction(4, 32, 2, 8).intervalScore, 4.0);
    // Zero cannot stand on a log scale: the same score, linear.
    score = scorePrediction(1, 0, 4, 6);
    QCOMPARE(score.intervalScore, 4.0 + 10.0 * 2.0);
    QCOMPARE(score.factor, 6.0);
    QVERIFY(std::isnan(scorePrediction(1, 0.5, 2, 0).factor));
    QVERIFY(std::isnan(scorePrediction(-1, -2, 2, 1).factor));
    QCOMPARE(scorePrediction(8, 8, 8, 8).intervalScore, 0.0);
}

void LessonEvidenceTest::templates()
{
    Evidence evidence;
    evidence.runs = {run(1, "coalescing", {{"stride", whole(8)}}, {{"sectors_per_request", 16}}, "curve"),
                     run(2, "coalescing", {{"stride", whole(8)}}, {{"sectors_per_request", 32}}, "curve"),
                     run(3, "coalescing", {{"stride", whole(8)}}, {{"sectors_per_request", 99}}, "elsewhere")};
    const FilledTemplate full =
        fillTemplate("It is {{run:curve.sectors_per_request@stride=8}} `{{run:a.b}}`.", evidence);
    QCOMPARE(full.text, std::string("It is 32 sectors/request `{{run:a.b}}`."));
    QVERIFY(full.missing.empty());
    const FilledTemplate part = fillTemplate("It is {{run:curve.sectors_per_request@stride=16}}.", evidence);
    QCOMPARE(part.missing.size(), std::size_t{1});
    QCOMPARE(part.text, std::string("It is [curve sectors_per_request at stride = 16: not run]."));
    QCOMPARE(fillTemplate("{{run:curve.sectors_per_request}}", evidence).text, std::string("32 sectors/request"));

    const Result<RunReference> reference = parseRunReference("run:a.b@x=1, y=2.5,z=fast");
    QVERIFY(reference.ok());
    QCOMPARE(reference.value().at.at("x"), ParamValue(std::int64_t{1}));
    QCOMPARE(reference.value().at.at("y"), ParamValue(2.5));
    QCOMPARE(reference.value().at.at("z"), ParamValue(std::string("fast")));
    for (const char* wrong :
         {"run:", "run:a", "run:.b", "run:a.", "run:a.b@x", "run:a.b@=1", "claim:a.b", "run:a.b@x="})
        QVERIFY2(!parseRunReference(wrong).ok(), wrong);
}

QTEST_GUILESS_MAIN(LessonEvidenceTest)
#include "tst_lesson_evidence.moc"
