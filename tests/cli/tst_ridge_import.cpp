// SPDX-License-Identifier: GPL-3.0-or-later
// Files of other tools become artifacts by `ridge import`.
#include "base/json.h"
#include "tests/support/process.h"

#include <QTemporaryDir>
#include <QtTest>
#include <sys/stat.h>

using namespace ridge;

class TestRidgeImport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }

    void aFileBecomesAnArtifactThatCanBeExported()
    {
        const auto outcome = ridge({QStringLiteral("import"), fixture("all_reduce.log"), QStringLiteral("--title"),
                                    QStringLiteral("Our node"), QStringLiteral("--json")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const auto json = parseJson(outcome.out.toStdString(), "import");
        QVERIFY(json);
        QCOMPARE(json->at("title").get<std::string>(), std::string("Our node"));
        QCOMPARE(json->at("provenance").get<std::string>(), std::string("RECORDED"));
        QCOMPARE(json->at("figures").size(), std::size_t(13)); // two sizes of six, and the average
        QCOMPARE(json->at("machine").at("ranks").get<std::string>(), std::string("4"));

        const auto listed = ridge({QStringLiteral("artifacts"), QStringLiteral("--json")});
        const auto artifacts = parseJson(listed.out.toStdString(), "artifacts");
        QVERIFY(artifacts);
        QCOMPARE(artifacts->size(), std::size_t(1));
        QCOMPARE((*artifacts)[0].at("kind").get<std::string>(), std::string("benchmark report"));
        QCOMPARE((*artifacts)[0].at("trust").get<std::string>(), std::string("T0"));

        const auto exported =
            ridge({QStringLiteral("export"), QStringLiteral("--out"), m_home->filePath(QStringLiteral("out"))});
        QCOMPARE(exported.exitCode, 0);
        const QString folder = QString::fromUtf8(exported.out).trimmed();
        QFile copy(folder + QStringLiteral("/files/all_reduce.log")), original(fixture("all_reduce.log"));
        QVERIFY(copy.open(QIODevice::ReadOnly) && original.open(QIODevice::ReadOnly));
        QCOMPARE(copy.readAll(), original.readAll());
        QVERIFY(QFile::exists(folder + QStringLiteral("/figures.csv")));
    }

    void theTableSaysWhereEachFigureStands()
    {
        const auto outcome = ridge({QStringLiteral("import"), fixture("nextpnr.log")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QVERIFY2(outcome.out.contains("45.5 MHz"), outcome.out.constData());
        QVERIFY(outcome.out.contains("line 6"));
    }

    void whatCannotBeReadLeavesNothingBehind_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const QString log = fixture("all_reduce.log");
        QTest::newRow("no such file") << QStringList{QStringLiteral("/nowhere/x.log")} << QByteArray("/nowhere/x.log");
        QTest::newRow("no format") << QStringList{fixture("make-memory-snapshot")} << QByteArray("nccl-tests:");
        QTest::newRow("unknown format") << QStringList{log, QStringLiteral("--format"), QStringLiteral("perf")}
                                        << QByteArray("'perf'");
        QTest::newRow("a device") << QStringList{QStringLiteral("/dev/zero")} << QByteArray("is a device");
        QTest::newRow("another format") << QStringList{log, QStringLiteral("--format"), QStringLiteral("ncu")}
                                        << QByteArray("ncu --csv");
    }
    void whatCannotBeReadLeavesNothingBehind()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const auto outcome = ridge(QStringList{QStringLiteral("import")} + arguments);
        QVERIFY(outcome.ended && outcome.exitCode != 0);
        QVERIFY2(outcome.err.contains(says), outcome.err.constData());
        const auto listed = ridge({QStringLiteral("artifacts"), QStringLiteral("--json")});
        QCOMPARE(listed.out.trimmed(), QByteArray("[]"));
    }

    /// Nobody can tell from its bytes which of the older character sets a file has; the line that has them can be told.
    void anOlderCharacterSetIsToldWithItsLine()
    {
        QFile log(fixture("llama.csv"));
        QVERIFY(log.open(QIODevice::ReadOnly));
        QByteArray text = log.readAll();
        const qsizetype at = text.indexOf("NVIDIA", text.indexOf('\n'));
        QVERIFY(at > 0);
        text.insert(at, "G\xe9"
                        "nial ");
        QFile older(m_home->filePath(QStringLiteral("older.csv")));
        QVERIFY(older.open(QIODevice::WriteOnly) && older.write(text) == text.size());
        older.close();
        const auto outcome = ridge({QStringLiteral("import"), older.fileName()});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.err.contains("older.csv:2") && outcome.err.contains("UTF-8"), outcome.err.constData());
        QCOMPARE(ridge({QStringLiteral("artifacts"), QStringLiteral("--json")}).out.trimmed(), QByteArray("[]"));
    }

    void aPipeIsNoFile()
    {
        const QByteArray pipe = m_home->filePath(QStringLiteral("pipe")).toUtf8();
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        for (const char* command : {"import", "merge"}) {
            const auto outcome = ridge({QString::fromUtf8(command), QString::fromUtf8(pipe)});
            QVERIFY2(outcome.ended && outcome.exitCode != 0 && !outcome.crashed, command);
        }
    }

private:
    test::Outcome ridge(const QStringList& arguments) const
    {
        return test::runProgram(QStringLiteral("ridge"), arguments, {{QStringLiteral("RIDGE_HOME"), m_home->path()}},
                                {}, 60000);
    }
    static QString fixture(const char* name)
    {
        return qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/imports/data/") + QLatin1String(name);
    }
    std::unique_ptr<QTemporaryDir> m_home;
};

QTEST_GUILESS_MAIN(TestRidgeImport)
#include "tst_ridge_import.moc"
