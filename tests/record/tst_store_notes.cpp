// SPDX-License-Identifier: GPL-3.0-or-later
// Notes in the margin: versions, removal, the step of the schema that brings them, merge, export, a kill.
#include "record_support.h"

#include "base/json.h"
#include "record/artifact_export.h"
#include "record/backups.h"
#include "record/schema.h"
#include "record/sqlite.h"

#include <QProcess>

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

NoteRow someNote(const std::string& text = "why?")
{
    NoteRow row;
    row.lesson = "2.4";
    row.section = "Mental model";
    row.block = "guess";
    row.quote = "thirty-two lanes – größer";
    row.occurrence = 2;
    row.text = text;
    return row;
}

/// The same note, written again.
NoteRow next(const std::string& id, const std::string& text, bool removed = false)
{
    NoteRow row = someNote(text);
    row.noteId = id;
    row.removed = removed;
    return row;
}

std::vector<NoteRow> notesOf(const Store& store, const std::string& lesson = {})
{
    auto notes = store.notes(lesson);
    if (!notes)
        qFatal("%s", toText(notes.error()).c_str());
    return *notes;
}

} // namespace

class TestStoreNotes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = pathOf(*m_dir) / "store";
    }

    void newestVersionCountsAndNothingIsLost()
    {
        auto store = Store::open(m_path).value();
        const auto first = durable(store->append(someNote()));
        R_VERIFY(first);
        R_VERIFY(durable(store->append(someNote("another"))));
        R_VERIFY(durable(store->append(next(*first, "because lanes share"))));
        const auto notes = notesOf(*store, "2.4");
        QCOMPARE(notes.size(), 2u);
        QCOMPARE(notes[0].noteId, *first);
        QCOMPARE(notes[0].text, std::string("because lanes share"));
        QCOMPARE(notes[0].quote, someNote().quote);
        QCOMPARE(notes[0].occurrence, 2);
        QCOMPARE(notes[0].block, std::string("guess"));
        QVERIFY(notesOf(*store, "1.1").empty());
        // The versions of before are still there, in the words of the index.
        QCOMPARE(store->texts(QStringLiteral("note"), 0, 10)->size(), 3u);
        R_VERIFY(store->verify());
    }

    void removedNotesAreLeftOutAndComeBack()
    {
        auto store = Store::open(m_path).value();
        const std::string id = durable(store->append(someNote())).value();
        R_VERIFY(durable(store->append(next(id, "why?", true))));
        QVERIFY(notesOf(*store).empty());
        R_VERIFY(durable(store->append(next(id, "after all"))));
        QCOMPARE(notesOf(*store).front().text, std::string("after all"));
    }

    void badNotesAreRefusedByName()
    {
        auto store = Store::open(m_path).value();
        NoteRow bad = someNote();
        bad.quote.clear();
        QCOMPARE(codeOf(durable(store->append(bad))), QByteArray("bad-row"));
        bad = someNote();
        bad.lesson.clear();
        QCOMPARE(codeOf(durable(store->append(bad))), QByteArray("bad-row"));
        bad = someNote();
        bad.occurrence = -1;
        const auto refused = durable(store->append(bad));
        QCOMPARE(codeOf(refused), QByteArray("bad-row"));
        QVERIFY(refused.error().place.find("occurrence") != std::string::npos);
        bad = someNote(std::string(1 << 20, 'x'));
        QCOMPARE(codeOf(durable(store->append(bad))), QByteArray("bad-row"));
        bad = someNote();
        bad.noteId = "not a uuid";
        QVERIFY(!durable(store->append(bad)).ok());
        QVERIFY(notesOf(*store).empty());
    }

    void notesAreWrittenOnceAndNeverChanged()
    {
        auto store = Store::open(m_path).value();
        R_VERIFY(durable(store->append(someNote())));
        store.reset();
        auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite).value();
        for (const char* sql : {"UPDATE note SET text = 'other'", "DELETE FROM note"})
            QVERIFY(!connection->exec(QLatin1String(sql)).ok());
    }

    /// A store of the version before is made of the rows of a present one, with the schema of its time.
    void storeWithoutNotesIsMigratedAfterABackup()
    {
        {
            auto store = Store::open(pathOf(*m_dir) / "present").value();
            for (int i = 0; i < 5; ++i)
                R_VERIFY(durable(store->append(someRun(i))));
        }
        fs::create_directories(m_path / "files");
        {
            auto old = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite).value();
            R_VERIFY(applyMigration(*old, migrations().front()));
            R_VERIFY(old->exec(QStringLiteral("ATTACH DATABASE ? AS present"),
                               {QString::fromStdString((pathOf(*m_dir) / "present" / kDatabaseName).string())}));
            for (const char* table : {"meta", "file", "prediction", "run"})
                R_VERIFY(old->exec(
                    QStringLiteral("INSERT INTO main.%1 SELECT * FROM present.%1").arg(QLatin1String(table))));
            QCOMPARE(schemaVersion(*old).value(), 1);
        }
        auto store = Store::open(m_path);
        R_VERIFY(store);
        QCOMPARE((*store)->runs({})->size(), 5u);
        R_VERIFY((*store)->verify());
        R_VERIFY(durable((*store)->append(someNote())));
        R_VERIFY(durable((*store)->append(someRun(9))));
        R_VERIFY((*store)->verify()); // the chain goes on over all kinds
        const auto backups = listBackups(m_path);
        const auto saved = std::ranges::find(backups, QStringLiteral("before-schema-2"), &BackupFile::why);
        QVERIFY(saved != backups.end());
        auto backup = Connection::open(saved->path, Connection::Mode::ReadOnly).value();
        QCOMPARE(schemaVersion(*backup).value(), 1);
        QCOMPARE(backup->value(QStringLiteral("SELECT COUNT(*) FROM run"))->toInt(), 5);
    }

    void mergeBringsNotesAndTheNewerVersionCounts()
    {
        auto mine = Store::open(m_path).value();
        const fs::path folder = pathOf(*m_dir) / "other";
        std::string id;
        {
            auto other = Store::open(folder).value();
            id = durable(other->append(someNote("on the laptop"))).value();
            R_VERIFY(durable(other->append(someNote("a second one"))));
        }
        auto report = mine->mergeFrom(folder);
        R_VERIFY(report);
        QCOMPARE(report->notes, 2);
        R_VERIFY(durable(mine->append(next(id, "at home, later"))));
        {
            auto other = Store::open(folder).value();
            NoteRow early = next(id, "long ago");
            early.createdAt = "2020-01-01T00:00:00.000Z";
            R_VERIFY(durable(other->append(early)));
        }
        report = mine->mergeFrom(folder);
        R_VERIFY(report);
        QCOMPARE(report->notes, 1);
        QCOMPARE(report->already, 2);
        QCOMPARE(notesOf(*mine).front().text, std::string("at home, later"));
        R_VERIFY(mine->verify());
    }

    void exportedArtifactsCarryTheNotesOfTheirLesson()
    {
        auto store = Store::open(m_path).value();
        ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.kind = "profile";
        artifact.title = "Sectors";
        artifact.runIds = {durable(store->append(someRun())).value()};
        artifact.fingerprint = Json{{"chip", "h100-sxm"}};
        const std::string id = durable(store->append(artifact)).value();
        R_VERIFY(durable(store->append(someNote("lanes share"))));
        NoteRow elsewhere = someNote("of another lesson");
        elsewhere.lesson = "1.1";
        R_VERIFY(durable(store->append(elsewhere)));
        const auto folder = exportArtifact(*store, id, pathOf(*m_dir) / "out");
        R_VERIFY(folder);
        const auto json = parseJson(bytesOf(*folder / "artifact.json"), "artifact.json");
        R_VERIFY(json);
        QCOMPARE(json->at("notes").size(), std::size_t{1});
        QCOMPARE(json->at("notes")[0]["text"].get<std::string>(), std::string("lanes share"));
        const std::string readme = bytesOf(*folder / "README.md");
        QVERIFY(readme.find("> thirty-two lanes – größer\n\nlanes share\n") != std::string::npos);
        QVERIFY(readme.find("another lesson") == std::string::npos);
    }

    void killedWriterLosesNoNoteItHasPromised()
    {
        QProcess child;
        child.start(QCoreApplication::applicationDirPath() + QStringLiteral("/record-child"),
                    {QStringLiteral("notes"), QString::fromStdString(m_path.string())});
        QVERIFY(child.waitForStarted());
        QByteArrayList promised;
        while (promised.size() < 40) {
            QVERIFY(child.waitForReadyRead(60000));
            while (child.canReadLine())
                promised << child.readLine().trimmed();
        }
        child.kill();
        QVERIFY(child.waitForFinished());
        auto store = Store::open(m_path);
        R_VERIFY(store);
        R_VERIFY((*store)->verify());
        const auto rows = (*store)->texts(QStringLiteral("note"), 0, 100000);
        R_VERIFY(rows);
        QVERIFY(rows->size() >= std::size_t(promised.size()));
        // One note, whose newest version is at least the last promised one.
        const auto notes = notesOf(**store);
        QCOMPARE(notes.size(), 1u);
        QVERIFY(std::stoi(notes.front().text) >= promised.last().toInt());
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

QTEST_GUILESS_MAIN(TestStoreNotes)
#include "tst_store_notes.moc"
