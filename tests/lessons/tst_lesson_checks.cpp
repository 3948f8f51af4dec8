// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of checks over runs, predictions and answers: passed, failed and not yet done.
#include "lesson_support.h"

#include "lessons/lesson_evidence.h"

#include <cmath>

using namespace ridge;
using namespace ridge::lessons;
using namespace ridge::lessons::test;

namespace {

ParamValue whole(std::int64_t value)
{
    return value;
}

/// Runs of one experiment with a metric "y" over a parameter "x", as the checks below see them.
class Bench {
public:
    Evidence evidence;

    Bench& run(double x, double y, const ParamSet& more = {}, const std::string& sweep = "s",
               const std::string& target = "sim:t4")
    {
        EvidenceRun one;
        one.id = "run-" + std::to_string(++m_seq);
        one.experiment = "e";
        one.target = target;
        one.params = more;
        one.params.emplace("x", x);
        one.metrics["y"] = {y, "s", Provenance::Simulated};
        one.metrics["z"] = {2 * x, "1", Provenance::Simulated};
        one.validity = "valid";
        one.seq = m_seq;
        one.sweep = sweep;
        evidence.runs.push_back(std::move(one));
        return *this;
    }
    Bench& curve(const std::vector<double>& ys, const std::string& sweep = "s", const std::string& target = "sim:t4")
    {
        double x = 1;
        for (const double y : ys) {
            run(x, y, {}, sweep, target);
            x *= 2;
        }
        return *this;
    }
    Bench& predict(double point)
    {
        evidence.predictions.push_back({"guess", point, point, point, ++m_seq});
        return *this;
    }
    Bench& answer(const std::string& block, bool correct, AnswerGiven given)
    {
        evidence.answers.push_back({block, correct, ++m_seq, std::move(given)});
        return *this;
    }

private:
    std::int64_t m_seq = 0;
};

Lesson lessonWith(CheckSpec check)
{
    Lesson lesson;
    PredictBlock predict;
    predict.experiment = "e";
    predict.metric = "y";
    predict.unit = "sectors";
    predict.at = {{"x", whole(2)}};
    predict.misconceptions = {{"half", "I halved", 4, "Nothing halves it.", {}}};
    QuizBlock number;
    number.number = 12;
    number.unit = "sectors";
    number.explains = "Count.";
    number.misconceptions = {{"all", "All", 32, "Lanes share.", {}}};
    QuizBlock choice;
    choice.choices = {{"Yes", true, "So it is."}, {"No", false, "It moves."}};
    OrderBlock order{"?", {"a", "b", "c"}, "First a."};
    lesson.sections = {{"Why it matters",
                        {Block{"predict", "guess", {}, predict}, Block{"quiz", "count", {}, number},
                         Block{"quiz", "choose", {}, choice}, Block{"order", "steps", {}, order}}}};
    check.id = "c";
    check.title = "t";
    lesson.checks = {std::move(check)};
    return lesson;
}

CheckSpec of(const std::string& kind)
{
    CheckSpec check;
    check.kind = kind;
    if (kind != "estimated" && kind != "answered") {
        check.experiment = "e";
        check.metric = "y";
    }
    return check;
}

CheckOutcome outcome(const CheckSpec& check, const Bench& bench)
{
    return evaluateChecks(lessonWith(check), bench.evidence).at(0);
}

void expect(const CheckSpec& check, const Bench& bench, CheckState state, const std::string& part)
{
    const CheckOutcome found = outcome(check, bench);
    QVERIFY2(found.state == state && found.detail.find(part) != std::string::npos,
             (std::to_string(static_cast<int>(found.state)) + " " + found.detail + ", wanted " + part).c_str());
}

constexpr auto Passed = CheckState::Passed;
constexpr auto Failed = CheckState::Failed;
constexpr auto Missing = CheckState::Missing;

} // namespace

class LessonChecksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void estimated()
    {
        CheckSpec check = of("estimated");
        check.block = "guess";
        check.factor = 1.5;
        expect(check, Bench(), Missing, "commit a prediction for y");
        expect(check, Bench().predict(8), Missing, "now run e at x = 2");
        expect(check, Bench().run(2, 8).predict(8), Missing, "now run"); // the run came first
        expect(check, Bench().predict(8).run(4, 8), Missing, "now run"); // another point
        expect(check, Bench().predict(12).run(2, 8), Passed, "predicted 12 sectors, the run gave 8 sectors");
        expect(check, Bench().predict(5.4).run(2, 8), Passed, "predicted 5.4");
        expect(check, Bench().predict(13).run(2, 8), Failed, "more than a factor of 1.5 apart");
        // What was assumed is answered; who thinks again may pass.
        expect(check, Bench().predict(4).run(2, 8), Failed, "apart: Nothing halves it.");
        expect(check, Bench().predict(4).run(2, 8).predict(8).run(2, 8), Passed, "predicted 8");
        // Where no factor can be told, only the number itself will do.
        expect(check, Bench().predict(0).run(2, 0), Passed, "");
        expect(check, Bench().predict(1).run(2, 0), Failed, "");
        check.block = "count";
        expect(check, Bench(), Failed, "no predict block");
    }

    void bounds()
    {
        CheckSpec check = of("metric_bound");
        check.min = 3;
        check.max = 5;
        check.points = 2;
        check.where = {{"m", whole(1)}};
        const ParamSet in = {{"m", whole(1)}};
        expect(check, Bench(), Missing, "0 points of 2 run");
        expect(check, Bench().run(1, 3, in).run(1, 4, in), Missing, "1 point of 2 run; run e at 1 more");
        expect(check, Bench().run(1, 3, in).run(2, 5, in), Passed, "between 3 s and 5 s at 2 points");
        expect(check, Bench().run(1, 3, in).run(2, 5, in).run(4, 6, in), Failed, "y is 6 s, not between 3 s and 5 s");
        expect(check, Bench().run(1, 3, in).run(2, 5, in).run(4, 6, {{"m", whole(2)}}), Passed, "");
        check.min.reset();
        expect(check, Bench().run(1, -9, in).run(2, 5, in), Passed, "at most 5");
        check.max.reset();
        check.min = 3;
        expect(check, Bench().run(1, 2.9, in), Failed, "not at least 3");
    }

    void order()
    {
        CheckSpec check = of("metric_order");
        check.order = {{{"x", whole(4)}}, {{"x", whole(1)}}, {{"x", whole(2)}}};
        check.ratio = 2;
        expect(check, Bench(), Missing, "3 points of the order");
        expect(check, Bench().run(4, 10).run(2, 40), Missing, "run e at x = 1");
        expect(check, Bench().run(4, 10).run(1, 20).run(2, 40), Passed, "y: 10 s, 20 s, 40 s on sim:t4");
        expect(check, Bench().run(4, 10).run(1, 19).run(2, 40), Failed, "y at x = 1 is 19 s, at x = 4 it is 10 s");
        // The newest run of a point counts, and points of two targets or two settings are no order.
        expect(check, Bench().run(4, 10).run(1, 19).run(2, 40).run(1, 20), Passed, "");
        expect(check, Bench().run(4, 10).run(1, 20).run(2, 40, {}, "s", "gpu:0"), Missing, "x = 2");
        expect(check, Bench().run(4, 10).run(1, 20).run(2, 40, {{"m", whole(1)}}), Missing, "");
        check.ratio = 1;
        expect(check, Bench().run(4, 10).run(1, 10).run(2, 10), Passed, "");
    }

    void counts()
    {
        CheckSpec check = of("metric_count");
        check.distinct = 3;
        check.where = {{"m", whole(1)}};
        const ParamSet in = {{"m", whole(1)}};
        expect(check, Bench(), Missing, "0 different values of y seen, 3 needed");
        expect(check, Bench().run(1, 1, in).run(2, 2, in).run(4, 2, in).run(8, 3), Missing, "2 different values");
        expect(check, Bench().run(1, 1, in).run(2, 2, in).run(4, 0, in), Passed,
               "3 different values of y seen: 0 s, 1 s, 2 s");
    }

    void plateaus_data()
    {
        QTest::addColumn<QList<double>>("ys");
        QTest::addColumn<int>("count");
        QTest::newRow("staircase") << QList<double>{28, 28, 29, 120, 212, 213, 430, 434, 434} << 3;
        QTest::newRow("ramps between") << QList<double>{28, 28, 40, 60, 90, 200, 212, 213, 300, 434, 430} << 3;
        QTest::newRow("one point is none") << QList<double>{28, 28, 100, 434, 434} << 2;
        QTest::newRow("a bump is no plateau") << QList<double>{100, 100, 115, 115, 100, 100} << 1;
        QTest::newRow("a drift is one") << QList<double>{100, 105, 111, 117, 123, 130, 137, 144, 152, 160} << 1;
        QTest::newRow("a slope has none") << QList<double>{1, 2, 4, 8, 16, 32} << 0;
        QTest::newRow("down and back is no rise") << QList<double>{200, 200, 100, 100, 200, 200} << 1;
        QTest::newRow("nothing") << QList<double>{} << 0;
        QTest::newRow("not positive") << QList<double>{0, 0, 0, 0} << 0;
    }
    void plateaus()
    {
        QFETCH(QList<double>, ys);
        QFETCH(int, count);
        CheckSpec check = of("plateaus");
        check.along = "x";
        const Bench bench = Bench().curve({ys.begin(), ys.end()});
        if (count > 0) {
            check.count = count;
            expect(check, bench, Passed, std::to_string(count) + " plateau");
        }
        check.count = count + 1;
        expect(check, bench, ys.size() >= 2 * check.count ? Failed : Missing, "");
    }
    void plateausOfOneCurve()
    {
        CheckSpec check = of("plateaus");
        check.along = "x";
        check.count = 2;
        // Two halves of a staircase on two targets, or under two settings, are no staircase.
        Bench apart = Bench().run(1, 28).run(2, 28).run(4, 212, {}, "s", "gpu:0").run(8, 212, {}, "s", "gpu:0");
        expect(check, apart, Missing, "sweep e along x");
        Bench two = Bench().run(1, 28).run(2, 28).run(4, 212, {{"m", whole(1)}}).run(8, 212, {{"m", whole(1)}});
        expect(check, two, Missing, "");
        expect(check, two.run(4, 212).run(8, 212), Passed, "2 plateaus of y: 28 s, 212 s");
    }

    void lines()
    {
        CheckSpec check = of("linear_fit");
        check.along = "x";
        check.points = 4;
        check.max = 0.02;
        const auto at = [](double x) { return 1e-5 + 4e-11 * x; };
        Bench bench;
        for (const double x : {1e3, 1e5, 1e7})
            bench.run(x, at(x));
        expect(check, bench, Missing, "3 points of 4");
        bench.run(1e9, at(1e9));
        expect(check, bench, Passed, "a/b = 250000");
        // Small times weigh as much as large ones: a curve that is a line only at its upper end is none.
        bench.run(1e3, 2 * at(1e3));
        expect(check, bench, Failed, "at most 2 % is a line");
        check.max = 0.5;
        expect(check, bench, Passed, "mean residual");
        expect(check, Bench().run(1, 0).run(2, 1).run(3, 2).run(4, 3), Missing, "");
        expect(check, Bench().run(1, 3).run(2, 2).run(3, 1, {{"m", whole(1)}}).run(4, 3), Missing, "3 points of 4");
    }

    void crossings()
    {
        CheckSpec check = of("crossing");
        check.along = "x";
        expect(check, Bench(), Missing, "sweep e along x");
        expect(check, Bench().curve({0.25, 0.5, 2, 4}, "a"), Missing,
               "crosses 1 s at x = 2.83 in 1 sweep; run the sweep again");
        expect(check, Bench().curve({0.25, 0.5, 2, 4}, "a").curve({0.25, 0.5, 2, 4}, "b"), Passed, "in 2 sweeps");
        // The same sweep elsewhere is no repeat, and crossings far apart do not confirm each other.
        expect(check, Bench().curve({0.25, 0.5, 2}, "a").curve({0.25, 0.5, 2}, "b", "gpu:0"), Failed, "not within");
        expect(check, Bench().curve({0.5, 2, 4, 8, 9}, "a").curve({0.1, 0.2, 0.3, 0.5, 2}, "b"), Failed,
               "not within a factor of 2: from x = 1.41 to 11.3; close what else is running and run the sweep once "
               "more, 2 of one target must agree");
        // A third one that agrees with one of them is what was asked for.
        expect(check,
               Bench().curve({0.5, 2, 4, 8, 9}, "a").curve({0.1, 0.2, 0.3, 0.5, 2}, "b").curve({0.5, 2, 4, 8, 9}, "c"),
               Passed, "in 2 sweeps");
        expect(check, Bench().curve({2, 3, 4}, "a"), Missing, "does not cross 1 s in 1 sweep");
        expect(check, Bench().curve({2, 3, 4}, "a").curve({2, 3, 4}, "b"), Failed, "does not cross 1 s in 2 sweeps");
        // Downwards counts, and so does another level.
        expect(check, Bench().curve({4, 0.5}, "a").curve({4, 0.4}, "b"), Passed, "");
        check.level = 100;
        expect(check, Bench().curve({50, 150}, "a").curve({50, 150}, "b"), Passed, "crosses 100");
        check.repeats = 1;
        check.level = 0;
        Bench through = Bench().run(0, -1, {}, "a").run(1, 3, {}, "a");
        expect(check, through, Passed, "x = 0.25");
    }

    void knees()
    {
        CheckSpec check = of("knee");
        check.along = "x";
        check.points = 5;
        check.tolerance = 0.2;
        const auto roof = [](double ridge) {
            Bench bench;
            for (double x = 1; x <= 256; x *= 2)
                bench.run(x, 10 * std::min(x, ridge));
            return bench;
        };
        expect(check, Bench().run(1, 10).run(2, 20), Missing, "2 points of 5; sweep e along x");
        expect(check, roof(16), Passed, "bend at x = 16, peak over slope 16 (0 % apart), 9 points");
        // One disturbed point does not decide: here memory was fast once, then slow once.
        expect(check, roof(64).run(8, 130), Passed, "bend at x = ");
        expect(check, roof(64).run(4, 25), Passed, "bend at x = ");
        // A flat part that is not where the corner says: the last points fell behind the ones at the corner.
        Bench sagging;
        for (double x = 1; x <= 256; x *= 2)
            sagging.run(x, x <= 16 ? 10 * x : x <= 64 ? 160 : 60);
        expect(check, sagging, Failed, "apart");
        // A curve that rises less than its x, or rounds its corner off for a decade, has no two straight parts.
        Bench crooked, round;
        for (double x = 1; x <= 256; x *= 2) {
            crooked.run(x, 10 * std::pow(std::min(x, 16.0), 0.6));
            round.run(x, 160 / (1 + std::pow(16 / x, 0.5)));
        }
        expect(check, crooked, Failed, "to the power 0.6, not in proportion");
        expect(check, round, Failed, "not in proportion");
        check.along = "z"; // a metric, 2 x: the same curve, drawn against something else
        expect(check, roof(16), Passed, "bend at z = 32");
        // A curve that only rises has not come to its bend; one that is flat from its beginning has none.
        check.along = "x";
        expect(check, roof(1000), Missing, "the curve ends at its bend");
        expect(check, roof(1), Missing, "the curve ends at its bend");
    }

    void steps()
    {
        CheckSpec check = of("step");
        check.along = "x";
        check.size = "w";
        check.rise = 1.25;
        check.within = 2;
        const auto stairs = [](double size, const std::vector<double>& ys) {
            Bench bench;
            bench.curve(ys);
            for (EvidenceRun& run : bench.evidence.runs)
                run.metrics["w"] = {size, "B", Provenance::Modelled};
            return bench;
        };
        // x = 1, 2, 4 … 512: two levels of 30 and 300, joined by a slope past 16. The middle is at 95.
        const std::vector<double> past16 = {30, 30, 30, 30, 30, 165, 232, 266, 283, 300};
        expect(check, stairs(16, past16), Passed, "step from 30 to 232 at x = 24.3, w 16");
        expect(check, stairs(24, past16), Passed, "w 24");
        expect(check, stairs(64, past16), Failed, "at x = 25.3, w 64, more than a factor of 2 apart");
        expect(check, stairs(6, past16), Failed, "which is no step");
        expect(check, stairs(10, past16), Failed, "at x = 22.6, w 10, more than a factor of 2 apart");
        // Other levels before and after do not matter, nor does a slow drift.
        expect(check, stairs(16, {3, 3, 28, 29, 31, 200, 240, 900, 990, 999}), Passed, "step from 28 to 240");
        expect(check, stairs(16, {30, 31, 32, 33, 34, 35, 36, 37, 38, 39}), Failed, "is 32 before and 36 after w 16");
        // The window must reach past both bounds, and a run must tell the size.
        expect(check, stairs(300, past16), Missing, "from 150 or less to 600 or more, w 300");
        expect(check, stairs(1, past16), Missing, "from 0.5 or less");
        expect(check, Bench().curve(past16), Missing, "sweep e along x, on a target that tells w");
        // A size for each target; one curve that has its step will do.
        Bench two = stairs(64, past16);
        two.curve(past16, "t", "gpu:0");
        for (EvidenceRun& run : two.evidence.runs)
            if (run.target == "gpu:0")
                run.metrics["w"] = {32, "B", Provenance::Measured};
        expect(check, two, Passed, "w 32");
        // A class of target may have a factor of its own: caches of a processor that others use have no sharp edge.
        check.withinOn = {{"sim", 4.0}};
        expect(check, stairs(64, past16), Passed, "w 64");
        check.withinOn = {{"cpu", 4.0}};
        expect(check, stairs(64, past16), Failed, "more than a factor of 2 apart");
        // Where other programs have most of the next cache, its end lies in the window: the level between decides. A
        // slope between is none, and without a step to it nothing is found either.
        check.within = 4;
        expect(check, stairs(16, {4, 4, 4, 4, 10, 17, 18, 160, 165, 170}), Passed, "step from 4 to 18 at x = 14.1");
        expect(check, stairs(16, {4, 4, 4, 4, 5, 8, 13, 160, 165, 170}), Failed, "step from 4 to 165");
        expect(check, stairs(16, {4, 4, 4, 4, 4, 4, 4, 160, 165, 170}), Failed, "step from 4 to 165");
    }

    void winners()
    {
        CheckSpec check = of("winners");
        check.among = "chip";
        check.by = {"load"};
        check.contestants = 2;
        check.distinct = 2;
        const auto entry = [](const char* chip, std::int64_t load, std::int64_t price = 1) {
            return ParamSet{{"chip", std::string(chip)}, {"load", whole(load)}, {"price", whole(price)}};
        };
        Bench bench = Bench().run(1, 5, entry("a", 1)).run(1, 9, entry("b", 1)).run(1, 3, entry("a", 2));
        expect(check, bench, Missing, "1 different winner in 1 group of 2 or more: b at load = 1; 2 needed");
        Bench same = bench;
        expect(check, same.run(1, 4, entry("b", 2)), Missing, "1 different winner in 2 groups");
        expect(check, bench.run(1, 2, entry("b", 2)), Passed,
               "2 different winners in 2 groups of 2 or more: a at load = 2");
        // The newest run of a contestant counts, whatever it cost before; equals have no winner.
        expect(check, bench.run(1, 30, entry("b", 2, 7)), Missing, "b at load = 1");
        expect(check, bench.run(1, 3, entry("b", 2)), Missing, "1 different winner");
        check.bestIsMax = false;
        expect(check, Bench().run(1, 5, entry("a", 1)).run(1, 9, entry("b", 1)), Missing, "a at load = 1");
        // Only what the named block ran takes part.
        check.block = "challenge";
        Bench bought = Bench().run(1, 5, entry("a", 1)).run(1, 9, entry("b", 1));
        expect(check, bought, Missing, "0 different winners in 0 groups");
        for (EvidenceRun& run : bought.evidence.runs)
            run.block = "challenge";
        expect(check, bought, Missing, "1 different winner in 1 group");
    }

    void answered()
    {
        CheckSpec check = of("answered");
        check.block = "count";
        expect(check, Bench(), Missing, "not answered yet");
        expect(check, Bench().answer("count", false, {.number = 32.0}), Failed, "answered 32 sectors: Lanes share.");
        expect(check, Bench().answer("count", false, {.number = 7.0}), Failed, "answered 7 sectors; think again");
        expect(check, Bench().answer("count", false, {.number = 32.0}).answer("count", true, {.number = 12.0}), Passed,
               "");
        expect(check, Bench().answer("count", false, {}), Failed, "1 attempt, none right yet");
        check.block = "choose";
        expect(check, Bench().answer("choose", false, {.choice = 1}), Failed, "answered “No”: It moves.");
        check.block = "steps";
        expect(check, Bench().answer("steps", false, {.order = {2, 1, 0}}), Failed, "the steps 3, 2, 1; think again");
    }

    void answeredSeveral()
    {
        CheckSpec check = of("answered");
        check.blocks = {"count", "choose", "steps"};
        check.points = 2;
        expect(check, Bench(), Missing, "0 of 3 right, 2 needed");
        Bench bench = Bench().answer("count", true, {.number = 12.0}).answer("choose", false, {.choice = 1});
        expect(check, bench, Missing, "1 of 3 right, 2 needed; choose answered “No”: It moves.");
        Bench lost = bench;
        expect(check, lost.answer("steps", false, {.order = {1, 0, 2}}), Failed, "1 of 3 right");
        expect(check, bench.answer("steps", true, {.order = {0, 1, 2}}), Passed, "2 of 3 right");
    }

    void formulasReadMetrics()
    {
        CheckSpec check = of("metric_formula");
        check.formula = "z / 2 + x";
        check.points = 2;
        const auto at = [](double x, double y) { return Bench().run(x, y); };
        expect(check, at(3, 6), Missing, "1 point of 2");
        // Points are settings here: the same setting again proves nothing more, another one does.
        expect(check, at(3, 6).run(3, 6), Missing, "1 point of 2");
        expect(check, at(3, 6).run(3, 6, {{"m", whole(1)}}), Passed, "2 points");
        expect(check, at(3, 6).run(4, 9), Failed, "the run gave 9");
        // The tolerance is relative for small numbers, too.
        check.formula = "x";
        check.points = 1;
        check.tolerance = 0.1;
        expect(check, at(1e-6, 1.05e-6), Passed, "");
        expect(check, at(1e-6, 2e-6), Failed, "");
        expect(check, at(0, 0), Passed, "");
        expect(check, at(0, 1e-6), Failed, "");
    }
};

QTEST_GUILESS_MAIN(LessonChecksTest)
#include "tst_lesson_checks.moc"
