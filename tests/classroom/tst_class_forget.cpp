// SPDX-License-Identifier: GPL-3.0-or-later
// One person is taken out of a class of many, on SQLite and on PostgreSQL; on disk nothing is left of them.
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "classroom/class_report.h"
#include "classroom/feedback.h"
#include "classroom/forget.h"
#include "classroom/record/school_forget.h"
#include "classroom/remark.h"
#include "tests/record/record_support.h"
#include "tests/support/postgres.h"

#include <QSqlDatabase>
#include <QSqlQuery>

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

namespace {

constexpr const char* kNow = "2027-03-20T10:00:00.000Z";
const std::string kRemark = "You counted the sectors of the store twice.";
const std::string kFile = "a text that only this learner's artifact has";

/// Of everything below a folder, names included: files in which one of these stands.
std::string leftOf(const std::vector<std::string>& words, const fs::path& folder)
{
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file())
            continue;
        const std::string bytes = bytesOf(entry.path());
        for (const std::string& word : words)
            if (bytes.find(word) != std::string::npos ||
                entry.path().filename().string().find(word) != std::string::npos)
                return word + " in " + entry.path().string();
    }
    return {};
}

} // namespace

class TestClassForget : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    lessons::Curriculum m_curriculum;
    std::unique_ptr<PostgresServer> m_server;
    fs::path m_samples;
    int m_classes = 0;

    static void both()
    {
        QTest::addColumn<QString>("where");
        QTest::newRow("sqlite") << QStringLiteral("sqlite");
        QTest::newRow("postgresql") << QStringLiteral("postgresql");
    }
    /// The sample's class: collected, with words to somebody, pages of feedback, a file that was refused.
    OpenClass used(const QString& where)
    {
        const auto must = [](const auto& done) {
            if (!done)
                qFatal("%s", toText(done.error()).c_str());
        };
        NewAssignment wanted;
        wanted.name = "Class " + std::to_string(++m_classes);
        if (where == QLatin1String("postgresql"))
            wanted.database = m_server->address().toStdString();
        wanted.roster = bytesOf(m_samples / "roster.csv");
        wanted.rosterPlace = "roster.csv";
        const auto made = adoptAssignment(pathOf(m_dir) / "home", wanted, bytesOf(m_samples / "assignment.ridgeclass"),
                                          "assignment.ridgeclass");
        must(made);
        auto open = openClass(made->place);
        must(open);
        must(collect(*open, m_curriculum, m_samples));
        must(say(*open, {.whom = "Amara Abara", .text = kRemark}));
        must(say(*open, {.whom = "Björn Hoffmann", .text = "Ask Amara Abara about it."}));
        const fs::path bad = pathOf(m_dir) / ("bad" + std::to_string(m_classes));
        fs::create_directories(bad / "Amara Abara_12_assignsubmission_file_");
        writeBytes(bad / "Amara Abara_12_assignsubmission_file_" / "L-35XWW7654N-x.ridgesubmission", "no zip");
        must(collect(*open, m_curriculum, bad));
        const auto pages = feedback(*open, m_curriculum, {}, kNow);
        must(pages);
        const fs::path folder = made->place.store.folder;
        must(writeFeedback(*pages, folder / "feedback" / "week"));
        fs::create_directories(runMemoryOf(made->place) / "worker");
        writeBytes(runMemoryOf(made->place) / "worker" / "x.json", "{\"code\": \"theirs\"}");
        return std::move(*open);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("PGPASSWORD", PostgresServer::kPassword);
        m_server = std::make_unique<PostgresServer>();
        QVERIFY2(m_server->problem().isEmpty(), qPrintable(m_server->problem()));
        const auto data = dataFolder();
        R_VERIFY(data);
        m_curriculum = lessons::loadCurriculum(*data / "curriculum").curriculum;
        m_samples = *data / "assets/samples/class";
    }
    void cleanupTestCase() { m_server.reset(); }

    void nothingIsLeft_data() { both(); }
    void nothingIsLeft()
    {
        QFETCH(QString, where);
        OpenClass open = used(where);
        const fs::path folder = open.place.store.folder;
        const auto held = heldOf(open, "student00001@example.org");
        R_VERIFY(held);
        QCOMPARE(held->person.learner, std::string("L-35XWW7654N"));
        QCOMPARE(held->person.name, std::string("Amara Abara"));
        QCOMPARE(held->person.origins.size(), std::size_t{1});
        QVERIFY(held->rows.at("run") > 0 && held->rows.at("submission") == 1 && held->rows.at("feedback") == 1);
        QVERIFY(held->rows.at("refusal") >= 1 && held->rows.at("member") >= 1 && held->files > 0);
        // Hers, and the one in which the words to Björn stand.
        QCOMPARE(held->pages.size(), std::size_t{2});

        // A copy first: whole, and with sums that fit.
        const fs::path copy = pathOf(m_dir) / ("copy" + std::to_string(m_classes));
        R_VERIFY(exportLearner(open, *held, copy));
        const auto document = parseJson(bytesOf(copy / "learner.json"), "learner.json");
        R_VERIFY(document);
        for (const auto& [table, count] : held->rows)
            QCOMPARE(int((*document)["tables"][table].size()), count);
        QVERIFY(bytesOf(copy / "learner.json").find(kRemark) != std::string::npos);
        std::istringstream sums(bytesOf(copy / "SHA256SUMS"));
        int files = 0;
        for (std::string line; std::getline(sums, line); ++files)
            QCOMPARE(sha256Hex(bytesOf(copy / line.substr(66))), line.substr(0, 64));
        QVERIFY(files >= 2 + held->files);
        QVERIFY(!exportLearner(open, *held, copy)); // never into what is there
        std::vector<std::string> words = held->person.words;
        words.push_back(kRemark);
        words.push_back(held->person.origins[0]);
        for (const Json& run : (*document)["tables"]["run"])
            words.push_back(run["id"]);
        for (const Json& file : (*document)["tables"]["submission"])
            words.push_back(file["id"]);
        QVERIFY(!leftOf(words, folder).empty());

        const std::int64_t before = open.school->rowCount().value();
        const auto gone = forget(open, *held);
        R_VERIFY(gone);
        QCOMPARE(gone->submissions, 1);
        QCOMPARE(gone->remarks, 1);
        QCOMPARE(gone->rosterLines, held->rows.at("member"));
        QCOMPARE(gone->namedElsewhere, 1);
        QCOMPARE(open.school->rowCount().value(), before - gone->rows);
        R_VERIFY(open.school->verify());
        const auto again = heldOf(open, "Amara Abara");
        QVERIFY(!again);
        QCOMPARE(again.error().code, std::string("unknown-person"));
        // What was said to Björn stays, and tells her name; nothing else on the disk does.
        QVERIFY(!fs::exists(record::forgettingMark(folder)));
        std::vector<std::string> but = words;
        std::erase(but, "Amara Abara");
        QCOMPARE(QString::fromStdString(leftOf(but, folder)), QString());
        // The others are as they were, and the class goes on.
        const auto told = report(open, m_curriculum);
        R_VERIFY(told);
        QCOMPARE(told->learners.size(), std::size_t{11});
        QVERIFY(told->refused.empty());
        const auto bjorn = heldOf(open, "Björn Hoffmann");
        R_VERIFY(bjorn);
        R_VERIFY(forget(open, *bjorn));
        QCOMPARE(QString::fromStdString(leftOf(words, folder)), QString());
        // Triggers are back: nothing else takes rows out.
        if (where == QLatin1String("sqlite")) {
            auto database = record::SchoolDatabase::open(open.place.store);
            R_VERIFY(database);
            QVERIFY(!(*database)->exec(QStringLiteral("DELETE FROM submission")));
            QVERIFY(!(*database)->exec(QStringLiteral("DELETE FROM erasure")));
            auto noted = (*database)->value(QStringLiteral("SELECT removed FROM erasure ORDER BY seq LIMIT 1"));
            R_VERIFY(noted);
            const Json counts = Json::parse(noted->toString().toStdString());
            QCOMPARE(counts["rows"].get<int>(), gone->rows);
            QCOMPARE(counts["learners"].get<int>(), 1);
        }
        // Her file, collected again, is a file like any other.
        R_VERIFY(collect(open, m_curriculum, m_samples / "L-35XWW7654N-fa615ef4.ridgesubmission"));
        QCOMPARE(report(open, m_curriculum)->learners.size(), std::size_t{11});
    }

    /// While another program reads, the database's log cannot be cut. It is told, and made good later.
    void whatALaterOpeningFinishes()
    {
        OpenClass open = used(QStringLiteral("sqlite"));
        const fs::path folder = open.place.store.folder;
        const auto held = heldOf(open, "L-35XWW7654N");
        R_VERIFY(held);
        {
            QSqlDatabase reader = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("reader"));
            reader.setDatabaseName(QString::fromStdString((folder / "ridgepoint.db").string()));
            QVERIFY(reader.open());
            QSqlQuery query(reader);
            QVERIFY(query.exec(QStringLiteral("BEGIN")));
            QVERIFY(query.exec(QStringLiteral("SELECT COUNT(*) FROM run")));
            QVERIFY(query.next());
            const auto gone = forget(open, *held);
            QVERIFY(!gone);
            QCOMPARE(gone.error().code, std::string("store-locked"));
            QVERIFY(fs::exists(record::forgettingMark(folder)));
            QVERIFY(!heldOf(open, "L-35XWW7654N"));                      // the rows are gone all the same
            QVERIFY(!leftOf({held->person.origins[0]}, folder).empty()); // and still to be read
            query.finish();
            QVERIFY(query.exec(QStringLiteral("ROLLBACK")));
            reader.close();
        }
        QSqlDatabase::removeDatabase(QStringLiteral("reader"));
        const ClassPlace place = open.place;
        open = OpenClass();
        // What a killed program leaves beside it: a file that no row names.
        const std::string orphan = sha256Hex(kFile);
        fs::create_directories(folder / "files" / orphan.substr(0, 2));
        writeBytes(folder / "files" / orphan.substr(0, 2) / orphan.substr(2), kFile);
        auto later = openClass(place);
        R_VERIFY(later);
        QVERIFY(!fs::exists(record::forgettingMark(folder)));
        std::vector<std::string> words{"L-35XWW7654N", kRemark, kFile, held->person.origins[0]};
        QCOMPARE(QString::fromStdString(leftOf(words, folder)), QString());
    }

    void nobodyIsNobody_data() { both(); }
    void nobodyIsNobody()
    {
        QFETCH(QString, where);
        OpenClass open = used(where);
        const std::int64_t before = open.school->rowCount().value();
        for (const char* whom : {"", "Nobody", "L-AAAAAAAAAA", "Amara"}) {
            const auto held = heldOf(open, whom);
            QVERIFY2(!held, whom);
            QCOMPARE(held.error().code, std::string("unknown-person"));
        }
        const auto twice = takeRoster(*open.school, "Name,Email\nAmara Abara,other@example.org\n", "two.csv");
        R_VERIFY(twice);
        const auto held = heldOf(open, "Amara Abara");
        QVERIFY(!held);
        QCOMPARE(held.error().code, std::string("several-people"));
        // Who has handed in nothing is a line of the roster.
        const auto listed = heldOf(open, "other@example.org");
        R_VERIFY(listed);
        const auto gone = forget(open, *listed);
        R_VERIFY(gone);
        QCOMPARE(gone->rosterLines, 1);
        QCOMPARE(gone->rows, 0);
        QCOMPARE(open.school->rowCount().value(), before);
    }
};

QTEST_GUILESS_MAIN(TestClassForget)
#include "tst_class_forget.moc"
