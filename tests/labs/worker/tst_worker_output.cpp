// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/last_words.h"
#include "labs/worker/worker_output.h"

#include <QtTest>
#include <fcntl.h>
#include <functional>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ridge;

class TestWorkerOutput : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBeatRepeatsTheLastProgress();
    void noBeatComesBetweenASampleAndItsTraces();
    void nothingComesAfterTheEnd();
    void whatNobodyCatchesIsSaid_data();
    void whatNobodyCatchesIsSaid();
    void whatIsTooLongForALineIsToldAsThat();
};

namespace {

/// Standard output as a pipe while it lives, for WorkerOutput takes hold of it.
class Captured {
public:
    Captured()
    {
        if (::pipe(m_pipe) != 0)
            qFatal("no pipe");
        m_kept = ::dup(STDOUT_FILENO);
        ::dup2(m_pipe[1], STDOUT_FILENO);
        ::close(m_pipe[1]);
        m_output.emplace();
    }
    ~Captured()
    {
        ::dup2(m_kept, STDOUT_FILENO);
        ::close(m_kept);
        ::close(m_pipe[0]);
    }
    labs::WorkerOutput& output() { return *m_output; }

    /// One letter an event: p(rogress), s(ample), t(race), f(inished), ? any other.
    std::string events()
    {
        ::fcntl(m_pipe[0], F_SETFL, O_NONBLOCK);
        std::string bytes(1 << 16, '\0');
        const ssize_t count = ::read(m_pipe[0], bytes.data(), bytes.size());
        EventReader reader;
        reader.feed(std::string_view(bytes).substr(0, count > 0 ? static_cast<std::size_t>(count) : 0));
        std::string letters;
        for (auto event = reader.next(); event && *event; event = reader.next()) {
            const Event& each = **event;
            letters += std::holds_alternative<ProgressEvent>(each)   ? 'p'
                       : std::holds_alternative<SampleEvent>(each)   ? 's'
                       : std::holds_alternative<TraceEvent>(each)    ? 't'
                       : std::holds_alternative<FinishedEvent>(each) ? 'f'
                                                                     : '?';
        }
        return letters;
    }

private:
    int m_pipe[2] = {-1, -1};
    int m_kept = -1;
    std::optional<labs::WorkerOutput> m_output;
};

} // namespace

void TestWorkerOutput::aBeatRepeatsTheLastProgress()
{
    Captured captured;
    captured.output().beat(); // before the first event: it prepares
    captured.output().send(ProgressEvent{0.25, "half of the first"});
    captured.output().beat();
    captured.output().beat();
    QCOMPARE(captured.events(), std::string("pppp"));
}

void TestWorkerOutput::noBeatComesBetweenASampleAndItsTraces()
{
    Captured captured;
    labs::WorkerOutput& output = captured.output();
    SampleEvent sample;
    sample.validity = "valid";
    output.send(ProgressEvent{0, "first"});
    output.send(sample);
    output.beat();
    output.send(TraceEvent{0, "memory", "bytes", true});
    output.beat();
    output.send(TraceEvent{0, "launch", "more", false});
    output.beat(); // all of the point is said
    QCOMPARE(captured.events(), std::string("psttp"));
}

void TestWorkerOutput::nothingComesAfterTheEnd()
{
    Captured captured;
    captured.output().send(ProgressEvent{0, "first"});
    captured.output().send(FinishedEvent{"valid", 0.1});
    captured.output().beat();
    captured.output().send(ProgressEvent{1, "late"});
    QVERIFY(!captured.output().failIfOpen(Error{"late", "too late", {}, {}}));
    QCOMPARE(captured.events(), std::string("pf"));
}

void TestWorkerOutput::whatNobodyCatchesIsSaid_data()
{
    QTest::addColumn<bool>("isMemory");
    QTest::addColumn<bool>("onThread");
    QTest::addColumn<QString>("code");
    QTest::newRow("memory, on a thread of the simulation") << true << true << "out-of-memory";
    QTest::newRow("memory, out of a destructor or a function that may not throw") << true << false << "out-of-memory";
    QTest::newRow("a broken contract") << false << true << "internal";
}

void TestWorkerOutput::whatNobodyCatchesIsSaid()
{
    QFETCH(bool, isMemory);
    QFETCH(bool, onThread);
    QFETCH(QString, code);
    int ends[2];
    QCOMPARE(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        labs::WorkerOutput output;
        labs::speakBeforeTheEnd(output);
        output.send(ProgressEvent{0.5, "half"});
        const std::function<void()> throws = [isMemory] {
            if (isMemory)
                throw std::bad_alloc();
            throw std::logic_error("no such thing");
        };
        if (onThread)
            std::thread(throws).join();
        else
            [&]() noexcept { throws(); }();
        ::_exit(77);
    }
    ::close(ends[1]);
    std::string bytes;
    std::array<char, 4096> part;
    for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) > 0;)
        bytes.append(part.data(), static_cast<std::size_t>(count));
    ::close(ends[0]);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY2(WIFEXITED(status), "it was killed by a signal");
    QCOMPARE(WEXITSTATUS(status), 1);
    EventReader reader;
    reader.feed(bytes);
    QString found;
    for (auto event = reader.next(); event && *event; event = reader.next())
        if (const auto* failed = std::get_if<FailedEvent>(&**event))
            found = QString::fromStdString(failed->error.code);
    QCOMPARE(found, code);
}

/// A reader takes a line above its bound for another program's and says so.
void TestWorkerOutput::whatIsTooLongForALineIsToldAsThat()
{
    Captured captured;
    captured.output().send(ProgressEvent{0, "first"});
    captured.output().send(ProgressEvent{0.5, std::string(EventReader::kMaxLine, 'x')});
    captured.output().send(ProgressEvent{1, "late"});
    QCOMPARE(captured.events(), std::string("p?")); // the second says that it failed
}

QTEST_GUILESS_MAIN(TestWorkerOutput)
#include "tst_worker_output.moc"
