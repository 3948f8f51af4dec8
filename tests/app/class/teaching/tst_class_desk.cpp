// SPDX-License-Identifier: GPL-3.0-or-later
// Work on classes beside the event loop: order, stopping, what comes out, and that the loop goes on.
#include "app/class/teaching/class_desk.h"
#include "base/json.h"
#include "base/paths.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ridge;
using namespace ridge::app;
namespace fs = std::filesystem;

namespace {

constexpr int kWaitMs = 60000;

/// The longest time for which the event loop did not turn.
class Heart : public QObject {
public:
    Heart()
    {
        m_beat.start();
        connect(&m_timer, &QTimer::timeout, this, [this] { longest = std::max(longest, m_beat.restart()); });
        m_timer.start(2);
    }
    qint64 longest = 0;

private:
    QElapsedTimer m_beat;
    QTimer m_timer;
};

} // namespace

class TestClassDesk : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;
    fs::path m_data;
    lessons::Curriculum m_curriculum;

    std::unique_ptr<ClassDesk> desk() const
    {
        return std::make_unique<ClassDesk>(m_home.path().toStdString(), m_data / "assets/samples/class", m_curriculum);
    }

    template<class Value>
    static std::optional<Result<Value>> wait(QFuture<Result<Value>> future)
    {
        if (!QTest::qWaitFor([&] { return future.isFinished(); }, kWaitMs) || future.resultCount() == 0)
            return {};
        return future.result();
    }

    static classroom::NewAssignment wanted(const char* name)
    {
        classroom::NewAssignment wanted;
        wanted.name = name;
        wanted.title = "Week 1";
        wanted.lessons = {"2.4"};
        wanted.roster = "Name,Email\nAda Lovelace,ada@example.org\nGrace Hopper,grace@example.org\n";
        wanted.rosterPlace = "roster.csv";
        return wanted;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const auto data = dataFolder();
        QVERIFY(data.ok());
        m_data = *data;
        m_curriculum = lessons::loadCurriculum(m_data / "curriculum").curriculum;
    }

    void jobsRunOneAfterTheOtherInAThreadOfTheirOwn()
    {
        const auto desk = this->desk();
        std::vector<int> order;
        std::atomic<int> inside = 0;
        std::vector<QFuture<Result<int>>> all;
        for (int i = 0; i < 5; ++i)
            all.push_back(desk->run<int>({}, [&, i](ClassBench&, const JobHooks&) -> Result<int> {
                if (inside++ != 0 || QThread::currentThread() == qApp->thread())
                    return Error{"overlap", "Two jobs at once, or one in the thread of the window", "", ""};
                order.push_back(i);
                --inside;
                return i;
            }));
        for (const auto& future : all) {
            const auto result = wait(future);
            QVERIFY(result && *result);
        }
        QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
        QTRY_VERIFY(!desk->busy());
    }

    void whatIsMadeIsListedAndOpened()
    {
        const auto desk = this->desk();
        const fs::path out = fs::path(m_home.path().toStdString()) / "week-1.ridgeclass";
        const auto made = wait(
            desk->run<classroom::MadeAssignment>(QStringLiteral("Making"), [&](ClassBench& bench, const JobHooks&) {
                return bench.make(wanted("Autumn"), out);
            }));
        QVERIFY(made && *made);
        QVERIFY(fs::exists(out));
        const auto heads = wait(
            desk->run<std::vector<ClassHead>>({}, [](ClassBench& bench, const JobHooks&) { return bench.heads(); }));
        QVERIFY(heads && *heads);
        QCOMPARE((**heads).size(), std::size_t{1});
        QCOMPARE((**heads)[0].people, 2);
        QCOMPARE((**heads)[0].newest, std::string("Week 1"));
        const auto state = wait(desk->run<ClassState>({}, [](ClassBench& bench, const JobHooks&) {
            return bench.state({"autumn", {}, false});
        }));
        QVERIFY(state && *state);
        QCOMPARE((**state).members.size(), std::size_t{2});
        QCOMPARE((**state).count(HandIn::State::Missing), 2);
        QVERIFY((**state).shown() != nullptr);
    }

    void pagesCannotBeClasses()
    {
        const auto desk = this->desk();
        for (const char* name : {"New", "sample", "***"}) {
            const auto made = wait(desk->run<classroom::MadeAssignment>({}, [&](ClassBench& bench, const JobHooks&) {
                return bench.make(wanted(name), fs::path(m_home.path().toStdString()) / "x.ridgeclass");
            }));
            QVERIFY(made && !*made);
            QCOMPARE(made->error().code, std::string("bad-name"));
        }
        QVERIFY(!fs::exists(fs::path(m_home.path().toStdString()) / "x.ridgeclass"));
    }

    void theSampleIsReadAndNotChanged()
    {
        const auto desk = this->desk();
        const ClassRequest sample{{}, {}, true};
        const auto state =
            wait(desk->run<ClassState>({}, [=](ClassBench& bench, const JobHooks&) { return bench.state(sample); }));
        QVERIFY(state && *state);
        QCOMPARE((**state).report.learners.size(), std::size_t{12});
        QVERIFY((**state).count(HandIn::State::Missing) > 0);
        const auto collected = wait(desk->run<Collected>({}, [&](ClassBench& bench, const JobHooks& hooks) {
            return bench.collect(sample, {m_data / "assets/samples/class"}, hooks);
        }));
        QVERIFY(collected && !*collected);
        QCOMPARE(collected->error().code, std::string("read-only"));
        const auto nameless = wait(desk->run<classroom::ClassReport>(
            {}, [=](ClassBench& bench, const JobHooks&) { return bench.nameless(sample); }));
        QVERIFY(nameless && *nameless);
        const std::string said = classroom::toJson(**nameless).dump();
        for (const record::MemberRow& member : (**state).members)
            QVERIFY(said.find(member.name) == std::string::npos);
    }

    void theEventLoopGoesOnWhileFilesAreRead()
    {
        const auto desk = this->desk();
        Heart heart;
        auto future = desk->run<ClassState>({}, [](ClassBench& bench, const JobHooks&) {
            return bench.state({{}, {}, true});
        });
        const auto state = wait(future);
        QVERIFY(state && *state);
        QVERIFY2(heart.longest < 100, qPrintable(QString::number(heart.longest)));
    }

    void stoppedCollectingKeepsWhatItHas()
    {
        const auto desk = this->desk();
        const ClassRequest request{"trial", {}, false};
        // The sample's own assignment, so that its submissions belong to the class.
        const auto bytes = readFile(m_data / "assets/samples/class/assignment.ridgeclass");
        QVERIFY(bytes.ok());
        classroom::NewAssignment adopted;
        adopted.name = "Trial";
        QVERIFY(classroom::adoptAssignment(m_home.path().toStdString(), adopted, *bytes, "assignment.ridgeclass").ok());
        const auto take = [&](bool stop) {
            return wait(
                desk->run<Collected>(QStringLiteral("Collecting"), [&, stop](ClassBench& bench, const JobHooks& hooks) {
                    int asked = 0;
                    JobHooks own = hooks;
                    own.stopped = [&] { return stop && ++asked > 3; };
                    return bench.collect(request, {m_data / "assets/samples/class"}, own);
                }));
        };
        const auto some = take(true);
        QVERIFY(some && *some);
        QVERIFY((**some).stopped);
        QVERIFY((**some).report.merged > 0 && (**some).report.merged < 12);
        const auto rest = take(false);
        QVERIFY(rest && *rest);
        QCOMPARE((**rest).report.merged + (**some).report.merged, 12);
    }

    void whatRunsEndsWithTheDesk()
    {
        auto desk = this->desk();
        std::atomic<bool> begun = false, ended = false;
        auto future = desk->run<int>(QStringLiteral("Waiting"), [&](ClassBench&, const JobHooks& hooks) -> Result<int> {
            begun = true;
            while (!hooks.stopped())
                QThread::yieldCurrentThread();
            ended = true;
            return 1;
        });
        auto never = desk->run<int>({}, [](ClassBench&, const JobHooks&) -> Result<int> { return 2; });
        QTRY_VERIFY(begun);
        desk.reset();
        QVERIFY(ended);
        QVERIFY(never.isFinished() && never.resultCount() == 0);
    }
};

QTEST_GUILESS_MAIN(TestClassDesk)
#include "tst_class_desk.moc"
