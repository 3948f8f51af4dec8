// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel run`: files that it reads and writes, options that are wrong, and what programs are told of errors.
#include "base/json.h"
#include "tests/support/process.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QtTest>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridge;

namespace {

/// out[i] = i for 32 threads.
constexpr const char* kBody = ".version 8.0\n.target %TARGET%\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
                              ".reg .b64 %rd<4>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
                              "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\n"
                              "ret;\n}\n";

QByteArray kernelFor(const char* target)
{
    return QByteArray(kBody).replace("%TARGET%", target);
}

QByteArray numbers()
{
    QByteArray bytes;
    for (quint32 i = 0; i < 32; ++i)
        bytes.append(reinterpret_cast<const char*>(&i), sizeof i);
    return bytes;
}

QByteArray contents(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
}

Json documentOf(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

} // namespace

class TestRidgeKernelFiles : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString write(const char* name, const QByteArray& bytes) const
    {
        QFile file(at(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write a file of the test");
        return file.fileName();
    }
    test::Outcome run(const QString& file, const QStringList& rest, const QString& out = {}) const
    {
        QStringList arguments{QStringLiteral("kernel"), QStringLiteral("run"), file};
        arguments << QStringLiteral("--arg")
                  << (out.isEmpty() ? QStringLiteral("out:u32:32") : QStringLiteral("out:u32:32>") + out);
        if (!rest.contains(QLatin1String("--grid")))
            arguments << QStringLiteral("--grid") << QStringLiteral("1");
        arguments << QStringLiteral("--block") << QStringLiteral("32");
        if (!rest.contains(QLatin1String("--target")))
            arguments << QStringLiteral("--target") << QStringLiteral("sim:t4");
        return test::runProgram(QStringLiteral("ridge"), arguments + rest);
    }
    QString kernel() const { return write("k.ptx", kernelFor("sm_70")); }

private Q_SLOTS:
    void linksAreFollowed()
    {
        const QString target = write("target.bin", "old");
        QVERIFY(::symlink("target.bin", at("link.bin").toLocal8Bit().constData()) == 0);
        QVERIFY(::symlink("fresh.bin", at("dangling.bin").toLocal8Bit().constData()) == 0);
        ::chmod(target.toLocal8Bit().constData(), 0600);
        for (const auto& [link, goal] : {std::pair("link.bin", "target.bin"), std::pair("dangling.bin", "fresh.bin")}) {
            const auto outcome = run(kernel(), {}, at(link));
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            QVERIFY(QFileInfo(at(link)).isSymLink());
            QCOMPARE(contents(at(goal)), numbers());
        }
        struct stat info = {};
        ::stat(target.toLocal8Bit().constData(), &info);
        QCOMPARE(info.st_mode & 0777u, 0600u);
    }

    void otherNamesOfAFileKeepIt()
    {
        const QString one = write("one.bin", "old");
        QVERIFY(::link(one.toLocal8Bit().constData(), at("two.bin").toLocal8Bit().constData()) == 0);
        QCOMPARE(run(kernel(), {}, one).exitCode, 0);
        QCOMPARE(contents(at("two.bin")), numbers());
    }

    void pipesAndDevicesStayWhatTheyAre()
    {
        const QByteArray pipe = at("pipe").toLocal8Bit();
        QVERIFY(::mkfifo(pipe.constData(), 0600) == 0);
        const int reader = ::open(pipe.constData(), O_RDONLY | O_NONBLOCK);
        QVERIFY(reader >= 0);
        const auto outcome = run(kernel(), {}, at("pipe"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QByteArray got(4096, '\0');
        got.resize(static_cast<int>(std::max<ssize_t>(::read(reader, got.data(), 4096), 0)));
        ::close(reader);
        QCOMPARE(got, numbers());
        struct stat info = {};
        ::stat(pipe.constData(), &info);
        QVERIFY(S_ISFIFO(info.st_mode));
        QCOMPARE(run(kernel(), {}, QStringLiteral("/dev/null")).exitCode, 0);
        ::stat("/dev/null", &info);
        QVERIFY(S_ISCHR(info.st_mode));
    }

    /// Nothing runs first: the kernel of this test would take longer than anybody waits.
    void whatCannotBeWrittenIsRefusedAtOnce_data()
    {
        QTest::addColumn<QString>("out");
        QTest::newRow("no folder") << at("nowhere/x.bin");
        QTest::newRow("a folder") << m_folder.path();
    }
    void whatCannotBeWrittenIsRefusedAtOnce()
    {
        QFETCH(QString, out);
        const QString endless =
            write("endless.ptx", QByteArray(kernelFor("sm_70")).replace("ret;", "L: add.u32 %r1, %r1, 1;\nbra L;"));
        const auto outcome = run(endless, {QStringLiteral("--json")}, out);
        QCOMPARE(outcome.exitCode, 2);
        const Json error = documentOf(outcome).at("error");
        QCOMPARE(error.at("code"), "cannot-write");
        QCOMPARE(error.at("place"), "argument 1");
        QVERIFY(!error.at("fix").get<std::string>().empty());
        QVERIFY(outcome.err.contains(error.at("message").get<std::string>().c_str()));
    }

    void oneFileUnderTwoNamesIsSeen()
    {
        const QString two = write(
            "two.ptx", QByteArray(kernelFor("sm_70")).replace("(.param .u64 out)", "(.param .u64 out, .param .u64 b)"));
        QVERIFY(::symlink("same.bin", at("other.bin").toLocal8Bit().constData()) == 0);
        for (const char* other : {"./same.bin", "other.bin"}) {
            const auto outcome =
                run(two, {QStringLiteral("--arg"), QStringLiteral("out:u32:4>") + at(other)}, at("same.bin"));
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.err.contains("two buffers are written to"), outcome.err.constData());
        }
    }

    void sourcesWithAMarkAndWithZeros()
    {
        QCOMPARE(run(write("bom.ptx", "\xef\xbb\xbf" + kernelFor("sm_70")), {}).exitCode, 0);
        QCOMPARE(run(write("end.ptx", kernelFor("sm_70") + QByteArray("\0", 1)), {}).exitCode, 0);
        const auto outcome = run(write("nul.ptx", kernelFor("sm_70") + QByteArray("\n\0x", 3)), {});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.err.contains("zero byte") && outcome.err.contains("line 15"), outcome.err.constData());
        const auto device = test::runProgram(
            QStringLiteral("ridge"),
            QStringLiteral("kernel run %1 --arg in:u8:4:@/dev/zero --grid 1 --block 32 --target sim:t4")
                .arg(kernel())
                .split(QLatin1Char(' ')));
        QVERIFY2(device.err.contains("not a regular file"), device.err.constData());
    }

    /// Block, shared memory and trailing pointers come from the JSON that a compiler wrote beside the PTX. Each thread
    /// writes its number into dynamic shared memory and into the scratch memory of its block, and adds up what it
    /// reads.
    void aSidecarSaysHowAKernelIsLaunched()
    {
        const QByteArray ptx =
            ".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .align 16 .b8 tile[];\n"
            ".visible .entry mine(.param .u64 .ptr .global .align 1 out, .param .u64 scratch, .param .u64 profile)\n"
            ".reqntid 64\n{\n.reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
            "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [scratch]; ld.param.u64 %rd8, [profile];\n"
            "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0; mul.wide.u32 %rd2, %r2, 4;\n"
            "add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2; ld.global.u32 %r3, [%rd3];\n"
            "mov.u32 %r4, tile; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], %r0;\n"
            "ld.shared.u32 %r6, [%r4]; add.u32 %r3, %r3, %r6; cvt.u32.u64 %r7, %rd8; add.u32 %r3, %r3, %r7;\n"
            "add.u64 %rd4, %rd0, %rd2; st.global.u32 [%rd4], %r3;\nret;\n}\n";
        const auto json = [](const char* change = "", const char* to = "") {
            return QByteArray(R"({"name": "mine", "num_warps": 2, "num_ctas": 1, "shared": 256, "warp_size": 32,
                "target": {"backend": "cuda", "arch": 75, "warp_size": 32},
                "global_scratch_size": 256, "global_scratch_align": 4, "profile_scratch_size": 0})")
                .replace(change[0] == 0 ? "\x01" : change, to);
        };
        const auto launch = [&](const QStringList& rest) {
            return test::runProgram(QStringLiteral("ridge"),
                                    QStringList{QStringLiteral("kernel"), QStringLiteral("run"), at("mine.ptx"),
                                                QStringLiteral("--target"), QStringLiteral("sim:t4"),
                                                QStringLiteral("--grid"), QStringLiteral("2"),
                                                QStringLiteral("--check")} +
                                        rest);
        };
        const QStringList out{QStringLiteral("--arg"), QStringLiteral("out:u32:128>") + at("mine.bin")};
        const QString sidecar = QStringLiteral("--sidecar");
        write("mine.ptx", ptx);
        QVERIFY(launch(out).err.contains("--block is required"));
        const QString file = write("mine.json", json());
        const auto good = launch(out);
        QVERIFY2(good.exitCode == 0, (good.out + good.err).constData());
        QVERIFY2(good.err.contains("64 threads a block, 256 bytes of shared memory, 2 arguments added"),
                 good.err.constData());
        const QByteArray bytes = contents(at("mine.bin"));
        QCOMPARE(bytes.size(), 512);
        for (quint32 i = 0; i < 128; ++i) {
            quint32 value = 0;
            memcpy(&value, bytes.constData() + 4 * i, 4);
            QCOMPARE(value, i + i % 64);
        }
        QCOMPARE(launch(out + QStringList{sidecar, file}).exitCode, 0);
        // A JSON that is none of the kernel's is left alone where nobody asked for it.
        write("mine.json", "[1, 2]");
        QVERIFY(launch(out).err.contains("--block is required"));
        QVERIFY(launch(out + QStringList{sidecar, file}).err.contains("is no sidecar"));
        write("mine.json", json().chopped(40)); // one that was cut off
        const auto cut = launch(out);
        QVERIFY2(cut.exitCode == 2 && cut.err.contains("mine.json") && !cut.err.contains("--block"),
                 cut.err.constData());
        const std::vector<std::tuple<QByteArray, QStringList, const char*>> wrong{
            {json("\"mine\"", "\"other\""), out, "is of kernel other, which"},
            {json(": 75", ": 80"), out, "was made for sm_80, the PTX for sm_75"},
            {json("\"num_warps\": 2", "\"num_warps\": 4"), out, "says 4 warps, the PTX requires 64 threads"},
            {json("\"num_warps\": 2", "\"num_warps\": -1"), out,
             "\"num_warps\": -1; it is a whole number from 1 to 64"},
            {json(),
             out + out +
                 QStringList{QStringLiteral("--arg"), QStringLiteral("u32:1"), QStringLiteral("--arg"),
                             QStringLiteral("u32:1")},
             "takes 1 argument of its own, 4 are given"},
            {json(), QStringList(), "takes 1 argument of its own, 0 are given"},
            {json(), out + QStringList{QStringLiteral("--kernel"), QStringLiteral("yours")}, "not of yours"}};
        for (const auto& [text, arguments, says] : wrong) {
            write("mine.json", text);
            const auto refused = launch(arguments);
            QVERIFY2(refused.exitCode == 2 && refused.err.contains(says), refused.err.constData());
        }
        const QStringList byHand{QStringLiteral("--arg"),  QStringLiteral("out:u8:512"), QStringLiteral("--arg"),
                                 QStringLiteral("u64:0"),  QStringLiteral("--block"),    QStringLiteral("64"),
                                 QStringLiteral("--smem"), QStringLiteral("256"),        sidecar,
                                 QStringLiteral("none")};
        QCOMPARE(launch(out + byHand).exitCode, 0);
    }

    /// What the host would have filled, and folders of headers.
    void variablesAndHeadersAreGiven()
    {
        const QByteArray ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.const .align 4 .b8 taps[8];\n"
                               ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd0; .reg .f32 %f<3>;\n"
                               "ld.param.u64 %rd0, [p]; ld.const.f32 %f0, [taps]; ld.const.f32 %f1, [taps+4];\n"
                               "add.f32 %f2, %f0, %f1; st.global.f32 [%rd0], %f2;\nret;\n}\n";
        const QString file = write("taps.ptx", ptx);
        const auto launch = [&](const QStringList& rest) {
            return test::runProgram(QStringLiteral("ridge"),
                                    QStringList{QStringLiteral("kernel"), QStringLiteral("run"), file,
                                                QStringLiteral("--target"), QStringLiteral("sim:t4"),
                                                QStringLiteral("--grid"), QStringLiteral("1"),
                                                QStringLiteral("--block"), QStringLiteral("1"), QStringLiteral("--arg"),
                                                QStringLiteral("out:f32:1>") + at("taps.bin")} +
                                        rest);
        };
        const QString symbol = QStringLiteral("--set-symbol");
        const auto zero = launch({});
        QVERIFY2(zero.exitCode == 1 && zero.out.contains("'taps' (8 bytes) is read") &&
                     zero.out.contains("--set-symbol 'taps=in:f32:2:ones'"),
                 (zero.out + zero.err).constData());
        const auto good = launch({symbol, QStringLiteral("taps=struct:{f32:1.5,f32:2}")});
        QVERIFY2(good.exitCode == 0, (good.out + good.err).constData());
        float value = 0;
        memcpy(&value, contents(at("taps.bin")).constData(), sizeof value);
        QCOMPARE(value, 3.5f);
        for (const auto& [text, says] : {std::pair("taps", "no NAME=SPEC"), std::pair("=f32:1", "no NAME=SPEC"),
                                         std::pair("taps=f33:1", "no type"), std::pair("taps=f32:1", "has 4 bytes"),
                                         std::pair("tape=f32:1", "no variable 'tape'")}) {
            const auto refused = launch({symbol, QString::fromLatin1(text)});
            QVERIFY2(refused.exitCode == 2 && refused.err.contains(says), refused.err.constData());
        }
        const auto folder = launch({QStringLiteral("--include"), at("nowhere")});
        QVERIFY2(folder.exitCode == 2 && folder.err.contains("there is no folder"), folder.err.constData());
    }

    void oddNamesOfFilesRun()
    {
        const QByteArray source = "extern \"C\" __global__ void k(unsigned* out) { out[threadIdx.x] = threadIdx.x; }\n";
        const auto outcome = run(write("q'uo\"te $x\\;.cu", source), {}, at("odd.bin"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QCOMPARE(contents(at("odd.bin")), numbers());
    }

    void ptxOfOneChipRunsOnNoOther_data()
    {
        QTest::addColumn<QByteArray>("made");
        QTest::addColumn<QString>("target");
        QTest::addColumn<bool>("runs");
        QTest::newRow("9.0a on 9.0") << QByteArray("sm_90a") << QStringLiteral("sim:h100-sxm") << true;
        QTest::newRow("9.0a on 12.0") << QByteArray("sm_90a") << QStringLiteral("sim:rtx5090") << false;
        QTest::newRow("12.0f on 12.0") << QByteArray("sm_120f") << QStringLiteral("sim:rtx5090") << true;
        QTest::newRow("10.0f on 12.0") << QByteArray("sm_100f") << QStringLiteral("sim:rtx5090") << false;
        QTest::newRow("10.0 on 12.0") << QByteArray("sm_100") << QStringLiteral("sim:rtx5090") << true;
        QTest::newRow("7.5a") << QByteArray("sm_75a") << QStringLiteral("sim:rtx5090") << false;
        QTest::newRow("zeros") << QByteArray("sm_0075") << QStringLiteral("sim:rtx5090") << false;
        QTest::newRow("option") << QByteArray("sm_75, debug") << QStringLiteral("sim:rtx5090") << true;
        QTest::newRow("no option") << QByteArray("sm_75, banana") << QStringLiteral("sim:rtx5090") << false;
    }
    void ptxOfOneChipRunsOnNoOther()
    {
        QFETCH(QByteArray, made);
        QFETCH(QString, target);
        QFETCH(bool, runs);
        const auto outcome = run(write("made.ptx", kernelFor(made.constData())),
                                 {QStringLiteral("--target"), target, QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode == 0, runs);
        if (!runs)
            QCOMPARE(documentOf(outcome).at("error").at("code"), "unsupported-ptx");
    }

    void wrongOptionsAreNamed_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* option, const char* value, const char* words) {
            QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(QLatin1String(option), QLatin1String(value))))
                << QStringList{QLatin1String(option), QLatin1String(value)} << QByteArray(words);
        };
        row("--smem", "01000", "begins with 0");
        row("--steps", "010", "begins with 0");
        row("--instructions", "0", "whole number from 1");
        row("--seconds", "1e30", "0 to 10000000");
        row("--seconds", "inf", "0 to 10000000");
        row("--target", "", "empty");
        row("--memory-mib", "16", "128 or more");
    }
    void wrongOptionsAreNamed()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, words);
        const auto outcome = run(kernel(), options);
        QVERIFY2(outcome.exitCode != 0 && !outcome.crashed, outcome.err.constData());
        QVERIFY2(outcome.err.contains(words), outcome.err.constData());
    }

    /// Blocks of one instruction count as well.
    void budgetsHoldForTinyBlocks()
    {
        const QString nothing =
            write("nothing.ptx",
                  ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\nret;\n}\n");
        for (const bool functional : {true, false}) {
            QStringList rest{QStringLiteral("--grid"), QStringLiteral("1000000"), QStringLiteral("--instructions"),
                             QStringLiteral("1000"), QStringLiteral("--json")};
            if (functional)
                rest << QStringLiteral("--functional");
            const auto outcome = run(nothing, rest);
            QCOMPARE(outcome.exitCode, 1);
            const Json document = documentOf(outcome);
            QVERIFY2(document.contains("reports"), outcome.err.constData());
            QCOMPARE(document.at("reports").at(0).at("code"), "instruction-limit");
        }
        const auto outcome =
            run(nothing, {QStringLiteral("--grid"), QStringLiteral("2147483647"), QStringLiteral("--seconds"),
                          QStringLiteral("4"), QStringLiteral("--functional"), QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode, 1);
        const Json document = documentOf(outcome);
        QVERIFY2(document.contains("reports"), outcome.err.constData());
        QCOMPARE(document.at("reports").at(0).at("code"), "time-limit");
    }

    void aFullDiskIsNoSuccess()
    {
        for (const char* command : {"run", "compile"}) {
            QProcess process;
            process.setStandardOutputFile(QStringLiteral("/dev/full"));
            QStringList arguments{QStringLiteral("kernel"), QLatin1String(command), kernel()};
            if (arguments[1] == QLatin1String("run"))
                arguments << QStringList{
                    QStringLiteral("--arg"),    QStringLiteral("out:u32:32"), QStringLiteral("--grid"),
                    QStringLiteral("1"),        QStringLiteral("--block"),    QStringLiteral("32"),
                    QStringLiteral("--target"), QStringLiteral("sim:t4"),     QStringLiteral("--json")};
            process.start(test::binary(QStringLiteral("ridge")), arguments);
            QVERIFY(process.waitForFinished(60000));
            QCOMPARE(process.exitCode(), 1);
            QVERIFY(process.readAllStandardError().contains("standard output cannot be written"));
        }
    }
};

QTEST_GUILESS_MAIN(TestRidgeKernelFiles)
#include "tst_ridge_kernel_files.moc"
