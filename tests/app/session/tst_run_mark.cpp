// SPDX-License-Identifier: GPL-3.0-or-later
// What the program leaves when it falls over, and what the next start says of it. The program is the real one.
#include "app/session/run_mark.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

} // namespace

class TestRunMark : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_home;

    QString at(const char* file) const { return m_home->filePath(s(file)); }
    std::filesystem::path home() const { return m_home->path().toStdString(); }
    QStringList reports() const { return QDir(at("reports")).entryList(QDir::Files, QDir::Name); }
    QString textOf(const QString& path) const
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    /// Starts the window on a page, waits until it is there, and ends it with a signal.
    void endedBy(int number)
    {
        QProcess program;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(s("RIDGE_HOME"), m_home->path());
        environment.insert(s("QT_QPA_PLATFORM"), s("offscreen"));
        program.setProcessEnvironment(environment);
        program.start(qEnvironmentVariable("RIDGE_BIN") + s("/ridgepoint"), {s("--open"), s("lesson/1.6")});
        QVERIFY(program.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(textOf(at("session/running.json")).contains(s("lesson/1.6")), 30000);
        QCOMPARE(::kill(static_cast<pid_t>(program.processId()), number), 0);
        QVERIFY(program.waitForFinished(60000));
        QCOMPARE(program.exitStatus(), QProcess::CrashExit);
        QCOMPARE(program.exitCode(), number); // still ended by what ended it
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }

    void aGoodEndLeavesNothing()
    {
        {
            auto mark = RunMark::begin(home(), s("1.0"));
            QVERIFY(mark.ok());
            (*mark)->setPlace(s("lab"));
            QVERIFY(!(*mark)->lastEnd());
            QVERIFY(QFile::exists(at("session/running.json")));
        }
        QVERIFY(QDir(at("session")).isEmpty());
        auto again = RunMark::begin(home(), s("1.0"));
        QVERIFY(!(*again)->lastEnd());
        QVERIFY(reports().isEmpty());
    }

    void aCrashIsTold_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("cause");
        QTest::newRow("segmentation fault") << SIGSEGV << s("SIGSEGV");
        QTest::newRow("abort") << SIGABRT << s("SIGABRT");
        QTest::newRow("killed") << SIGKILL << QString();
    }
    void aCrashIsTold()
    {
        QFETCH(int, number);
        QFETCH(QString, cause);
        endedBy(number);
        auto mark = RunMark::begin(home(), s("2.0"));
        QVERIFY(mark.ok());
        const auto& end = (*mark)->lastEnd();
        QVERIFY(end.has_value());
        QCOMPARE(end->cause, cause);
        QCOMPARE(end->place, s("lesson/1.6"));
        QVERIFY(!end->started.isEmpty());
        const QString report = textOf(end->report);
        QVERIFY2(report.contains(s("lesson/1.6")), qPrintable(report));
        QVERIFY2(report.contains(cause.isEmpty() ? s("killed, or the machine went down") : cause), qPrintable(report));
        // The calls that led to it, as far as the program's symbols go.
        QCOMPARE(report.contains(s("ridgepoint(")) || report.contains(s("libQt6")), !cause.isEmpty());
        // Told once.
        mark->reset();
        auto next = RunMark::begin(home(), s("2.0"));
        QVERIFY(!(*next)->lastEnd());
        QCOMPARE(reports().size(), 1);
    }

    void beingAskedToEndIsAGoodEnd()
    {
        endedBy(SIGTERM);
        auto mark = RunMark::begin(home(), s("2.0"));
        QVERIFY(!(*mark)->lastEnd());
    }

    void whatWasCutOffStillTells()
    {
        QVERIFY(QDir().mkpath(at("session")));
        QFile file(at("session/running.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"pid\": 1, \"sta");
        file.close();
        auto mark = RunMark::begin(home(), s("2.0"));
        QVERIFY((*mark)->lastEnd());
        QVERIFY((*mark)->lastEnd()->place.isEmpty());
    }

    void reportsDoNotPileUp()
    {
        for (int i = 0; i < RunMark::kKeptReports + 3; ++i) {
            QVERIFY(QDir().mkpath(at("session")));
            QFile file(at("session/running.json"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("{}");
            file.close();
            auto mark = RunMark::begin(home(), s("2.0"));
            QVERIFY((*mark)->lastEnd());
        }
        QCOMPARE(reports().size(), RunMark::kKeptReports);
    }

    void aFolderThatCannotBeWrittenIsNamed()
    {
        QFile file(at("plain"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto mark = RunMark::begin(at("plain").toStdString(), s("2.0"));
        QVERIFY(!mark);
        QCOMPARE(mark.error().code, std::string("cannot-write"));
        QVERIFY(mark.error().place.ends_with("plain/session"));
    }
};

QTEST_MAIN(TestRunMark)
#include "tst_run_mark.moc"
