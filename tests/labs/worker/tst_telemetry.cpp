// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge-worker telemetry` over its pipe, with stand-ins for libcuda and NVML.
#include "base/json.h"
#include "tests/support/process.h"

#include <QtTest>

using namespace ridge;

namespace {

test::Environment fakes(const char* nvml = "")
{
    const QString folder = QCoreApplication::applicationDirPath();
    return {{QStringLiteral("RIDGE_LIBCUDA"), folder + QStringLiteral("/fake_cuda.so")},
            {QStringLiteral("RIDGE_LIBNVML"), folder + QStringLiteral("/fake_nvml.so")},
            {QStringLiteral("RIDGE_FAKE_CUDA"), QString()},
            {QStringLiteral("RIDGE_FAKE_NVML"), QString::fromLatin1(nvml)}};
}

QStringList verb(const char* target, const char* period = "50")
{
    return {QStringLiteral("telemetry"), QString::fromLatin1(target), QString::fromLatin1(period)};
}

} // namespace

class TestTelemetry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void linesUntilStandardInputEnds()
    {
        QProcess process;
        process.setProcessEnvironment(test::environmentWith(fakes("clock=1500,reasons=36")));
        process.start(test::binary(QStringLiteral("ridge-worker")), verb("gpu:0"));
        for (int i = 0; i < 3; ++i) {
            QTRY_VERIFY_WITH_TIMEOUT(process.canReadLine(), 20000);
            const QByteArray line = process.readLine();
            const auto json = parseJson(line.toStdString(), "line");
            QVERIFY2(json.ok(), line.constData());
            QCOMPARE((*json)["target"].get<std::string>(), std::string("gpu:0"));
            QCOMPARE((*json)["watts"].get<double>(), 350.0);
            QCOMPARE((*json)["power_limit_watts"].get<double>(), 700.0);
            QCOMPARE((*json)["celsius"].get<double>(), 40.0);
            QCOMPARE((*json)["sm_clock_hz"].get<double>(), 1.5e9);
            QCOMPARE((*json)["lowered_by"], Json({"power limit", "temperature"})); // bits 0x4 and 0x20
        }
        QCOMPARE(process.state(), QProcess::Running);
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("tells");
        QTest::addColumn<QString>("nvml");
        QTest::addColumn<QString>("code");
        const QString good = QStringLiteral("fake_nvml.so");
        QTest::newRow("simulator") << "sim:h100-sxm"
                                   << "" << good << "unknown-target";
        QTest::newRow("no number") << "gpu:"
                                   << "" << good << "unknown-target";
        QTest::newRow("words") << "gpu:0x"
                               << "" << good << "unknown-target";
        QTest::newRow("negative") << "gpu:-1"
                                  << "" << good << "unknown-target";
        QTest::newRow("short") << "gp"
                               << "" << good << "unknown-target";
        QTest::newRow("no such GPU") << "gpu:7"
                                     << "" << good << "unknown-target";
        QTest::newRow("no NVML") << "gpu:0"
                                 << ""
                                 << "nowhere.so"
                                 << "no-nvml";
        QTest::newRow("NVML fails") << "gpu:0"
                                    << "init=1" << good << "no-nvml";
    }
    void refuses()
    {
        QFETCH(QString, target);
        QFETCH(QString, tells); // to the stand-in for NVML
        QFETCH(QString, nvml);
        QFETCH(QString, code);
        test::Environment environment = fakes(tells.toLatin1().constData());
        environment[1].second = QCoreApplication::applicationDirPath() + QLatin1Char('/') + nvml;
        const auto outcome = test::runProgram(QStringLiteral("ridge-worker"), verb(target.toLatin1().constData()),
                                              environment, {}, 20000);
        QVERIFY(outcome.ended);
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(outcome.out.isEmpty());
        const auto json = parseJson(outcome.err.trimmed().toStdString(), "error");
        QVERIFY2(json.ok(), outcome.err.constData());
        QCOMPARE(QString::fromStdString((*json)["code"].get<std::string>()), code);
    }

    void noDriver()
    {
        test::Environment environment = fakes();
        environment[0].second = QStringLiteral("/nowhere/libcuda.so.1");
        const auto outcome = test::runProgram(QStringLiteral("ridge-worker"), verb("gpu:0"), environment, {}, 20000);
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.err.contains("no-driver"), outcome.err.constData());
    }

    void periodIsChecked()
    {
        for (const char* period : {"0", "-5", "soon"})
            QCOMPARE(
                test::runProgram(QStringLiteral("ridge-worker"), verb("gpu:0", period), fakes(), {}, 20000).exitCode,
                2);
    }
};

QTEST_GUILESS_MAIN(TestTelemetry)
#include "tst_telemetry.moc"
