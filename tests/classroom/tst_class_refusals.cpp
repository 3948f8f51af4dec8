// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a class refused: kept with reason and digest until a good one comes or the teacher dismisses them; on
// SQLite and on PostgreSQL.
#include "base/hash.h"
#include "base/json.h"
#include "base/paths.h"
#include "classroom/class_report.h"
#include "tests/record/record_support.h"
#include "tests/support/postgres.h"

using namespace ridge;
using namespace ridge::classroom;
using namespace ridge::test;

class TestClassRefusals : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;
    lessons::Curriculum m_curriculum;
    std::unique_ptr<PostgresServer> m_server;
    fs::path m_samples;
    std::vector<fs::path> m_files; ///< of the sample, good ones
    int m_classes = 0, m_drops = 0;

    static void both()
    {
        QTest::addColumn<QString>("where");
        QTest::newRow("sqlite") << QStringLiteral("sqlite");
        QTest::newRow("postgresql") << QStringLiteral("postgresql");
    }
    ClassPlace fresh(const QString& where)
    {
        NewAssignment wanted;
        wanted.name = "Class " + std::to_string(++m_classes);
        if (where == QLatin1String("postgresql"))
            wanted.database = m_server->address().toStdString();
        wanted.roster = bytesOf(m_samples / "roster.csv");
        wanted.rosterPlace = "roster.csv";
        const auto made = adoptAssignment(pathOf(m_dir) / "home", wanted, bytesOf(m_samples / "assignment.ridgeclass"),
                                          "assignment.ridgeclass");
        if (!made)
            qFatal("%s", toText(made.error()).c_str());
        return made->place;
    }
    /// A folder of its own with one file in it.
    fs::path drop(const std::string& name, const std::string& bytes)
    {
        const fs::path folder = pathOf(m_dir) / ("drop" + std::to_string(++m_drops));
        fs::create_directories((folder / name).parent_path());
        writeBytes(folder / name, bytes);
        return folder;
    }
    /// Opened anew for each, as after a restart.
    Result<CollectReport> collected(const ClassPlace& place, const fs::path& folder)
    {
        auto open = openClass(place);
        if (!open)
            return open.error();
        return collect(*open, m_curriculum, folder);
    }
    std::vector<Refused> listed(const ClassPlace& place)
    {
        auto open = openClass(place);
        if (!open)
            qFatal("%s", toText(open.error()).c_str());
        const auto told = report(*open, m_curriculum);
        if (!told)
            qFatal("%s", toText(told.error()).c_str());
        if (toJson(*told)["refused"].size() != told->refused.size())
            qFatal("the JSON has another list");
        return told->refused;
    }
    static std::string damaged(const fs::path& file)
    {
        std::string bytes = bytesOf(file);
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        return bytes;
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
        for (const auto& entry : fs::directory_iterator(m_samples))
            if (entry.path().extension() == ".ridgesubmission")
                m_files.push_back(entry.path());
        std::sort(m_files.begin(), m_files.end());
        QVERIFY(m_files.size() > 3);
    }
    void cleanupTestCase() { m_server.reset(); }

    void aRefusedFileOutlivesTheProgram_data() { both(); }
    void aRefusedFileOutlivesTheProgram()
    {
        QFETCH(QString, where);
        const ClassPlace place = fresh(where);
        QVERIFY(listed(place).empty());
        const std::string bytes = damaged(m_files[0]);
        const fs::path folder = drop(m_files[0].filename().string(), bytes);
        const auto told = collected(place, folder);
        R_VERIFY(told);
        QCOMPARE(told->odd.size(), std::size_t{1});
        const std::vector<Refused> kept = listed(place);
        QCOMPARE(kept.size(), std::size_t{1});
        QCOMPARE(kept[0].file, m_files[0].filename().string());
        QCOMPARE(kept[0].digest, sha256Hex(bytes));
        QCOMPARE(kept[0].reason, told->odd[0].reason);
        QVERIFY(!kept[0].since.empty());
        QCOMPARE(kept[0].who.learner, m_files[0].filename().string().substr(0, 12));
        QVERIFY(!kept[0].who.name.empty()); // the roster knows the pseudonym
        // Dropped once more it is the same file.
        R_VERIFY(collected(place, folder));
        QCOMPARE(listed(place), kept);
        auto open = openClass(place);
        R_VERIFY(open);
        R_VERIFY(open->school->verify());
        QCOMPARE(open->school->refusals()->size(), std::size_t{1});
        // A projector has no files, for their names may be people's.
        QVERIFY(report(*open, m_curriculum, {{}, true})->refused.empty());
    }

    void aLinkInAFolderIsToldAndNotFollowed()
    {
        const ClassPlace place = fresh(QStringLiteral("SQLite"));
        const fs::path folder = drop("work.ridgesubmission", bytesOf(m_files[0]));
        fs::create_directories(folder / "in.ridgesubmission");
        fs::create_symlink(m_files[1], folder / "in.ridgesubmission" / "link.ridgesubmission");
        const auto told = collected(place, folder);
        R_VERIFY(told);
        QCOMPARE(told->merged, 1);
        QCOMPARE(told->files, 2);
        QCOMPARE(listed(place).size(), std::size_t{1});
        QCOMPARE(listed(place)[0].file, std::string("link.ridgesubmission"));
        QVERIFY(listed(place)[0].reason.starts_with("It is a link"));
        // A link that somebody names is meant.
        const auto named = collected(place, folder / "in.ridgesubmission" / "link.ridgesubmission");
        R_VERIFY(named);
        QCOMPARE(named->merged, 1);
    }

    void aGoodFileOfTheSameLearnerReplacesIt_data() { both(); }
    void aGoodFileOfTheSameLearnerReplacesIt()
    {
        QFETCH(QString, where);
        const ClassPlace place = fresh(where);
        R_VERIFY(collected(place, drop(m_files[0].filename().string(), damaged(m_files[0]))));
        R_VERIFY(collected(place, drop("nobody.ridgesubmission", "no archive")));
        QCOMPARE(listed(place).size(), std::size_t{2});
        R_VERIFY(collected(place, drop("other.ridgesubmission", bytesOf(m_files[1]))));
        QCOMPARE(listed(place).size(), std::size_t{2}); // another learner's
        const fs::path good = drop("renamed.ridgesubmission", bytesOf(m_files[0]));
        R_VERIFY(collected(place, good));
        std::vector<Refused> left = listed(place);
        QCOMPARE(left.size(), std::size_t{1});
        QCOMPARE(left[0].file, std::string("nobody.ridgesubmission"));
        // What is refused after it is listed, and the good file, dropped once more, is no answer to that.
        R_VERIFY(collected(place, drop(m_files[0].filename().string(), damaged(m_files[0]) + "more")));
        R_VERIFY(collected(place, good));
        QCOMPARE(listed(place).size(), std::size_t{2});
    }

    void aPlatformsNameTellsWhoseItIs()
    {
        const ClassPlace place = fresh(QStringLiteral("sqlite"));
        const auto open = openClass(place);
        R_VERIFY(open);
        const auto members = open->school->members();
        const auto whose = std::find_if(members->begin(), members->end(), [&](const record::MemberRow& member) {
            return m_files[0].filename().string().starts_with(member.learner);
        });
        QVERIFY(whose != members->end());
        const std::string moodle = whose->name + "_1234_assignsubmission_file_";
        R_VERIFY(collected(place, drop(moodle + "/work.ridgesubmission", damaged(m_files[0]))));
        QCOMPARE(listed(place).at(0).who.name, whose->name);
        R_VERIFY(collected(place, drop(moodle + "/work.ridgesubmission", bytesOf(m_files[0]))));
        QVERIFY(listed(place).empty());
    }

    void theTeacherDismissesIt_data() { both(); }
    void theTeacherDismissesIt()
    {
        QFETCH(QString, where);
        const ClassPlace place = fresh(where);
        const fs::path one = drop("one.ridgesubmission", "no archive"),
                       two = drop("two.ridgesubmission", "no archive either");
        R_VERIFY(collected(place, one));
        R_VERIFY(collected(place, two));
        {
            auto open = openClass(place);
            R_VERIFY(open);
            QCOMPARE(codeOf(dismissRefused(*open, "three.ridgesubmission")), QByteArray("unknown-file"));
            QCOMPARE(codeOf(dismissRefused(*open, sha256Hex("no archive").substr(0, 4))), QByteArray("unknown-file"));
            QCOMPARE(*dismissRefused(*open, "one.ridgesubmission"), 1);
            QCOMPARE(codeOf(dismissRefused(*open, "one.ridgesubmission")), QByteArray("unknown-file"));
        }
        QCOMPARE(listed(place).size(), std::size_t{1});
        // The folder lies there still, and is collected again next week.
        R_VERIFY(collected(place, one));
        QCOMPARE(listed(place).size(), std::size_t{1});
        auto open = openClass(place);
        R_VERIFY(open);
        QCOMPARE(*dismissRefused(*open, sha256Hex("no archive either").substr(0, 12)), 1);
        QVERIFY(listed(place).empty());
        QCOMPARE(open->school->refusals()->size(), std::size_t{2}); // the class still knows of both
    }
};

QTEST_GUILESS_MAIN(TestClassRefusals)
#include "tst_class_refusals.moc"
