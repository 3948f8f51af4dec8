// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_runs.h"
#include "sim_point.h"

using namespace ridge;
using namespace ridge::labs;
using namespace ridge::labs::test;

namespace {

constexpr Regime kFew = Regime::Burst; // 20 samples at most

ParamSet rows(const char* kind, const char* rung = "vector", const char* reference = "cudnn")
{
    return {{"rung", std::string(rung)},
            {"kind", std::string(kind)},
            {"columns", std::int64_t{200}},
            {"elements", std::int64_t{4001}},
            {"reference", std::string(reference)}};
}

ParamSet heads(const char* mask, std::int64_t group = 1, const char* reference = "cudnn")
{
    return {{"rung", std::string("async")},       {"n", std::int64_t{9}},
            {"heads", std::int64_t{2}},           {"group", group},
            {"mask", std::string(mask)},          {"dtype", std::string("fp16")},
            {"reference", std::string(reference)}};
}

ParamSet toPeer(std::int64_t bytes, const char* reference = "nccl")
{
    return {{"bytes", bytes}, {"direction", std::string("peer")}, {"reference", std::string(reference)}};
}

const CheckResult* checkOf(const Point& point, const char* name)
{
    const auto found = std::ranges::find(point.checks, name, &CheckResult::name);
    return found == point.checks.end() ? nullptr : &*found;
}

void passes(const Point& point, const char* name)
{
    const CheckResult* check = checkOf(point, name);
    QVERIFY2(check != nullptr, name);
    QVERIFY2(check->passed, (check->name + ": " + check->detail).c_str());
}

bool says(const Point& point, const char* words)
{
    return point.logged.find(words) != std::string::npos;
}

} // namespace

/// cuDNN beside the norm ladder and NCCL beside the copy to another GPU, on stand-ins that compute and copy.
class TestVendorArms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void normsAgainstCudnn_data();
    void normsAgainstCudnn();
    void attentionAgainstCudnn_data();
    void attentionAgainstCudnn();
    void attentionThatCudnnDoesNotDo_data();
    void attentionThatCudnnDoesNotDo();
    void theCopyRungHasNone();
    void aWrongCudnnIsNotTimed();
    void withoutCudnnTheRunGoesOn_data();
    void withoutCudnnTheRunGoesOn();
    void simulatedChipsHaveNone();
    void copiesAgainstNccl();
    void aWrongNcclIsNotTimed();
    void withoutNcclTheRunGoesOn_data();
    void withoutNcclTheRunGoesOn();
    void otherDirectionsHaveNone();
};

void TestVendorArms::cleanup()
{
    for (const char* variable : {"RIDGE_LIBCUDNN", "RIDGE_FAKE_DNN", "RIDGE_LIBNCCL", "RIDGE_FAKE_NCCL"})
        qunsetenv(variable);
}

void TestVendorArms::normsAgainstCudnn_data()
{
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("rung");
    QTest::newRow("rms, vector") << QByteArray("rms") << QByteArray("vector");
    QTest::newRow("layer, cluster") << QByteArray("layer") << QByteArray("cluster");
}

void TestVendorArms::normsAgainstCudnn()
{
    QFETCH(QByteArray, kind);
    QFETCH(QByteArray, rung);
    useDnn("dnn_us=500");
    const Point point = FakeRuns(makeNorm(), "kernel_us=1500", kFew).at(rows(kind, rung));
    passes(point, "matches_reference");
    passes(point, "cudnn_matches_reference");
    passes(point, "guard_zones");
    QVERIFY2(says(point, "reference: cuDNN 9.28.1, engine 2 of 4"), point.logged.c_str());
    QVERIFY(point.provenance.at("cudnn_share") == Provenance::Measured);
    QVERIFY(point.metrics.at("cudnn_share_pairs") >= 10 && point.metrics.at("cudnn_share_iqr") >= 0);
    QVERIFY(point.metrics.at("share_of_copy_pairs") >= 10);
    // No launch of the stand-in takes less than it is told to, and engine 1 takes a third of the time of rung and copy:
    // mixed-up arms would show.
    const double bytes = 4.0 * 4000 + 2 * 200 * (kind == "layer" ? 2 : 1);
    QVERIFY2(point.metrics.at("cudnn_bandwidth") <= bytes / 0.5e-3 / 1e9 * 1.001, "faster than it was told to be");
    const double share = point.metrics.at("cudnn_share");
    QVERIFY2(share > 0 && share < 90, qPrintable(QString::number(share)));
}

void TestVendorArms::attentionAgainstCudnn_data()
{
    QTest::addColumn<QByteArray>("mask");
    QTest::addColumn<int>("group");
    QTest::newRow("full") << QByteArray("full") << 1;
    QTest::newRow("causal, grouped") << QByteArray("causal") << 2;
}

void TestVendorArms::attentionAgainstCudnn()
{
    QFETCH(QByteArray, mask);
    QFETCH(int, group);
    useDnn("dnn_us=500");
    const Point point = FakeRuns(makeAttention(), "kernel_us=1500", kFew).at(heads(mask, group));
    passes(point, "matches_reference");
    passes(point, "cudnn_matches_reference");
    passes(point, "guard_zones");
    QVERIFY2(says(point, "reference: cuDNN 9.28.1, engine 2 of 4"), point.logged.c_str());
    QVERIFY(point.provenance.at("cudnn_share") == Provenance::Measured);
    QVERIFY(point.metrics.at("cudnn_share_pairs") >= 10 && point.metrics.at("cudnn_share_iqr") >= 0);
    // Engine 1 takes a third of the rung's time, and none less than it is told to.
    const double pairs = mask == "full" ? 2 * 9.0 * 9 : 2 * 9.0 * 10 / 2;
    const double most = 4 * pairs * 64 / 0.5e-3;
    QVERIFY2(point.metrics.at("cudnn_rate") <= most * 1.001, qPrintable(QString::number(most)));
    const double share = point.metrics.at("cudnn_share");
    QVERIFY2(share > 0 && share < 90, qPrintable(QString::number(share)));

    useDnn("wrong=1");
    const Point theirs = FakeRuns(makeAttention(), "kernel_us=200").at(heads(mask, group));
    passes(theirs, "matches_reference");
    QVERIFY(!checkOf(theirs, "cudnn_matches_reference")->passed && !theirs.metrics.contains("cudnn_share"));
    useDnn("");
    const Point ours = FakeRuns(makeAttention(), "kernel_us=200,wrong=1").at(heads(mask, group));
    QVERIFY(!checkOf(ours, "matches_reference")->passed);
    passes(ours, "cudnn_matches_reference");
}

void TestVendorArms::attentionThatCudnnDoesNotDo_data()
{
    QTest::addColumn<QByteArray>("mask");
    QTest::addColumn<QByteArray>("dnn");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("a query without keys") << QByteArray("strict") << QByteArray() << QByteArray("set mask=causal");
    QTest::newRow("too old for a mask") << QByteArray("causal") << QByteArray("minor=20")
                                        << QByteArray("install cuDNN 9.21.0");
    QTest::newRow("refuses") << QByteArray("full") << QByteArray("refuses=255") << QByteArray("reference=none");
}

void TestVendorArms::attentionThatCudnnDoesNotDo()
{
    QFETCH(QByteArray, mask);
    QFETCH(QByteArray, dnn);
    QFETCH(QByteArray, words);
    useDnn(dnn.constData());
    const Point point = FakeRuns(makeAttention(), "kernel_us=200").at(heads(mask));
    QVERIFY(!checkOf(point, "cudnn_matches_reference") && !point.metrics.contains("cudnn_share"));
    QVERIFY(point.metrics.contains("rate"));
    QVERIFY2(says(point, words.constData()), point.logged.c_str());
    const Point silent = FakeRuns(makeAttention(), "kernel_us=200").at(heads(mask, 1, "none"));
    QVERIFY2(silent.logged.find("cuDNN") == std::string::npos, silent.logged.c_str());
}

void TestVendorArms::theCopyRungHasNone()
{
    useDnn("");
    const Point point = FakeRuns(makeNorm(), "kernel_us=200").at(rows("rms", "copy"));
    passes(point, "matches_reference");
    QVERIFY(!checkOf(point, "cudnn_matches_reference") && !point.metrics.contains("cudnn_share"));
    QVERIFY(point.metrics.contains("share_of_copy"));
}

void TestVendorArms::aWrongCudnnIsNotTimed()
{
    useDnn("wrong=1");
    const Point point = FakeRuns(makeNorm(), "kernel_us=200").at(rows("layer"));
    passes(point, "matches_reference"); // what cuDNN left behind was wiped
    QVERIFY(checkOf(point, "cudnn_matches_reference") && !checkOf(point, "cudnn_matches_reference")->passed);
    QVERIFY(!point.metrics.contains("cudnn_share") && point.metrics.contains("share_of_copy"));
    QVERIFY2(says(point, "gives wrong results"), point.logged.c_str());
    useDnn("");
    const Point own = FakeRuns(makeNorm(), "kernel_us=200,wrong=1").at(rows("layer"));
    QVERIFY(!checkOf(own, "matches_reference")->passed);
    passes(own, "cudnn_matches_reference");
}

void TestVendorArms::withoutCudnnTheRunGoesOn_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("words");
    QTest::newRow("absent") << QByteArray("nothing.so") << QByteArray() << QByteArray("unset that variable");
    QTest::newRow("too old") << QByteArray("fake_dnn.so") << QByteArray("major=8") << QByteArray("install cuDNN 9");
    QTest::newRow("refuses") << QByteArray("fake_dnn.so") << QByteArray("refuses=255") << QByteArray("reference=none");
}

void TestVendorArms::withoutCudnnTheRunGoesOn()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, words);
    useDnn(settings.constData(), file.constData());
    const Point point = FakeRuns(makeNorm(), "kernel_us=200").at(rows("rms"));
    passes(point, "matches_reference");
    QVERIFY(!checkOf(point, "cudnn_matches_reference") && !point.metrics.contains("cudnn_share"));
    QVERIFY(point.metrics.contains("share_of_copy"));
    QVERIFY2(says(point, "without a vendor's reference") && says(point, words.constData()), point.logged.c_str());
    const Point silent = FakeRuns(makeNorm(), "kernel_us=200").at(rows("rms", "vector", "none"));
    QVERIFY2(silent.logged.find("vendor") == std::string::npos, silent.logged.c_str());
}

void TestVendorArms::simulatedChipsHaveNone()
{
    useDnn("");
    SimRuns simulated(makeNorm(), "sim:h100-sxm", gpu::CompilerChoice::Shipped);
    const Point point = simulated.at(rows("rms"));
    QVERIFY(point.logged.find("vendor") == std::string::npos && !point.metrics.contains("cudnn_share"));
}

void TestVendorArms::copiesAgainstNccl()
{
    useNccl("send_us=200,receive_us=1000,sum_us=2000");
    const Point point = FakeRuns(makeTransfers(), "devices=2,peer_gbs=0.1", kFew).at(toPeer(300'001));
    for (const char* check : {"matches_reference", "nccl_matches_reference", "allreduce_matches_reference"})
        passes(point, check);
    passes(point, "guard_zones");
    QCOMPARE(std::ranges::count(point.checks, "guard_zones", &CheckResult::name), 1);
    QVERIFY2(says(point, "reference: NCCL 2.27.3, send and receive"), point.logged.c_str());
    // Never faster than the stand-ins are told to be: 3 ms a copy of the driver's, 1 ms or more NCCL's.
    QVERIFY(point.metrics.at("nccl_bandwidth") <= 300'001 / 1e-3 / 1e9 * 1.001);
    const double share = point.metrics.at("nccl_share");
    QVERIFY2(share > 0 && share < 90, qPrintable(QString::number(share)));
    QVERIFY(point.metrics.at("nccl_share_pairs") >= 10 && point.metrics.at("nccl_share_iqr") >= 0);
    QVERIFY(point.metrics.at("allreduce_algbw") <= 300'000 / 2e-3 / 1e9 * 1.001);
    QCOMPARE(point.metrics.at("allreduce_busbw"), point.metrics.at("allreduce_algbw")); // 2 (n - 1) / n is 1 for two
    QVERIFY(point.provenance.at("allreduce_busbw") == Provenance::Measured);
}

void TestVendorArms::aWrongNcclIsNotTimed()
{
    useNccl("wrong=1");
    const Point point = FakeRuns(makeTransfers(), "devices=2,peer_gbs=1").at(toPeer(4096));
    passes(point, "matches_reference");
    QVERIFY(checkOf(point, "nccl_matches_reference") && !checkOf(point, "nccl_matches_reference")->passed);
    QVERIFY(point.metrics.contains("bandwidth") && !point.metrics.contains("nccl_share"));
}

void TestVendorArms::withoutNcclTheRunGoesOn_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<bool>("sends"); // and only the all-reduce is missing
    const auto row = [](const char* name, const char* file, const char* settings, const char* words, bool sends) {
        QTest::newRow(name) << QByteArray(file) << QByteArray(settings) << QByteArray(words) << sends;
    };
    row("absent", "nothing.so", "", "unset that variable", false);
    row("too old", "fake_vendor.so", "", "NCCL 2.7", false);
    row("does not start", "fake_nccl.so", "init=2", "cannot join", false);
    row("does not send", "fake_nccl.so", "send=3", "cannot send", false);
    row("does not add up", "fake_nccl.so", "sum=3", "cannot add up", true);
}

void TestVendorArms::withoutNcclTheRunGoesOn()
{
    QFETCH(QByteArray, file);
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, words);
    QFETCH(bool, sends);
    useNccl(settings.constData(), file.constData());
    const Point point = FakeRuns(makeTransfers(), "devices=2,peer_gbs=1").at(toPeer(4096));
    passes(point, "matches_reference");
    passes(point, "guard_zones");
    QVERIFY(point.metrics.contains("bandwidth"));
    QCOMPARE(point.metrics.contains("nccl_share"), sends);
    QVERIFY(!point.metrics.contains("allreduce_busbw"));
    QVERIFY2(says(point, "without a vendor's reference") && says(point, words.constData()), point.logged.c_str());
    const Point silent = FakeRuns(makeTransfers(), "devices=2,peer_gbs=1").at(toPeer(4096, "none"));
    QVERIFY2(silent.logged.find("vendor") == std::string::npos, silent.logged.c_str());
}

void TestVendorArms::otherDirectionsHaveNone()
{
    useNccl("");
    const Point point =
        FakeRuns(makeTransfers(), "devices=2").at({{"bytes", std::int64_t{4096}}, {"direction", std::string("h2d")}});
    passes(point, "matches_reference");
    QVERIFY(!checkOf(point, "nccl_matches_reference") && !point.metrics.contains("nccl_share"));
}

QTEST_GUILESS_MAIN(TestVendorArms)
#include "tst_vendor_arms.moc"
