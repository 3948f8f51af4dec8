// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/protocol.h"

#include <QtTest>

using namespace ridge;

namespace {

std::vector<Event> everyEvent()
{
    SampleEvent sample;
    sample.index = 3;
    sample.params = {{"stride", std::int64_t{8}}, {"alpha", 0.5}, {"order", std::string("rows")}};
    sample.metrics = {{"sectors_per_request", {32, "sectors/request", Provenance::Simulated}}};
    sample.limits = {{"sectors_per_request", {4, "lower"}}};
    sample.checks = {{"matches_reference", true, "65536 of 65536"}};
    sample.validity = "valid";
    sample.countersBy = "/usr/local/cuda/bin/ncu";
    SampleEvent uncounted = sample;
    uncounted.countersBy.clear();
    uncounted.countersMissing = Error{"counters-forbidden", "not for this user", "", "ask the administrator"};
    TraceEvent trace{3, "memory", std::string("\n{\"event\":\0\xff\n", 13), true};
    return {StartedEvent{"coalescing", 1, "sim:h100-sxm", Provenance::Simulated, Json{{"chip", "h100-sxm"}}, 8},
            ProgressEvent{0.5, "stride = 8"},
            sample,
            uncounted,
            trace,
            LogEvent{"compiled by nvrtc"},
            CheckEvent{{"matches_reference", false, "7 of 8 points"}},
            PausedEvent{{"cycle-limit", "passed the 20000 cycles that it may take", "kernel k", "allow more"}},
            FailedEvent{{"cancelled", "the run was cancelled", "point 4", ""}},
            FinishedEvent{"valid", 0.25}};
}

std::string wire()
{
    std::string bytes;
    for (const Event& event : everyEvent())
        bytes += encodeEvent(event);
    return bytes;
}

} // namespace

class TestProtocol : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The stream cut at every possible place gives the same events.
    void anyChunkingGivesTheSameEvents()
    {
        const std::string bytes = wire();
        for (std::size_t chunk : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, bytes.size()}) {
            EventReader reader;
            std::string again;
            for (std::size_t at = 0; at < bytes.size(); at += chunk) {
                reader.feed(std::string_view(bytes).substr(at, chunk));
                for (;;) {
                    auto event = reader.next();
                    QVERIFY2(event.ok(), event.ok() ? "" : toText(event.error()).c_str());
                    if (!event->has_value())
                        break;
                    again += encodeEvent(**event);
                }
            }
            QVERIFY(again == bytes);
            QVERIFY(reader.atBoundary());
        }
    }

    void garbageIsNamedAndSticks()
    {
        EventReader reader;
        reader.feed("Segmentation fault\n" + wire());
        const auto event = reader.next();
        QVERIFY(!event);
        QCOMPARE(event.error().code, std::string("bad-protocol"));
        QVERIFY(event.error().message.find("Segmentation fault") != std::string::npos);
        QVERIFY(!reader.next());
    }

    void wrongEvents_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("unknown") << R"({"event":"dance"})";
        QTest::newRow("no name") << R"({"fraction":1})";
        QTest::newRow("list") << "[1,2]";
        QTest::newRow("sample without metrics") << R"({"event":"sample","index":0,"params":{},"validity":"valid"})";
        QTest::newRow("metric without unit")
            << R"({"event":"sample","index":0,"params":{},"metrics":{"a":{"value":1,"provenance":"SIMULATED"}},"validity":""})";
        QTest::newRow("provenance")
            << R"({"event":"sample","index":0,"params":{},"metrics":{"a":{"value":1,"unit":"s","provenance":"GUESSED"}},"validity":""})";
        QTest::newRow("trace without size") << R"({"event":"trace","index":0,"kind":"memory"})";
        QTest::newRow("trace of petabytes")
            << R"({"event":"trace","index":0,"kind":"memory","bytes":1000000000000000})";
        QTest::newRow("negative trace") << R"({"event":"trace","index":0,"kind":"memory","bytes":-1})";
        QTest::newRow("deep") << QString(100000, QLatin1Char('['));
    }
    void wrongEvents()
    {
        QFETCH(QString, line);
        EventReader reader;
        reader.feed(line.toStdString() + "\n");
        QVERIFY(!reader.next());
    }

    void endlessLineIsRefused()
    {
        EventReader reader;
        reader.feed(std::string(EventReader::kMaxLine + 2, 'a'));
        QVERIFY(!reader.next());
    }

    void requestSurvivesJson()
    {
        RunRequest request;
        request.experiment = "coalescing";
        request.target = "sim:t4";
        request.seed = 7;
        request.points = {{{"stride", std::int64_t{1}}}, {{"stride", std::int64_t{2}}}};
        request.trace = false;
        request.regime = Regime::Settled;
        request.counters = request.countOnly = true;
        request.limits = {1.5, 512};
        const auto back = runRequestFromJson(toJson(request));
        QVERIFY(back);
        QCOMPARE(toJson(*back).dump(), toJson(request).dump());
        QVERIFY(back->counters && back->countOnly && !back->keepGoing);
        request.keepGoing = true;
        QVERIFY(runRequestFromJson(toJson(request))->keepGoing);
    }

    /// The point of a table that was refused: its error travels in its sample, whole.
    void aSampleMayHoldItsError()
    {
        SampleEvent sample{.index = 3, .params = {{"stride", std::string("four")}}, .validity = "failed"};
        sample.error = Error{"bad-value", "\"four\" is not a whole number", "parameter stride", "give 1 to 128"};
        EventReader reader;
        reader.feed(encodeEvent(sample));
        const auto read = reader.next();
        QVERIFY(read && read->has_value());
        const auto& again = std::get<SampleEvent>(**read);
        QVERIFY(again.error == sample.error && again.params == sample.params);
        QVERIFY(again.metrics.empty());
        EventReader other;
        other.feed(encodeEvent(SampleEvent{.index = 0, .validity = "valid"}));
        QVERIFY(!std::get<SampleEvent>(**other.next()).error);
    }

    void badRequests_data()
    {
        QTest::addColumn<QString>("json");
        QTest::newRow("not an object") << "3";
        QTest::newRow("no protocol") << R"({"experiment":"a","target":"b","points":[{}]})";
        QTest::newRow("later protocol") << R"({"protocol":2,"experiment":"a","target":"b","points":[{}]})";
        QTest::newRow("no points") << R"({"protocol":1,"experiment":"a","target":"b","points":[]})";
        QTest::newRow("points of text") << R"({"protocol":1,"experiment":"a","target":"b","points":["x"]})";
        QTest::newRow("unknown regime")
            << R"({"protocol":1,"experiment":"a","target":"b","points":[{}],"regime":"lukewarm"})";
        QTest::newRow("negative limit")
            << R"({"protocol":1,"experiment":"a","target":"b","points":[{}],"limits":{"seconds":-1}})";
        QTest::newRow("endless time")
            << R"({"protocol":1,"experiment":"a","target":"b","points":[{}],"limits":{"seconds":1e300}})";
        QTest::newRow("memory beyond reason")
            << R"({"protocol":1,"experiment":"a","target":"b","points":[{}],"limits":{"memory_mib":4611686018427387904}})";
    }
    void badRequests()
    {
        QFETCH(QString, json);
        const auto request = runRequestFromJson(Json::parse(json.toStdString()));
        QVERIFY(!request);
        QCOMPARE(request.error().code, std::string("bad-protocol"));
    }
};

QTEST_APPLESS_MAIN(TestProtocol)
#include "tst_protocol.moc"
