// SPDX-License-Identifier: GPL-3.0-or-later
// What the detectors say about shared memory that cp.async fills and that instructions on matrices read: waits that are
// missing or too lenient, missing barriers, and the same kernels with both in place.
#include "report_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// The first of two warps may copy 16 bytes a lane (%r5 from %rd5); each thread reads a word of it at %r6.
std::string copyKernel(const std::string& steps)
{
    return handWritten(".shared .align 16 .b8 s[2048];\n"
                       "setp.lt.u32 %p1, %r0, 32; and.b32 %r3, %r0, 31; shl.b32 %r3, %r3, 4; mov.u32 %r4, s;\n"
                       "add.u32 %r5, %r4, %r3; cvt.u64.u32 %rd4, %r3; add.u64 %rd5, %rd1, %rd4;\n"
                       "sub.u32 %r6, 63, %r0; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r4;\n"
                       "shl.b32 %r7, %r0, 2; cvt.u64.u32 %rd6, %r7; add.u64 %rd6, %rd0, %rd6;\n" +
                       steps + "\n");
}

const char* const kCopy = "@%p1 cp.async.ca.shared.global [%r5], [%rd5], 16;\n";
const char* const kSecond = "@%p1 cp.async.cg.shared.global [%r5+512], [%rd5+512], 16;\n";
const char* const kCommit = "cp.async.commit_group;\n";
const char* const kMeet = "bar.sync 0;\n";
const char* const kRead = "ld.shared.u32 %r8, [%r6]; st.global.u32 [%rd6], %r8;\n";
const char* const kReadSecond = "ld.shared.u32 %r8, [%r6+512]; st.global.u32 [%rd6], %r8;\n";

} // namespace

class TestSimtCopyRaces : public QObject {
    Q_OBJECT

    /// What the detectors report of two warps over 1024 different words.
    static std::vector<Report> watch(const std::string& kernel)
    {
        Lab lab;
        std::vector<std::uint32_t> words(1024);
        for (std::size_t at = 0; at < words.size(); ++at)
            words[at] = static_cast<std::uint32_t>(at) + 1;
        if (!lab.load(kernel))
            qFatal("%s", lab.why().constData());
        const DevicePtr in = lab.put(words, "in"), out = lab.put(std::vector<std::uint32_t>(64), "out");
        if (!lab.run("k", {1}, {64}, {out, in, out}, 0, watching()))
            qFatal("%s", lab.why().constData());
        return lab.reports;
    }

private Q_SLOTS:
    void copies_data()
    {
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QString>("says"); // empty: nothing is reported
        const auto row = [](const char* name, const std::string& steps, const char* says) {
            QTest::newRow(name) << QString::fromStdString(steps) << QString::fromLatin1(says);
        };
        const std::string copy = std::string(kCopy) + kCommit, both = copy + kSecond + kCommit;
        const std::string none = "cp.async.wait_group 0;\n", all = "cp.async.wait_all;\n";
        row("awaited, then met", copy + none + kMeet + kRead, "");
        row("all awaited", std::string(kCopy) + all + kMeet + kRead, "");
        row("not awaited", copy + kMeet + kRead, "has not waited for it");
        row("never put into a group", kCopy + none + kMeet + kRead, "has not waited for it");
        row("awaited after the barrier", copy + kMeet + none + kRead, "has not waited for it");
        row("no barrier", copy + none + kRead, "does not meet between");
        row("one group left, first read", both + "cp.async.wait_group 1;\n" + kMeet + kRead, "");
        row("one group left, second read", both + "cp.async.wait_group 1;\n" + kMeet + kReadSecond,
            "has not waited for it");
        row("an empty group counts", both + kCommit + "cp.async.wait_group 1;\n" + kMeet + kReadSecond, "");
        row("filled again too soon", copy + none + kMeet + kRead + kCopy, "no barrier lies between");
        row("filled again", copy + none + kMeet + kRead + kMeet + kCopy, "");
        row("written into", copy + "@%p1 st.shared.u32 [%r5], %r0;\n", "writes offset 0");
        row("never read", copy, "");
    }
    void copies()
    {
        QFETCH(QString, steps);
        QFETCH(QString, says);
        const auto reports = watch(copyKernel(steps.toStdString()));
        QVERIFY2(reports.empty() == says.isEmpty(), told(reports).c_str());
        if (says.isEmpty())
            return;
        const Report& race = reports.front();
        QCOMPARE(race.code, std::string("shared-race"));
        QVERIFY2(QString::fromStdString(race.message).contains(says), told(reports).c_str());
        QVERIFY(race.otherPlace && race.otherPlace->ptxLine != 0 && race.other && !race.lookFor.empty());
        QVERIFY(race.place.instruction.find("cp.async") != std::string::npos ||
                race.otherPlace->instruction.find("cp.async") != std::string::npos);
    }

    /// Two warps store the same rows, as compilers do with what all warps hold: a race where the rows differ.
    void storedRows()
    {
        for (const bool differ : {false, true}) {
            for (const char* store : {"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r7, %r8};",
                                      "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r5], {%r7};"}) {
                const std::string number = differ ? "mul.lo.u32 %r8, %r0, 3;" : "mul.lo.u32 %r8, %r3, 3;";
                const auto reports = watch(copyKernel(number + "mov.u32 %r7, %r8;\n" + store + kMeet + kRead));
                const bool races = std::ranges::any_of(reports, [](const Report& report) {
                    return report.message.find("writes offset") != std::string::npos;
                });
                QVERIFY2(races == differ, told(reports).c_str());
            }
        }
    }

    /// One thread has the copy engine fill 256 bytes; all read them.
    void bulkCopies_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("wait");
        QTest::addColumn<bool>("fires");
        const QString none, wait = QStringLiteral("W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n"
                                                  "@!%p3 bra W;\n");
        QTest::newRow("awaited by all") << none << wait << false;
        QTest::newRow("awaited by one, then met")
            << QStringLiteral("@!%p2 bra E;\n") << wait + QStringLiteral("E: bar.sync 0;\n") << false;
        QTest::newRow("not awaited") << none << QStringLiteral("bar.sync 0;\n") << true;
        QTest::newRow("another one awaited")
            << none << QStringLiteral("mbarrier.test_wait.parity.shared::cta.b64 %p3, [other], 1;\n") << true;
    }
    void bulkCopies()
    {
        QFETCH(QString, before);
        QFETCH(QString, wait);
        QFETCH(bool, fires);
        const auto reports = watch(copyKernel(
            ".shared .align 8 .b64 bar; .shared .align 8 .b64 other; setp.eq.u32 %p2, %r0, 0;\n"
            "@%p2 mbarrier.init.shared::cta.b64 [bar], 1; @%p2 mbarrier.init.shared::cta.b64 [other], 1;\n"
            "bar.sync 0; @%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;\n"
            "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];\n" +
            before.toStdString() + wait.toStdString() + kRead));
        const bool found = std::any_of(reports.begin(), reports.end(), [](const Report& report) {
            return report.code == "shared-race" &&
                   report.message.find("nobody has waited for its mbarrier") != std::string::npos;
        });
        QVERIFY2(found == fires && reports.empty() != fires, told(reports).c_str());
    }

    /// A copy no longer ends the watch over values that nobody wrote.
    void whatIsNotCopied()
    {
        const std::string steps = std::string(kCopy) + kCommit + "cp.async.wait_group 0;\n" + kMeet;
        QVERIFY(watch(copyKernel(steps + kRead)).empty());
        const auto reports = watch(copyKernel(steps + kReadSecond));
        QVERIFY2(reports.size() == 1 && reports.front().code == "uninitialised-read", told(reports).c_str());
    }

    void rowsOfMatrices_data()
    {
        QTest::addColumn<QString>("between");
        QTest::addColumn<QString>("rows");
        QTest::addColumn<bool>("fires");
        QTest::newRow("the other warp's, barrier") << QStringLiteral("bar.sync 0;") << QStringLiteral("%r13") << false;
        QTest::newRow("the other warp's, no barrier") << QString() << QStringLiteral("%r13") << true;
        QTest::newRow("its own") << QString() << QStringLiteral("%r12") << false;
    }
    void rowsOfMatrices()
    {
        QFETCH(QString, between);
        QFETCH(QString, rows);
        QFETCH(bool, fires);
        const auto reports = watch(
            copyKernel("shr.u32 %r9, %r0, 5; shl.b32 %r9, %r9, 9; add.u32 %r12, %r5, %r9; sub.u32 %r13, %r5, %r9;\n"
                       "add.u32 %r13, %r13, 512; st.shared.v4.u32 [%r12], {%r0, %r0, %r0, %r0};\n" +
                       between.toStdString() + "\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [" +
                       rows.toStdString() + "];\nst.global.u32 [%rd6], %r11;\n"));
        QVERIFY2(reports.empty() != fires, told(reports).c_str());
        if (!fires)
            return;
        QCOMPARE(reports.front().code, std::string("shared-race"));
        // The first warp reads before the second one writes.
        QVERIFY2(reports.front().place.instruction.starts_with("ldmatrix") ||
                     reports.front().otherPlace->instruction.starts_with("ldmatrix"),
                 told(reports).c_str());
    }
};

QTEST_APPLESS_MAIN(TestSimtCopyRaces)
#include "tst_simt_copy_races.moc"
