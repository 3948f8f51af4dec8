// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict over a graded kernel, from facts made up here: what no kernel can bring about on a simulator, and what
// points are given for.
#include "base/grade_words.h"
#include "base/json.h"
#include "base/kernel_verdict.h"

#include <QtTest>
#include <cmath>

using namespace ridge;

namespace {

/// 1 GB read and 1 GB written at n = 2^28, 2 n operations.
KernelTask task()
{
    KernelTask task;
    task.id = "made-up";
    task.visible = {{{"n", std::int64_t{100}}}, {{"n", std::int64_t{64}}}};
    task.bytesRead = "4 * n";
    task.bytesWritten = "4 * n";
    task.flops = "2 * n";
    task.roundings = "1";
    return task;
}

constexpr std::int64_t kTimed = std::int64_t{1} << 28;

/// Five right launches: three watched, two timed at 10 ms, as fast and as long as the reference.
GradeFacts facts()
{
    GradeFacts facts;
    facts.task = "made-up";
    facts.provenance = Provenance::Measured;
    facts.cases = {{{{"n", std::int64_t{100}}}, false, false},
                   {{{"n", std::int64_t{33}}}, true, false},
                   {{{"n", kTimed}}, false, true}};
    facts.roof = {1e12, 1e13, 5e7, "a made-up roof"};
    for (const std::size_t at : {0u, 1u, 2u, 2u, 2u}) {
        LaunchFacts launch;
        launch.at = at;
        launch.timed = facts.launches.size() > 2;
        launch.data = "plain";
        launch.elements = 100;
        if (launch.timed) {
            launch.seconds = launch.referenceSeconds = 10e-3;
            launch.wallSeconds = 10.05e-3;
            launch.instructions = launch.referenceInstructions = 1000;
        }
        facts.launches.push_back(launch);
    }
    return facts;
}

std::string verdictOf(const GradeFacts& given)
{
    const GradeVerdict verdict = judge(task(), given);
    return verdict.accepted ? "accepted" : verdict.reasons.front().id;
}

/// The facts with one thing changed in every timed launch.
template<class Change>
GradeFacts timed(const Change& change)
{
    GradeFacts given = facts();
    for (LaunchFacts& launch : given.launches)
        if (launch.timed)
            change(launch);
    return given;
}

void spoil(LaunchFacts& launch, std::uint64_t wrong = 100, double relative = 1)
{
    launch.wrong = wrong;
    launch.worstRelative = relative;
}

} // namespace

class TestKernelVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Whoever is refused is told what is the matter and what to do.
    void reasonsHaveWords()
    {
        const auto ids = gradeReasonIds();
        QVERIFY(ids.size() > 25);
        for (const std::string& id : ids) {
            const ReasonWords words = reasonWords(id);
            QVERIFY2(!words.title.empty() && words.title.back() != '.' && words.title != id, id.c_str());
            QVERIFY2(words.advice.empty() == (id == "launch-failed"), id.c_str());
            QVERIFY2(words.advice.empty() || words.advice.back() == '.', id.c_str());
        }
        QCOMPARE(reasonWords("something-new").title, std::string("Something new"));

        // A detector's own words and line go before the general ones, and cross the wire.
        GradeFacts given = facts();
        given.launches[0].reports.emplace_back(Json{{"code", "shared-race"},
                                                    {"message", "two warps"},
                                                    {"look_for", "A missing barrier."},
                                                    {"source_line", 12},
                                                    {"source_text", "x = 1;"}});
        given.launches[1].printed = "hello";
        const GradeVerdict verdict = judge(task(), given);
        QCOMPARE(verdict.reasons[0].id, std::string("race"));
        QCOMPARE(verdict.reasons[0].advice, std::string("A missing barrier."));
        QCOMPARE(verdict.reasons[0].line, 12);
        QVERIFY(verdict.reasons[0].text.find("line 12: x = 1;") != std::string::npos);
        QCOMPARE(verdict.reasons[1].advice, reasonWords("prints").advice);
        QCOMPARE(verdict.reasons[1].line, 0);
        const auto back = gradeVerdictFromJson(toJson(verdict));
        QVERIFY(back.ok());
        QCOMPARE(back->reasons, verdict.reasons);
    }

    void rightAndAsFastIsAllThereIs()
    {
        const GradeVerdict verdict = judge(task(), facts());
        QVERIFY(verdict.accepted);
        QCOMPARE(verdict.points, 100.0);
        QCOMPARE(*verdict.timeRatio, 1.0);
    }

    void pointsFollowCountsThenTime()
    {
        // Twice the instructions: 20 x 0.6; three times the time: 40 x 0.4.
        const auto slow = timed([](LaunchFacts& launch) {
            launch.instructions = 2000;
            launch.seconds = 30e-3;
            launch.wallSeconds = 30.05e-3;
        });
        QVERIFY(qFuzzyCompare(judge(task(), slow).points, 40 + 20 * 0.6 + 40 * 0.4));
        // A GPU does not count: time has both shares.
        const auto uncounted = timed([](LaunchFacts& launch) {
            launch.instructions.reset();
            launch.seconds = 30e-3;
            launch.wallSeconds = 30.05e-3;
        });
        QVERIFY(qFuzzyCompare(judge(task(), uncounted).points, 40 + 60 * 0.4));
        // Ten times slower and more is right all the same.
        QCOMPARE(judge(task(), timed([](LaunchFacts& launch) {
                           launch.instructions.reset();
                           launch.seconds = 0.2;
                           launch.wallSeconds = 0.2;
                       }))
                     .points,
                 40.0);
    }

    void timesBelowTheFloorAreImpossible()
    {
        // 4 n bytes are read, 4 n - 50 MB of results cannot stay in L2: 2.0975 ms at 1 TB/s.
        const double floor = floorSeconds(task(), {{"n", kTimed}}, facts().roof);
        QVERIFY(std::abs(floor - 0.9 * (8.0 * kTimed - 5e7) / 1e12) < 1e-12);
        const auto at = [](double seconds) {
            return timed([=](LaunchFacts& launch) {
                launch.seconds = seconds;
                launch.wallSeconds = seconds + 50e-6;
            });
        };
        QCOMPARE(verdictOf(at(1.01 * floor)), std::string("accepted"));
        QCOMPARE(verdictOf(at(0.99 * floor)), std::string("impossible-time"));
        QCOMPARE(verdictOf(at(0)), std::string("impossible-time"));
        QCOMPARE(verdictOf(at(-1e-3)), std::string("impossible-time"));
        QCOMPARE(verdictOf(at(1e-30)), std::string("impossible-time")); // an aggregate that underflows
        QCOMPARE(verdictOf(at(std::nan(""))), std::string("impossible-time"));
        // Arithmetic has a roof of its own.
        GradeFacts slowAlu = facts();
        slowAlu.roof.flopsPerSecond = 1e10;
        QCOMPARE(verdictOf(slowAlu), std::string("accepted")); // the reference beats it: the roof is stale
        QVERIFY(!judge(task(), slowAlu).notes.empty());
        for (LaunchFacts& launch : slowAlu.launches)
            launch.referenceSeconds = launch.timed ? std::optional(0.1) : std::nullopt;
        QCOMPARE(verdictOf(slowAlu), std::string("impossible-time"));
    }

    void oneFastLaunchIsEnough()
    {
        GradeFacts given = facts();
        given.launches.back().seconds = 1e-6;
        QCOMPARE(verdictOf(given), std::string("impossible-time"));
    }

    void calibrationTakesThePlaceOfThePublishedRoof()
    {
        const GradeRoof calibrated{1e11, 0, 0, "calibration"};
        const GradeVerdict verdict = judge(task(), facts(), calibrated); // 2.1 GB in 10 ms are 215 GB/s
        QVERIFY(verdict.accepted && !verdict.notes.empty());
        GradeFacts given = timed([](LaunchFacts& launch) { launch.referenceSeconds = 30e-3; });
        QCOMPARE(judge(task(), given, calibrated).reasons.front().id, std::string("impossible-time"));
        QVERIFY(judge(task(), given).accepted);
    }

    void clocksMustAgree()
    {
        // A side stream works on after the events: every launch is late.
        QCOMPARE(verdictOf(timed([](LaunchFacts& launch) { launch.wallSeconds = 25e-3; })),
                 std::string("clocks-disagree"));
        GradeFacts once = facts(); // a hiccup of the host
        once.launches.back().wallSeconds = 25e-3;
        QCOMPARE(verdictOf(once), std::string("accepted"));
        QCOMPARE(verdictOf(timed([](LaunchFacts& launch) { launch.wallSeconds = 9e-3; })),
                 std::string("clocks-disagree"));
    }

    void faultsComeBeforeResults()
    {
        GradeFacts given = facts();
        spoil(given.launches[0]);
        given.launches[1].reports.emplace_back(Json{{"code", "global-race"}, {"message", "two blocks"}});
        QCOMPARE(verdictOf(given), std::string("race"));
        QCOMPARE(judge(task(), given).points, 0.0);
        given = facts();
        given.launches[0].inputsChanged = {"x"};
        QCOMPARE(verdictOf(given), std::string("input-changed"));
        given = facts();
        given.launches[0].pastEnd = true;
        QCOMPARE(verdictOf(given), std::string("out-of-bounds"));
    }

    void causesOfWrongResults()
    {
        const auto wrong = [](auto change) {
            GradeFacts given = facts();
            for (LaunchFacts& launch : given.launches)
                spoil(launch);
            change(given);
            return verdictOf(given);
        };
        QCOMPARE(wrong([](GradeFacts&) {}), std::string("wrong-result"));
        QCOMPARE(wrong([](GradeFacts& f) { f.launches[0].unwritten = 3; }), std::string("output-not-written"));
        QCOMPARE(wrong([](GradeFacts& f) { f.probes.constantData = true; }), std::string("constant-input-only"));
        QCOMPARE(wrong([](GradeFacts& f) { f.probes.publicData = true; }), std::string("known-data-only"));
        QCOMPARE(wrong([](GradeFacts& f) { f.probes.alone = true; }), std::string("skips-later-launches"));
        QCOMPARE(wrong([](GradeFacts& f) {
                     f.probes.alone = true;
                     f.launches[0].repeatsEarlier = true;
                 }),
                 std::string("replayed-output"));
        QCOMPARE(wrong([](GradeFacts& f) {
                     for (LaunchFacts& launch : f.launches)
                         launch.worstRelative = 1e-3;
                 }),
                 std::string("precision-too-low"));
        GradeFacts given = facts();
        spoil(given.launches[1]); // n = 33, hidden
        given.cases[0].sizes = {{"n", std::int64_t{64}}};
        QCOMPARE(verdictOf(given), std::string("aligned-sizes-only"));
        given.cases[0].sizes = {{"n", std::int64_t{100}}};
        QCOMPARE(verdictOf(given), std::string("visible-sizes-only"));
        given = facts();
        spoil(given.launches[4]);
        given.probes = {.alone = false, .untimed = true, .publicData = false, .constantData = false};
        QCOMPARE(verdictOf(given), std::string("differs-when-timed"));
    }

    /// A reason says what somebody did, so each needs what speaks for it and nothing that speaks against it.
    void reasonsAreNotGuessed()
    {
        const auto wrong = [](std::initializer_list<std::size_t> launches, auto change) {
            GradeFacts given = facts();
            for (const std::size_t at : launches)
                spoil(given.launches[at]);
            change(given);
            return verdictOf(given);
        };
        // What is right on other data of the same kind does not know the data of the example.
        QCOMPARE(wrong({0}, [](GradeFacts& f) { f.probes = {.publicData = true, .secretData = false}; }),
                 std::string("known-data-only"));
        QCOMPARE(wrong({0}, [](GradeFacts& f) { f.probes = {.publicData = true, .secretData = true}; }),
                 std::string("wrong-result"));
        // The timed size is none that anybody was shown.
        const auto half = [](GradeFacts& f) {
            f.probes = {.publicData = true, .constantData = true};
            for (LaunchFacts& launch : f.launches)
                launch.unwritten = launch.timed ? 50 : 0;
        };
        QCOMPARE(wrong({3, 4}, half), std::string("output-not-written"));
        // Small errors are those of few bits only where numbers of few bits come out right.
        const auto small = [](std::optional<bool> fewBits) {
            return [=](GradeFacts& f) {
                f.probes.fewBits = fewBits;
                for (LaunchFacts& launch : f.launches)
                    launch.worstRelative = launch.wrong > 0 ? 1e-3 : 0;
            };
        };
        QCOMPARE(wrong({0, 1, 2}, small(true)), std::string("precision-too-low"));
        QCOMPARE(wrong({0, 1, 2}, small(std::nullopt)), std::string("precision-too-low"));
        QCOMPARE(wrong({0, 1, 2}, small(false)), std::string("wrong-result"));
        // Where numbers of very different size alone come out wrong, and by little, it is the bits as well.
        QCOMPARE(wrong({0},
                       [](GradeFacts& f) {
                           f.launches[0].data = "wide";
                           f.launches[0].worstRelative = 1e-6;
                           f.probes = {.publicData = true, .secretData = true, .fewBits = true};
                       }),
                 std::string("precision-too-low"));
        // Hidden sizes that come out right speak against sizes that are known, where the timed one does not.
        GradeFacts given = facts();
        given.cases.insert(given.cases.begin() + 2, {{{"n", std::int64_t{65}}}, true, false});
        for (std::size_t at = 2; at < given.launches.size(); ++at)
            given.launches[at].at = 3;
        given.launches.push_back(given.launches[1]);
        given.launches.back().at = 2;
        spoil(given.launches[1]);
        given.cases[0].sizes = {{"n", std::int64_t{100}}};
        given.cases[1].sizes = {{"n", std::int64_t{96}}};
        QCOMPARE(verdictOf(given), std::string("visible-sizes-only"));
        spoil(given.launches[3]);
        QCOMPARE(verdictOf(given), std::string("wrong-result"));
        spoil(given.launches.back());
        QCOMPARE(verdictOf(given), std::string("visible-sizes-only"));
    }

    void whatIsKeptIsHandedOut()
    {
        GradeFacts given = facts();
        given.replay = ReplayFacts{1000, 990};
        QCOMPARE(verdictOf(given), std::string("accepted"));
        given.replay = ReplayFacts{1000, 500};
        QCOMPARE(verdictOf(given), std::string("replayed-output"));
        // Also where what it kept does not fit, and is no result of an earlier launch as a whole.
        spoil(given.launches[2]);
        given.probes.alone = true;
        QCOMPARE(verdictOf(given), std::string("replayed-output"));
        given.replay.reset();
        QCOMPARE(verdictOf(given), std::string("skips-later-launches"));
    }

    void withoutAClockNothingIsForTime()
    {
        GradeFacts given = timed([](LaunchFacts& launch) {
            launch.seconds.reset();
            launch.wallSeconds.reset();
            launch.referenceSeconds.reset();
        });
        given.target = "sim:agx-orin-64";
        given.clockTarget = "sim:rtx4090";
        const GradeVerdict verdict = judge(task(), given);
        QVERIFY(verdict.accepted);
        QCOMPARE(verdict.points, kRightPoints + kCountPoints);
        QCOMPARE(verdict.outOf, kRightPoints + kCountPoints);
        QCOMPARE(verdict.timeNotGraded,
                 std::string("sim:agx-orin-64 has no clock; grade on sim:rtx4090, the nearest chip that has one"));
        QCOMPARE(verdict.notes, (std::vector<std::string>{"time not graded: " + verdict.timeNotGraded}));
        const auto back = gradeVerdictFromJson(toJson(verdict));
        QVERIFY(back.ok() && back->outOf == verdict.outOf && back->timeNotGraded == verdict.timeNotGraded);
        // A verdict of before says nothing of it.
        Json older = toJson(verdict);
        older.erase("out_of");
        older.erase("time_not_graded");
        QCOMPARE(gradeVerdictFromJson(older)->outOf, 100.0);
        for (LaunchFacts& launch : given.launches)
            launch.instructions.reset();
        QCOMPARE(judge(task(), given).points, kRightPoints);
        QCOMPARE(judge(task(), given).outOf, kRightPoints);
        QCOMPARE(judge(task(), facts()).outOf, 100.0);
        QVERIFY(judge(task(), facts()).timeNotGraded.empty());
    }

    void clocksAreNoBusinessOfAKernel()
    {
        GradeFacts given = facts();
        given.readsClock = true;
        QCOMPARE(verdictOf(given), std::string("reads-clock"));
        spoil(given.launches[0]); // what it did with it comes first
        QCOMPARE(verdictOf(given), std::string("wrong-result"));
    }

    void nothingRunIsNothingShown()
    {
        QCOMPARE(verdictOf({}), std::string("not-graded"));
        GradeFacts given = facts();
        given.stopped = "the kernel was stopped";
        QCOMPARE(verdictOf(given), std::string("not-graded"));
        given = facts();
        given.launches.erase(given.launches.begin() + 1); // a case is missing
        QCOMPARE(verdictOf(given), std::string("not-graded"));
        given = facts();
        std::erase_if(given.launches, [](const LaunchFacts& launch) { return launch.timed; });
        QCOMPARE(verdictOf(given), std::string("not-graded")); // watched at that size, and never timed
        given = facts();
        given.launches[0].elements = 0; // nothing was compared
        QVERIFY(verdictOf(given) != "accepted");
    }

    void documentsComeBack()
    {
        GradeFacts given = facts();
        spoil(given.launches[0], 3, std::numeric_limits<double>::infinity());
        given.launches[0].reports.emplace_back(Json{{"code", "misaligned"}});
        given.probes.alone = false;
        given.probes.secretData = given.probes.fewBits = true;
        given.replay = ReplayFacts{7, 3};
        given.clockTarget = "sim:rtx4090";
        const auto back = gradeFactsFromJson(toJson(given));
        QVERIFY2(back.ok(), back ? "" : toText(back.error()).c_str());
        QCOMPARE(toJson(*back).dump(), toJson(given).dump());
        QVERIFY(std::isinf(back->launches[0].worstRelative));
        const GradeVerdict verdict = judge(task(), given);
        const auto same = gradeVerdictFromJson(toJson(verdict));
        QVERIFY(same.ok());
        QCOMPARE(toJson(*same).dump(), toJson(verdict).dump());
        QVERIFY(gradeAnswer(toJson(given), given.task, given.cases).ok());
        QCOMPARE(gradeAnswer(toJson(given), "other", given.cases).error().code, std::string("bad-protocol"));
        QCOMPARE(gradeAnswer(toJson(given), given.task, {}).error().code, std::string("bad-protocol"));
        Json broken = toJson(given);
        broken.erase("launches");
        QCOMPARE(gradeFactsFromJson(broken).error().code, std::string("bad-protocol"));
    }
};

QTEST_GUILESS_MAIN(TestKernelVerdict)
#include "tst_kernel_verdict.moc"
