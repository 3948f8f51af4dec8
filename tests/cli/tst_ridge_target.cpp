// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge target` and runs on remote targets, as scripts use them.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;

namespace {

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

} // namespace

class TestRidgeTarget : public QObject {
    Q_OBJECT
private:
    test::Outcome ridge(const QStringList& arguments) const
    {
        return test::runProgram(s("ridge"), arguments,
                                {{s("RIDGE_HOME"), m_home->path() + s("/home")}, {s("RIDGE_SIM_THREADS"), s("1")}});
    }
    /// A machine that is this one with a cache folder of its own.
    QString launcher() const { return s("env RIDGE_CACHE=%1/there").arg(m_home->path()); }
    static Json document(const test::Outcome& outcome)
    {
        auto json = parseJson(outcome.out.toStdString(), "standard output");
        return json ? *json : Json();
    }
    std::unique_ptr<QTemporaryDir> m_home;

private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }

    void fromAddToRemove()
    {
        auto outcome = ridge({s("target"), s("add"), s("box"), s("--launcher"), launcher(), s("--json")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        Json json = document(outcome);
        QCOMPARE(json.at("name"), "box");
        QVERIFY(json.at("worker").at("copied").get<bool>());
        QVERIFY(std::ranges::any_of(json.at("targets"), [](const Json& row) { return row.at("id") == "box:cpu"; }));

        outcome = ridge({s("target"), s("add"), s("box"), s("--launcher"), s("ssh elsewhere")});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.err.contains("already"));
        outcome = ridge({s("target"), s("check"), s("box")});
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.out.contains("box answers") && outcome.out.contains("there already"), outcome.out.constData());

        outcome = ridge({s("run"), s("coalescing"), s("--target"), s("box:sim:t4"), s("--sweep"), s("stride=1,2"),
                         s("--json"), s("--save")});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        json = document(outcome);
        QCOMPARE(json.at("target"), "box:sim:t4");
        QCOMPARE(json.at("provenance"), "SIMULATED");
        QCOMPARE(json.at("samples").size(), std::size_t(2));
        QCOMPARE(json.at("saved").size(), std::size_t(2));
        QVERIFY(json.at("fingerprint").contains("cpu"));

        json = document(ridge({s("target"), s("list"), s("--json")}));
        QCOMPARE(json.at("targets").size(), std::size_t(1));
        QCOMPARE(json.at("targets")[0].at("launcher").get<std::string>(), launcher().toStdString());
        QCOMPARE(ridge({s("target"), s("remove"), s("box")}).exitCode, 0);
        QVERIFY(ridge({s("target"), s("list")}).out.contains("no remote targets"));
        outcome = ridge({s("run"), s("coalescing"), s("--target"), s("box:sim:t4")});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.err.contains("no remote target box"));
    }

    void keptWithoutAsking()
    {
        QCOMPARE(ridge({s("target"), s("add"), s("far"), s("--launcher"), s("/nowhere/ssh gpu01"), s("--no-check")})
                     .exitCode,
                 0);
        QVERIFY(ridge({s("target"), s("list")}).out.contains("not asked yet"));
        const auto outcome = ridge({s("run"), s("coalescing"), s("--target"), s("far:sim:t4")});
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.err.contains("/nowhere/ssh"), outcome.err.constData());
    }

    void badCommandLines_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QString>("says");
        const auto add = [](const char* name, const char* called, const char* launcher, int exit, const char* says) {
            QTest::newRow(name) << QStringList{s("target"), s("add"),       s(called), s("--launcher"),
                                               s(launcher), s("--seconds"), s("1")}
                                << exit << s(says);
        };
        add("name of a kind", "gpu", "ssh a", 2, "kind of target");
        add("name", "Lab", "ssh a", 2, "small letters");
        add("open quote", "lab", "ssh 'a", 2, "never closed");
        add("shell", "lab", "ssh a; date", 2, "without a shell");
        add("empty", "lab", " ", 2, "empty");
        add("no program", "lab", "/nowhere/ssh a", 3, "cannot be started");
        add("hangs", "lab", "sleep 600", 3, "exit status");
        add("hangs with any words", "lab", "sh -c 'sleep 600'", 3, "said nothing for 1 s");
        QTest::newRow("unknown") << QStringList{s("target"), s("check"), s("lab")} << 2 << s("ridge target add lab");
        QTest::newRow("nothing") << QStringList{s("target")} << 2 << QString();
        QTest::newRow("no launcher") << QStringList{s("target"), s("add"), s("lab")} << 2 << s("--launcher");
    }
    void badCommandLines()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QString, says);
        const auto outcome = ridge(arguments);
        QVERIFY2(QString::fromUtf8(outcome.err + outcome.out).contains(says), outcome.err.constData());
        QCOMPARE(outcome.exitCode, exit);
        QVERIFY2(!QFile::exists(m_home->path() + s("/home/targets.json")), "what was refused was kept");
    }
};

QTEST_GUILESS_MAIN(TestRidgeTarget)
#include "tst_ridge_target.moc"
