// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/grid_trace.h"
#include "labs/catalogue.h"
#include "labs/worker/execute.h"
#include "memory/formats.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::labs;

namespace {

struct Reply {
    std::map<std::string, double> metrics;
    std::vector<CheckResult> checks;
    std::optional<GridTrace> picture;
};

Reply executed(const ParamSet& point)
{
    RunRequest request;
    request.experiment = "number_format";
    request.target = "model";
    request.points = {point};
    request.trace = true;
    Reply reply;
    const EventSink sink = [&](const Event& event) {
        if (const auto* sample = std::get_if<SampleEvent>(&event)) {
            for (const auto& [name, metric] : sample->metrics)
                reply.metrics[name] = metric.value;
            reply.checks = sample->checks;
        } else if (const auto* trace = std::get_if<TraceEvent>(&event)) {
            auto read = decodeGridTrace(trace->bytes);
            if (!read)
                qFatal("%s", toText(read.error()).c_str());
            reply.picture = std::move(*read);
        }
    };
    static const auto catalogue = makeCatalogue(); // of all experiments: made once, not for each of 2,000 points
    if (!execute(catalogue, request, sink, {}, [] { return Error{}; }))
        qFatal("it did not finish");
    return reply;
}

/// A row of the picture after its last step: "0 0111 101"; '.' where nothing was set.
std::string rowOf(const GridTrace& picture, std::uint32_t row)
{
    std::string text;
    std::uint8_t before = 0;
    const GridHistory history(std::make_shared<const GridTrace>(picture));
    const GridMoment end = history.at(picture.steps.size() - 1);
    for (std::uint32_t column = 0; column < picture.columns; ++column) {
        const std::size_t cell = std::size_t{row} * picture.columns + column;
        if (column > 0 && end.states[cell] != before)
            text += ' ';
        before = end.states[cell];
        text += end.last[cell] == GridMoment::kNever ? "." : picture.texts[picture.changes[end.last[cell]].text];
    }
    return text;
}

} // namespace

class TestNumberFormat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pictureShowsFieldsAndNeighbours();
    void picturesOfTheEnds();
    void everyFormatEveryRounding();
};

void TestNumberFormat::pictureShowsFieldsAndNeighbours()
{
    // 0.1 in e4m3: 1.625 × 2^-4, field 3
    const Reply reply = executed({{"format", std::string("e4m3")}, {"value", 0.1}});
    QCOMPARE(reply.metrics.at("decoded"), 0.1015625);
    QVERIFY(reply.picture);
    QCOMPARE(rowOf(*reply.picture, 0), std::string("0 0011 110"));
    QCOMPARE(rowOf(*reply.picture, 1), std::string("0 0011 101"));
    QCOMPARE(rowOf(*reply.picture, 2), std::string("0 0011 100"));
    std::vector<std::string> captions;
    for (const GridStep& step : reply.picture->steps)
        captions.push_back(step.caption);
    QCOMPARE(captions, (std::vector<std::string>{"sign 0: zero or above", "exponent field 3 less bias 7: times 2^-4",
                                                 "fraction 5 of 8: the number is 0.1015625",
                                                 "0.1015625 lies between 0.09375 and 0.109375"}));
}

void TestNumberFormat::picturesOfTheEnds()
{
    const Reply largest = executed({{"format", std::string("e2m1")}, {"value", 100.0}});
    QCOMPARE(rowOf(*largest.picture, 0), std::string("....")); // nothing is above
    QCOMPARE(rowOf(*largest.picture, 1), std::string("0 11 1"));
    QCOMPARE(rowOf(*largest.picture, 2), std::string("0 11 0"));
    const Reply zero = executed({{"format", std::string("e2m1")}, {"value", 0.0}});
    QCOMPARE(rowOf(*zero.picture, 0), std::string("0 00 1"));
    QCOMPARE(rowOf(*zero.picture, 2), std::string("1 00 1"));
    const Reply scale = executed({{"format", std::string("e8m0")}, {"value", 2.0}});
    QCOMPARE(rowOf(*scale.picture, 1), std::string("10000000"));
    const Reply integer = executed({{"format", std::string("int4")}, {"value", -8.0}});
    QCOMPARE(rowOf(*integer.picture, 1), std::string("1 000"));
    QCOMPARE(rowOf(*integer.picture, 2), std::string("...."));
}

void TestNumberFormat::everyFormatEveryRounding()
{
    for (const memory::NumberFormat& format : memory::numberFormats())
        for (const char* rounding : {"nearest_even", "nearest_away", "toward_zero", "up", "down", "stochastic"})
            for (const double value :
                 {0.0, -0.0, 1.0, -1.3, 0.1, 5.7, 300.0, -300.0, 1e5, 1e-3, -1e-9, 1e300, -1e-300}) {
                const Reply reply = executed(
                    {{"format", std::string(format.id)}, {"rounding", std::string(rounding)}, {"value", value}});
                QVERIFY(reply.picture);
                for (const CheckResult& check : reply.checks)
                    QVERIFY2(check.passed, (std::string(format.id) + " " + rounding + ": " + check.detail).c_str());
            }
}

QTEST_APPLESS_MAIN(TestNumberFormat)
#include "tst_number_format.moc"
