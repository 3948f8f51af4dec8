// SPDX-License-Identifier: GPL-3.0-or-later
// The live view's messages and the session's memory, without a socket.
#include "live_support.h"

#include "classroom/live/bucket.h"
#include "classroom/live/own_notes.h"
#include "classroom/live/place.h"
#include "tests/record/record_support.h"

#include <QtTest>
#include <random>

using namespace ridge;
using namespace ridge::test;

namespace {

const PredictionNote kGuess{"2.4", "guess", "sectors/request", 8, 4, 16};

std::string codeOf(const Result<Message>& result)
{
    return result ? "read" : result.error().code;
}

} // namespace

class TestLiveMessages : public QObject {
    Q_OBJECT
    LiveRoom m_room;
    const classroom::Identity m_ada = LiveRoom::learner(1), m_bob = LiveRoom::learner(2);

private Q_SLOTS:
    void whatIsWrittenIsRead()
    {
        const StepNote told{"2.4", {true, true, false, true, false}, true, true};
        for (const Note& note : {Note(told), Note(kGuess)}) {
            const auto read = readFrame(m_room.frame(m_ada, 7, note), m_room.keys.seal);
            QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
            QVERIFY(read->note == note);
            QCOMPARE(read->counter, std::uint64_t{7});
            QCOMPARE(read->code, m_room.plan.code);
            QCOMPARE(read->assignment, m_room.plan.assignment.id);
            QCOMPARE(read->publicKey, m_ada.key.publicKey);
        }
    }

    /// Who listens sees neither what is told nor how much of it, nor that two messages come from one learner.
    void everyMessageLooksTheSame()
    {
        const std::string a = m_room.frame(m_ada, 1, step("2.4"));
        const std::string b = m_room.frame(m_ada, 2, kGuess);
        QCOMPARE(a.size(), kFrameBytes);
        QCOMPARE(b.size(), kFrameBytes);
        QVERIFY(a.substr(8) != m_room.frame(m_ada, 1, step("2.4")).substr(8));
        for (const std::string& clear : {m_room.plan.code, m_room.plan.assignment.id, m_ada.key.publicKey,
                                         m_ada.learner, bundle::fromHex(m_ada.key.publicKey, 32).value()})
            QVERIFY(a.find(clear) == std::string::npos);
        // The only bytes two messages share in their places are the mark's, but for chance.
        std::size_t same = 0;
        for (std::size_t i = 8; i < kFrameBytes; ++i)
            same += a[i] == b[i];
        QVERIFY2(same < 40, QByteArray::number(static_cast<int>(same)).constData()); // 4 of 1016 are expected
    }

    void onlyTheClassReadsIt()
    {
        const auto others = classroom::classKeysFromSeed(std::string(32, 'x')).value();
        QCOMPARE(codeOf(readFrame(m_room.frame(m_ada, 1, kGuess), others.seal)), std::string("live-garbage"));
    }

    void anyFlippedByteIsRefused()
    {
        const std::string good = m_room.frame(m_ada, 1, kGuess);
        for (std::size_t at = 0; at < good.size(); at += 13) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            QCOMPARE(codeOf(readFrame(bad, m_room.keys.seal)), std::string("live-garbage"));
        }
    }

    /// A learner of the class, who can seal and sign, cannot speak for another one.
    void nobodySpeaksForAnother()
    {
        const std::string text =
            quoted("{'assignment':'") + m_room.plan.assignment.id + quoted("','code':'K7QM3XRP','key':'") +
            m_ada.key.publicKey +
            quoted("','counter':9,'prediction':{'lesson':'2.4','block':'guess','unit':'','point':1,'low':1,'high':1}}");
        QCOMPARE(codeOf(readFrame(m_room.forged(text, m_bob), m_room.keys.seal)), std::string("live-forged"));
        QCOMPARE(codeOf(readFrame(m_room.forged(text, m_ada), m_room.keys.seal)), std::string("read"));
        // A signature that the learner gave for another purpose is worth nothing here.
        QCOMPARE(codeOf(readFrame(m_room.forged(text, m_ada, "ridgepoint-submission 1"), m_room.keys.seal)),
                 std::string("live-forged"));
    }

    void signedNonsenseIsGarbage_data()
    {
        QTest::addColumn<QString>("fields");
        const auto row = [](const char* name, const char* fields) {
            QTest::newRow(name) << QString::fromLatin1(fields);
        };
        row("nothing told", "'counter':1");
        row("no counter", "'step':{'lesson':'2.4','done':[],'kept':[],'here':true}");
        row("counter zero", "'counter':0,'step':{'lesson':'2.4','done':[],'kept':[],'here':true}");
        row("counter below zero", "'counter':-1,'step':{'lesson':'2.4','done':[],'kept':[],'here':true}");
        row("counter beyond", "'counter':9007199254740993,'step':{'lesson':'2.4','done':[],'kept':[],'here':true}");
        row("counter a text", "'counter':'1','step':{'lesson':'2.4','done':[],'kept':[],'here':true}");
        row("unknown step", "'counter':1,'step':{'lesson':'2.4','done':['won'],'kept':[],'here':true}");
        row("done no list", "'counter':1,'step':{'lesson':'2.4','done':{},'kept':[],'here':true}");
        row("kept and told", "'counter':1,'step':{'lesson':'2.4','done':['passed'],'kept':['passed'],'here':true}");
        row("no lesson", "'counter':1,'step':{'lesson':'','done':[],'kept':[],'here':true}");
        row("long lesson",
            "'counter':1,'step':{'lesson':'2.4444444444444444444444444444444','done':[],'kept':[],'here':true}");
        row("step a list", "'counter':1,'step':[]");
        row("infinite",
            "'counter':1,'prediction':{'lesson':'2.4','block':'b','unit':'','point':1e999,'low':1,'high':1}}");
        row("interval turned",
            "'counter':1,'prediction':{'lesson':'2.4','block':'b','unit':'','point':1,'low':2,'high':1}");
        row("point a text",
            "'counter':1,'prediction':{'lesson':'2.4','block':'b','unit':'','point':'1','low':1,'high':1}");
        row("deep", "'counter':1,'step':[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
    }
    void signedNonsenseIsGarbage()
    {
        QFETCH(QString, fields);
        const std::string text = quoted("{'assignment':'a','code':'c','key':'") + m_ada.key.publicKey + "\"," +
                                 quoted(fields.toStdString()) + "}";
        QCOMPARE(codeOf(readFrame(m_room.forged(text, m_ada), m_room.keys.seal)), std::string("live-garbage"));
    }

    void randomBytesNeverRead()
    {
        std::mt19937 random(7);
        const auto letter = [&] { return static_cast<char>(random() & 0xff); };
        for (int round = 0; round < 400; ++round) {
            std::string bytes(round % 3 == 0 ? random() % 2048 : kFrameBytes, '\0');
            std::generate(bytes.begin(), bytes.end(), letter);
            if (round % 2 == 0 && bytes.size() >= 8)
                bytes.replace(0, 8, "RIDGELV1");
            QCOMPARE(codeOf(readFrame(bytes, m_room.keys.seal)), std::string("live-garbage"));
            bytes.resize(kAckBytes, '\0');
            bytes.replace(0, 8, "RIDGEAK1");
            QVERIFY(!readAck(bytes, {"K7QM3XRP", m_ada.key.publicKey}, m_room.keys.sign.publicKey));
        }
        // The same inside the seal and the signature, where a learner of the class can put what they like.
        const std::string good = quoted("{'assignment':'a','code':'c','key':'") + m_ada.key.publicKey +
                                 quoted("','counter':9,'step':{'lesson':'2.4','done':['ran'],'kept':[],'here':true}}");
        QCOMPARE(codeOf(readFrame(m_room.forged(good, m_ada), m_room.keys.seal)), std::string("read"));
        int read = 0;
        for (int round = 0; round < 400; ++round) {
            std::string bad = good;
            for (unsigned i = 0, edits = 1 + random() % 4; i < edits; ++i)
                bad[random() % bad.size()] = letter();
            const auto message = readFrame(m_room.forged(bad, m_ada), m_room.keys.seal);
            if (!message) {
                QVERIFY(message.error().code == "live-garbage" || message.error().code == "live-forged");
                continue;
            }
            ++read;
            QVERIFY(message->publicKey == m_ada.key.publicKey && message->code.size() <= 16);
        }
        QVERIFY(read < 300);
    }

    void anAcknowledgementIsForOneLearnerInOneSession()
    {
        const AckFor to{"K7QM3XRP", m_ada.key.publicKey};
        const Ack ack{AckStatus::Taken, 12};
        const std::string bytes = writeAck(ack, to, m_room.keys.sign);
        QCOMPARE(bytes.size(), kAckBytes);
        QVERIFY(readAck(bytes, to, m_room.keys.sign.publicKey).value() == ack);
        QVERIFY(!readAck(bytes, {"K7QM3XRQ", m_ada.key.publicKey}, m_room.keys.sign.publicKey));
        QVERIFY(!readAck(bytes, {"K7QM3XRP", m_bob.key.publicKey}, m_room.keys.sign.publicKey));
        QVERIFY(!readAck(bytes, to, m_bob.key.publicKey));
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            std::string bad = bytes;
            bad[at] = static_cast<char>(bad[at] ^ 1);
            QVERIFY(!readAck(bad, to, m_room.keys.sign.publicKey));
        }
        QVERIFY(!readAck(bytes + "x", to, m_room.keys.sign.publicKey));
        QVERIFY(!readAck({}, to, m_room.keys.sign.publicKey));
    }

    void codesAndPlacesAsPeopleTypeThem()
    {
        const std::string code = newCode();
        QCOMPARE(readCode(codeForPeople(code)).value(), code);
        QVERIFY(newCode() != code);
        QCOMPARE(codeForPeople("K7QM3XRP"), std::string("K7QM-3XRP"));
        QCOMPARE(readCode(" k7qm 3xrp ").value(), std::string("K7QM3XRP"));
        QCOMPARE(readCode("OIL0-IL10").value(), std::string("01101110"));
        for (const char* bad : {"", "K7QM", "K7QM-3XRU", "K7QM-3XRP-1", "K7QM-3XR\xc3\xa9"})
            QVERIFY2(!readCode(bad), bad);
        QVERIFY(readPlace("192.168.1.20:6000").value() == (SessionPlace{"192.168.1.20", 6000}));
        QVERIFY(readPlace(" 10.0.0.7 ").value() == (SessionPlace{"10.0.0.7", kPort}));
        QVERIFY(readPlace("[fe80::1]:6000").value() == (SessionPlace{"fe80::1", 6000}));
        QVERIFY(readPlace("2001:db8::7").value() == (SessionPlace{"2001:db8::7", kPort}));
        QCOMPARE(placeForPeople({"10.0.0.7", 50505}), std::string("10.0.0.7:50505"));
        QCOMPARE(placeForPeople({"fe80::1", 6000}), std::string("[fe80::1]:6000"));
        for (const char* bad :
             {"", "teacher.local", "localhost:50505", "10.1", "167772161", "10.0.0.7:", "10.0.0.7:0", "10.0.0.7:65536",
              "10.0.0.7:x", "[fe80::1", "[fe80::1]x", "0.0.0.0", "255.255.255.255", "224.0.0.1", "http://10.0.0.7"})
            QVERIFY2(!readPlace(bad), bad);
    }

    void theBoardTakesEachMessageOnce()
    {
        Board board(m_room.plan);
        QVERIFY(board.take(m_room.message(m_ada, 5, step("2.4")), 1000) == (Ack{AckStatus::Taken, 5}));
        // Replayed, and overtaken.
        QVERIFY(board.take(m_room.message(m_ada, 5, step("2.4")), 1001) == (Ack{AckStatus::Behind, 5}));
        QVERIFY(board.take(m_room.message(m_ada, 4, step("2.5")), 1001) == (Ack{AckStatus::Behind, 5}));
        QVERIFY(board.take(m_room.message(m_bob, 4, step("2.5")), 1002) == (Ack{AckStatus::Taken, 4}));
        QCOMPARE(board.view().learners.size(), std::size_t{2});
        QCOMPARE(board.view().learners[0].learner, m_ada.learner);
        QCOMPARE(board.view().learners[0].lesson, std::string("2.4"));
        QCOMPARE(board.view().refusals.behind, std::uint64_t{2});
    }

    void whatIsOfAnotherSessionLeavesNoTrace()
    {
        Board board(m_room.plan);
        Message wrong = m_room.message(m_ada, 5, step("2.4"));
        wrong.code = "00000000";
        QVERIFY(board.take(wrong, 0).status == AckStatus::WrongCode);
        wrong = m_room.message(m_ada, 5, step("2.4"));
        wrong.assignment = "another";
        QVERIFY(board.take(wrong, 0).status == AckStatus::OtherAssignment);
        QCOMPARE(board.learners(), 0);
        // Its counter was not spent by that.
        QVERIFY(board.take(m_room.message(m_ada, 5, step("2.4")), 0).status == AckStatus::Taken);
    }

    void theBoardKeepsOnlyWhatWasAssigned()
    {
        m_room.plan.mostLearners = 2;
        Board board(m_room.plan);
        std::uint64_t counter = 0;
        const auto told = [&](const Note& note) {
            return board.take(m_room.message(m_ada, ++counter, note), 0).status;
        };
        QVERIFY(told(step("9.9")) == AckStatus::Taken);
        QVERIFY(told(PredictionNote{"2.4", "other", "sectors/request", 1, 1, 1}) == AckStatus::Taken);
        QVERIFY(told(PredictionNote{"2.4", "guess", "bytes", 1, 1, 1}) == AckStatus::Taken);
        QCOMPARE(board.view().refusals.unknown, std::uint64_t{3});
        QVERIFY(board.view().learners[0].predictions.empty());
        QVERIFY(told(kGuess) == AckStatus::Taken);
        PredictionNote second = kGuess;
        second.point = 9;
        QVERIFY(told(second) == AckStatus::Taken); // the first is what somebody thought before they knew
        const auto view = board.view();
        QCOMPARE(view.learners[0].predictions.size(), std::size_t{1});
        QCOMPARE(view.learners[0].predictions.begin()->second.point, 8.0);
        QVERIFY(board.take(m_room.message(m_bob, 1, kGuess), 0).status == AckStatus::Taken);
        QVERIFY(board.take(m_room.message(LiveRoom::learner(3), 1, kGuess), 0).status == AckStatus::Full);
        m_room.plan.mostLearners = 1000;
    }

    void whoIsLongestOnAStepStandsFirst()
    {
        Board board(m_room.plan);
        const auto eve = LiveRoom::learner(3);
        (void)board.take(m_room.message(m_ada, 1, step("2.4")), 1000);
        (void)board.take(m_room.message(m_bob, 1, step("2.4")), 2000);
        (void)board.take(m_room.message(eve, 1, step("2.5", {true, true, true, true, true})), 500);
        (void)board.take(m_room.message(m_ada, 2, step("2.4")), 3000); // said again: still there since 1000
        auto view = board.view();
        QCOMPARE(view.learners[0].learner, m_ada.learner);
        QCOMPARE(view.learners[0].sinceMs, std::int64_t{1000});
        QCOMPARE(view.learners[0].step, std::string("predicted"));
        QCOMPARE(view.learners[2].learner, eve.learner); // done, whenever that was
        QCOMPARE(view.learners[2].step, std::string());
        (void)board.take(m_room.message(m_ada, 3, step("2.4", {true})), 4000);
        view = board.view();
        QCOMPARE(view.learners[0].learner, m_bob.learner);
        QCOMPARE(view.learners[1].step, std::string("ran"));
        QCOMPARE(view.learners[1].sinceMs, std::int64_t{4000});
        // A lesson in which they do not work moves nobody.
        (void)board.take(m_room.message(m_ada, 4, step("2.5", {true}, false)), 5000);
        QCOMPARE(board.view().learners[1].sinceMs, std::int64_t{4000});
        QCOMPARE(stepOf({"2.4", {true, true, false, false, false}, true, true}), std::string("shipped"));
    }

    void aBucketKeepsItsRate()
    {
        Bucket bucket(3, 10, 0);
        QVERIFY(bucket.take(0) && bucket.take(0) && bucket.take(0) && !bucket.take(0));
        QVERIFY(!bucket.take(99) && bucket.take(100) && !bucket.take(100));
        QVERIFY(bucket.take(100000) && bucket.take(100000) && bucket.take(100000) && !bucket.take(100000));
    }

    void aLearnersRecordBecomesNotes()
    {
        QFile file(qEnvironmentVariable("RIDGE_SOURCE") + QStringLiteral("/tests/lessons/small.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        classroom::Assignment assignment = m_room.plan.assignment;
        assignment.lessons = {{"2.1", "Small", file.readAll().toStdString(), {}}, {"2.5", "Bad", "no lesson", {}}};
        const auto lessons = lessonsOf(assignment);
        QCOMPARE(lessons.size(), std::size_t{1});
        std::vector<std::string> asking;
        for (const lessons::Block* one : lessons[0].blocks())
            if (one->kind == "predict")
                asking.push_back(one->id);
        QVERIFY(asking.size() > 1);
        QTemporaryDir folder;
        auto store = record::Store::open(pathOf(folder) / "store").value();
        const std::string today = "2026-11-22T00:00:00.000Z";
        auto notes = ownNotes(*store, assignment, lessons, {}, today).value();
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY(std::get<StepNote>(notes[0]) == step(lessons[0].id));
        record::PredictionRow prediction = somePrediction();
        prediction.lesson = lessons[0].id;
        for (const double factor : {1.0, 2.0}) { // the second time they know better
            prediction.point = somePrediction().point * factor;
            for (const std::string& block : asking) {
                prediction.block = block;
                durable(store->append(prediction)).value();
            }
        }
        notes = ownNotes(*store, assignment, lessons, {}, today).value();
        QCOMPARE(notes.size(), 1 + asking.size());
        QCOMPARE(std::get<PredictionNote>(notes[1]).point, somePrediction().point);
        QVERIFY(std::get<StepNote>(notes[0]).done[0]);
        // Checks are passed or not: until the policy lets the learner know, nobody is told through this.
        assignment.feedback["passed"] = classroom::FeedbackWhen::Never;
        notes = ownNotes(*store, assignment, lessons, {}, today).value();
        QVERIFY(std::get<StepNote>(notes[0]).passedHeldBack && !std::get<StepNote>(notes[0]).done[2]);
        // Another assignment with the same lesson may keep it back, too.
        const classroom::FeedbackPolicy other({assignment});
        assignment.feedback.clear();
        QVERIFY(!std::get<StepNote>(ownNotes(*store, assignment, lessons, {}, today).value()[0]).passedHeldBack);
        QVERIFY(std::get<StepNote>(ownNotes(*store, assignment, lessons, other, today).value()[0]).passedHeldBack);
    }
};

QTEST_GUILESS_MAIN(TestLiveMessages)
#include "tst_live_messages.moc"
