// SPDX-License-Identifier: GPL-3.0-or-later
// Questions with instances and predictions at other points: what is asked, what counts, and that neither two clicks nor
// a run before the prediction passes a check.
#include "lesson_support.h"

#include "lessons/answers.h"
#include "lessons/instances.h"
#include "lessons/learner.h"
#include "lessons/numbers.h"
#include "lessons/recall.h"

#include "base/formula.h"

#include <cmath>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

const char* const kQuiz = R"(id: odd
vars: {stride: [3, 5, 6, 7]}
question: A warp reads `a[tid * {{stride}}]`. How many sectors?
formula: min(32, 4 * stride)
unit: sectors
explains: "{{= 4 * stride}} of them."
misconceptions:
  - {id: lines, says: I counted lines, formula: stride, explains: Lines are not sectors.}
  - {id: lanes, says: "I gave each of {{= 32}} lanes one", value: 32, explains: Neighbours share.}
)";

const char* const kChoices = R"(id: limit
vars: [{flop: 2}, {flop: 32}, {flop: 1024}, {flop: 2048}]
question: "{{flop}} FLOP a weight. What limits?"
answer: 1 + less(295, flop / 2)
choices:
  - {text: Memory, explains: Compare with the ridge.}
  - {text: Arithmetic, explains: Compare with the ridge.}
explains: "{{= flop / 2}} FLOP a byte."
)";

const char* const kFixed = R"(id: fixed
question: How many?
number: 128
explains: 32 lanes times 4 bytes.
misconceptions:
  - {id: one, says: I counted one, value: 4, explains: That is one lane.}
)";

std::string lessonText(const std::string& quiz, const std::string& checks)
{
    return "---\nid: \"2.1\"\ntitle: T\nmodule: 2\nminutes: 20\nquestion: Why?\nobjectives: [a]\nlayers: "
           "[L1]\nchecks:\n" +
           checks + "---\n\n## Why it matters\n\nText.\n\n```quiz\n" + quiz + "```\n";
}

Block quizBlock(const std::string& yaml)
{
    const ParsedLesson parsed = parseLesson(lessonText(yaml, "  - {id: s, title: S, kind: shipped}\n"), "t.md");
    for (const Problem& problem : parsed.problems)
        if (problem.message.find("quiz") != std::string::npos)
            qFatal("%s", problem.message.c_str());
    for (const Block* block : parsed.lesson->blocks())
        if (block->kind == "quiz")
            return *block;
    qFatal("no quiz");
}

const QuizBlock& quizOf(const Block& block)
{
    return std::get<QuizBlock>(block.body);
}

/// Answers of one learner to one block, as the page makes them.
struct Answers {
    const Block& block;
    std::vector<EvidenceAnswer> rows = {};
    std::int64_t now = 1'000'000;

    std::vector<const EvidenceAnswer*> all() const
    {
        std::vector<const EvidenceAnswer*> list;
        for (const EvidenceAnswer& row : rows)
            list.push_back(&row);
        return list;
    }
    QuizInstance next() const { return nextInstance(quizOf(block), all(), 0); }
    void put(AnswerGiven given, const QuizInstance& instance)
    {
        given.hasInstance = true;
        given.variant = instance.variant;
        given.vars = instance.vars;
        const bool right = isRight(block, given);
        rows.push_back({block.id, right, static_cast<std::int64_t>(rows.size()) + 1, given, now});
        now += 60;
    }
    void number(double value) { put({.number = value}, next()); }
    void choice(int index) { put({.choice = index}, next()); }
    void show(const QuizInstance& instance)
    {
        AnswerGiven given;
        given.shown = true;
        put(given, instance);
    }
    bool passed() const { return answeredRight(quizOf(block), all()); }
};

double rightNumber(const Block& block, const QuizInstance& instance)
{
    return *filled(quizOf(block), instance).number;
}

} // namespace

class LessonInstancesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void formulasHaveTheWordsOfQuestions();
    void instancesAreRead();
    void whatIsWrongWithThemIsTold_data();
    void whatIsWrongWithThemIsTold();
    void numbersAreFilledIn();
    void everyLearnerDrawsAnotherOrder();
    void aSecondTryHasOtherNumbers();
    void twoClicksPassNothing();
    void choicesTakeTwoInARow();
    void aFixedQuestionCountsAgainTomorrow();
    void oldAnswersCountAsTheyDid();
    void onlyTheGivenAnswerIsExplained();
    void predictionsAtOtherPointsCount();
    void aKnownResultIsNoPrediction();
    void explainBlocksAreCriteria();
    void winnersHoldWhatTheyMust();
    void plansSatisfyAllBoundsAtOnce();
    void kernelsAndLogsAreEvidence();
    void numbersHaveOneHome();
    void hostileNamesOfNumbers_data();
    void hostileNamesOfNumbers();
    void questionsAboutWhatIsNotMetAreLeftOut();
    void theGrainIsLinted();
};

void LessonInstancesTest::formulasHaveTheWordsOfQuestions()
{
    const auto value = [](const char* formula) { return *ridge::evaluateFormula(formula, ParamSet{{"x", 7.0}}); };
    QCOMPARE(value("less(x, 8) + 2 * less(8, x)"), 1.0);
    QCOMPARE(value("mod(x, 4)"), 3.0);
    QCOMPARE(value("mod(-x, 4)"), 1.0);
    QCOMPARE(value("pow(2, x)"), 128.0);
    QCOMPARE(value("round(x / 2)"), 4.0);
    QCOMPARE(value("sqrt(x + 2) + abs(-1)"), 4.0);
    for (const char* bad : {"sqrt(-1)", "mod(1, 0)", "pow(0, -1)", "pow(2)", "less(1, 2, 3)", "abs()"})
        QVERIFY2(!ridge::evaluateFormula(bad, ParamSet{}).ok(), bad);
}

void LessonInstancesTest::instancesAreRead()
{
    const Block block = quizBlock(kQuiz);
    QCOMPARE(instancesOf(quizOf(block)).size(), 4u);
    QCOMPARE(instancesOf(quizOf(quizBlock(kChoices))).size(), 4u);
    QCOMPARE(instancesOf(quizOf(quizBlock(kFixed))).size(), 1u);
    const auto vars = [](const std::string& text) {
        return instancesOf(quizOf(quizBlock("id: q\nvars: " + text + "\nquestion: Q\nformula: a\nexplains: E\n")))
            .size();
    };
    QCOMPARE(vars("{a: \"1..33:2\"}"), 17u);
    QCOMPARE(vars("{a: \"1..128:log2\", b: [1, 2]}"), 16u);
    const Block again = quizBlock("id: q\nquestion: Q\nchoices:\n  - {text: A, correct: true, explains: E}\n"
                                  "  - {text: B, explains: E}\nexplains: E\nagain:\n  - question: R\n    choices:\n"
                                  "      - {text: C, explains: F}\n      - {text: D, correct: true, explains: F}\n");
    QCOMPARE(instancesOf(quizOf(again)).size(), 2u);
    const QuizBlock second = filled(quizOf(again), {1, {}});
    QCOMPARE(second.question, std::string("R"));
    QCOMPARE(second.explains, std::string("E")); // what it leaves out is that of the quiz
    QVERIFY(second.choices[1].correct);
}

void LessonInstancesTest::whatIsWrongWithThemIsTold_data()
{
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, const char* keys, const char* told) {
        QTest::newRow(name) << QString::fromLatin1(keys) << QString::fromLatin1(told);
    };
    row("two answers", "number: 3\nformula: a\nvars: {a: [1]}", "either 'choices' or 'number' or a 'formula'");
    row("no values", "formula: a\nvars: {a: []}", "has no values for 'a'");
    row("too many", "formula: a\nvars: {a: \"1..400\", b: [1, 2]}", "more than 512");
    row("no range", "formula: a\nvars: {a: \"9..1\"}", "'vars'");
    row("answer without choices", "number: 3\nanswer: 1", "'answer' is the number of the right one");
    row("instead alone", "number: 3\ninstead: other", "'instead' is for a question with 'recalls'");
}

void LessonInstancesTest::whatIsWrongWithThemIsTold()
{
    QFETCH(QString, keys);
    QFETCH(QString, told);
    const ParsedLesson parsed = parseLesson(lessonText("id: q\nquestion: Q\nexplains: E\n" + keys.toStdString() + "\n",
                                                       "  - {id: s, title: S, kind: shipped}\n"),
                                            "t.md");
    QVERIFY2(shown(parsed.problems).find(told.toStdString()) != std::string::npos, shown(parsed.problems).c_str());
}

void LessonInstancesTest::numbersAreFilledIn()
{
    const Block block = quizBlock(kQuiz);
    const QuizBlock one = filled(quizOf(block), {0, {{"stride", std::int64_t(5)}}});
    QCOMPARE(one.question, std::string("A warp reads `a[tid * 5]`. How many sectors?"));
    QCOMPARE(one.explains, std::string("20 of them."));
    QCOMPARE(*one.number, 20.0);
    QCOMPARE(one.misconceptions[0].value, 5.0);
    QCOMPARE(one.misconceptions[1].says, std::string("I gave each of 32 lanes one"));
    QVERIFY(unfilledIn("{{stride}} {{= 2 * stride}} {{claim:x.y}}", {{"stride", 5.0}}).empty());
    QCOMPARE(unfilledIn("{{strid}} {{= 2 * x}}", {{"stride", 5.0}}).size(), 2u);
    QCOMPARE(filledText("a {{ b", {{"b", 1.0}}), std::string("a {{ b"));
    const Block choices = quizBlock(kChoices);
    QVERIFY(filled(quizOf(choices), {0, {{"flop", 2.0}}}).choices[0].correct);
    QVERIFY(filled(quizOf(choices), {0, {{"flop", 1024.0}}}).choices[1].correct);
}

void LessonInstancesTest::everyLearnerDrawsAnotherOrder()
{
    QCOMPARE(drawOrder(5, 0), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    std::set<std::vector<std::size_t>> orders;
    std::set<std::size_t> firsts;
    for (int learner = 0; learner < 60; ++learner) {
        const std::uint64_t seed = drawSeed("record-" + std::to_string(learner), "2.4", "odd");
        const auto order = drawOrder(4, seed);
        QCOMPARE(std::set<std::size_t>(order.begin(), order.end()).size(), 4u);
        QCOMPARE(drawOrder(4, seed), order);
        orders.insert(order);
        firsts.insert(order.front());
    }
    QVERIFY(orders.size() > 12);
    QCOMPARE(firsts.size(), 4u);
    QVERIFY(drawSeed("a", "2.4", "odd") != drawSeed("a", "2.4", "even"));
    QVERIFY(drawSeed("ab", "c", "d") != drawSeed("a", "bc", "d"));
}

void LessonInstancesTest::aSecondTryHasOtherNumbers()
{
    const Block block = quizBlock(kQuiz);
    Answers answers{block};
    std::set<std::string> seen;
    for (int time = 0; time < 4; ++time) {
        const QuizInstance instance = answers.next();
        QVERIFY(seen.insert(toText(instance.vars.at("stride"))).second);
        QVERIFY(wouldCount(instance, answers.all(), answers.now));
        answers.number(-1);
        const QuizStanding standing = quizStanding(quizOf(block), answers.all(), 0);
        QCOMPARE(standing.state, QuizState::Wrong);
        QVERIFY(standing.instance == instance);
        QCOMPARE(standing.attempts, time + 1);
    }
    // All were used: the first comes again, and does not count today.
    const QuizInstance again = answers.next();
    QVERIFY(!wouldCount(again, answers.all(), answers.now));
    QVERIFY(wouldCount(again, answers.all(), answers.now + kCountsAgainAfter));
    answers.put({.number = rightNumber(block, again)}, again);
    QVERIFY(!answers.passed());
    answers.now += kCountsAgainAfter;
    answers.number(rightNumber(block, answers.next()));
    QVERIFY(answers.passed());
}

void LessonInstancesTest::twoClicksPassNothing()
{
    const Block block = quizBlock(kQuiz);
    {
        Answers honest{block};
        honest.number(7777);
        QVERIFY(!honest.passed());
        honest.number(rightNumber(block, honest.next())); // worked out with the new numbers
        QVERIFY(honest.passed());
    }
    {
        Answers same{block}; // the same instance once more, whatever the explanation said
        const QuizInstance first = same.next();
        same.number(3);
        same.put({.number = rightNumber(block, first)}, first);
        QVERIFY(!same.passed());
    }
    Answers shown{block}; // its solution, then copied: here and at the next instance
    const QuizInstance first = shown.next();
    shown.number(3);
    shown.show(first);
    QCOMPARE(quizStanding(quizOf(block), shown.all(), 0).state, QuizState::Shown);
    shown.put({.number = rightNumber(block, first)}, first);
    QVERIFY(!shown.passed());
    shown.number(rightNumber(block, first));
    QVERIFY(!shown.passed());
    // Each instance that follows has another answer than the one before it.
    QVERIFY(rightNumber(block, shown.next()) !=
            rightNumber(block,
                        shown.rows.back().given.hasInstance ? QuizInstance{0, shown.rows.back().given.vars} : first));
}

void LessonInstancesTest::choicesTakeTwoInARow()
{
    const Block block = quizBlock(kChoices);
    const auto right = [&](const Answers& answers) {
        return filled(quizOf(block), answers.next()).choices[0].correct ? 0 : 1;
    };
    Answers first{block};
    first.choice(right(first));
    QVERIFY(first.passed());
    Answers later{block};
    later.choice(1 - right(later));
    later.choice(right(later)); // the other one: what a second click gives
    QVERIFY(!later.passed());
    later.choice(right(later));
    QVERIFY(later.passed());
    // The next instance has its right choice elsewhere, as long as one is left.
    Answers eliminated{block};
    const int one = right(eliminated);
    eliminated.choice(1 - one);
    QCOMPARE(right(eliminated), 1 - one);
}

void LessonInstancesTest::aFixedQuestionCountsAgainTomorrow()
{
    const Block block = quizBlock(kFixed);
    Answers answers{block};
    answers.number(4);
    answers.number(128);
    QVERIFY(!answers.passed());
    answers.now += kCountsAgainAfter;
    answers.number(128);
    QVERIFY(answers.passed());
}

void LessonInstancesTest::oldAnswersCountAsTheyDid()
{
    const Block block = quizBlock(kFixed);
    std::vector<EvidenceAnswer> rows{{"fixed", false, 1, {.number = 4}}, {"fixed", true, 2, {.number = 128}}};
    QVERIFY(answeredRight(quizOf(block), {&rows[0], &rows[1]}));
    QVERIFY(isRight(block, {.number = 128}));
    // A question that has instances now was asked with the first of them.
    QVERIFY(isRight(quizBlock(kQuiz), {.number = 12}));
}

void LessonInstancesTest::onlyTheGivenAnswerIsExplained()
{
    const Block block = quizBlock(kFixed);
    QCOMPARE(explanationOf(block, {.number = 4}), std::string("That is one lane."));
    QVERIFY(explanationOf(block, {.number = 77}).empty()); // the solution would give it away
    QCOMPARE(explanationOf(block, {.number = 128}), std::string("32 lanes times 4 bytes."));
    AnswerGiven shown;
    shown.shown = true;
    QCOMPARE(explanationOf(block, shown), std::string("32 lanes times 4 bytes."));
    QVERIFY(!isRight(block, shown));
    const Block odd = quizBlock(kQuiz);
    AnswerGiven given{.number = 7};
    given.hasInstance = true;
    given.vars = {{"stride", std::int64_t(7)}};
    QCOMPARE(explanationOf(odd, given), std::string("Lines are not sectors."));
    given.vars = {{"stride", std::int64_t(5)}};
    QVERIFY(explanationOf(odd, given).empty());
}

namespace {

struct Guess {
    Lesson lesson;
    Evidence evidence;
    std::int64_t seq = 0;

    explicit Guess(double factor = 1.2)
    {
        PredictBlock predict;
        predict.experiment = "e";
        predict.metric = "y";
        predict.unit = "s";
        predict.at = {{"x", 2.0}, {"mode", std::string("a")}};
        predict.vary = {{{"x", 3.0}}, {{"x", 5.0}}};
        predict.question = "How long at {{x}}?";
        predict.min = 1;
        predict.max = 100;
        predict.misconceptions = {{"same", "I thought {{x}}", 0, "It is {{= 10 * x}}.", "x"},
                                  {"fixed", "I thought 7", 7, "No.", ""}};
        lesson.id = "2.1";
        lesson.sections.push_back({"Measure it", {Block{"predict", "guess", {}, predict}}});
        CheckSpec check;
        check.id = "c";
        check.kind = "estimated";
        check.block = "guess";
        check.factor = factor;
        lesson.checks = {check};
    }
    void run(double x, double y)
    {
        EvidenceRun one;
        one.experiment = "e";
        one.params = {{"x", x}, {"mode", std::string("a")}, {"size", 1.0}};
        one.metrics["y"] = {y, "s", Provenance::Simulated};
        one.seq = ++seq;
        evidence.runs.push_back(std::move(one));
    }
    void predict(double x, double point, bool known = false)
    {
        evidence.predictions.push_back(
            {"guess", point, point, point, ++seq, {{"x", x}, {"mode", std::string("a")}, {"size", 1.0}}, known});
    }
    CheckOutcome outcome() const { return evaluateChecks(lesson, evidence).front(); }
};

} // namespace

void LessonInstancesTest::predictionsAtOtherPointsCount()
{
    Guess guess;
    guess.predict(2, 2);
    guess.run(2, 20);
    QCOMPARE(guess.outcome().state, CheckState::Failed);
    QVERIFY(guess.outcome().detail.find("It is 20.") != std::string::npos);
    QVERIFY(guess.outcome().detail.find("Predict again") != std::string::npos);
    // The result of the first point is no answer to the second prediction.
    guess.predict(3, 20);
    QCOMPARE(guess.outcome().state, CheckState::Failed);
    guess.run(3, 30);
    QCOMPARE(guess.outcome().state, CheckState::Failed);
    guess.predict(5, 48);
    guess.run(5, 50);
    QCOMPARE(guess.outcome().state, CheckState::Passed);

    const auto& block = std::get<PredictBlock>(guess.lesson.block("guess")->body);
    const PredictBlock there = filled(block, {{"x", 5.0}});
    QCOMPARE(there.question, std::string("How long at 5?"));
    QCOMPARE(there.misconceptions.size(), 1u); // a fixed number speaks of the authored point
    QCOMPARE(there.misconceptions[0].value, 5.0);
    PredictBlock plain = block;
    plain.question = "How long?";
    QCOMPARE(filled(plain, {{"x", 5.0}}).question, std::string("How long? Now at x = 5."));
    QCOMPARE(filled(plain, plain.at).question, std::string("How long?"));
}

void LessonInstancesTest::aKnownResultIsNoPrediction()
{
    Guess guess;
    guess.predict(2, 20, true);
    guess.run(2, 20);
    QCOMPARE(guess.outcome().state, CheckState::Failed);
    QVERIFY(guess.outcome().detail.find("before you predicted") != std::string::npos);
    guess.lesson.checks.front().kind = "predicted";
    QCOMPARE(guess.outcome().state, CheckState::Failed);
    guess.predict(3, 20);
    guess.run(3, 30);
    QCOMPARE(guess.outcome().state, CheckState::Passed);
}

void LessonInstancesTest::explainBlocksAreCriteria()
{
    Lesson lesson;
    lesson.id = "2.1";
    lesson.sections.push_back({"Exit criteria", {Block{"explain", "why", {}, ExplainBlock{"Why?", "Because."}}}});
    CheckSpec check;
    check.id = "c";
    check.kind = "answered";
    check.block = "why";
    lesson.checks = {check};
    Evidence evidence;
    const auto state = [&] { return evaluateChecks(lesson, evidence).front().state; };
    QCOMPARE(state(), CheckState::Missing);
    AnswerGiven given;
    given.text = "Because one load touches one sector at most.";
    evidence.answers.push_back({"why", false, 1, given});
    QCOMPARE(state(), CheckState::Missing);
    given.rating = "no";
    evidence.answers.push_back({"why", isRight(*lesson.block("why"), given), 2, given});
    QCOMPARE(state(), CheckState::Missing);
    given.rating = "partly";
    evidence.answers.push_back({"why", isRight(*lesson.block("why"), given), 3, given});
    QCOMPARE(state(), CheckState::Passed);
}

void LessonInstancesTest::winnersHoldWhatTheyMust()
{
    Lesson lesson;
    CheckSpec check;
    check.id = "c";
    check.kind = "winners";
    check.experiment = "e";
    check.metric = "cost";
    check.among = "chip";
    check.by = {"work"};
    check.bestIsMax = false;
    check.contestants = 2;
    check.distinct = 2;
    check.hold = {"price"};
    lesson.checks = {check};
    Evidence evidence;
    std::int64_t seq = 0;
    const auto run = [&](const char* chip, const char* work, double price, double cost) {
        EvidenceRun one;
        one.experiment = "e";
        one.params = {{"chip", std::string(chip)}, {"work", std::string(work)}, {"price", price}};
        one.metrics["cost"] = {cost, "USD", Provenance::Modelled};
        one.seq = ++seq;
        evidence.runs.push_back(std::move(one));
    };
    const auto outcome = [&] { return evaluateChecks(lesson, evidence).front(); };
    run("a", "train", 2, 10);
    run("b", "train", 3, 12);
    run("a", "serve", 2, 9);
    run("b", "serve", 0.01, 1); // cheap where it should win
    QCOMPARE(outcome().state, CheckState::Failed);
    QVERIFY(outcome().detail.find("b has") != std::string::npos);
    run("b", "serve", 3, 8); // the newest counts
    QCOMPARE(outcome().state, CheckState::Passed);
    lesson.checks[0].hold.clear();
    evidence.runs.pop_back();
    QCOMPARE(outcome().state, CheckState::Passed); // as it was before
}

void LessonInstancesTest::plansSatisfyAllBoundsAtOnce()
{
    Lesson lesson;
    CheckSpec check;
    check.id = "c";
    check.kind = "constraint";
    check.experiment = "plan";
    check.bounds = {{"fits", 1.0, {}}, {"step", {}, 2.0}};
    lesson.checks = {check};
    Evidence evidence;
    const auto run = [&](double tp, double fits, double step) {
        EvidenceRun one;
        one.experiment = "plan";
        one.params = {{"tp", tp}};
        one.metrics["fits"] = {fits, "1", Provenance::Modelled};
        one.metrics["step"] = {step, "s", Provenance::Modelled};
        one.seq = static_cast<std::int64_t>(evidence.runs.size()) + 1;
        evidence.runs.push_back(std::move(one));
    };
    const auto outcome = [&] { return evaluateChecks(lesson, evidence).front(); };
    QCOMPARE(outcome().state, CheckState::Missing);
    run(1, 0, 1);
    run(2, 1, 5); // two runs that satisfy one bound each are no plan
    QCOMPARE(outcome().state, CheckState::Missing);
    QVERIFY(outcome().detail.find("tp = 2") != std::string::npos &&
            outcome().detail.find("step is 5 s") != std::string::npos);
    run(4, 1, 1.5);
    QCOMPARE(outcome().state, CheckState::Passed);
    lesson.checks[0].points = 2;
    QCOMPARE(outcome().state, CheckState::Missing);
    run(4, 1, 1.5); // the same plan again
    QCOMPARE(outcome().state, CheckState::Missing);
    run(8, 1, 1.4);
    QCOMPARE(outcome().state, CheckState::Passed);
    lesson.checks[0].bounds.push_back({"absent", 0.0, {}});
    QCOMPARE(outcome().state, CheckState::Missing);
    QVERIFY(runsRead(lesson).metrics.contains("step") && runsRead(lesson).experiments.contains("plan"));
}

void LessonInstancesTest::kernelsAndLogsAreEvidence()
{
    Lesson lesson;
    CheckSpec graded;
    graded.id = "g";
    graded.kind = "graded";
    graded.task = "transpose";
    graded.min = 70;
    CheckSpec imported;
    imported.id = "i";
    imported.kind = "imported";
    imported.format = "nccl-tests";
    imported.metric = "busbw";
    imported.min = 100e9;
    lesson.checks = {graded, imported};
    Evidence evidence;
    const auto state = [&](std::size_t i) { return evaluateChecks(lesson, evidence)[i].state; };
    QCOMPARE(state(0), CheckState::Missing);
    QCOMPARE(state(1), CheckState::Missing);
    evidence.grades = {{"reduction", true, 100}, {"transpose", false, 0}};
    QCOMPARE(state(0), CheckState::Failed);
    evidence.grades.push_back({"transpose", true, 60});
    QCOMPARE(state(0), CheckState::Failed);
    QVERIFY(!mayPass(lesson, evidence));
    evidence.grades.push_back({"transpose", true, 85});
    QCOMPARE(state(0), CheckState::Passed);
    evidence.figures = {{"ncu", "busbw", "B/s", 200e9}, {"nccl-tests", "algbw", "B/s", 200e9}};
    QCOMPARE(state(1), CheckState::Missing);
    evidence.figures.push_back({"nccl-tests", "busbw", "B/s", 50e9});
    QCOMPARE(state(1), CheckState::Failed);
    evidence.figures.push_back({"nccl-tests", "busbw", "B/s", 370e9});
    QCOMPARE(state(1), CheckState::Passed);
    QVERIFY(mayPass(lesson, evidence));
}

void LessonInstancesTest::numbersHaveOneHome()
{
    const NumberTables tables(sourceRoot() / "assets");
    const auto value = [&](const char* key) {
        const auto found = tables.find(key);
        return found.ok() ? (*found)->value : std::nan("");
    };
    QCOMPARE(value("chip:h100-sxm.bf16"), 989.4);
    QCOMPARE(value("chip:h100-sxm.bandwidth"), 3350.0);
    QVERIFY(std::abs(value("chip:h100-sxm.ridge_bf16") - 989.4e12 / 3350e9) < 1e-9);
    QCOMPARE(value("chip:h100-sxm.clock"), 1.98);
    const Claim& bandwidth = **tables.find("chip:h100-sxm.bandwidth");
    QCOMPARE(bandwidth.text, std::string("3.35 TB/s"));
    QCOMPARE(bandwidth.provenance, std::string("published"));
    QVERIFY(!bandwidth.source.empty() && !bandwidth.date.empty());
    QCOMPARE((*tables.find("chip:h100-sxm.bf16|2"))->text, std::string("990 TFLOP/s"));
    QCOMPARE((*tables.find("chip:h100-sxm.bandwidth|2"))->text.substr(0, 3), std::string("3.4").substr(0, 3));
    QCOMPARE(tables.find("chip:h100-sxm.bf16").value(), tables.find("chip:h100-sxm.bf16").value()); // one object

    // A point of our own run, against the file itself.
    const Json file = *parseJson(read(sourceRoot() / "assets/baselines/h200-sxm.json"), "h200");
    const Json& point = file.at("experiments").at("latency").at("points").at(0);
    const std::string key = "baseline:h200-sxm.latency.ns_per_load@working_set=" +
                            std::to_string(point.at("params").at("working_set").get<std::int64_t>());
    const auto latency = tables.find(key);
    if (latency.ok()) { // the set singles it out
        QCOMPARE((*latency)->value, point.at("metrics").at("ns_per_load").at("value").get<double>());
        QCOMPARE((*latency)->provenance, std::string("measured"));
    } else {
        QVERIFY2(latency.error().message.find("points of latency") != std::string::npos,
                 toText(latency.error()).c_str());
    }
    QVERIFY(!tables.find("baseline:h200-sxm.latency.ns_per_load").ok()); // eight points
    Curriculum curriculum;
    curriculum.tables = std::make_shared<const NumberTables>(sourceRoot() / "assets");
    curriculum.claims["a.b"] = {"a.b", -2.5, "s", "2.5 s", "", "", "", "published", "", {}};
    QCOMPARE(*withNumbers("2 * {{claim:a.b}}", curriculum), std::string("2 * (-2.5)"));
    QCOMPARE(*ridge::evaluateFormula(*withNumbers("{{chip:h100-sxm.bf16}} / {{claim:a.b}}", curriculum), {}),
             989.4 / -2.5);
    QVERIFY(!withNumbers("{{chip:h100-sxm.bf17}}", curriculum).ok());
    QVERIFY(curriculum.claim("chip:h100-sxm.bf16") != nullptr && curriculum.claim("chip:h100-sxm.nothing") == nullptr);
}

void LessonInstancesTest::hostileNamesOfNumbers_data()
{
    QTest::addColumn<QString>("key");
    for (const char* key :
         {"chip:", "chip:h100-sxm", "chip:.", "chip:h100-sxm.", "chip:h100-sxm.ridge_",
          "baseline:", "baseline:../chips/gpus.x.y", "baseline:a/b.c.d", "baseline:h200-sxm.latency",
          "baseline:h200-sxm.nothing.x", "baseline:h200-sxm.latency.nothing@working_set=1",
          "baseline:h200-sxm.latency.ns_per_load@", "baseline:h200-sxm.latency.ns_per_load@=1", "chip:h100-sxm.bf16|0",
          "chip:h100-sxm.bf16|99999999999", "chip:h100-sxm.bf16|x", "what:x.y"})
        QTest::newRow(key) << QString::fromLatin1(key);
}

void LessonInstancesTest::hostileNamesOfNumbers()
{
    QFETCH(QString, key);
    const NumberTables tables(sourceRoot() / "assets");
    const auto found = tables.find(key.toStdString());
    QVERIFY(!found.ok());
    QVERIFY(!found.error().message.empty());
}

void LessonInstancesTest::questionsAboutWhatIsNotMetAreLeftOut()
{
    Curriculum curriculum;
    for (const char* id : {"1.1", "1.2", "1.3", "2.1", "2.4"})
        curriculum.planned.push_back({id, id});
    using Met = std::set<std::string>;
    QCOMPARE(metBefore("1.3", {}, {}, curriculum), (Met{"1.1", "1.2"}));
    QCOMPARE(metBefore("1.3", {"2.1", "1.3", "1.1"}, {}, curriculum), (Met{"2.1"}));
    QCOMPARE(metBefore("1.3", {"2.1"}, {"1.2"}, curriculum).count("1.2"), 1u);
    QCOMPARE(metBefore("1.capstone", {}, {}, curriculum), (Met{"1.1", "1.2", "1.3"}));
    Lesson lesson;
    QuizBlock recalls;
    recalls.recalls = "1.2";
    recalls.instead = "other";
    QuizBlock other;
    other.recalls = "2.1";
    lesson.sections.push_back({"Build it",
                               {Block{"quiz", "recall", {}, recalls}, Block{"quiz", "other", {}, other},
                                Block{"quiz", "own", {}, QuizBlock{}}}});
    QCOMPARE(hiddenQuestions(lesson, {"1.2", "2.1"}), (Met{"other"}));
    QCOMPARE(hiddenQuestions(lesson, {"2.1"}), (Met{"recall"}));
    QCOMPARE(hiddenQuestions(lesson, {}), (Met{"recall", "other"}));
}

void LessonInstancesTest::theGrainIsLinted()
{
    Curriculum curriculum;
    curriculum.tables = std::make_shared<const NumberTables>(sourceRoot() / "assets");
    const auto told = [&](const std::string& quizzes, const std::string& checks) {
        const ParsedLesson parsed = parseLesson(lessonText(quizzes, checks), "t.md");
        return parsed.lesson ? shown(lintGrain(*parsed.lesson, curriculum)) : std::string("no lesson");
    };
    const std::string answered = "  - {id: a, title: A, kind: answered, block: fixed}\n";
    QVERIFY(told(kFixed, answered).find("has 1 instances; give it 4") != std::string::npos);
    const std::string odd = "  - {id: a, title: A, kind: answered, block: odd}\n";
    QVERIFY(told(kQuiz, odd).find("instances; give it") == std::string::npos);
    QVERIFY(
        told(std::string(kQuiz) + "```\n\nTwo words.\n\n```quiz\n" + kFixed, odd).find("two cards that ask in a row") !=
        std::string::npos);
    std::string prose;
    for (int i = 0; i < 40; ++i)
        prose += "word ";
    QVERIFY(told(std::string(kQuiz) + "```\n\n" + prose + "\n\n```quiz\n" + kFixed, odd).find("in a row") ==
            std::string::npos);
    QVERIFY(told(std::string(kQuiz) + "```\n\nIt is `18 GB/s` here.\n\n```quiz\n" + kFixed, odd)
                .find("the code span '18 GB/s' holds") != std::string::npos);
    // What comes out of a run is not told by the list of checks, which is read before it.
    const auto law = [](const std::string& title) {
        return "  - {id: law, title: " + title +
               ", kind: metric_bound, experiment: coalescing, metric: sectors_per_request, max: 8}\n";
    };
    QVERIFY(told(kFixed, law("Eight sectors at most")).find("tells what comes out") != std::string::npos);
    QVERIFY(told(kFixed, law("You counted the sectors")).find("tells what comes out") == std::string::npos);
    QVERIFY(told(kFixed, odd).find("words; keep to 1300 to 1600") != std::string::npos);
    QVERIFY(told(kFixed, odd).find("has 0 explain blocks") != std::string::npos);

    // Instances are tried out one by one.
    const auto instances = [&](const std::string& yaml) {
        return shown(
            lintFile(lessonText(yaml, "  - {id: s, title: S, kind: shipped}\n"), "t.md", curriculum, {}, sourceRoot()));
    };
    QVERIFY(instances(kQuiz).find("quiz 'odd'") == std::string::npos);
    QVERIFY(instances(replaced(kQuiz, "[3, 5, 6, 7]", "[3, 5, 8]"))
                .find("'lanes' leads to the right number at stride = 8") != std::string::npos);
    QVERIFY(instances(replaced(kQuiz, "{{stride}}", "{{strid}}")).find("'{{strid}}' is no variable") !=
            std::string::npos);
    QVERIFY(instances(replaced(kQuiz, "min(32, 4 * stride)", "min(32, 4 * strid)")).find("'formula'") !=
            std::string::npos);
    QVERIFY(instances(replaced(kQuiz, "[3, 5, 6, 7]", "[9, 10]")).find("the same right answer") != std::string::npos);
    QVERIFY(instances(replaced(kChoices, "1 + less", "3 + less")).find("'answer' marks none") != std::string::npos);
}

QTEST_GUILESS_MAIN(LessonInstancesTest)
#include "tst_lesson_instances.moc"
