// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/fingerprint.h"

#include <QtTest>
#include <unistd.h>

using namespace ridge;
using namespace ridge::silicon;

class TestFingerprint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tellsTheMachine();
    void readsWhatTheSystemSays();
    void missingFilesAreUnknownNotWrong();
    void nothingPersonal();
    void gpu();
    void powerSources();

private:
    void put(const QString& path, const char* text) const;
    QTemporaryDir m_dir;
};

void TestFingerprint::put(const QString& path, const char* text) const
{
    const QString full = m_dir.filePath(path);
    QVERIFY(QDir().mkpath(QFileInfo(full).path()));
    QFile file(full);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write(text) > 0);
}

void TestFingerprint::tellsTheMachine()
{
    const Json print = machineFingerprint();
    for (const char* key : {"cpu", "cores", "ram_gib", "os", "kernel", "arch", "app", "power"})
        QVERIFY2(print.contains(key), key);
    QVERIFY(print["cores"].get<int>() >= 1);
    QVERIFY(print["ram_gib"].get<double>() > 0.1);
    QCOMPARE(print["app"].get<std::string>(), appVersion());
    QVERIFY(QRegularExpression(QStringLiteral("^\\d+\\.\\d+\\.\\d+$"))
                .match(QString::fromStdString(appVersion()))
                .hasMatch());
}

void TestFingerprint::readsWhatTheSystemSays()
{
    put(QStringLiteral("cpuinfo"), "processor\t: 0\nmodel name\t: Example CPU 9000\nflags\t: avx2\n");
    put(QStringLiteral("meminfo"), "MemTotal:       16777216 kB\nMemFree:  1 kB\n");
    put(QStringLiteral("os-release"), "NAME=x\nPRETTY_NAME=\"Example OS 1\"\n");
    SystemFiles files;
    files.cpuinfo = m_dir.filePath(QStringLiteral("cpuinfo")).toStdString();
    files.meminfo = m_dir.filePath(QStringLiteral("meminfo")).toStdString();
    files.osRelease = m_dir.filePath(QStringLiteral("os-release")).toStdString();
    const Json print = machineFingerprint(files);
    QCOMPARE(print["cpu"].get<std::string>(), std::string("Example CPU 9000"));
    QCOMPARE(print["ram_gib"].get<double>(), 16.0);
    QCOMPARE(print["os"].get<std::string>(), std::string("Example OS 1"));
}

void TestFingerprint::missingFilesAreUnknownNotWrong()
{
    const SystemFiles nowhere{"/nowhere/a", "/nowhere/b", "/nowhere/c", "/nowhere/d"};
    const Json print = machineFingerprint(nowhere);
    QCOMPARE(print["cpu"].get<std::string>(), std::string("unknown"));
    QCOMPARE(print["os"].get<std::string>(), std::string("unknown"));
    QCOMPARE(print["power"].get<std::string>(), std::string("unknown"));
    QCOMPARE(print["ram_gib"].get<double>(), 0.0);
}

void TestFingerprint::nothingPersonal()
{
    char host[256] = {};
    QCOMPARE(gethostname(host, sizeof host - 1), 0);
    GpuFacts facts;
    facts.name = "Example GPU";
    facts.uuid = "GPU-0123-secret";
    const std::string all = machineFingerprint().dump() + gpuFingerprint(facts).dump();
    QVERIFY(all.find("GPU-0123-secret") == std::string::npos);
    if (std::strlen(host) > 4)
        QVERIFY(all.find(host) == std::string::npos);
}

void TestFingerprint::gpu()
{
    GpuFacts facts;
    facts.name = "NVIDIA H200";
    facts.computeMajor = 9;
    facts.smCount = 132;
    facts.driver = "580.159.04";
    facts.ecc = false;
    facts.uuid = "GPU-a";
    const Json print = gpuFingerprint(facts);
    QCOMPARE(print["compute_capability"].get<std::string>(), std::string("9.0"));
    QCOMPARE(print["sm_count"].get<int>(), 132);
    QCOMPARE(print["ecc"].get<bool>(), false);
    QVERIFY(!print.contains("clock_hz")); // unknown is left out, not written as 0
    QCOMPARE(print["device_hash"].get<std::string>().size(), std::size_t(16));
    QCOMPARE(hashedDeviceId("GPU-a"), hashedDeviceId("GPU-a"));
    QVERIFY(hashedDeviceId("GPU-a") != hashedDeviceId("GPU-b"));
}

void TestFingerprint::powerSources()
{
    put(QStringLiteral("ps/AC/type"), "Mains\n");
    put(QStringLiteral("ps/AC/online"), "1\n");
    put(QStringLiteral("ps/BAT0/type"), "Battery\n");
    put(QStringLiteral("ps/BAT0/status"), "Discharging\n");
    const std::filesystem::path folder = m_dir.filePath(QStringLiteral("ps")).toStdString();
    QCOMPARE(powerSource(folder), std::string("ac"));
    put(QStringLiteral("ps/AC/online"), "0\n");
    QCOMPARE(powerSource(folder), std::string("battery"));
    put(QStringLiteral("ps/BAT0/status"), "Charging\n");
    QCOMPARE(powerSource(folder), std::string("unknown"));
}

QTEST_APPLESS_MAIN(TestFingerprint)
#include "tst_fingerprint.moc"
