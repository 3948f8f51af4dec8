// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "imports/torch_snapshot.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::imports;

namespace {

std::string contents(const char* name)
{
    const auto path = qEnvironmentVariable("RIDGE_SOURCE").toStdString() + "/tests/labs/points/" + name;
    const auto bytes = readFile(path);
    return bytes ? *bytes : std::string();
}

std::string described(const TorchSnapshot& snapshot)
{
    std::string text;
    const auto add = [&](auto... values) { ((text += std::to_string(values) + ' '), ...); };
    for (const TorchSegment& s : snapshot.segments) {
        add(s.device, s.stream, s.address, s.size, int(s.small), int(s.expandable));
        for (const TorchBlock& b : s.blocks)
            add(b.address, b.size, b.requested, int(b.state));
        text += '\n';
    }
    for (const auto& trace : snapshot.traces)
        for (const TorchEvent& e : trace)
            add(int(e.action), e.stream, e.address, e.size);
    add(int(snapshot.expandable), snapshot.maxSplit, snapshot.divisions);
    return text;
}

} // namespace

class TestTorchSnapshot : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void picklesAndJsonSayTheSame()
    {
        const auto json = readTorchSnapshot(contents("snapshot_small.as_json"), "j");
        const auto pickle = readTorchSnapshot(contents("snapshot_small.pickle"), "p"); // protocol 3
        QVERIFY(json.ok() && pickle.ok());
        QCOMPARE(described(*json), described(*pickle));
        QVERIFY(json->traces.at(0).size() > 100);
        QVERIFY(!json->segments.empty());
    }

    void protocols_data()
    {
        QTest::addColumn<char>("protocol");
        QTest::newRow("snapshot_ring.pickle") << char(2);
        QTest::newRow("snapshot_small.pickle") << char(3);
        QTest::newRow("snapshot_whole.pickle") << char(4);
        QTest::newRow("snapshot_split.pickle") << char(5);
    }
    void protocols()
    {
        QFETCH(char, protocol);
        const std::string bytes = contents(QTest::currentDataTag());
        QVERIFY(bytes.size() > 1000);
        QCOMPARE(bytes[1], protocol);
        const auto read = readTorchSnapshot(bytes, "p");
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QCOMPARE(read->maxSplit, std::uint64_t{protocol == 5 ? 24u << 20 : 0u});
    }

    void cutAndDamagedFilesAreRefused()
    {
        for (const char* name : {"snapshot_ring.pickle", "snapshot_small.pickle", "snapshot_small.as_json"}) {
            const std::string bytes = contents(name);
            for (std::size_t length = 0; length + 1 < bytes.size(); length += 331)
                QVERIFY(!readTorchSnapshot(std::string_view(bytes).substr(0, length), "p"));
            // A byte is changed: it is read or refused, and nothing else happens.
            std::string changed = bytes;
            for (std::size_t at = 0; at < bytes.size(); at += 211) {
                changed[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
                const auto read = readTorchSnapshot(changed, "p");
                QVERIFY(read.ok() || !read.error().message.empty());
                changed[at] = bytes[at];
            }
        }
    }

    /// What pickle.dumps writes of os.system called with a text; Python would run it.
    void codeIsNeverRun_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("protocol 2") << QByteArray("\x80\x02"
                                                  "cposix\nsystem\nq\x00X\x05\x00\x00\x00touchq\x01\x85q\x02Rq\x03.",
                                                  40);
        QTest::newRow("protocol 4") << QByteArray(
            "\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93"
            "\x94\x8c\x05touch\x94\x85\x94R\x94.",
            40);
        QTest::newRow("persistent") << QByteArray("\x80\x02Pevil\n.", 9);
        QTest::newRow("build") << QByteArray("\x80\x02}}b.", 6);
    }
    void codeIsNeverRun()
    {
        QFETCH(QByteArray, bytes);
        const auto read = readTorchSnapshot(bytes.toStdString(), "p");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad-pickle"));
        QVERIFY(read.error().message.find("run code") != std::string::npos);
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const char* json, const char* says) {
            QTest::newRow(name) << QByteArray(json) << QByteArray(says);
        };
        row("nothing", "{}", "neither");
        row("a list", "[]", "neither");
        row("no size", R"({"segments": [{"device": 0, "address": 0}]})", "total_size");
        row("negative", R"({"segments": [{"address": 0, "total_size": -5}]})", "impossible");
        row("half a byte", R"({"segments": [{"address": 0, "total_size": 1.5}]})", "impossible");
        row("huge", R"({"segments": [{"address": 0, "total_size": 1e300}]})", "impossible");
        row("a text", R"({"segments": [{"address": 0, "total_size": "1"}]})", "total_size");
        row("empty", R"({"segments": [{"address": 0, "total_size": 512, "blocks": []}]})", "fill");
        row("too full", R"({"segments": [{"address": 0, "total_size": 512, "blocks": [{"size": 1024}]}]})", "fill");
        row("device", R"({"segments": [{"device": 4096, "address": 0, "total_size": 512}]})", "device");
        row("event", R"({"device_traces": [[{"action": "alloc", "size": 5}]]})", "addr");
    }
    void whatIsMissingIsNamed()
    {
        QFETCH(QByteArray, json);
        QFETCH(QByteArray, says);
        const auto read = readTorchSnapshot(json.toStdString(), "p.json");
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("bad-import"));
        QVERIFY2(read.error().message.find(says.toStdString()) != std::string::npos, read.error().message.c_str());
    }

    void framesSayWhere()
    {
        const auto read = readTorchSnapshot(R"({"device_traces": [[
            {"action": "alloc", "addr": 1, "size": 2, "frames": [
                {"name": "linear", "filename": "/x/site-packages/torch/nn/functional.py", "line": 1},
                {"name": "forward", "filename": "/home/me/model.py", "line": 31}]},
            {"action": "alloc", "addr": 3, "size": 2, "frames": [
                {"name": "_engine_run_backward", "filename": "/x/torch/autograd/graph.py", "line": 1},
                {"name": "main", "filename": "train.py", "line": 7}]},
            {"action": "alloc", "addr": 5, "size": 2, "frames": [
                {"name": "_init_group", "filename": "/x/torch/optim/adam.py", "line": 1}]},
            {"action": "alloc", "addr": 7, "size": 2},
            {"action": "annotate", "name": "x"},
            {"action": "oom", "device_free": 100, "size": 200}]]})",
                                            "p");
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        const auto& trace = read->traces.at(0);
        QCOMPARE(trace.size(), std::size_t{5});
        QCOMPARE(read->otherEvents, std::size_t{1});
        QCOMPARE(read->frames[trace[0].what].text, std::string("forward (model.py:31)"));
        QCOMPARE(read->frames[trace[0].what].place, std::string("forward"));
        QCOMPARE(read->frames[trace[1].what].text, std::string("main (train.py:7)"));
        QCOMPARE(read->frames[trace[1].what].place, std::string("backward"));
        QCOMPARE(read->frames[trace[2].what].place, std::string("optimizer"));
        QCOMPARE(trace[3].what, 0u);
        QCOMPARE(trace[4].address, std::uint64_t{100});
    }
};

QTEST_GUILESS_MAIN(TestTorchSnapshot)
#include "tst_torch_snapshot.moc"
