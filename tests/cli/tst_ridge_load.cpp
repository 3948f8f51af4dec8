// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge load` as somebody types it, against a server of the test.
#include "base/json.h"
#include "serving/requests.h"
#include "tests/cli/standin_server.h"
#include "tests/support/process.h"

#include <QTemporaryDir>
#include <csignal>

using namespace ridge;
using ridge::test::Manner;
using ridge::test::Mishap;
using ridge::test::Outcome;
using ridge::test::StandinServer;

namespace {

const QString kKey = QStringLiteral("sk-never-to-be-seen");

QStringList words(const char* text)
{
    return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

class TestRidgeLoad : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;

    /// The server answers meanwhile. `after`: as soon as this is true the program gets SIGINT.
    Outcome load(const std::string& url, const QStringList& arguments, const std::function<bool()>& after = {})
    {
        QProcess process;
        process.setProcessEnvironment(test::environmentWith(
            {{QStringLiteral("RIDGE_HOME"), m_home.path()}, {QStringLiteral("OPENAI_API_KEY"), kKey}}));
        QEventLoop loop;
        QObject::connect(&process, &QProcess::finished, &loop, &QEventLoop::quit);
        QTimer::singleShot(100000, &loop, &QEventLoop::quit);
        bool interrupted = false;
        QTimer look;
        QObject::connect(&look, &QTimer::timeout, &loop, [&] {
            if (after && !interrupted && after()) {
                interrupted = true;
                ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            }
        });
        look.start(10);
        process.start(test::binary(QStringLiteral("ridge")),
                      QStringList{QStringLiteral("load"), QString::fromStdString(url)} + arguments);
        loop.exec();
        Outcome outcome;
        outcome.ended = process.state() == QProcess::NotRunning;
        if (!outcome.ended)
            process.kill();
        process.waitForFinished();
        outcome.exitCode = process.exitCode();
        outcome.out = process.readAllStandardOutput();
        outcome.err = process.readAllStandardError();
        return outcome;
    }

private Q_SLOTS:
    void measuresAndComparesWithThePrediction()
    {
        StandinServer server({.firstMs = 30, .intervalMs = 10});
        const QString csv = m_home.filePath(QStringLiteral("requests.csv"));
        const auto outcome =
            load(server.url(), words("--rate 50 --requests 20 --prompt 16 --output 12 --json --against "
                                     "chip=h100-sxm,tp=1,model=llama-3.1-8b --requests-out") +
                                   QStringList{csv});
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const auto json = parseJson(outcome.out.toStdString(), "load");
        QVERIFY(json);
        QCOMPARE(json->at("provenance").get<std::string>(), std::string("MEASURED"));
        QCOMPARE(json->at("model").get<std::string>(), std::string("stand-in"));
        QCOMPARE(json->at("answered").get<int>(), 20);
        for (const auto& [kind, count] : json->at("errors").items())
            QCOMPARE(count.get<int>(), 0);
        QCOMPARE(server.asksForModels, 1);
        QCOMPARE(server.seen.size(), std::size_t(20));
        const auto value = [&](const char* name) { return json->at("metrics").at(name).at("value").get<double>(); };
        for (const char* name : {"ttft_mean", "ttft_p50", "ttft_p90", "ttft_p99", "tpot_mean", "tpot_p50", "tpot_p90",
                                 "tpot_p99", "itl_mean", "itl_p50", "itl_p90", "itl_p99", "e2e_mean", "e2e_p50",
                                 "e2e_p90", "e2e_p99", "throughput", "request_rate", "makespan"}) {
            QVERIFY2(value(name) > 0, name);
            QCOMPARE(json->at("metrics").at(name).at("provenance").get<std::string>(), std::string("MEASURED"));
            const Json& prediction = json->at("prediction");
            QCOMPARE(prediction.at("metrics").at(name).at("provenance").get<std::string>(), std::string("MODELLED"));
            const double modelled = prediction.at("metrics").at(name).at("value").get<double>();
            QVERIFY(std::abs(prediction.at("measured_over_predicted").at(name).get<double>() * modelled / value(name) -
                             1) < 1e-9);
        }
        // The very arrivals: the seed's.
        serving::Workload workload;
        workload.requests = 20;
        workload.rate = 50;
        Rng rng(1);
        const double last = serving::makeRequests(workload, rng).back().arrival;
        QVERIFY(value("makespan") > last);
        const Json& params = json->at("prediction").at("params");
        QCOMPARE(params.at("model").get<std::string>(), std::string("llama-3.1-8b"));
        // The prediction is of tokens as the server counts them.
        QCOMPARE(json->at("prediction").at("metrics").at("tokens").at("value").get<double>(), 20.0 * (21 + 12 - 1));
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().count('\n'), 21);
    }

    void theTableHasBothColumns()
    {
        StandinServer server;
        const auto outcome = load(server.url() + "/v1", words("--rate 100 --requests 3 --output 4 --model m --chat "
                                                              "--no-usage --ignore-eos --against chip=h200-sxm"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QVERIFY(outcome.out.contains("MODELLED") && outcome.out.contains("ttft_p99"));
        QVERIFY2(outcome.out.contains("its length is in words"), outcome.out.constData());
        QVERIFY(outcome.out.contains("a piece of text counts as a token"));
        QCOMPARE(server.asksForModels, 0);
        QVERIFY(!server.seen[0]->body.contains("stream_options"));
        QVERIFY(server.seen[0]->body["ignore_eos"].get<bool>());
        QCOMPARE(server.seen[0]->body["model"].get<std::string>(), std::string("m"));
    }

    void aTraceIsSentAsItIs()
    {
        StandinServer server;
        const QString trace = m_home.filePath(QStringLiteral("trace.csv"));
        QFile file(trace);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("arrival,prompt,output\n0,3,2\n0.05,5,4\n0.1,7,6\n5000,1,1\n");
        file.close();
        const auto outcome =
            load(server.url(), QStringList{QStringLiteral("--trace"), trace} + words("--requests 3 --json"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        QCOMPARE(server.seen.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            const std::string prompt = server.seen[i]->body["prompt"];
            QCOMPARE(std::count(prompt.begin(), prompt.end(), ' '), std::ptrdiff_t(2 + 2 * i));
            QCOMPARE(server.seen[i]->body["max_tokens"].get<std::size_t>(), 2 + 2 * i);
        }
    }

    void failuresAreCountedAndEndWithOne()
    {
        StandinServer server({.mishap = Mishap::Status});
        const auto outcome = load(server.url(), words("--rate 100 --requests 4 --json --against chip=h100-sxm"));
        QCOMPARE(outcome.exitCode, 1);
        const auto json = parseJson(outcome.out.toStdString(), "load");
        QVERIFY(json);
        QCOMPARE(json->at("errors").at("status").get<int>(), 4);
        QCOMPARE(json->at("http_statuses").at("500").get<int>(), 4);
        QVERIFY(!json->contains("prediction"));
        QVERIFY(!json->at("metrics").contains("ttft_mean"));
        QCOMPARE(json->at("first_errors").at("status").get<std::string>(),
                 std::string("HTTP status 500: the model fell over"));
    }

    void theKeyIsSentAndNeverShown()
    {
        StandinServer server({.mishap = Mishap::Status, .status = 401, .error = "no such key: sk-never-to-be-seen"});
        const QString csv = m_home.filePath(QStringLiteral("refused.csv"));
        const auto outcome = load(server.url(), words("--rate 100 --requests 2 --requests-out") + QStringList{csv});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY(server.seen[0]->head.contains(kKey.toLatin1()));
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QByteArray& text : {outcome.out, outcome.err, file.readAll()}) {
            QVERIFY(!text.contains(kKey.toLatin1()));
            QVERIFY(!text.contains("never-to-be-seen"));
        }
        QVERIFY(outcome.out.contains("(key)"));
    }

    void nobodyThereIsThree()
    {
        auto gone = std::make_unique<StandinServer>();
        const std::string url = gone->url();
        gone.reset();
        QCOMPARE(load(url, words("--rate 1")).exitCode, 3);
        const auto named = load(url, words("--rate 100 --requests 2 --model m"));
        QCOMPARE(named.exitCode, 3);
        QVERIFY2(named.out.contains("connect: 2 requests"), named.out.constData());
    }

    void interruptedTellsWhatThereIs()
    {
        StandinServer server({.intervalMs = 1});
        const QString trace = m_home.filePath(QStringLiteral("long.csv"));
        QFile file(trace);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("0,3,2\n4000,5,4\n");
        file.close();
        double answered = 0;
        const auto outcome =
            load(server.url(), QStringList{QStringLiteral("--json"), QStringLiteral("--trace"), trace}, [&] {
                if (answered == 0 && !server.seen.empty() && server.seen[0]->sent.size() == 2)
                    answered = test::steadySeconds();
                return answered > 0 && test::steadySeconds() > answered + 1;
            });
        QCOMPARE(outcome.exitCode, 130);
        const auto json = parseJson(outcome.out.toStdString(), "load");
        QVERIFY2(json, outcome.out.constData());
        QVERIFY(json->at("cancelled").get<bool>());
        QCOMPARE(json->at("answered").get<int>(), 1);
    }

    /// What is typed wrong is said before anything is sent.
    void wrongLinesReachNoServer_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* arguments, const char* says) {
            QTest::newRow(arguments) << words(arguments) << QByteArray(says);
        };
        row("", "--rate");
        row("--rate 0", "above 0");
        row("--rate -1", "above 0");
        row("--rate nan", "above 0");
        row("--rate inf", "above 0");
        row("--rate 1e6", "100000");
        row("--rate 2x", "above 0");
        row("--rate 1 --requests 0", "from 1");
        row("--rate 1 --requests -5", "whole");
        row("--rate 1 --requests 99999999", "range");
        row("--rate 1 --prompt 0", "from 1");
        row("--rate 1 --output 0", "from 1");
        row("--rate 1 --timeout 0", "above 0");
        row("--rate 1 --stall -1", "above 0");
        row("--rate 1 --concurrency-limit 0", "from 1");
        row("--rate 1 --seed -1", "whole number");
        row("--rate 1 --trace x.csv", "excludes");
        row("--trace /nowhere/x.csv", "/nowhere/x.csv");
        row("--rate 1 --requests-out /nowhere/x.csv", "/nowhere");
        row("--rate 1 --against chip=h100", "chip");
        row("--rate 1 --against chips=h100-sxm", "chips");
        row("--rate 1 --against rate=4", "the load itself decides rate");
        row("--rate 1 --against chip", "chip");
    }
    void wrongLinesReachNoServer()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        StandinServer server;
        const auto outcome = load(server.url(), arguments);
        QVERIFY2(outcome.exitCode == 2, outcome.err + outcome.out);
        QVERIFY2(outcome.err.contains(says), outcome.err.constData());
        QCOMPARE(server.connections, 0);
    }

    /// A server that the model would not fit is no setting to compare with.
    void aSettingThatCannotRunReachesNoServer()
    {
        StandinServer server;
        const auto outcome = load(server.url(), words("--rate 1 --against chip=h100-sxm,tp=1,model=llama-3.1-405b"));
        QVERIFY(outcome.exitCode != 0);
        QVERIFY2(outcome.err.contains("405"), outcome.err.constData());
        QCOMPARE(server.connections, 0);
    }

    void aKeyWithALineEndIsRefused()
    {
        StandinServer server;
        const auto outcome = test::runProgram(
            QStringLiteral("ridge"),
            QStringList{QStringLiteral("load"), QString::fromStdString(server.url())} + words("--rate 1"),
            {{QStringLiteral("OPENAI_API_KEY"), QStringLiteral("a\r\nX: y")}});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY(outcome.err.contains("OPENAI_API_KEY"));
    }
};

QTEST_GUILESS_MAIN(TestRidgeLoad)
#include "tst_ridge_load.moc"
