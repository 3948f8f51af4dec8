// SPDX-License-Identifier: GPL-3.0-or-later
// A generated class, from assignment to grades, with the real worker; on SQLite, and once on PostgreSQL.
#include "base/json.h"
#include "base/paths.h"
#include "classroom/feedback.h"
#include "classroom/generate.h"
#include "classroom/generated_learner.h"
#include "classroom/regrade.h"
#include "classroom/sample.h"
#include "classroom/submission.h"
#include "record/worker/worker_run.h"
#include "tests/record/record_support.h"
#include "tests/support/postgres.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

constexpr std::uint64_t kSeed = 11;
constexpr int kLearners = 10;

QByteArray text(const std::string& value)
{
    return QByteArray::fromStdString(value);
}

} // namespace

class TestClass : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    lessons::Curriculum m_curriculum;
    std::vector<ExperimentInfo> m_catalogue;
    WrittenAssignment m_assignment;
    int m_homes = 0;

    fs::path folder(const char* name) const { return pathOf(m_dir) / name; }

    /// Answers of the worker, each request executed once for all tests.
    Execute remembered()
    {
        return [this](const RunRequest& request, const std::string& compiler) -> Result<Executed> {
            const std::string key = compiler + toJson(request).dump();
            if (const auto known = m_known.find(key); known != m_known.end())
                return known->second;
            const auto executed = workerExecutor()(request, compiler);
            if (executed)
                m_known[key] = *executed;
            return executed;
        };
    }
    std::map<std::string, Executed> m_known;

    Result<OpenClass> freshClass(const std::string& database = {}, bool withRoster = true)
    {
        const fs::path home = pathOf(m_dir) / ("home" + std::to_string(++m_homes));
        NewAssignment wanted;
        wanted.name = "Class " + std::to_string(m_homes);
        wanted.database = database;
        if (withRoster)
            wanted.roster = bytesOf(folder("made") / "roster.csv");
        wanted.rosterPlace = "roster.csv";
        const auto made = adoptAssignment(home, wanted, m_assignment.bytes, "assignment.ridgeclass");
        if (!made)
            return made.error();
        return openClass(made->place);
    }

    /// A learner who gets everything right, has no GPU, and whose rows the caller may change before they are signed.
    Result<std::string> submissionOf(std::uint64_t seed,
                                     const std::function<void(std::vector<record::RowLine>&)>& change)
    {
        GeneratedLearner learner(seed, 0, 1772442000000);
        const Execute execute = remembered();
        SharedRuns runs(execute, m_catalogue);
        const auto lesson = lessons::loadLesson(m_curriculum, "2.4");
        if (auto taken = learner.take(m_curriculum, *lesson, runs); !taken)
            return taken.error();
        auto rows = record::parseRowLines(learner.rows());
        if (!rows)
            return rows.error();
        std::sort(rows->begin(), rows->end(), [](const auto& a, const auto& b) { return a.stamp.seq < b.stamp.seq; });
        change(*rows);
        // A forger who knows the format makes the chain whole again.
        std::string lines;
        for (std::size_t i = 0; i < rows->size(); ++i) {
            record::RowLine& row = (*rows)[i];
            row.stamp.previous = i == 0 ? QStringLiteral("") : (*rows)[i - 1].digest;
            row.digest = record::rowDigest(row.kind, row.stamp, row.columns);
            lines += toLine(row);
        }
        SubmissionOptions how;
        how.createdAt = "2026-03-02T12:00:00.000Z";
        auto written = writeSubmission(m_assignment.assignment, learner.identity(),
                                       {lines, {learner.origin()}, learner.files(), {}}, how);
        return written ? Result<std::string>(written->bytes) : written.error();
    }

    /// The first seed whose learner passes everything; the submission lies in ideal/.
    std::uint64_t idealSeed()
    {
        while (m_ideal == 0 && m_tried < 100) {
            auto open = freshClass({}, false);
            const auto bytes = submissionOf(++m_tried, [](auto&) {});
            fs::create_directories(folder("ideal"));
            writeBytes(folder("ideal") / "x.ridgesubmission", *bytes);
            static_cast<void>(collect(*open, m_curriculum, folder("ideal")));
            const auto told = report(*open, m_curriculum);
            if (told && told->learners.size() == 1 && told->learners[0].grade == 100)
                m_ideal = m_tried;
        }
        return m_ideal;
    }
    std::uint64_t m_ideal = 0, m_tried = 0, m_redrawn = 0;

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("RIDGE_WORKER", qgetenv("RIDGE_BIN") + "/ridge-worker");
        const auto data = dataFolder();
        R_VERIFY(data);
        m_curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        const auto described = record::queryWorker({record::defaultWorkerProgram(), {}}, QStringLiteral("describe"));
        R_VERIFY(described);
        auto catalogue = catalogueFromJson(*described);
        R_VERIFY(catalogue);
        m_catalogue = *catalogue;
        auto assignment = generatedAssignment(m_curriculum, {"2.4"}, kSeed);
        R_VERIFY(assignment);
        m_assignment = *assignment;
        GenerateOptions options;
        options.learners = kLearners;
        options.seed = kSeed;
        const auto made =
            generateLearners(m_assignment.assignment, m_curriculum, m_catalogue, remembered(), options, folder("made"));
        R_VERIFY(made);
        QCOMPARE(made->files, kLearners);
    }

    void theSameSeedGivesTheSameBytes()
    {
        GenerateOptions options;
        options.learners = kLearners;
        options.seed = kSeed;
        R_VERIFY(generateLearners(m_assignment.assignment, m_curriculum, m_catalogue, remembered(), options,
                                  folder("again")));
        QVERIFY(contentOf(folder("made")) == contentOf(folder("again")));
        options.seed = kSeed + 1;
        R_VERIFY(generateLearners(m_assignment.assignment, m_curriculum, m_catalogue, remembered(), options,
                                  folder("other")));
        QVERIFY(contentOf(folder("made")) != contentOf(folder("other")));
    }

    void aFolderIsCollectedOnceHoweverOftenItIsDropped()
    {
        auto open = freshClass();
        R_VERIFY(open);
        const auto first = collect(*open, m_curriculum, folder("made"));
        R_VERIFY(first);
        QCOMPARE(first->files, kLearners);
        QCOMPARE(first->merged, kLearners);
        QVERIFY(first->odd.empty());
        QVERIFY(first->rows > 100);
        QCOMPARE(first->missing.size(), std::size_t{1}); // on the roster and in no file
        const auto again = collect(*open, m_curriculum, folder("made"));
        R_VERIFY(again);
        QCOMPARE(again->duplicates, kLearners);
        QCOMPARE(again->merged, 0);
        QCOMPARE(again->rows, 0);
        QCOMPARE(*open->school->rowCount(), std::int64_t{first->rows});
        R_VERIFY(open->school->verify());
    }

    void oddFilesStopNoOthers()
    {
        fs::create_directories(folder("odd") / "deep" / "er");
        int copied = 0;
        for (const auto& entry : fs::directory_iterator(folder("made")))
            if (entry.path().extension() == ".ridgesubmission")
                fs::copy_file(entry.path(), folder("odd") / "deep" / "er" / entry.path().filename().concat(".zip"),
                              fs::copy_options::overwrite_existing),
                    ++copied;
        writeBytes(folder("odd") / "empty.ridgesubmission", "");
        writeBytes(folder("odd") / "text.ridgesubmission", "<script>alert(1)</script>");
        std::string changed = bytesOf(folder("odd") / "deep" / "er" /
                                      fs::directory_iterator(folder("odd") / "deep" / "er")->path().filename());
        changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
        writeBytes(folder("odd") / "changed.ridgesubmission", changed);
        fs::create_symlink("/etc/passwd", folder("odd") / "link.ridgesubmission");
        writeBytes(folder("odd") / "notes.txt", "no submission");
        auto open = freshClass();
        R_VERIFY(open);
        const auto collected = collect(*open, m_curriculum, folder("odd"));
        R_VERIFY(collected);
        QCOMPARE(collected->files, copied + 4);
        QCOMPARE(collected->merged, copied);
        QCOMPARE(collected->odd.size(), std::size_t{4});
        for (const OddFile& odd : collected->odd)
            QCOMPARE(odd.reason.find("It is a link") == 0, odd.file == "link.ridgesubmission");
    }

    void lateIsAfterTheDeadline()
    {
        auto open = freshClass();
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        const auto told = report(*open, m_curriculum);
        R_VERIFY(told);
        for (const LearnerLine& line : told->learners)
            QCOMPARE(line.late, line.submittedAt > told->deadline);
    }

    void noGpuIsNeededForFullMarks()
    {
        const std::uint64_t seed = idealSeed();
        QVERIFY(seed != 0);
        auto open = freshClass({}, false);
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("ideal")));
        const auto graded = regrade(*open, m_curriculum, remembered());
        R_VERIFY(graded);
        QVERIFY(graded->trouble.empty());
        QCOMPARE(graded->same, graded->runs);
        QVERIFY(graded->runs > 10);
        QCOMPARE(graded->measured, 0);
        QCOMPARE(graded->hidden, 3); // a seed, and a setting of each check of the lesson that declares some
        QCOMPARE(graded->hiddenFailed, 0);
        const auto told = report(*open, m_curriculum);
        R_VERIFY(told);
        QCOMPARE(told->learners[0].grade, 100.0);
        QVERIFY(told->learners[0].reexecuted);
        QVERIFY(told->learners[0].steps.at("2.4").shipped);
    }

    void aForgedResultIsFoundByRunningItAgain()
    {
        // The conflict degree at every stride, as somebody would like it: the chain is whole, the key is right.
        const auto bytes = submissionOf(idealSeed(), [](std::vector<record::RowLine>& rows) {
            for (record::RowLine& row : rows)
                for (record::Column& column : row.columns)
                    if (std::string_view(column.name) == "metrics") {
                        Json metrics = Json::parse(column.value.toString().toStdString());
                        if (metrics.contains("load_efficiency"))
                            metrics["load_efficiency"]["value"] = 3.5;
                        column.value = QString::fromStdString(metrics.dump());
                    }
        });
        R_VERIFY(bytes);
        fs::create_directories(folder("forged"));
        writeBytes(folder("forged") / "forged.ridgesubmission", *bytes);
        auto open = freshClass({}, false);
        R_VERIFY(open);
        const auto collected = collect(*open, m_curriculum, folder("forged"));
        R_VERIFY(collected);
        QCOMPARE(collected->merged, 1);
        const auto graded = regrade(*open, m_curriculum, remembered());
        R_VERIFY(graded);
        QVERIFY(!graded->different.empty());
        QVERIFY(graded->different[0].refused);
        QCOMPARE(graded->different[0].metric, std::string("load_efficiency"));
        QCOMPARE(graded->different[0].handedIn, 3.5);
        const auto told = report(*open, m_curriculum);
        R_VERIFY(told);
        QVERIFY2(told->learners[0].grade < 100, "a refused run still counted");
    }

    void hiddenCasesHaveToHoldToo()
    {
        QVERIFY(idealSeed() != 0);
        auto open = freshClass({}, false);
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("ideal")));
        // A worker whose results depend on the data in a way that a law must not.
        const Execute real = remembered();
        std::set<std::uint64_t> seeds;
        const Execute tuned = [&](const RunRequest& request, const std::string& compiler) {
            RunRequest visible = request;
            seeds.insert(request.seed);
            visible.seed = 1;
            auto executed = real(visible, compiler);
            if (executed && request.seed != 1)
                for (SampleEvent& sample : executed->samples)
                    for (auto& [name, metric] : sample.metrics)
                        metric.value = metric.value * 3 + 1;
            return executed;
        };
        const auto graded = regrade(*open, m_curriculum, tuned);
        R_VERIFY(graded);
        QCOMPARE(seeds.size(), std::size_t{2}); // the visible one, and one that the assignment's secret gives
        QVERIFY(graded->hiddenFailed > 0);
        QVERIFY(report(*open, m_curriculum)->learners[0].grade < 100);
    }

    /// Sizes and not only data: results that fit the sizes that were handed in and no other.
    void hiddenSettingsHaveToHoldToo()
    {
        QVERIFY(idealSeed() != 0);
        auto open = freshClass({}, false);
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("ideal")));
        std::set<ParamValue> handedIn, hidden;
        const auto graded = regrade(*open, m_curriculum, [&](const RunRequest& request, const std::string& compiler) {
            auto executed = remembered()(request, compiler);
            const ParamSet& point = request.points.front();
            const ParamValue size = point.contains("elements") ? point.at("elements") : ParamValue();
            (request.seed == 1 ? handedIn : hidden).insert(size); // what was handed in is run first
            if (executed && !handedIn.contains(size))
                for (SampleEvent& sample : executed->samples)
                    for (auto& [name, metric] : sample.metrics)
                        metric.value += 40;
            return executed;
        });
        if (graded && std::ranges::includes(handedIn, hidden) && ++m_redrawn < 12)
            return hiddenSettingsHaveToHoldToo(); // its secret drew what was handed in: another class has another
        QVERIFY(graded && !std::ranges::includes(handedIn, hidden) && graded->hiddenFailed > 0);
        QVERIFY(report(*open, m_curriculum)->learners[0].grade < 100);
    }

    void checksAreTheInstructorsOwn()
    {
        // An assignment whose copy of the lesson asks for nothing: what is graded does not change.
        Assignment easy = m_assignment.assignment;
        const auto begin = easy.lessons[0].text.find("checks:"), end = easy.lessons[0].text.find("---", begin);
        QVERIFY(begin != std::string::npos && end != std::string::npos);
        easy.lessons[0].text.erase(begin, end - begin);
        easy.lessons[0].digest.clear();
        const auto keys = classKeysFromSeed(std::string(32, 'k'));
        R_VERIFY(keys);
        const auto written = createAssignment(easy, *keys, false);
        R_VERIFY(written);
        NewAssignment wanted;
        wanted.name = "Easy";
        const auto made = adoptAssignment(folder("easy-home"), wanted, written->bytes, "easy.ridgeclass");
        R_VERIFY(made);
        auto open = openClass(made->place);
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        auto strict = freshClass({}, false);
        R_VERIFY(collect(*strict, m_curriculum, folder("made")));
        const auto a = report(*open, m_curriculum), b = report(*strict, m_curriculum);
        R_VERIFY(a);
        QCOMPARE(a->learners.size(), b->learners.size());
        for (std::size_t i = 0; i < a->learners.size(); ++i)
            QCOMPARE(a->learners[i].grade, b->learners[i].grade);
    }

    void theReportCountsWithoutRanking()
    {
        auto open = freshClass();
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        const auto told = report(*open, m_curriculum);
        R_VERIFY(told);
        QCOMPARE(told->learners.size(), std::size_t{kLearners});
        QVERIFY(std::is_sorted(told->learners.begin(), told->learners.end(),
                               [](const auto& a, const auto& b) { return a.who.name < b.who.name; }));
        int graded = 0;
        for (const HistogramBin& bin : told->grades)
            graded += bin.count;
        QCOMPARE(graded, kLearners);
        QCOMPARE(told->histograms.size(), std::size_t{1}); // the predict block of 2.4
        for (const PredictionHistogram& histogram : told->histograms) {
            int counted = 0;
            for (const HistogramBin& bin : histogram.bins)
                counted += bin.count;
            QCOMPARE(counted, histogram.learners);
            QVERIFY(histogram.result.has_value());
        }
        QVERIFY(!told->misconceptions.empty());
        QVERIFY(!told->misconceptions[0].says.empty());
        QVERIFY(told->hardware.size() > 1);
        const std::string json = toJson(*told).dump();
        QVERIFY(json.find("rank") == std::string::npos);
    }

    void aProjectorShowsNobody()
    {
        auto open = freshClass();
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        const std::string json = toJson(*report(*open, m_curriculum, {{}, true})).dump();
        const auto members = open->school->members();
        R_VERIFY(members);
        for (const record::MemberRow& member : *members) {
            QVERIFY(json.find(member.name) == std::string::npos);
            QVERIFY(member.learner.empty() || json.find(member.learner) == std::string::npos);
        }
    }

    void feedbackEscapesWhatPeopleWrote()
    {
        auto open = freshClass();
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        record::MemberRow member = open->school->members()->at(0);
        member.name = "<script>alert('x')</script> & Söhne";
        R_VERIFY(open->school->append(std::vector<record::MemberRow>{member}));
        record::FeedbackRow words;
        words.assignmentId = m_assignment.assignment.id;
        words.learner = member.learner;
        words.text = "<img src=x onerror=alert(1)>";
        R_VERIFY(open->school->append(words));
        const auto all = feedback(*open, m_curriculum, {}, "2026-03-03T00:00:00.000Z");
        R_VERIFY(all);
        QCOMPARE(all->size(), std::size_t{kLearners});
        const auto files = writeFeedback(*all, folder("feedback"));
        R_VERIFY(files);
        QCOMPARE(files->size(), std::size_t{kLearners});
        bool seen = false;
        for (const fs::path& file : *files) {
            const std::string page = bytesOf(file);
            QVERIFY2(page.find("<script") == std::string::npos, file.c_str());
            QVERIFY2(page.find("<img") == std::string::npos, file.c_str());
            QVERIFY(page.find("http") == std::string::npos); // nothing is fetched
            QVERIFY(page.starts_with("<!DOCTYPE html>"));
            seen = seen || page.find("&lt;img src=x") != std::string::npos;
        }
        QVERIFY(seen);
    }

    void feedbackKeepsToThePolicy()
    {
        Assignment strict = m_assignment.assignment;
        strict.feedback = {{"passed", FeedbackWhen::Deadline}, {"explained", FeedbackWhen::Never}};
        const auto keys = classKeysFromSeed(std::string(32, 'k'));
        const auto written = createAssignment(strict, *keys, false);
        R_VERIFY(written);
        NewAssignment wanted;
        wanted.name = "Strict";
        const auto made = adoptAssignment(folder("strict-home"), wanted, written->bytes, "strict.ridgeclass");
        R_VERIFY(made);
        auto open = openClass(made->place);
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        const auto before = feedback(*open, m_curriculum, {}, "2026-03-02T14:59:00.000Z");
        R_VERIFY(before);
        for (const LearnerFeedback& one : *before) {
            QVERIFY(!one.grade);
            QVERIFY(one.lessons[0].checks.empty());
            QCOMPARE(one.withheld.size(), std::size_t{2});
            QVERIFY(feedbackText(one).starts_with("(")); // a lesson of which nothing can be said is not named
            QVERIFY(feedbackPage(one).find("points.</strong>") == std::string::npos);
        }
        const auto after = feedback(*open, m_curriculum, {}, "2026-03-02T15:01:00.000Z");
        R_VERIFY(after);
        QVERIFY(after->at(0).grade.has_value());
        QCOMPARE(after->at(0).withheld, std::vector<std::string>{"Your explanations: not told"});
    }

    void gradesOfEverybodyAreExported()
    {
        auto open = freshClass();
        R_VERIFY(open);
        R_VERIFY(collect(*open, m_curriculum, folder("made")));
        for (const char* format : {"moodle", "canvas"}) {
            const auto file = gradesFile(*open, m_curriculum, {}, format, "2026-03-03T00:00:00.000Z");
            R_VERIFY(file);
            const auto lines = std::count(file->begin(), file->end(), '\n');
            QCOMPARE(lines, kLearners + 1 + (std::string_view(format) == "moodle" ? 1 : 2));
        }
        QCOMPARE(codeOf(gradesFile(*open, m_curriculum, {}, "excel", "")), QByteArray("bad-format"));
    }

    void theSampleThatShipsIsReadAndLeftAlone()
    {
        const fs::path samples = *dataFolder() / "assets" / "samples" / "class";
        const auto before = contentOf(samples);
        auto open = openSample(samples, folder("scratch"), m_curriculum);
        R_VERIFY(open);
        const auto told = report(*open, m_curriculum);
        R_VERIFY(told);
        QCOMPARE(told->learners.size(), std::size_t{12});
        QVERIFY(!told->misconceptions.empty());
        QVERIFY(contentOf(samples) == before);
    }

    void aClassOnPostgresGivesTheSameReport()
    {
        qputenv("PGPASSWORD", PostgresServer::kPassword);
        PostgresServer server;
        QVERIFY2(server.problem().isEmpty(), qPrintable(server.problem()));
        Json reports[2];
        for (int where = 0; where < 2; ++where) {
            auto open = freshClass(where == 0 ? std::string() : server.address().toStdString());
            R_VERIFY(open);
            R_VERIFY(collect(*open, m_curriculum, folder("made")));
            R_VERIFY(open->school->verify());
            const auto told = report(*open, m_curriculum);
            R_VERIFY(told);
            reports[where] = toJson(*told);
            reports[where].erase("class");
            reports[where].erase("seconds");
        }
        QVERIFY2(reports[0] == reports[1], text(Json::diff(reports[0], reports[1]).dump()).constData());
    }
};

QTEST_GUILESS_MAIN(TestClass)
#include "tst_class.moc"
