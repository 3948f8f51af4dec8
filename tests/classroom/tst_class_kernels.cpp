// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel task in a class: assigned, graded by the learner, handed in, graded again by the instructor with sizes and
// data of that learner's own.
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/target_choice.h"
#include "classroom/class_report.h"
#include "classroom/decide.h"
#include "classroom/feedback.h"
#include "classroom/kernel_work.h"
#include "classroom/regrade.h"
#include "classroom/submission.h"
#include "tests/record/record_support.h"

#include <QRegularExpression>

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

constexpr const char* kLesson = "kernel-saxpy";

KernelText sourceOf(const fs::path& path)
{
    return {path.string(), bytesOf(path), false};
}

} // namespace

class TestClassKernels : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    lessons::Curriculum m_curriculum;
    fs::path m_data;
    Assignment m_assignment;
    ClassPlace m_place;
    std::vector<KernelGradeRequest> m_asked; ///< what the instructor's side ran

    fs::path folder(const std::string& name) const { return pathOf(m_dir) / name; }

    /// A learner grades a kernel, keeps it, and hands in. `claim` is what the learner's program is made to say.
    std::string handsIn(const std::string& name, const KernelText& source,
                        const std::optional<GradeVerdict>& claim = {}, const Consent& consent = {},
                        const std::string& target = "sim:l40s")
    {
        const fs::path home = folder(name);
        const auto task = shippedTask("saxpy");
        KernelGradeRequest request;
        request.source = source;
        request.task = task->id;
        request.target = target;
        request.secret = newSecret();
        request.cases = gradeCases(*task, "sim", request.secret);
        const auto facts = workerGrader()(request);
        if (!facts)
            return "not run: " + toText(facts.error());
        auto store = record::Store::open(home);
        const auto kept = keepKernel(**store, *task, request, *facts, claim.value_or(judge(*task, *facts)));
        if (!kept)
            return "not kept: " + toText(kept.error());
        const auto identity = identityFromSeed(std::string(32, name.front()));
        SubmissionOptions how;
        how.consent = consent;
        const auto written = createSubmission(**store, m_assignment, *identity, how);
        if (!written)
            return "not handed in: " + toText(written.error());
        fs::create_directories(folder("drop"));
        writeBytes(folder("drop") / (name + ".ridgesubmission"), written->bytes);
        return identity->learner;
    }

    LearnerLine lineOf(const std::string& learner)
    {
        auto open = openClass(m_place);
        const auto told = report(*open, m_curriculum);
        for (const LearnerLine& line : told->learners)
            if (line.who.learner == learner)
                return line;
        return {};
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        m_data = *dataFolder();
        m_curriculum = lessons::loadCurriculum(m_data / "curriculum").curriculum;
        NewAssignment wanted;
        wanted.name = "Kernels";
        wanted.lessons = {kLesson};
        const auto made = makeAssignment(folder("teacher"), m_curriculum, wanted);
        R_VERIFY(made);
        // What the file says is what a learner reads, and the format is that of every assignment.
        const auto read = readAssignment(made->bytes, "kernels.ridgeclass");
        R_VERIFY(read);
        m_assignment = *read;
        m_place = made->place;
        QCOMPARE(m_assignment.lessons.size(), std::size_t{1});
        QCOMPARE(m_assignment.lessons[0].id, std::string(kLesson));
        QVERIFY(m_assignment.lessons[0].text.find("ridge kernel grade saxpy.cu --task saxpy --save") !=
                std::string::npos);
    }

    void unknownTasksAreNoLessons()
    {
        QCOMPARE(assignedLessons(m_curriculum, {"kernel-nothing"}).error().code, std::string("unknown-task"));
    }

    void fromFileToGrade()
    {
        GradeVerdict forged;
        forged.accepted = true;
        forged.points = 100;
        Consent shy; // keeps artifacts: the kernel goes along all the same
        shy.artifacts = false;
        const fs::path cheats = fs::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
        const std::string honest = handsIn("honest", sourceOf(cheats / "honest_saxpy_vectors.cu"), {}, shy);
        const std::string cheat = handsIn("cheat", sourceOf(cheats / "visible_sizes_only.cu"), forged);
        QVERIFY2(honest.starts_with("L-"), honest.c_str());
        QVERIFY2(cheat.starts_with("L-"), cheat.c_str());

        auto open = openClass(m_place);
        R_VERIFY(open);
        const auto collected = collect(*open, m_curriculum, folder("drop"));
        R_VERIFY(collected);
        QCOMPARE(collected->merged, 2);
        QVERIFY(collected->odd.empty());
        // At collection a kernel is worth what the learner's program says.
        QVERIFY(lineOf(honest).points.at(kLesson) >= 80);
        QCOMPARE(lineOf(cheat).points.at(kLesson), 100.0);
        QVERIFY(!lineOf(cheat).reexecuted);

        RegradeOptions options;
        options.executeKernel = [&](const KernelGradeRequest& request) {
            m_asked.push_back(request);
            return workerGrader()(request);
        };
        const auto again = regrade(*open, m_curriculum, workerExecutor(), options);
        R_VERIFY(again);
        QCOMPARE(again->kernels, 2);
        QCOMPARE(again->kernelsRejected, 1);
        QVERIFY(again->trouble.empty());
        QVERIFY(lineOf(honest).points.at(kLesson) >= 80);
        QVERIFY(lineOf(honest).reexecuted);
        QVERIFY(lineOf(honest).steps.at(kLesson).passed);
        QCOMPARE(lineOf(cheat).points.at(kLesson), 0.0);
        QVERIFY(!lineOf(cheat).steps.at(kLesson).passed);

        const auto pages = feedback(*open, m_curriculum, {}, "2099-01-01T00:00:00.000Z");
        R_VERIFY(pages);
        for (const LearnerFeedback& page : *pages) {
            const std::string text = feedbackPage(page);
            QCOMPARE(text.find("visible-sizes-only") != std::string::npos, page.who.learner == cheat);
            QVERIFY(text.find("Kernel: saxpy: z = a x + y") != std::string::npos);
            QVERIFY(text.find("Steps: ran, ") != std::string::npos); // nobody asked for a prediction
        }
    }

    /// Different for each learner, the same each time, and with nothing of the learner's choosing but the code.
    void hiddenCasesAreTheLearnersOwn()
    {
        QCOMPARE(m_asked.size(), std::size_t{2});
        QVERIFY(m_asked[0].secret != m_asked[1].secret);
        QVERIFY(m_asked[0].cases != m_asked[1].cases);
        const auto task = shippedTask("saxpy");
        for (const KernelGradeRequest& request : m_asked) {
            QCOMPARE(request.secret.size(), std::size_t{64});
            QCOMPARE(request.cases, gradeCases(*task, "sim", request.secret));
            QCOMPARE(request.target, std::string("sim:l40s"));
        }
        auto open = openClass(m_place);
        const std::vector<KernelGradeRequest> before = std::exchange(m_asked, {});
        RegradeOptions options;
        options.executeKernel = [&](const KernelGradeRequest& request) -> Result<GradeFacts> {
            m_asked.push_back(request);
            return Error{"no-compiler", "none is here", "", ""};
        };
        const auto again = regrade(*open, m_curriculum, workerExecutor(), options);
        R_VERIFY(again);
        QCOMPARE(m_asked.size(), std::size_t{2});
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(m_asked[i].secret, before[i].secret);
        // What cannot be run here is told, and stays as it was handed in.
        QCOMPARE(again->trouble.size(), std::size_t{2});
        QCOMPARE(again->kernels, 0);
    }

    void codeThatDoesNotCompileIsWorthNothing()
    {
        auto open = openClass(m_place);
        RegradeOptions options;
        options.executeKernel = [](const KernelGradeRequest&) -> Result<GradeFacts> {
            return Error{"compile-failed", "root:x:0:0", "/etc/passwd:1", ""};
        };
        const auto again = regrade(*open, m_curriculum, workerExecutor(), options);
        R_VERIFY(again);
        QCOMPARE(again->kernelsRejected, 2);
        // The instructor reads what the compiler said; a learner does not, for it may quote files of that machine.
        QCOMPARE(again->trouble.size(), std::size_t{2});
        const auto pages = feedback(*open, m_curriculum, {}, "2099-01-01T00:00:00.000Z");
        R_VERIFY(pages);
        for (const LearnerFeedback& page : *pages) {
            QVERIFY(feedbackPage(page).find("compile-failed") != std::string::npos);
            QVERIFY(feedbackPage(page).find("passwd") == std::string::npos);
        }
    }

    /// A text that nobody can run again is worth nothing, whatever its own program claimed, until somebody decides.
    void whatCannotBeRunAgainWaitsForADecision()
    {
        auto open = openClass(m_place);
        RegradeOptions cannot;
        cannot.executeKernel = [](const KernelGradeRequest&) -> Result<GradeFacts> {
            return Error{"unsupported-instruction", "cp.async needs sm_80", "/home/somebody/secret.cu", ""};
        };
        const auto undecided = regrade(*open, m_curriculum, workerExecutor(), cannot);
        R_VERIFY(undecided);
        QVERIFY(undecided->isUndecided());
        QCOMPARE(undecided->open.size(), std::size_t{2});
        const std::string now = "2099-01-01T00:00:00.000Z";
        std::map<std::string, double> claimed;
        for (const OpenLine& line : undecided->open) {
            QCOMPARE(line.lesson, std::string(kLesson));
            claimed[line.who.learner] = line.work.points;
            QVERIFY(line.work.points >= 80);
            const LearnerLine graded = lineOf(line.who.learner);
            QCOMPARE(graded.points.at(kLesson), 0.0);
            QVERIFY(!graded.steps.at(kLesson).passed && !graded.reexecuted);
        }
        QCOMPARE(toJson(*undecided)["open"].size(), std::size_t{2});
        QCOMPARE(report(*open, m_curriculum)->open.size(), std::size_t{2});
        QVERIFY(report(*open, m_curriculum, {.hideNames = true})->open.empty());
        const auto pages = feedback(*open, m_curriculum, {}, now);
        R_VERIFY(pages);
        for (const LearnerFeedback& page : *pages) {
            const std::string text = feedbackPage(page);
            QVERIFY(text.find("could not be run again") != std::string::npos);
            QVERIFY(text.find("unsupported-instruction") != std::string::npos);
            QVERIFY(text.find("secret") == std::string::npos); // nothing of this machine
        }
        const auto csv = gradesFile(*open, m_curriculum, {}, "moodle", now);
        R_VERIFY(csv);
        QVERIFY(csv->find("kernel-saxpy 0/100") != std::string::npos);
        QVERIFY(csv->find("It counts nothing unless your teacher accepts it.") != std::string::npos);

        const std::string accepted = undecided->open[0].who.learner, left = undecided->open[1].who.learner;
        QCOMPARE(codeOf(decide(*open, {{}, accepted, {}, true, {}})), QByteArray("bad-argument")); // by nobody
        QCOMPARE(codeOf(decide(*open, {{}, "Nobody", {}, true, "R. Hopper"})), QByteArray("unknown-person"));
        QCOMPARE(codeOf(decide(*open, {{}, accepted, "2.4", true, "R. Hopper"})), QByteArray("unknown-lesson"));
        const auto decided = decide(*open, {{}, accepted, {}, true, "R. Hopper"});
        R_VERIFY(decided);
        QCOMPARE(decided->points, claimed[accepted]);
        R_VERIFY(decide(*open, {{}, left, kLesson, false, "R. Hopper"}));
        const auto kept = open->school->decisions(m_assignment.id);
        R_VERIFY(kept);
        QCOMPARE(kept->size(), std::size_t{2});
        for (const record::DecisionRow& row : *kept) {
            QCOMPARE(row.accepted, row.learner == accepted);
            QCOMPARE(row.decidedBy, std::string("R. Hopper"));
            QVERIFY(!row.createdAt.empty());
        }
        for (int round = 0; round < 2; ++round) { // at once, and after running it once more
            QCOMPARE(lineOf(accepted).points.at(kLesson), claimed[accepted]);
            QCOMPARE(lineOf(left).points.at(kLesson), 0.0);
            const auto again = regrade(*open, m_curriculum, workerExecutor(), cannot);
            R_VERIFY(again);
            QVERIFY(!again->isUndecided());
            QCOMPARE(again->open.size(), std::size_t{2});
        }
        const auto decidedPages = feedback(*open, m_curriculum, {}, now);
        R_VERIFY(decidedPages);
        for (const LearnerFeedback& page : *decidedPages)
            QVERIFY(feedbackText(page).find(page.who.learner == accepted
                                                ? "R. Hopper accepted it"
                                                : "R. Hopper decided that it does not count") != std::string::npos);
        // What can be run is what it is here, and there is nothing left to decide.
        R_VERIFY(regrade(*open, m_curriculum, workerExecutor(), {}));
        QVERIFY(report(*open, m_curriculum)->open.empty());
        QCOMPARE(codeOf(decide(*open, {{}, accepted, {}, true, "R. Hopper"})), QByteArray("nothing-open"));
    }

    void withoutAWorkerNobodyIsJudged()
    {
        auto open = openClass(m_place);
        const auto before = toJson(*report(*open, m_curriculum))["learners"];
        RegradeOptions none;
        none.executeKernel = [](const KernelGradeRequest&) -> Result<GradeFacts> {
            return Error{"worker-missing", "there is none", "", ""};
        };
        QCOMPARE(codeOf(regrade(*open, m_curriculum, workerExecutor(), none)), QByteArray("worker-missing"));
        QCOMPARE(toJson(*report(*open, m_curriculum))["learners"], before);
    }

    /// Somebody else's kernel under other names earns what it is worth, and is told to the instructor alone.
    void copiesAreTold()
    {
        auto open = openClass(m_place);
        const auto before = report(*open, m_curriculum);
        R_VERIFY(before);
        QVERIFY(before->alike.empty());

        const fs::path cheats = fs::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
        KernelText copied = sourceOf(cheats / "honest_saxpy_vectors.cu");
        const std::string original = copied.text;
        copied.text =
            "// all by myself\n" + QString::fromStdString(original)
                                       .replace(QRegularExpression(QStringLiteral("\\bi\\b")), QStringLiteral("place"))
                                       .toStdString();
        QVERIFY(copied.text.find("place") != std::string::npos);
        const std::string copier = handsIn("second", copied);
        const std::string finder = handsIn(
            "finder", {"saxpy.cu", *solutionText(bytesOf(shippedTask("saxpy")->folder / "solution.cu")), false});
        R_VERIFY(collect(*open, m_curriculum, folder("drop")));
        const double points = lineOf(copier).points.at(kLesson);
        QVERIFY(points >= 80);
        for (const bool again : {false, true}) {
            if (again)
                R_VERIFY(regrade(*open, m_curriculum, workerExecutor(), {}));
            QCOMPARE(lineOf(copier).points.at(kLesson), points);
            const auto told = report(*open, m_curriculum);
            R_VERIFY(told);
            QCOMPARE(told->alike.size(), std::size_t{2});
            const auto& pair = told->alike[0];
            QCOMPARE(pair.lesson, std::string(kLesson));
            QVERIFY(pair.how == AlikeKernels::How::SameWords);
            QCOMPARE(pair.who.size(), std::size_t{2});
            std::set<std::string> who{pair.who[0].learner, pair.who[1].learner};
            QVERIFY(who.contains(copier) && !who.contains(finder));
            QVERIFY(told->alike[1].how == AlikeKernels::How::SameSolution);
            QCOMPARE(told->alike[1].who.front().learner, finder);
            QCOMPARE(toJson(*told)["alike"][0]["who"].size(), std::size_t{2});

            const auto nameless = report(*open, m_curriculum, {.hideNames = true});
            QCOMPARE(nameless->alike.size(), std::size_t{2});
            const std::string text = toJson(*nameless)["alike"].dump();
            for (const std::string& learner : {copier, finder, pair.who[0].learner, pair.who[1].learner})
                QVERIFY(text.find(learner) == std::string::npos);
            QVERIFY(text.find("Learner ") != std::string::npos);
        }
        // Nothing of it reaches a learner.
        const auto pages = feedback(*open, m_curriculum, {}, "2099-01-01T00:00:00.000Z");
        R_VERIFY(pages);
        for (const LearnerFeedback& page : *pages)
            QVERIFY(feedbackPage(page).find("alike") == std::string::npos &&
                    feedbackPage(page).find("the same but") == std::string::npos);
    }

    /// Points for time are given where there is a clock: by the instructor, on a chip that has one.
    void aChipWithoutAClockGivesNoPointsForTime()
    {
        const fs::path cheats = fs::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests" / "cheats";
        const std::string learner =
            handsIn("clockless", sourceOf(cheats / "honest_saxpy_grid_stride.cu"), {}, {}, "sim:agx-orin-64");
        QVERIFY2(learner.starts_with("L-"), learner.c_str());
        const auto kept = record::Store::open(folder("clockless")).value()->artifacts(kLesson);
        R_VERIFY(kept);
        const record::ArtifactRow& row = kept->front();
        QVERIFY2(row.claim.find(" of 60 points on sim:agx-orin-64") != std::string::npos, row.claim.c_str());
        QVERIFY(row.sections.at("result").find("Time not graded: sim:agx-orin-64 has no clock") != std::string::npos);
        record::LearnerRows rows;
        rows.artifacts = {row};
        QCOMPARE(handedInKernel(rows)->outOf, 60.0);
        QVERIFY(gradeKernelWork(kLesson, rows).checks.front().detail.find("of 60, on a chip without a clock") !=
                std::string::npos);

        auto open = openClass(m_place);
        R_VERIFY(collect(*open, m_curriculum, folder("drop")));
        const double claimed = lineOf(learner).points.at(kLesson);
        QVERIFY(claimed > kRightPoints && claimed <= kRightPoints + kCountPoints);
        R_VERIFY(regrade(*open, m_curriculum, workerExecutor(), {}));
        QVERIFY(std::abs(lineOf(learner).points.at(kLesson) - claimed) < 1);
        RegradeOptions there;
        there.kernelTarget = "sim:rtx4090";
        R_VERIFY(regrade(*open, m_curriculum, workerExecutor(), there));
        QVERIFY(lineOf(learner).points.at(kLesson) > kRightPoints + kCountPoints);
    }

    void gradedAgainIsAFurtherVersion()
    {
        const fs::path home = folder("twice");
        auto store = record::Store::open(home);
        const auto task = shippedTask("dot");
        GradeFacts facts;
        facts.target = "sim:t4";
        GradeVerdict verdict;
        verdict.accepted = true;
        for (const double points : {60.0, 90.0}) {
            verdict.points = points;
            const auto request =
                gradeRequest(*task, {"dot.cu", "// " + std::to_string(points), false}, facts.target, "secret");
            R_VERIFY(keepKernel(**store, *task, request, facts, verdict));
        }
        const auto artifacts = (*store)->artifacts("kernel-dot");
        R_VERIFY(artifacts);
        QCOMPARE(artifacts->size(), std::size_t{1});
        record::LearnerRows rows;
        rows.artifacts = *artifacts;
        const auto kernel = handedInKernel(rows);
        QVERIFY(kernel && kernel->points == 90 && kernel->target == "sim:t4" && kernel->fileName == "dot.cu");
        QCOMPARE(gradeKernelWork("kernel-dot", rows).points, 90.0);
        QCOMPARE(gradeKernelWork("kernel-dot", {}).points, 0.0);
        QVERIFY(!gradeKernelWork("kernel-dot", {}).steps.shipped);
    }
};

QTEST_GUILESS_MAIN(TestClassKernels)
#include "tst_class_kernels.moc"
