// SPDX-License-Identifier: GPL-3.0-or-later
// The real program, closed as soon as it has painted, while what its page shows is still read from a large record.
#include "tests/support/many_runs.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace ridge;

class TestQuit : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;
    QTemporaryDir m_runtime;

private Q_SLOTS:
    void initTestCase()
    {
        const std::string fault = test::addManyRuns(m_home.path().toStdString(), 60000);
        QVERIFY2(fault.empty(), fault.c_str());
        QFile::setPermissions(m_runtime.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    void anyPageMayBeClosedWhileItIsRead_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<int>("times");
        // By far the longest read; it crashed in six of ten.
        QTest::newRow("runs") << QStringLiteral("runs") << 8;
        for (const char* page : {"home", "data", "doctor", "portfolio", "assemble", "insight", "compare", "class",
                                 "module/2", "lesson/2.4"})
            QTest::newRow(page) << QString::fromLatin1(page) << 2;
    }
    void anyPageMayBeClosedWhileItIsRead()
    {
        QFETCH(QString, page);
        QFETCH(int, times);
        qint64 longest = 0;
        for (int i = 0; i < times; ++i) {
            QProcess program;
            auto environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("RIDGE_HOME"), m_home.path());
            environment.insert(QStringLiteral("RIDGE_CACHE"), m_home.path() + QStringLiteral("/cache"));
            environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), m_runtime.path());
            environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
            program.setProcessEnvironment(environment);
            QElapsedTimer took;
            took.start();
            program.start(qEnvironmentVariable("RIDGE_BIN") + QStringLiteral("/ridgepoint"),
                          {QStringLiteral("--quit-after-paint"), QStringLiteral("--open"), page});
            QVERIFY(program.waitForFinished(120000));
            longest = std::max(longest, took.elapsed());
            QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0,
                     (QByteArray::number(i + 1) + ". time: " + QByteArray::number(program.exitCode()) + "\n" +
                      program.readAllStandardError())
                         .constData());
        }
        qInfo("%s: at most %lld ms from start to end", qPrintable(page), longest);
        QVERIFY(QDir(m_home.path() + QStringLiteral("/reports")).isEmpty()); // no crash was reported either
    }
};

QTEST_MAIN(TestQuit)
#include "tst_quit.moc"
