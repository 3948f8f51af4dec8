// SPDX-License-Identifier: GPL-3.0-or-later
// The ridge command as scripts and graders use it: documents, exit codes, messages.
#include "base/json.h"
#include "tests/support/process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <numeric>
#include <sys/types.h>

using namespace ridge;

namespace {

test::Outcome ridgeCommand(const QStringList& arguments, const test::Environment& environment = {})
{
    return test::runProgram(QStringLiteral("ridge"), arguments, environment);
}

Json document(const test::Outcome& outcome)
{
    auto json = parseJson(outcome.out.toStdString(), "standard output");
    return json ? *json : Json();
}

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '));
}

} // namespace

class TestRidge : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void describeJson()
    {
        const auto outcome = ridgeCommand(words("describe --json"));
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(outcome.err.isEmpty());
        const Json json = document(outcome);
        QVERIFY(json.at("experiments").size() >= 2);
        for (const Json& experiment : json.at("experiments"))
            for (const char* key :
                 {"id", "version", "title", "module", "parameters", "targets", "metrics", "charts", "limits"})
                QVERIFY2(experiment.contains(key), key);
    }

    /// Tables keep to the terminal, and small numbers have a unit with its prefix.
    void tablesFitTheTerminal()
    {
        const test::Environment narrow{{QStringLiteral("COLUMNS"), QStringLiteral("90")}};
        const auto widest = [](const QByteArray& out, const char* until) {
            qsizetype most = 0;
            for (const QString& line : QString::fromUtf8(out).section(QLatin1String(until), 0, 0).split(u'\n'))
                most = std::max(most, line.size());
            return most;
        };
        const QStringList sweep = words("run stream --target sim:h100-sxm --sweep bytes=65536,1048576");
        const auto run = ridgeCommand(sweep, narrow);
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(widest(run.out, "  bandwidth: ") <= 90, run.out.constData());
        QVERIFY2(!run.out.contains("e-0") && run.out.contains(" ns") && run.out.contains("1.98 GHz"),
                 run.out.constData());
        QVERIFY(run.out.count("bytes  ") > 1); // the swept value stands in front of each part
        const auto file = ridgeCommand(sweep); // into a file: one row is one line
        QVERIFY2(widest(file.out, "  bandwidth: ") > 90, file.out.constData());
        for (const char* command : {"describe roofline", "targets", "baselines"}) {
            const auto shown = ridgeCommand(words(command), narrow);
            QCOMPARE(shown.exitCode, 0);
            for (const QString& line : QString::fromUtf8(shown.out).split(u'\n'))
                QVERIFY2(line.size() <= 90 || !line.contains(QLatin1String("  ")), qPrintable(line));
        }
    }

    /// Whoever asks for help copies a line first: it is there, and its options are those of the command.
    void helpHasExamples()
    {
        for (const char* path :
             {"run", "describe", "lesson run", "import", "export", "verify", "search", "calibrate", "kernel run",
              "kernel compile", "kernel grade", "class new", "class collect", "class grades"}) {
            const auto outcome = ridgeCommand(words((QByteArray(path) + " --help").constData()));
            QCOMPARE(outcome.exitCode, 0);
            const QString help = QString::fromUtf8(outcome.out);
            const auto begin = help.indexOf(QLatin1String("Examples:\n"));
            QVERIFY2(begin > 0, path);
            int own = 0;
            for (const QString& line : help.mid(begin).section(QLatin1String("\n\n"), 0, 0).split(QLatin1Char('\n'))) {
                if (!line.startsWith(QStringLiteral("  ridge ") + QLatin1String(path)))
                    continue;
                ++own;
                for (const QString& word : line.split(QLatin1Char(' ')))
                    if (word.startsWith(QLatin1String("--")))
                        QVERIFY2(help.left(begin).contains(word), qPrintable(line));
            }
            QVERIFY2(own > 0, path);
        }
        // A dozen stalls have one sentence.
        const auto described = ridgeCommand(words("describe coalescing"));
        QCOMPARE(described.out.count("Share of the resident warps' cycles in this state"), 1);
        // What is no neighbour is not offered.
        const auto nothing = ridgeCommand(words("run nope"));
        QVERIFY2(nothing.exitCode == 2 && !nothing.err.contains("did you mean"), nothing.err.constData());
    }

    void runJsonIsTheContract()
    {
        const auto outcome =
            ridgeCommand(words("run coalescing --target sim:h100-sxm --sweep stride=1..128:log2 --json"));
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.err.isEmpty(), "a progress bar in a pipe");
        const Json json = document(outcome);
        QCOMPARE(json.at("experiment"), "coalescing");
        QCOMPARE(json.at("target"), "sim:h100-sxm");
        QCOMPARE(json.at("provenance"), "SIMULATED");
        QCOMPARE(json.at("validity"), "valid");
        QVERIFY(json.at("fingerprint").is_object() && !json.at("fingerprint").empty());
        QVERIFY(json.at("version").is_number_integer());
        const std::vector<double> expected = {4, 8, 16, 32, 32, 32, 32, 32};
        QCOMPARE(json.at("samples").size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Json& sample = json.at("samples").at(i);
            QCOMPARE(sample.at("params").at("stride").get<int>(), 1 << i);
            const Json& metric = sample.at("metrics").at("sectors_per_request");
            QCOMPARE(metric.at("value").get<double>(), expected[i]);
            QCOMPARE(metric.at("unit"), "sectors/request");
            for (const auto& [name, value] : sample.at("metrics").items())
                QVERIFY2(value.contains("provenance"), name.c_str());
        }
        for (const Json& check : json.at("checks"))
            QVERIFY2(check.at("passed").get<bool>(), check.dump().c_str());
        QVERIFY(!json.at("checks").empty());
    }

    /// What an experiment says beside its numbers, here that a reference is missing, reaches whoever ran it.
    void notesAreShownOnce()
    {
        const test::Environment none{{QStringLiteral("RIDGE_NVRTC"), QStringLiteral("/nowhere/libnvrtc.so")},
                                     {QStringLiteral("RIDGE_NVCC"), QStringLiteral("/nowhere/nvcc")}};
        const QStringList sweep =
            words("run reduction --target sim:t4 --set reference=cub --set elements=1024 --sweep rung=atomic,shuffle");
        const auto text = ridgeCommand(sweep, none);
        QCOMPARE(text.exitCode, 0);
        QCOMPARE(text.out.count("  note: without a vendor's reference: "), 1);
        QVERIFY2(text.out.contains("set reference=none"), text.out.constData());
        const Json notes = document(ridgeCommand(sweep + QStringList{QStringLiteral("--json")}, none)).at("notes");
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY(notes.at(0).get<std::string>().starts_with("without a vendor's reference: "));
    }

    void bankConflictsFollowTheGcd()
    {
        const Json json =
            document(ridgeCommand(words("run bank_conflicts --target sim:t4 --sweep stride=1..33 --json")));
        QCOMPARE(json.at("samples").size(), std::size_t{33});
        for (const Json& sample : json.at("samples")) {
            const int stride = sample.at("params").at("stride").get<int>();
            QCOMPARE(sample.at("metrics").at("conflict_degree").at("value").get<double>(),
                     static_cast<double>(std::gcd(stride, 32)));
        }
    }

    void badCommandLines_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exit");
        QTest::addColumn<QStringList>("says");
        const auto row = [](const char* name, const char* line, int exit, const QStringList& says) {
            QTest::newRow(name) << words(line) << exit << says;
        };
        row("no command", "", 2, {});
        row("unknown command", "dance", 2, {});
        row("experiment", "run coalesce", 2, {QStringLiteral("coalesce"), QStringLiteral("did you mean coalescing")});
        row("parameter", "run coalescing --set strde=3", 2,
            {QStringLiteral("strde"), QStringLiteral("did you mean stride")});
        row("range", "run coalescing --set stride=500", 2,
            {QStringLiteral("stride"), QStringLiteral("500"), QStringLiteral("1 to 128")});
        row("not a number", "run coalescing --set stride=fast", 2, {QStringLiteral("stride"), QStringLiteral("fast")});
        row("no value", "run coalescing --set stride", 2, {QStringLiteral("name=value")});
        row("listed", "run coalescing --set element_bytes=5", 2, {QStringLiteral("4, 8, 16")});
        row("sweep", "run coalescing --sweep stride=9..1", 2, {QStringLiteral("sweep stride=9..1")});
        row("both", "run coalescing --set stride=1 --sweep stride=1..4", 2, {QStringLiteral("both fixed and swept")});
        row("chip", "run coalescing --target sim:h100-sx", 2, {QStringLiteral("sim:h100-sxm")});
        row("seconds", "run coalescing --seconds -3", 2, {});
        row("lesson", "lesson run 9.9", 2, {QStringLiteral("9.9"), QStringLiteral("2.4")});
        row("lint place", "lint /nonexistent", 2, {QStringLiteral("/nonexistent")});
        row("artifact", "export nothing --out out", 4, {});
    }
    void badCommandLines()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exit);
        QFETCH(QStringList, says);
        QTemporaryDir home;
        arguments.removeAll(QString());
        const auto outcome = ridgeCommand(arguments, {{QStringLiteral("RIDGE_HOME"), home.path()}});
        QVERIFY2(outcome.exitCode == exit, outcome.err.constData());
        QVERIFY(outcome.out.isEmpty());
        QVERIFY(!outcome.err.isEmpty());
        for (const QString& part : says)
            QVERIFY2(QString::fromUtf8(outcome.err).contains(part), outcome.err.constData());
    }

    void missingPartsAreNamed()
    {
        const auto noWorker =
            ridgeCommand(words("describe"), {{QStringLiteral("RIDGE_WORKER"), QStringLiteral("/nonexistent/worker")}});
        QCOMPARE(noWorker.exitCode, 3);
        QVERIFY(noWorker.err.contains("/nonexistent/worker"));
        const auto noData =
            ridgeCommand(words("lessons"), {{QStringLiteral("RIDGE_DATA"), QStringLiteral("/nonexistent")}});
        QCOMPARE(noData.exitCode, 3);
        QVERIFY(noData.err.contains("RIDGE_DATA"));
        const auto noGpu = ridgeCommand(words("run coalescing --target gpu:0"),
                                        {{QStringLiteral("RIDGE_LIBCUDA"), QStringLiteral("/nonexistent.so")}});
        QCOMPARE(noGpu.exitCode, 3);
        QVERIFY(noGpu.err.contains("gpu:0"));
    }

    void lessonsAndLint()
    {
        const auto lessons = ridgeCommand(words("lessons --json"));
        QCOMPARE(lessons.exitCode, 0);
        const Json list = document(lessons);
        QVERIFY(list.is_array() && !list.empty());
        for (const Json& lesson : list)
            for (const char* key : {"id", "title", "module", "minutes", "experiments", "checks", "artifact"})
                QVERIFY2(lesson.contains(key), key);
        // 56 lessons, and a capstone behind those of each module; the last module ends with lesson 7.8, which is its
        // own.
        std::vector<std::string> ids;
        for (const Json& lesson : list)
            ids.push_back(lesson.at("id").get<std::string>());
        std::vector<std::string> wanted;
        for (int module = 1; module <= 7; ++module) {
            for (int number = 1; number <= 8; ++number)
                wanted.push_back(std::to_string(module) + "." + std::to_string(number));
            if (module < 7)
                wanted.push_back(std::to_string(module) + ".capstone");
        }
        QCOMPARE(ids, wanted);
        const auto lint = ridgeCommand(words("lint --json"));
        QVERIFY2(lint.exitCode == 0, lint.out.constData());
        const Json report = document(lint);
        QCOMPARE(report.at("lessons").get<std::size_t>(), std::size_t{56});
        QVERIFY(report.at("errors").empty());
    }

    void pathsAndCompanions()
    {
        const auto paths = ridgeCommand(words("paths --json"));
        QVERIFY2(paths.exitCode == 0, paths.err.constData());
        const Json list = document(paths);
        QVERIFY(list.is_array() && list.size() >= 10);
        for (const Json& path : list)
            QVERIFY(!path.at("lessons").empty() && path.at("primary") != path.at("adjacent"));
        const auto one = ridgeCommand(words("paths kernel-author"));
        QCOMPARE(one.exitCode, 0);
        QVERIFY2(one.out.contains("L2c Kernel engineering"), one.out.constData());
        const auto none = ridgeCommand(words("paths kernel-autor"));
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.err.contains("did you mean 'kernel-author'"), none.err.constData());
        const auto chapter = ridgeCommand(words("companion multilayer-perceptrons --json"));
        QVERIFY2(chapter.exitCode == 0, chapter.err.constData());
        const Json hidden = document(chapter).at("chapters").at(0).at("work").at(0);
        QCOMPARE(hidden.at("flop").get<double>(), 2.0 * 256 * 784 * 256);
        for (const char* id : {"tinygrad", "fpga-board", "attention"}) {
            const auto told = ridgeCommand({QStringLiteral("companion"), QString::fromLatin1(id)});
            QVERIFY2(told.exitCode == 0, told.err.constData());
            QVERIFY2(told.out.contains("\n  4.") || told.out.contains("\n  3."), told.out.constData()); // its lessons
        }
        QCOMPARE(ridgeCommand(words("companion nothing")).exitCode, 2);
    }

    void lintNamesFileAndLine()
    {
        QTemporaryDir dir;
        QFile lesson(dir.filePath(QStringLiteral("broken.md")));
        QVERIFY(lesson.open(QIODevice::WriteOnly));
        lesson.write("---\nid: 2.4\ntitle: [unclosed\n---\n## Why it matters\n");
        lesson.close();
        const auto outcome = ridgeCommand({QStringLiteral("lint"), lesson.fileName(), QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode, 1);
        const Json report = document(outcome);
        QVERIFY(!report.at("errors").empty());
        const Json& first = report.at("errors").at(0);
        QVERIFY(first.at("file").get<std::string>().ends_with("broken.md"));
        QVERIFY(first.at("line").get<int>() >= 1);
        QVERIFY(!first.at("message").get<std::string>().empty());
    }

    void interruptCancels()
    {
        QProcess process;
        process.setProcessEnvironment(test::environmentWith({}));
        process.start(
            test::binary(QStringLiteral("ridge")),
            words("run coalescing --target sim:t4 --set elements=262144 --sweep stride=1..128 --sweep offset=0..31"));
        QVERIFY(process.waitForStarted());
        // The worker is a child of ridge once the run is under way; only then is there something to cancel.
        const QString children = QStringLiteral("/proc/%1/task/%1/children").arg(process.processId());
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                QFile file(children);
                if (!file.open(QIODevice::ReadOnly))
                    return false;
                for (const QByteArray& pid : file.readAll().split(' ')) {
                    QFile command(QStringLiteral("/proc/%1/cmdline").arg(QString::fromLatin1(pid)));
                    if (command.open(QIODevice::ReadOnly) && command.readAll().endsWith(QByteArray("\0run\0", 5)))
                        return true;
                }
                return false;
            }(),
            20000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(process.readAllStandardError().contains("cancelled"));
    }

    void aSweepGoesOnWithThePointsItLacks()
    {
        QTemporaryDir home;
        const test::Environment there{{QStringLiteral("RIDGE_HOME"), home.path()}};
        const auto go = [&](const char* rest) {
            return ridgeCommand(words("run coalescing --target sim:t4 --json --sweep") + words(rest), there);
        };
        const Json first = document(go("stride=4,2 --save"));
        QVERIFY(!first.contains("resumed"));
        const auto outcome = go("stride=1,2,4,8 --resume");
        QVERIFY2(outcome.err.contains("2 of 4 points are in the store"), outcome.err.constData());
        const Json whole = document(outcome);
        QCOMPARE(whole.at("resumed").get<int>(), 2);
        QCOMPARE(whole.at("saved").size(), 2u);
        QCOMPARE(whole.at("samples").size(), 4u);
        for (std::size_t i = 0; i < 4; ++i) { // in the order of the sweep, with the numbers that were stored
            const Json& sample = whole.at("samples").at(i);
            QCOMPARE(sample.at("params").at("stride").get<int>(), 1 << i);
            QCOMPARE(sample.at("metrics").at("sectors_per_request").at("value").get<double>(), double(4 << i));
        }
        QCOMPARE(whole.at("samples").at(1).at("metrics"), first.at("samples").at(1).at("metrics"));
        // Whole now: there is nothing to go on with.
        const auto again = go("stride=1,2,4,8 --resume");
        QVERIFY2(again.err.contains("running all points"), again.err.constData());
        QCOMPARE(document(again).at("saved").size(), 4u);
    }

    void doctorKnowsEveryPart()
    {
        QTemporaryDir home;
        const QString fake = QCoreApplication::applicationDirPath() + QStringLiteral("/fake_vendor.so");
        const auto outcome =
            ridgeCommand(words("doctor --json"), {{QStringLiteral("RIDGE_HOME"), home.path()},
                                                  {QStringLiteral("RIDGE_LIBCUBLASLT"), fake},
                                                  {QStringLiteral("RIDGE_LIBNCCL"), QStringLiteral("/nowhere")}});
        QVERIFY2(outcome.exitCode == 0, outcome.out.constData());
        const Json json = document(outcome);
        QVERIFY(json.at("ok").get<bool>());
        std::map<std::string, Json> parts;
        for (const Json& finding : json.at("findings"))
            parts[finding.at("part")] = finding;
        QVERIFY(parts.contains("store") && parts.contains("lessons") && parts.contains("worker"));
        QCOMPARE(parts.at("library cublaslt").value("health", ""), std::string("ok"));
        QVERIFY(parts.at("library cublaslt").value("detail", "").starts_with("cuBLASLt 13.0.2, "));
        QCOMPARE(parts.at("library nccl").value("health", ""), std::string("absent"));
    }

    /// A file of any of the three kinds, or a shipped model; what is wrong in one is named.
    void aModelIsCounted()
    {
        QTemporaryDir folder;
        const auto write = [&](const char* name, const char* text) {
            QFile file(folder.filePath(QString::fromUtf8(name)));
            return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
        };
        QVERIFY(write("config.json", R"({"model_type": "cohere2", "hidden_size": 64, "num_hidden_layers": 4,
            "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100})"));
        QVERIFY(write("net.yaml", "title: Two\ninput: [784]\nlayers:\n  - linear: 256\n  - relu\n  - linear: 10\n"));
        QVERIFY(write("wrong.json", R"({"model_type": "rwkv"})"));
        const auto ask = [&](const QString& what, const char* more = "--batch 1") {
            return ridgeCommand(QStringList{QStringLiteral("model"), what} + words(more), {});
        };
        const auto counted = ask(folder.filePath(QStringLiteral("config.json")), "--context 64 --json");
        QVERIFY2(counted.exitCode == 0, counted.err.constData());
        const Json json = document(counted);
        // A layer: three matrices of 64 x 128, queries and output of 4 heads of 16, keys and values of 2, and one norm.
        QCOMPARE(json.at("parameters").get<double>(),
                 4.0 * (3 * 64 * 128 + 2 * 64 * 64 + 2 * 64 * 32 + 64) + 100 * 64 + 64);
        QCOMPARE(json.at("kv_bytes_per_token").get<double>(), 2.0 * 4 * 32 * 2);
        QCOMPARE(json.at("phase").get<std::string>(), std::string("decode"));
        double flops = 0;
        for (const Json& op : json.at("operators"))
            flops += op.at("count").get<double>() * op.at("flops").get<double>();
        QCOMPARE(flops, json.at("flops").get<double>());
        const auto net = ask(folder.filePath(QStringLiteral("net.yaml")));
        QVERIFY2(net.exitCode == 0 && net.out.contains("parameters: 203530") && net.out.contains("prefill, batch 1") &&
                     net.out.endsWith("\n"),
                 (net.out + net.err).constData());
        // An encoder and a decoder, and a state in place of a cache.
        QVERIFY(write("t5.json", R"({"model_type": "t5", "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2,
            "num_decoder_layers": 3, "num_heads": 4, "vocab_size": 100})"));
        const auto pair = ask(folder.filePath(QStringLiteral("t5.json")), "--context 8 --source 30 --batch 2 --json");
        QVERIFY2(pair.exitCode == 0, pair.err.constData());
        const Json both = document(pair);
        QCOMPARE(both.at("phase").get<std::string>(), std::string("decode"));
        QCOMPARE(both.at("source").get<double>(), 30.0);
        QCOMPARE(both.at("kv_bytes_per_token").get<double>(), 2.0 * 3 * 64 * 2);
        QCOMPARE(both.at("cross_kv_bytes_per_source_token").get<double>(), 2.0 * 3 * 64 * 2);
        const auto told = ask(folder.filePath(QStringLiteral("t5.json")), "--context 8 --phase prefill");
        QVERIFY2(told.out.contains("cache of the encoder's output: 768 bytes a token of its input") &&
                     told.out.contains("8 tokens over 8 of the encoder's input") &&
                     told.out.contains("encoder, attention"),
                 (told.out + told.err).constData());
        QVERIFY(write("mamba.json", R"({"model_type": "mamba", "hidden_size": 96, "num_hidden_layers": 3,
            "vocab_size": 509, "state_size": 8})"));
        const auto state = ask(folder.filePath(QStringLiteral("mamba.json")));
        QVERIFY2(state.out.contains("parameters: 239904") && state.out.contains("decode, batch 1") &&
                     state.out.contains("state: 13824 bytes a sequence of any length") &&
                     !state.out.contains("bytes a token"),
                 (state.out + state.err).constData());
        const Json kept = document(ask(folder.filePath(QStringLiteral("mamba.json")), "--json"));
        QCOMPARE(kept.at("kv_bytes_per_token").get<double>(), 0.0);
        QCOMPARE(kept.at("state_bytes_per_sequence").get<double>(), 13824.0);
        QVERIFY(!kept.contains("source"));
        QCOMPARE(ask(folder.filePath(QStringLiteral("mamba.json")), "--source 9").exitCode, 2);
        // Where no context is asked for, it is one that the model has positions for.
        QVERIFY(write("whisper.json", R"({"model_type": "whisper"})"));
        const auto sound = ask(folder.filePath(QStringLiteral("whisper.json")));
        QVERIFY2(sound.out.contains("decode, batch 1, 448 tokens over 1500 of the encoder's input"),
                 (sound.out + sound.err).constData());
        QVERIFY(ask(QStringLiteral("bert-base")).out.contains("prefill, batch 1, 512 tokens"));
        QCOMPARE(ask(QStringLiteral("bert-base"), "--context 513").exitCode, 2);
        const auto wrong = ask(folder.filePath(QStringLiteral("wrong.json")));
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.err.contains("\"rwkv\" is not known") && wrong.err.contains("YAML"), wrong.err.constData());
        const auto none = ask(QStringLiteral("lama-3-8b"));
        QVERIFY2(none.exitCode == 2 && none.err.contains("did you mean llama-3-8b"), none.err.constData());
        const auto precision = ask(QStringLiteral("llama-3-8b"), "--dtype bf17");
        QVERIFY2(precision.exitCode == 2 && precision.err.contains("bf16"), precision.err.constData());
        QCOMPARE(ask(QStringLiteral("bert-base"), "--phase decode").exitCode, 2);
        QVERIFY(ask(QStringLiteral("llama-3-8b")).out.contains("parameters: 8030261248"));
    }

    void recordedBaselinesFitTheExperiments()
    {
        const auto all = ridgeCommand(words("baselines --json"), {});
        QVERIFY2(all.exitCode == 0, all.out.constData()); // a misfit would be a failure
        const Json json = document(all);
        QVERIFY(json.at("problems").empty());
        QVERIFY(json.at("baselines").size() >= 11);
        for (const Json& baseline : json.at("baselines")) {
            QVERIFY(!baseline.at("source").get<std::string>().empty() && !baseline.at("fingerprint").empty());
            for (const Json& point : baseline.at("points"))
                QCOMPARE(point.at("provenance").get<std::string>(), std::string("RECORDED"));
        }
        const auto one = ridgeCommand(words("baselines h200-azure"), {});
        QCOMPARE(one.exitCode, 0);
        QVERIFY2(one.out.contains("4.01 TB/s (83.5 % of own roofline)"), one.out.constData());
        const auto none = ridgeCommand(words("baselines nobody"), {});
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.err.contains("h200-azure"), none.err.constData());
    }

    void calibratesTheProcessor()
    {
        QTemporaryDir home;
        const test::Environment at{{QStringLiteral("RIDGE_HOME"), home.path()}};
        auto outcome = ridgeCommand(words("calibrate --target cpu --show --json"), at);
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(document(outcome).at("figures").empty());

        // What no machine can turn round, and one that others use does so only now and then.
        Json figures;
        std::map<std::string, double> values;
        const auto inOrder = [&] {
            return values.at("l1_bandwidth") > values.at("dram_bandwidth") &&
                   values.at("l1_latency") < values.at("dram_latency");
        };
        for (int attempt = 0; attempt < 5 && (attempt == 0 || !inOrder()); ++attempt) {
            outcome = ridgeCommand(words("calibrate --target cpu --json"), at);
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            figures = document(outcome).at("figures");
            QVERIFY(figures.size() >= 9);
            for (const Json& figure : figures) {
                QCOMPARE(QString::fromStdString(figure.at("provenance")), QStringLiteral("MEASURED"));
                values[figure.at("quantity").get<std::string>()] = figure.at("value").get<double>();
            }
        }
        QVERIFY2(inOrder(), figures.dump().c_str());
        outcome = ridgeCommand(words("calibrate --target cpu --show --json"), at);
        QCOMPARE(document(outcome).at("figures").dump(), figures.dump());

        outcome = ridgeCommand(words("calibrate --target model"), at);
        QVERIFY(outcome.exitCode != 0 && !outcome.err.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestRidge)
#include "tst_ridge.moc"
