// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/kernel_profile.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::silicon;

class TestKernelProfile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void profilesFollowFromTheirKernels();
    void h100ToH200();
    void timeIsTheLargerOfTheTwo();
    void atTheRidgeBothTakeAsLong();
    void reasons_data();
    void reasons();
    void everyChipAnswersOrSaysWhy();

private:
    Chip chip(const char* id) const { return *m_catalogue.find(id); }
    Catalogue m_catalogue;
};

void TestKernelProfile::initTestCase()
{
    m_catalogue = *shippedCatalogue();
}

void TestKernelProfile::profilesFollowFromTheirKernels()
{
    const double n = 8192;
    const KernelProfile& bf16 = *kernelProfile("gemm_bf16");
    QCOMPARE(bf16.flop, 2 * n * n * n);
    QCOMPARE(bf16.intensity, n / 3);
    QCOMPARE(bf16.bytes(), 3 * n * n * 2);
    QCOMPARE(kernelProfile("gemm_fp32")->intensity, n / 6);
    QCOMPARE(kernelProfile("gemm_fp8")->intensity, n / 2);
    QCOMPARE(kernelProfile("stream")->intensity, 1.0 / 6);
    QCOMPARE(kernelProfile("decode")->bytes(), 2 * 8'030'261'248.0);
    QVERIFY(!kernelProfile("gemm_fp4"));
    QCOMPARE(kernelProfiles().size(), std::size_t(5));
}

void TestKernelProfile::h100ToH200()
{
    // Curriculum 1.5: 1.0x for GEMM, 1.43x (4.8 / 3.35) for decode.
    const auto gemm = predictedSpeedup(m_catalogue, chip("h100-sxm"), chip("h200-sxm"), *kernelProfile("gemm_bf16"));
    QCOMPARE(gemm->ratio, 1.0);
    QVERIFY(gemm->from.bound == Bound::Compute);
    const auto decode = predictedSpeedup(m_catalogue, chip("h100-sxm"), chip("h200-sxm"), *kernelProfile("decode"));
    QCOMPARE(decode->ratio, 4.8 / 3.35);
    QVERIFY(std::abs(decode->ratio - 1.43) < 0.005);
    QVERIFY(decode->to.bound == Bound::Memory);
    // Curriculum 7.1: at least 4.8 ms a token on H100, 3.3 on H200.
    QVERIFY(std::abs(decode->from.seconds - 4.8e-3) < 0.05e-3);
    QVERIFY(std::abs(decode->to.seconds - 3.3e-3) < 0.05e-3);
}

void TestKernelProfile::timeIsTheLargerOfTheTwo()
{
    for (const KernelProfile& profile : kernelProfiles()) {
        const Result<KernelTime> time = predictedTime(m_catalogue, chip("h100-sxm"), profile);
        QVERIFY2(time.ok(), profile.id.c_str());
        QCOMPARE(time->computeSeconds, profile.flop / time->roof.flopsPerSecond);
        QCOMPARE(time->memorySeconds, profile.flop / profile.intensity / 3350e9);
        QCOMPARE(time->seconds, std::max(time->computeSeconds, time->memorySeconds));
        QCOMPARE(time->bound == Bound::Memory, profile.intensity < time->roof.ridge());
        QVERIFY(!time->fitsInL2);
    }
    KernelProfile small = *kernelProfile("stream");
    small.workingSetBytes = 50.0 * 1024 * 1024;
    QVERIFY(predictedTime(m_catalogue, chip("h100-sxm"), small)->fitsInL2);
    QCOMPARE(std::string(toText(Bound::Memory)), std::string("memory"));
    QCOMPARE(std::string(toText(Bound::Compute)), std::string("compute"));
}

void TestKernelProfile::atTheRidgeBothTakeAsLong()
{
    KernelProfile profile = *kernelProfile("gemm_bf16");
    profile.intensity = roofline(m_catalogue, chip("h100-sxm"), Precision::Bf16)->ridge();
    const Result<KernelTime> time = predictedTime(m_catalogue, chip("h100-sxm"), profile);
    QVERIFY(std::abs(time->computeSeconds / time->memorySeconds - 1) < 1e-12);
    profile.intensity *= 0.5;
    QCOMPARE(predictedTime(m_catalogue, chip("h100-sxm"), profile)->seconds / time->seconds, 2.0);
    profile.intensity *= 4;
    QCOMPARE(predictedTime(m_catalogue, chip("h100-sxm"), profile)->seconds, time->computeSeconds);
}

void TestKernelProfile::reasons_data()
{
    QTest::addColumn<QString>("chip");
    QTest::addColumn<QString>("profile");
    QTest::addColumn<double>("workingSet");
    QTest::addColumn<double>("intensity");
    QTest::addColumn<QString>("code");
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("no FP8 before Ada") << "a100-sxm-80"
                                       << "gemm_fp8" << 1.0 << 1.0 << "no-peak";
    QTest::newRow("no BF16 on Turing") << "t4"
                                       << "gemm_bf16" << 1.0 << 1.0 << "no-peak";
    QTest::newRow("fits to the byte") << "h100-sxm"
                                      << "decode" << 80e9 << 1.0 << "";
    QTest::newRow("does not fit") << "h100-sxm"
                                  << "decode" << 80e9 + 1 << 1.0 << "does-not-fit";
    QTest::newRow("no intensity") << "h100-sxm"
                                  << "decode" << 1.0 << 0.0 << "bad-profile";
    QTest::newRow("negative intensity") << "h100-sxm"
                                        << "decode" << 1.0 << -1.0 << "bad-profile";
    QTest::newRow("infinite") << "h100-sxm"
                              << "decode" << 1.0 << inf << "bad-profile";
    QTest::newRow("not a number") << "h100-sxm"
                                  << "decode" << nan << 1.0 << "bad-profile";
}

void TestKernelProfile::reasons()
{
    QFETCH(QString, chip);
    QFETCH(QString, profile);
    QFETCH(double, workingSet);
    QFETCH(double, intensity);
    QFETCH(QString, code);
    KernelProfile changed = *kernelProfile(profile.toStdString());
    changed.workingSetBytes = workingSet;
    changed.intensity = intensity;
    const Result<KernelTime> time = predictedTime(m_catalogue, *m_catalogue.find(chip.toStdString()), changed);
    QCOMPARE(time.ok() ? QString() : QString::fromStdString(time.error().code), code);
    if (!time.ok())
        QVERIFY(!time.error().message.empty() && !time.error().fix.empty());
    const auto speedup =
        predictedSpeedup(m_catalogue, *m_catalogue.find("h200-sxm"), *m_catalogue.find(chip.toStdString()), changed);
    QCOMPARE(speedup.ok(), time.ok());
}

void TestKernelProfile::everyChipAnswersOrSaysWhy()
{
    for (const Chip& one : m_catalogue.chips())
        for (const KernelProfile& profile : kernelProfiles()) {
            const Result<KernelTime> time = predictedTime(m_catalogue, one, profile);
            if (time.ok())
                QVERIFY2(time->seconds > 0 && std::isfinite(time->seconds), one.id.c_str());
            else
                QVERIFY2(time.error().code == "no-peak" || time.error().code == "does-not-fit", one.id.c_str());
        }
}

QTEST_APPLESS_MAIN(TestKernelProfile)
#include "tst_kernel_profile.moc"
