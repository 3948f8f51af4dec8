// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel-time function against published latencies (kernel_latency.csv) and against what must hold of any.
#include "workload/kernel_time.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace ridge;
using namespace ridge::workload;

namespace {

struct Row {
    std::string set, chip, dtype;
    double a = 0, b = 0, c = 0, tokens = 0, us = 0;
};

QList<Row> rows()
{
    QFile file(qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/workload/kernel_latency.csv"));
    QList<Row> out;
    if (!file.open(QIODevice::ReadOnly))
        return out;
    for (const QByteArray& line : file.readAll().split('\n')) {
        const auto cells = line.split(',');
        if (cells.size() != 8 || line.startsWith('#') || line.startsWith("set,"))
            continue;
        out.push_back({cells[0].toStdString(), cells[1].toStdString(), cells[2].toStdString(), cells[3].toDouble(),
                       cells[4].toDouble(), cells[5].toDouble(), cells[6].toDouble(), cells[7].toDouble()});
    }
    return out;
}

double modelled(const Device& device, const Row& row)
{
    if (row.set == "decode" || row.set == "prefill") {
        Attention a;
        a.queryHeads = row.a;
        a.kvHeads = row.b;
        a.queryDim = a.valueDim = 128;
        a.batch = row.c;
        a.context = row.set == "decode" ? row.tokens : 0;
        a.fresh = row.set == "decode" ? 1 : row.tokens;
        return row.set == "decode" ? decodeAttentionTime(device, a).seconds : prefillAttentionTime(device, a).seconds;
    }
    return gemmTime(device, {row.a, row.b, row.c, 1, row.dtype == "fp8"}).seconds;
}

} // namespace

class TestKernelTime : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        auto read = silicon::shippedCatalogue();
        QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
        m_catalogue = *read;
    }

    /// The mean error of each set of rows, at most what docs/validation.md prints.
    void publishedLatencies()
    {
        std::map<std::string, std::vector<double>> errors;
        for (const Row& row : rows()) {
            std::string key = row.set + " " + row.chip + " " + row.dtype;
            if (row.set == "decode")
                key += row.a > row.b ? " grouped" : " single";
            errors[key].push_back(std::abs(modelled(device(row.chip, row.dtype), row) / (row.us * 1e-6) - 1));
        }
        const std::map<std::string, std::pair<int, double>> most{
            // fitted
            {"gemm a100-sxm-80 bf16", {120, 0.047}},
            {"gemm a100-sxm-80 int4", {108, 0.088}},
            {"gemm h200-sxm bf16", {120, 0.054}},
            {"gemm h200-sxm fp8", {120, 0.041}},
            {"decode a100-sxm-80 bf16 single", {26, 0.103}},
            {"decode h200-sxm bf16 single", {26, 0.132}},
            {"decode h200-sxm bf16 grouped", {90, 0.103}},
            {"prefill a100-sxm-80 bf16", {14, 0.028}},
            {"prefill h200-sxm bf16", {14, 0.031}},
            // in part: a quarter of these rows is faster than the pins
            {"decode a100-sxm-80 bf16 grouped", {90, 0.284}},
            // seen by no fit
            {"vidur a100-sxm-80 bf16", {96, 0.090}},
            {"llmcompass a100-sxm-80 bf16", {20, 0.148}}};
        for (auto& [key, all] : errors) {
            std::sort(all.begin(), all.end());
            double sum = 0;
            for (const double error : all)
                sum += error;
            const double mean = sum / double(all.size());
            qInfo("%s: %d rows, mean %d, p90 %d, max %d in per mille", key.c_str(), int(all.size()),
                  int(1000 * mean + 0.5), int(1000 * all[all.size() * 9 / 10] + 0.5), int(1000 * all.back() + 0.5));
            const auto known = most.find(key);
            QVERIFY2(known != most.end(), key.c_str());
            QCOMPARE(int(all.size()), known->second.first);
            QVERIFY2(mean <= known->second.second, key.c_str());
        }
        QCOMPARE(errors.size(), most.size());
    }

    void noKernelBeatsTheRoofline()
    {
        for (const silicon::Chip& chip : m_catalogue.chips())
            for (const std::string& name : dtypeNames()) {
                const auto d = deviceOf(m_catalogue, chip, dtypeNamed(name));
                if (!d)
                    continue;
                for (const double m : {1., 33., 512., 8192.})
                    for (const double n : {64., 4096., 28672.}) {
                        const Gemm gemm{m, n, 4096};
                        const double least =
                            std::max(2 * m * n * 4096 / d->flopsPerSecond, gemmBytes(*d, gemm) / d->bytesPerSecond);
                        QVERIFY2(gemmTime(*d, gemm).seconds > least, (chip.id + " " + name).c_str());
                    }
            }
    }

    void aWaveMoreIsAStep()
    {
        // 132 SMs: 132 tiles of 128 x 128 are one wave, a row more begins the next.
        const Device d = device("h200-sxm", "bf16");
        const double one = gemmTime(d, {128 * 11, 128 * 12, 16384}).seconds;
        const double more = gemmTime(d, {128 * 11 + 1, 128 * 12, 16384}).seconds;
        QVERIFY(more > 1.02 * one);
    }

    void longerTakesLonger()
    {
        const Device d = device("h100-sxm", "bf16");
        double before = 0;
        for (double k = 64; k <= 65536; k *= 2) {
            const double now = gemmTime(d, {4096, 4096, k}).seconds;
            QVERIFY(now > before);
            before = now;
        }
        Attention a{.queryHeads = 32, .kvHeads = 8, .queryDim = 128, .valueDim = 128};
        before = 0;
        for (a.context = 16; a.context < 1e6; a.context *= 2) {
            const double now = decodeAttentionTime(d, a).seconds;
            QVERIFY(now > before);
            before = now;
        }
    }

    void quantizationCostsMoreThanItGivesToSmallProducts()
    {
        // NVIDIA's rows: 13.3 us in bf16 and 16.6 us in fp8 at m = 1, 385 and 270 us at m = 8192.
        const Device bf16 = device("h200-sxm", "bf16"), fp8 = device("h200-sxm", "fp8");
        QVERIFY(gemmTime(fp8, {1, 4096, 4096, 1, true}).seconds > gemmTime(bf16, {1, 4096, 4096}).seconds);
        QVERIFY(gemmTime(fp8, {8192, 4096, 4096, 1, true}).seconds < gemmTime(bf16, {8192, 4096, 4096}).seconds);
        QVERIFY(gemmTime(fp8, {1, 4096, 4096, 1, false}).seconds < gemmTime(fp8, {1, 4096, 4096, 1, true}).seconds);
    }

    void attentionCounts()
    {
        Attention a{.queryHeads = 32, .kvHeads = 8, .queryDim = 128, .valueDim = 128, .batch = 4, .context = 1023};
        QCOMPARE(attentionFlops(a), 4.0 * 4 * 32 * 128 * 1024);
        QCOMPARE(attentionKvBytes(a), 2.0 * 4 * 8 * 128 * 1024 * 2);
        a.context = 0;
        a.fresh = 1024;
        QCOMPARE(attentionFlops(a), 4.0 * 4 * 32 * 128 * (1024.0 * 1025 / 2));
        a.causal = false;
        QCOMPARE(attentionFlops(a), 4.0 * 4 * 32 * 128 * 1024 * 1024);
    }

    void aChipThatCannotSaysWhy()
    {
        const auto a100 = deviceOf(m_catalogue, *m_catalogue.find("a100-sxm-80"), Dtype::Fp8);
        QVERIFY(!a100);
        QCOMPARE(a100.error().code, std::string("no-peak"));
        QVERIFY(!a100.error().fix.empty());
        QCOMPARE(deviceOf(m_catalogue, *m_catalogue.find("h100-sxm"), Dtype::Fp64).error().code,
                 std::string("no-peak"));
    }

private:
    Device device(const std::string& chip, const std::string& dtype) const
    {
        return *deviceOf(m_catalogue, *m_catalogue.find(chip), dtypeNamed(dtype));
    }
    silicon::Catalogue m_catalogue;
};

QTEST_GUILESS_MAIN(TestKernelTime)
#include "tst_kernel_time.moc"
