// SPDX-License-Identifier: GPL-3.0-or-later
// What the load generator measures is what the server did, by the same clock; what a server may do wrong has a name.
#include "cli/load/load_client.h"
#include "tests/cli/standin_server.h"

#include <set>

using namespace ridge;
using namespace ridge::cli;
using namespace ridge::serving;
using ridge::test::Manner;
using ridge::test::Mishap;
using ridge::test::StandinServer;

Q_DECLARE_METATYPE(ridge::test::Mishap)

namespace {

const std::string kKey = "sk-never-to-be-seen";

LoadPlan planFor(const std::string& url, std::size_t requests, double apart, std::uint32_t output)
{
    LoadPlan plan;
    plan.endpoint.base = *loadBase(url);
    plan.model = "stand-in";
    for (std::size_t i = 0; i < requests; ++i)
        plan.requests.push_back({apart * static_cast<double>(i), 8, output, kNoGroup});
    return plan;
}

LoadRun runOf(const LoadPlan& plan)
{
    return LoadClient(plan).run([](std::size_t) {});
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

} // namespace

class TestLoadClient : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Token for token: never before the server sent it, and half of them within half of the time to the next. Nothing
    /// waits for the end of an answer.
    void timesAreThoseOfTheServer_data()
    {
        QTest::addColumn<bool>("chat");
        QTest::newRow("completions") << false;
        QTest::newRow("chat") << true;
    }
    void timesAreThoseOfTheServer()
    {
        QFETCH(bool, chat);
        constexpr int kInterval = 100;
        StandinServer server({.firstMs = 150, .intervalMs = kInterval});
        LoadPlan plan = planFor(server.url(), 4, 0.03, 8);
        plan.chat = chat;
        for (std::size_t i = 0; i < 4; ++i)
            plan.requests[i].output = static_cast<std::uint32_t>(8 + i); // tells the requests apart
        const LoadRun run = runOf(plan);
        const double begin = std::chrono::duration<double>(run.begin.time_since_epoch()).count();
        QCOMPARE(run.outcomes.size(), std::size_t(4));
        QCOMPARE(server.seen.size(), std::size_t(4));
        std::vector<double> delays;
        for (const LoadOutcome& outcome : run.outcomes) {
            QVERIFY2(!outcome.error, outcome.message.c_str());
            const auto seen = std::find_if(server.seen.begin(), server.seen.end(), [&](const auto& s) {
                return s->body["max_tokens"] == outcome.asked.output;
            });
            QVERIFY(seen != server.seen.end());
            const auto& sent = (*seen)->sent;
            QCOMPARE(outcome.answer.at.size(), std::size_t(outcome.asked.output));
            QCOMPARE(sent.size(), outcome.answer.at.size());
            QCOMPARE(outcome.answer.outputTokens, std::optional<std::uint64_t>(outcome.asked.output));
            QCOMPARE(outcome.answer.promptTokens, std::optional<std::uint64_t>(21));
            QVERIFY(outcome.sent >= outcome.asked.arrival);
            QVERIFY((*seen)->at >= begin + outcome.sent);
            for (std::size_t i = 0; i < sent.size(); ++i) {
                QVERIFY(begin + outcome.answer.at[i] >= sent[i]);
                delays.push_back(begin + outcome.answer.at[i] - sent[i]);
            }
            QVERIFY(begin + outcome.answer.at.front() < sent.back());
        }
        QVERIFY2(median(delays) < kInterval / 2e3, QByteArray::number(median(delays)).constData());
        const LoadReport report = summarizeLoad(run.outcomes);
        QVERIFY(report.ttft.p50 >= 0.15);
        QVERIFY2(report.itl.p50 > 0.05 && report.itl.p50 < 0.2, QByteArray::number(report.itl.p50).constData());
        for (const auto& seen : server.seen) {
            QCOMPARE(seen->body.contains("messages"), chat);
            QVERIFY(seen->head.startsWith(chat ? "POST /v1/chat/completions " : "POST /v1/completions "));
            QCOMPARE(seen->body["model"].get<std::string>(), std::string("stand-in"));
            QVERIFY(seen->body["stream"].get<bool>());
            const std::string prompt = chat ? seen->body["messages"][0]["content"] : seen->body["prompt"];
            QCOMPARE(std::count(prompt.begin(), prompt.end(), ' '), std::ptrdiff_t(7));
        }
    }

    /// Forty requests are with the server before it answers the first: no answer makes room for the next request.
    void lateAnswersDelayNoRequest()
    {
        StandinServer server({.firstMs = 2000, .intervalMs = 1});
        const LoadRun run = runOf(planFor(server.url(), 40, 0.005, 2));
        QCOMPARE(server.seen.size(), std::size_t(40));
        QCOMPARE(server.seenAtFirstToken, std::size_t(40));
        QCOMPARE(summarizeLoad(run.outcomes).answered, std::size_t(40));
        std::set<std::string> prompts;
        for (const auto& seen : server.seen)
            prompts.insert(seen->body["prompt"].get<std::string>());
        QCOMPARE(prompts.size(), std::size_t(40));
    }

    void theGuardSaysWhatItHeldBack()
    {
        StandinServer server({.firstMs = 400});
        LoadPlan plan = planFor(server.url(), 6, 0, 2);
        plan.limit = 2;
        const LoadRun run = runOf(plan);
        const LoadReport report = summarizeLoad(run.outcomes);
        QCOMPARE(report.sent, std::size_t(2));
        QCOMPARE(report.answered, std::size_t(2));
        QCOMPARE(report.errors.at(LoadError::NotSent), std::size_t(4));
        QCOMPARE(server.seen.size(), std::size_t(2));
    }

    void whatGoesWrongHasAName_data()
    {
        QTest::addColumn<Mishap>("mishap");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("says");
        QTest::addColumn<int>("pieces");
        const auto row = [](const char* name, Mishap mishap, const char* error, const char* says, int pieces) {
            QTest::newRow(name) << mishap << QByteArray(error) << QByteArray(says) << pieces;
        };
        row("status", Mishap::Status, "status", "HTTP status 500: the model fell over", 0);
        row("redirect", Mishap::Redirect, "status", "HTTP status 307", 0);
        row("error event", Mishap::ErrorEvent, "status", "the model fell over", 2);
        row("stall", Mishap::Stall, "stalled", "after 2 pieces", 2);
        row("drop", Mishap::Drop, "closed_early", "after 2 pieces", 2);
        row("close at once", Mishap::CloseAtOnce, "closed_early", "closed", 0);
        row("malformed", Mishap::Malformed, "malformed", "no JSON", 2);
        row("garbage", Mishap::Garbage, "closed_early", "no HTTP", 0);
        row("whole document", Mishap::WholeDocument, "malformed", "application/json", 0);
        row("no text", Mishap::NoText, "malformed", "no text", 0);
        row("silent", Mishap::Silent, "timeout", "no text", 0);
    }
    void whatGoesWrongHasAName()
    {
        QFETCH(Mishap, mishap);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, says);
        QFETCH(int, pieces);
        StandinServer elsewhere;
        StandinServer server({.mishap = mishap, .location = QByteArray::fromStdString(elsewhere.url()) + "/v1/x"});
        // Some while others fail, some after them.
        LoadPlan plan = planFor(server.url(), 12, 0.013, 5);
        plan.endpoint.key = kKey;
        // Where they should not decide they leave the slowest machine its time.
        plan.stall = mishap == Mishap::Stall ? 0.6 : 60;
        plan.timeout = mishap == Mishap::Silent ? 0.6 : 60;
        const LoadRun run = runOf(plan);
        QCOMPARE(run.outcomes.size(), std::size_t(12));
        for (const LoadOutcome& outcome : run.outcomes) {
            QVERIFY(outcome.error);
            QVERIFY2(toText(*outcome.error) == name.toStdString(),
                     (std::string(toText(*outcome.error)) + ": " + outcome.message).c_str());
            QVERIFY2(outcome.message.find(says.toStdString()) != std::string::npos, outcome.message.c_str());
            QCOMPARE(static_cast<int>(outcome.answer.at.size()), pieces);
        }
        QCOMPARE(server.seen.size(), std::size_t(12)); // none is sent a second time
        QCOMPARE(elsewhere.connections, 0);
    }

    void anAnswerWithoutEndIsCutOff()
    {
        StandinServer server({.mishap = Mishap::Endless});
        LoadPlan plan = planFor(server.url(), 3, 0.01, 5);
        plan.stall = plan.timeout = 600; // neither is what ends it
        const LoadRun run = runOf(plan);
        QCOMPARE(run.outcomes.size(), std::size_t(3));
        for (const LoadOutcome& outcome : run.outcomes) {
            QVERIFY(outcome.error == LoadError::Malformed);
            QVERIFY2(outcome.message.find("for 5 tokens asked for") != std::string::npos, outcome.message.c_str());
        }
    }

    void headersMayBeSlow()
    {
        StandinServer server({.headersMs = 500});
        LoadPlan plan = planFor(server.url(), 2, 0, 3);
        plan.stall = 0.2; // is about pieces of text alone
        const LoadRun run = runOf(plan);
        for (const LoadOutcome& outcome : run.outcomes) {
            QVERIFY2(!outcome.error, outcome.message.c_str());
            QVERIFY(outcome.answer.at.front() >= 0.5);
        }
        plan.timeout = 0.2;
        for (const LoadOutcome& outcome : runOf(plan).outcomes)
            QVERIFY(outcome.error == LoadError::Timeout);
    }

    void nobodyThereIsNoConnection()
    {
        auto gone = std::make_unique<StandinServer>();
        const std::string url = gone->url();
        gone.reset();
        const LoadRun run = runOf(planFor(url, 3, 0.01, 5));
        QCOMPARE(summarizeLoad(run.outcomes).errors.at(LoadError::Connect), std::size_t(3));
        const auto model = firstModel({*loadBase(url), {}}, 10);
        QVERIFY(!model && model.error().code == "endpoint-unreachable");
    }

    void aFalseCountIsNotUsed()
    {
        StandinServer server({.mishap = Mishap::FalseUsage});
        const LoadReport report = summarizeLoad(runOf(planFor(server.url(), 2, 0, 6)).outcomes);
        QCOMPARE(report.wrong, std::size_t(2));
        QCOMPARE(report.outputTokens, 12.0);
    }

    /// Of a connection that stays open after the end of its answer nothing counts, and the run ends.
    void whoNeverClosesIsLeft()
    {
        StandinServer server({.mishap = Mishap::StaysOpen});
        const LoadRun run = runOf(planFor(server.url(), 2, 0, 3));
        for (const LoadOutcome& outcome : run.outcomes)
            QVERIFY2(!outcome.error, outcome.message.c_str());
    }

    void aServersWordsNeverHoldTheKey()
    {
        StandinServer server(
            {.mishap = Mishap::Status,
             .status = 401,
             .error = "{\"error\":{\"message\":\"wrong key " + QByteArray::fromStdString(kKey) + "\"}}"});
        LoadPlan plan = planFor(server.url(), 1, 0, 3);
        plan.endpoint.key = kKey;
        const LoadRun run = runOf(plan);
        QVERIFY(server.seen.front()->head.contains("Bearer " + QByteArray::fromStdString(kKey)));
        QCOMPARE(run.outcomes[0].message, std::string("HTTP status 401: wrong key (key)"));
    }

    void cancelledIsWhatHasEnded()
    {
        StandinServer server({.firstMs = 0, .intervalMs = 1});
        LoadPlan plan = planFor(server.url(), 1, 0, 2);
        plan.requests.push_back({1000, 8, 2, kNoGroup});
        LoadClient client(plan);
        const LoadRun run = client.run([&](std::size_t) { client.cancel(); });
        QVERIFY(run.cancelled);
        QCOMPARE(run.outcomes.size(), std::size_t(1));
        QVERIFY(!run.outcomes[0].error);
    }

    void addresses_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("base");
        QTest::newRow("plain") << QByteArray("http://localhost:8000") << QByteArray("http://localhost:8000/v1");
        QTest::newRow("slash") << QByteArray("http://localhost:8000/") << QByteArray("http://localhost:8000/v1");
        QTest::newRow("version") << QByteArray("https://h/v1/") << QByteArray("https://h/v1");
        QTest::newRow("path") << QByteArray("https://h/api") << QByteArray("https://h/api/v1");
        QTest::newRow("six") << QByteArray("http://[::1]:8000") << QByteArray("http://[::1]:8000/v1");
        for (const char* wrong : {"", "localhost:8000", "ftp://h", "http://", "http://a:b@h", "http://h?x=1",
                                  "http://h#x", "file:///etc/passwd", "http://h h", "http://h:99999"})
            QTest::newRow(wrong) << QByteArray(wrong) << QByteArray();
    }
    void addresses()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, base);
        const auto found = loadBase(text.toStdString());
        QCOMPARE(found ? *found : std::string(), base.toStdString());
        QVERIFY(found || (found.error().code == "bad-argument" && !found.error().fix.empty()));
    }

    void aKeyGoesOpenOnlyToOthersOverHttp()
    {
        QVERIFY(keyGoesOpen({"http://example.org/v1", kKey}));
        QVERIFY(!keyGoesOpen({"http://example.org/v1", ""}));
        QVERIFY(!keyGoesOpen({"https://example.org/v1", kKey}));
        QVERIFY(!keyGoesOpen({"http://127.0.0.1:1/v1", kKey}));
        QVERIFY(!keyGoesOpen({"http://localhost:1/v1", kKey}));
    }
};

QTEST_GUILESS_MAIN(TestLoadClient)
#include "tst_load_client.moc"
