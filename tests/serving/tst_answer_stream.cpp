// SPDX-License-Identifier: GPL-3.0-or-later
// Streams of servers cut anywhere, and what is made of the times at which their text came.
#include "base/json.h"
#include "serving/load/load_report.h"

#include <QtTest>

#include <cmath>

using namespace ridge;
using namespace ridge::serving;

namespace {

const std::string kText = R"({"choices":[{"index":0,"text":" a","finish_reason":null}]})";
const std::string kSays = R"({"choices":[{"index":0,"delta":{"content":"b"}}]})";
const std::string kThinks = R"({"choices":[{"index":0,"delta":{"reasoning_content":"c"}}],"usage":null})";
const std::string kRole = R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})";
const std::string kStop = R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})";
const std::string kUsage = R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"total_tokens":12}})";

std::string framed(const std::string& data, const std::string& end = "\n")
{
    return "data: " + data + end + end;
}

/// What a whole stream of one piece gives: "" or the code of its error.
std::string verdict(const std::string& stream, StreamedAnswer* answer = nullptr)
{
    AnswerStream reader;
    const auto fed = reader.feed(stream, 1);
    const auto finished = reader.finish();
    if (answer)
        *answer = reader.answer();
    return !fed ? fed.error().code : !finished ? finished.error().code : std::string();
}

LoadOutcome answered(double arrival, std::vector<double> at, std::uint32_t asked)
{
    LoadOutcome o;
    o.asked = {arrival, 10, asked, kNoGroup};
    o.sent = arrival;
    o.ended = at.back();
    o.status = 200;
    o.answer.at = std::move(at);
    return o;
}

double valueOf(const std::vector<LoadMetric>& metrics, const std::string& name)
{
    for (const LoadMetric& metric : metrics)
        if (metric.name == name)
            return metric.value;
    return std::nan("");
}

bool close(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

} // namespace

class TestAnswerStream : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Byte i comes at i seconds, whatever pieces the bytes come in: a piece of text counts from its event's last byte.
    void everyCutGivesTheSameTimes_data()
    {
        QTest::addColumn<QByteArray>("end");
        QTest::newRow("LF") << QByteArray("\n");
        QTest::newRow("CRLF") << QByteArray("\r\n");
        QTest::newRow("CR") << QByteArray("\r");
    }
    void everyCutGivesTheSameTimes()
    {
        QFETCH(QByteArray, end);
        const std::string e = end.toStdString();
        std::string stream = "\xef\xbb\xbf: a comment" + e + e + "retry: 3" + e + framed(kRole, e);
        std::vector<double> whole; // index of the byte that ends each event with text
        for (const std::string& data : {kText, kSays, kThinks}) {
            stream += framed(data, e);
            // of CRLF the CR has ended the line
            whole.push_back(static_cast<double>(stream.size() - e.size()));
            stream += ": ping" + e + e;
        }
        stream += framed(kStop, e) + framed(kUsage, e) + framed("[DONE]", e) + "anything at all";
        AnswerStream bytewise;
        for (std::size_t i = 0; i < stream.size(); ++i)
            QVERIFY(bytewise.feed(stream.substr(i, 1), static_cast<double>(i)));
        QVERIFY(bytewise.finish());
        QCOMPARE(bytewise.answer().at, whole);
        QVERIFY(bytewise.answer().done);
        QCOMPARE(bytewise.answer().finish, std::string("length"));
        QCOMPARE(bytewise.answer().promptTokens, std::optional<std::uint64_t>(7));
        QCOMPARE(bytewise.answer().outputTokens, std::optional<std::uint64_t>(5));
        for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
            AnswerStream reader;
            QVERIFY(reader.feed(stream.substr(0, cut), 1));
            QVERIFY(reader.feed(stream.substr(cut), 2));
            QVERIFY(reader.finish());
            std::vector<double> expected;
            for (const double at : whole)
                expected.push_back(at < static_cast<double>(cut) ? 1 : 2);
            QCOMPARE(reader.answer().at, expected);
        }
    }

    void whatIsNoAnswerIsSaid_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<int>("pieces");
        const auto row = [](const char* name, const std::string& stream, const char* code, int pieces) {
            QTest::newRow(name) << QByteArray::fromStdString(stream) << QByteArray(code) << pieces;
        };
        const std::string text = framed(kText);
        row("whole", text + framed("[DONE]"), "", 1);
        row("a reason in place of the mark", text + framed(kStop), "", 1);
        row("mark without the end of its event", text + "data: [DONE]\n", "", 1);
        row("mark without the end of its line", text + "data: [DONE]", "", 1);
        row("data in two lines", "data: {\"choices\":\ndata: [{\"text\":\"x\"}]}\n\n" + framed("[DONE]"), "", 1);
        row("no blank behind the colon", "data:" + kText + "\n\ndata:[DONE]\n\n", "", 1);
        row("named events", "event: message\nid: 4\n" + text + framed("[DONE]"), "", 1);
        row("a call of a tool", framed(R"({"choices":[{"delta":{"tool_calls":[{"id":"x"}]}}]})") + framed("[DONE]"), "",
            1);
        row("an empty list of choices", framed(R"({"choices":[]})") + text + framed("[DONE]"), "", 1);
        row("nothing", "", "closed-early", 0);
        row("closed after two", text + text, "closed-early", 2);
        row("closed within an event", text + "data: {\"choi", "closed-early", 1);
        row("closed before the end of an event", text + "data: " + kText + "\n", "closed-early", 1);
        row("the mark alone", framed("[DONE]"), "malformed", 0);
        row("no text ever", framed(kRole) + framed(kStop) + framed("[DONE]"), "malformed", 0);
        row("half an object", text + framed(R"({"choices":[{"text":)"), "malformed", 1);
        row("a word", text + framed("hello"), "malformed", 1);
        row("a number", framed("7"), "malformed", 0);
        row("choices that are none", framed(R"({"choices":{"text":"x"}})"), "malformed", 0);
        row("a choice that is none", framed(R"({"choices":["x"]})"), "malformed", 0);
        row("neither choices nor usage", framed(R"({"object":"list"})"), "malformed", 0);
        row("not UTF-8", framed("{\"choices\":[{\"text\":\"\xff\"}]}"), "malformed", 0);
        row("deep", framed("{\"choices\":" + std::string(100, '[') + std::string(100, ']') + "}"), "malformed", 0);
        row("tokens below zero", framed(R"({"choices":[],"usage":{"completion_tokens":-1}})"), "malformed", 0);
        row("tokens without bound", framed(R"({"choices":[],"usage":{"prompt_tokens":99999999999}})"), "malformed", 0);
        row("half a token", framed(R"({"choices":[],"usage":{"prompt_tokens":1.5}})"), "malformed", 0);
        row("a whole document", R"({"choices":[{"text":"all of it"}]})", "malformed", 0);
        row("a page", "<!DOCTYPE html>\n<p>hello</p>\n", "malformed", 0);
        row("a line without end", "data: " + std::string(AnswerStream::kMostLine + 1, 'x'), "malformed", 0);
        row("data without end",
            "data: " + std::string(AnswerStream::kMostLine / 2, 'x') +
                "\ndata: " + std::string(AnswerStream::kMostLine / 2 + 16, 'x'),
            "malformed", 0);
        row("an error", text + framed(R"({"error":{"message":"out of memory","code":500}})"), "server-error", 1);
        row("an error in words", text + framed(R"({"error":"out of memory"})"), "server-error", 1);
        row("an error as a field", text + "error: {\"message\":\"out of memory\"}\n\n", "server-error", 1);
    }
    void whatIsNoAnswerIsSaid()
    {
        QFETCH(QByteArray, stream);
        QFETCH(QByteArray, code);
        QFETCH(int, pieces);
        StreamedAnswer answer;
        QCOMPARE(verdict(stream.toStdString(), &answer), code.toStdString());
        QCOMPARE(static_cast<int>(answer.at.size()), pieces);
    }

    void anErrorIsToldInTheServersWordsAndStays()
    {
        AnswerStream reader;
        const auto fed = reader.feed(framed(R"({"error":{"message":"out of memory"}})"), 0);
        QVERIFY(!fed && fed.error().message.find("out of memory") != std::string::npos);
        QVERIFY(!reader.feed(framed(kText), 1));
        QVERIFY(reader.answer().at.empty());
        QVERIFY(!reader.finish());
    }

    /// Two whole answers, one of a single token, and four that failed; all by hand.
    void figuresAreThoseOfTheDefinitions()
    {
        std::vector<LoadOutcome> all;
        all.push_back(answered(1, {1.5, 1.6, 1.8}, 3));
        all.push_back(answered(2, {2.1, 2.3, 2.9}, 8));
        all.back().answer.outputTokens = 5; // in three pieces, and fewer than asked for
        all.back().answer.promptTokens = 12;
        all.push_back(answered(3, {3.4}, 1));
        for (const LoadError error : {LoadError::Stalled, LoadError::Status, LoadError::Status, LoadError::NotSent}) {
            LoadOutcome failed = answered(4, {4.1, 9}, 4);
            failed.error = error;
            failed.status = error == LoadError::Status ? 500 : 200;
            if (error == LoadError::NotSent) {
                failed.sent = -1;
                failed.status = 0;
            }
            all.push_back(failed);
        }
        const LoadReport r = summarizeLoad(all);
        QCOMPARE(r.sent, std::size_t(6));
        QCOMPARE(r.answered, std::size_t(3));
        QCOMPARE(r.errors.at(LoadError::Status), std::size_t(2));
        QCOMPARE(r.errors.at(LoadError::NotSent), std::size_t(1));
        QCOMPARE(r.statuses.at(500), std::size_t(2));
        QCOMPARE(r.counted, std::size_t(1));
        QCOMPARE(r.promptsCounted, std::size_t(1));
        QCOMPARE(r.joined, std::size_t(1));
        QCOMPARE(r.shorter, std::size_t(1));
        const auto metrics = metricsOf(r);
        QVERIFY(close(valueOf(metrics, "ttft_mean"), (0.5 + 0.1 + 0.4) / 3));
        QVERIFY(close(valueOf(metrics, "ttft_p50"), 0.4));
        QVERIFY(close(valueOf(metrics, "ttft_p90"), 0.4 + 0.8 * 0.1)); // between ranks 1 and 2
        QVERIFY(close(valueOf(metrics, "tpot_mean"), (0.3 / 2 + 0.8 / 4) / 2));
        QVERIFY(close(valueOf(metrics, "itl_p50"), 0.2)); // of 0.1 0.2 0.2 0.6
        QVERIFY(close(valueOf(metrics, "e2e_p99"), 0.8 + 0.98 * 0.1));
        QVERIFY(close(valueOf(metrics, "makespan"), 3.4));
        QVERIFY(close(valueOf(metrics, "throughput"), (3 + 5 + 1) / 3.4));
        QVERIFY(close(valueOf(metrics, "request_rate"), 3 / 3.4));
        QVERIFY(close(valueOf(metrics, "send_delay_p99"), 0));
        // What the experiment is given: all that was sent, in the server's counts where it told them.
        const auto met = parseTrace(traceText(requestsMet(all)), "t.csv");
        QVERIFY(met);
        QCOMPARE(met->size(), std::size_t(6));
        QCOMPARE((*met)[1], (Request{2, 12, 5, kNoGroup}));
        QCOMPARE((*met)[3], (Request{4, 10, 4, kNoGroup}));
    }

    void aCountThatCannotBeIsNotBelieved()
    {
        for (const std::uint64_t told : {2u, 5u}) { // three pieces came, four tokens were asked for
            LoadOutcome o = answered(0, {1, 2, 3}, 4);
            o.answer.outputTokens = told;
            QVERIFY(countsWrongly(o));
            QCOMPARE(outputTokensOf(o), std::uint64_t(3));
            QCOMPARE(summarizeLoad({o}).wrong, std::size_t(1));
        }
        LoadOutcome o = answered(0, {1, 2, 3}, 4);
        o.answer.outputTokens = 4;
        QVERIFY(!countsWrongly(o));
        QCOMPARE(outputTokensOf(o), std::uint64_t(4));
    }

    void nothingAnsweredHasNoFigures()
    {
        QVERIFY(metricsOf(summarizeLoad({})).empty());
        LoadOutcome o;
        o.error = LoadError::Connect;
        o.sent = 0;
        QVERIFY(std::isnan(valueOf(metricsOf(summarizeLoad({o})), "throughput")));
    }

    void promptsDifferFromTheirFirstWords()
    {
        const std::string a = promptText(32, 1), b = promptText(32, 2);
        QCOMPARE(promptText(32, 1), a);
        QVERIFY(a.substr(0, 40) != b.substr(0, 40));
        QCOMPARE(std::count(a.begin(), a.end(), ' '), std::ptrdiff_t(31));
        QCOMPARE(promptText(1, 1).find(' '), std::string::npos);
    }

    /// A line a request, which a spreadsheet does not compute.
    void aLineARequest()
    {
        LoadOutcome o;
        o.asked = {0.25, 10, 4, kNoGroup};
        o.sent = 0.25;
        o.error = LoadError::Status;
        o.status = 500;
        o.message = "=1+1";
        const std::string text = outcomesText({answered(0, {1, 2}, 2), o});
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), std::ptrdiff_t(3));
        QVERIFY(text.find("0.000000,0.000000,1.000000,2.000000,2,,2,,200,,\r\n") != std::string::npos);
        QVERIFY(text.find("0.250000,0.250000,,,0,,0,,500,status,'=1+1\r\n") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestAnswerStream)
#include "tst_answer_stream.moc"
