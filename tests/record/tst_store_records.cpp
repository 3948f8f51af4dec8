// SPDX-License-Identifier: GPL-3.0-or-later
// Versions of artifacts, tags, the journal, reproductions, outcomes and reviews: rows, checks, reads, merge, and the
// step of the schema that brings them.
#include "record_support.h"

#include "base/hash.h"
#include "record/backups.h"
#include "record/schema.h"
#include "record/sqlite.h"

using namespace ridge;
using namespace ridge::record;
using namespace ridge::test;

namespace {

ArtifactRow someArtifact(std::vector<std::string> runIds = {})
{
    ArtifactRow row;
    row.lesson = "2.4";
    row.kind = "profile";
    row.title = "Sectors";
    row.question = "why?";
    row.runIds = std::move(runIds);
    row.fingerprint = Json{{"chip", "h100-sxm"}};
    return row;
}

TagRow someTag(const std::string& subject, const std::string& label, bool removed = false)
{
    TagRow row;
    row.subjectKind = "run";
    row.subjectId = subject;
    row.label = label;
    row.removed = removed;
    return row;
}

JournalRow someEntry(const std::string& text = "the stride was 0")
{
    JournalRow row;
    row.kind = "failure";
    row.lesson = "2.4";
    row.title = "No sectors";
    row.text = text;
    return row;
}

ReproductionRow someReproduction(const std::string& artifact, const std::string& run)
{
    ReproductionRow row;
    row.artifactId = artifact;
    row.target = "sim:h100-sxm";
    row.verdict = "within noise";
    row.by = "self";
    row.pairs = {{run, run, "sectors_per_request", "sectors/request", 32, 33, 33.0 / 32, "within noise"},
                 {run, "", "", "", 0, 0, {}, "not reproduced"}};
    return row;
}

/// Writes one row of each kind that schema 3 brings; gives the artifact's id.
std::string fill(Store& store)
{
    const std::string first = durable(store.append(somePrediction())).value();
    const std::string second = durable(store.append(somePrediction())).value();
    const std::string run = durable(store.append(someRun(8, second))).value();
    const std::string artifact = durable(store.append(someArtifact({run}))).value();
    const std::string entry = durable(store.append(someEntry())).value();
    ArtifactRow next = someArtifact({run});
    next.artifactId = artifact;
    next.title = "Sectors, again";
    next.sections = {{"method", "one warp"}, {"next_experiment", "größer"}};
    next.journalIds = {entry};
    next.figures =
        Json::array({{{"name", "busbw"}, {"value", 12.5}, {"unit", "GB/s"}, {"source", "log"}, {"line", 3}}});
    next.files = {{"log.txt", durable(store.putFile("a log")).value()}};
    static_cast<void>(durable(store.append(next)).value());
    static_cast<void>(durable(store.append(someTag(run, "slow"))).value());
    static_cast<void>(durable(store.append(someReproduction(artifact, run))).value());
    OutcomeRow outcome;
    outcome.lesson = "2.4";
    outcome.state = "passed";
    outcome.context = "lesson";
    outcome.evidence = Json{{"runs", {run}}};
    static_cast<void>(durable(store.append(outcome)).value());
    outcome.factor = 1.5;
    outcome.context = "review";
    static_cast<void>(durable(store.append(outcome)).value());
    ReviewRow review;
    review.ofPredictionId = first;
    review.predictionId = second;
    review.runId = run;
    review.missed = true;
    review.factor = 4;
    static_cast<void>(durable(store.append(review)).value());
    return artifact;
}

template<class Row>
void refused(Store& store, Row row, const char* place)
{
    const auto answer = durable(store.append(std::move(row)));
    QCOMPARE(codeOf(answer), QByteArray("bad-row"));
    QCOMPARE(QByteArray::fromStdString(answer.error().place), QByteArray(place));
}

} // namespace

class TestStoreRecords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_path = pathOf(*m_dir) / "store";
    }

    void laterVersionsCountThoughTheClockWasAhead()
    {
        auto store = Store::open(m_path).value();
        const std::string ahead = "2035-01-01T10:00:00.000Z";
        const std::string run = durable(store->append(someRun())).value();
        ArtifactRow artifact = someArtifact({run});
        artifact.createdAt = ahead;
        artifact.artifactId = durable(store->append(artifact)).value();
        artifact.createdAt.clear();
        artifact.title = "Later";
        R_VERIFY(durable(store->append(artifact)));
        NoteRow note;
        note.lesson = "2.4";
        note.quote = "warp";
        note.text = "ahead";
        note.createdAt = ahead;
        note.noteId = durable(store->append(note)).value();
        note.createdAt.clear();
        note.text = "later";
        R_VERIFY(durable(store->append(note)));
        JournalRow entry = someEntry("ahead");
        entry.createdAt = ahead;
        entry.entryId = durable(store->append(entry)).value();
        entry.createdAt.clear();
        entry.text = "later";
        R_VERIFY(durable(store->append(entry)));
        TagRow tag = someTag(run, "slow");
        tag.createdAt = ahead;
        R_VERIFY(durable(store->append(tag)));
        R_VERIFY(durable(store->append(someTag(run, "slow", true))));

        QCOMPARE(store->artifacts().value().at(0).title, std::string("Later"));
        QCOMPARE(store->artifact(artifact.artifactId).value().title, std::string("Later"));
        QCOMPARE(store->artifactVersions(artifact.artifactId).value().size(), 2u);
        QCOMPARE(store->notes().value().at(0).text, std::string("later"));
        QCOMPARE(store->journal().value().at(0).text, std::string("later"));
        QCOMPARE(store->tags().value().size(), 0u);
    }

    void rowsComeBackAsTheyWereWritten()
    {
        auto store = Store::open(m_path).value();
        const std::string artifact = fill(*store);
        R_VERIFY(store->verify());
        const auto newest = store->artifacts("2.4").value();
        QCOMPARE(newest.size(), 1u);
        QCOMPARE(newest[0].title, std::string("Sectors, again"));
        QCOMPARE(newest[0].artifactId, artifact);
        QVERIFY(newest[0].id != artifact);
        QCOMPARE(newest[0].sections.at("next_experiment"), std::string("größer"));
        QCOMPARE(newest[0].journalIds, std::vector<std::string>{store->journal().value()[0].entryId});
        QCOMPARE((*newest[0].figures)[0]["value"].get<double>(), 12.5);
        QCOMPARE(store->file(newest[0].files.at(0).sha256).value(), std::string("a log"));
        const auto versions = store->artifactVersions(artifact).value();
        QCOMPARE(versions.size(), 2u);
        QCOMPARE(versions[1].id, artifact);
        QCOMPARE(versions[1].artifactId, artifact);
        QVERIFY(versions[1].sections.empty() && versions[1].files.empty() && versions[1].figures->is_null());
        QCOMPARE(store->artifact(artifact)->title, std::string("Sectors, again"));
        QCOMPARE(store->artifact(versions[0].id)->title, std::string("Sectors, again"));
        QCOMPARE(codeOf(store->artifact(newUuid7())), QByteArray("unknown-artifact"));

        const auto pairs = store->reproductions(artifact).value().at(0).pairs;
        QCOMPARE(pairs.at(0).now, 33.0);
        QCOMPARE(pairs.at(0).factor.value(), 33.0 / 32);
        QVERIFY(!pairs.at(1).factor && pairs.at(1).newRun.empty());
        QVERIFY(store->reproductions(newUuid7())->empty());
        const auto outcomes = store->outcomes("2.4").value();
        QCOMPARE(outcomes.size(), 2u);
        QCOMPARE(outcomes[0].factor.value(), 1.5);
        QVERIFY(!outcomes[1].factor);
        QVERIFY(outcomes[1].evidence->contains("runs"));
        const auto reviews = store->reviews().value();
        QCOMPARE(reviews.size(), 1u);
        QVERIFY(reviews[0].missed);
        QCOMPARE(reviews[0].factor.value(), 4.0);
        QCOMPARE(store->reviews(reviews[0].ofPredictionId)->size(), 1u);
        QVERIFY(store->reviews(reviews[0].predictionId)->empty());
        QCOMPARE(store->texts(QStringLiteral("journal"), 0, 10)->at(0).id, store->journal()->at(0).entryId);
    }

    void whatIsTakenAwayIsLeftOutAndComesBack()
    {
        auto store = Store::open(m_path).value();
        const std::string artifact = fill(*store);
        ArtifactRow gone = store->artifact(artifact).value();
        gone.id = gone.createdAt = gone.origin = {};
        gone.seq = 0;
        gone.removed = true;
        R_VERIFY(durable(store->append(gone)));
        QVERIFY(store->artifacts()->empty());
        QCOMPARE(store->artifactVersions(artifact)->size(), 3u);
        QVERIFY(store->artifact(artifact)->removed);
        gone.removed = false;
        R_VERIFY(durable(store->append(gone)));
        QCOMPARE(store->artifacts()->size(), 1u);

        const std::string run = store->runs({})->front().id;
        R_VERIFY(durable(store->append(someTag(run, "keep"))));
        R_VERIFY(durable(store->append(someTag(run, "slow", true))));
        const auto tags = store->tags("run", run).value();
        QCOMPARE(tags.size(), 1u);
        QCOMPARE(tags[0].label, std::string("keep"));
        QVERIFY(store->tags("artifact", run)->empty());

        JournalRow entry = store->journal("2.4").value().at(0);
        const std::string id = entry.entryId;
        entry = someEntry("fixed");
        entry.entryId = id;
        R_VERIFY(durable(store->append(entry)));
        QCOMPARE(store->journal()->at(0).text, std::string("fixed"));
        entry.removed = true;
        R_VERIFY(durable(store->append(entry)));
        QVERIFY(store->journal()->empty());
        R_VERIFY(store->verify());
    }

    void badRowsAreRefusedByName()
    {
        auto store = Store::open(m_path).value();
        ArtifactRow artifact = someArtifact();
        artifact.sections["poetry"] = "x";
        refused(*store, artifact, "artifact.sections");
        artifact = someArtifact();
        artifact.figures = Json::array({{{"name", "busbw"}, {"value", "12"}, {"unit", ""}, {"source", ""}}});
        refused(*store, artifact, "artifact.figures");
        artifact = someArtifact();
        artifact.files = {{"log.txt", std::string(64, 'a')}};
        QCOMPARE(codeOf(durable(store->append(artifact))), QByteArray("bad-row")); // no such file
        refused(*store, someTag("x", "two\nlines"), "tag.label");
        refused(*store, someTag("x", std::string(65, 'x')), "tag.label");
        refused(*store, someTag("x", ""), "tag.label");
        TagRow tag = someTag("x", "y");
        tag.subjectKind = "lesson";
        refused(*store, tag, "tag.subject_kind");
        JournalRow entry = someEntry();
        entry.kind = "gossip";
        refused(*store, entry, "journal.kind");
        entry = someEntry(std::string(1 << 20, 'x'));
        refused(*store, entry, "journal.text");
        ReproductionRow reproduction = someReproduction(newUuid7(), newUuid7());
        reproduction.verdict = "fine";
        refused(*store, reproduction, "reproduction.verdict");
        OutcomeRow outcome;
        outcome.lesson = "2.4";
        outcome.state = "passed";
        outcome.context = "lesson";
        outcome.factor = 0.5;
        refused(*store, outcome, "outcome.factor");
        ReviewRow review;
        review.ofPredictionId = review.predictionId = review.runId = newUuid7();
        QCOMPARE(codeOf(durable(store->append(review))), QByteArray("bad-row")); // refers to nothing
        auto entries = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadOnly).value();
        QCOMPARE(entries->value(QStringLiteral("SELECT COUNT(*) FROM entry"))->toInt(), 0);
    }

    void rowsAreWrittenOnceAndNeverChanged()
    {
        {
            auto store = Store::open(m_path).value();
            fill(*store);
        }
        auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite).value();
        for (const char* table : {"tag", "journal", "reproduction", "outcome", "review"}) {
            QVERIFY(!connection->exec(QStringLiteral("UPDATE %1 SET created_at = 'x'").arg(QLatin1String(table))).ok());
            QVERIFY(!connection->exec(QStringLiteral("DELETE FROM %1").arg(QLatin1String(table))).ok());
        }
        QVERIFY(!connection->exec(QStringLiteral("UPDATE artifact SET removed = 1")).ok());
    }

    void changedRowOfANewKindIsNoticed()
    {
        {
            auto store = Store::open(m_path).value();
            fill(*store);
        }
        {
            auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite).value();
            R_VERIFY(connection->exec(QStringLiteral("DROP TRIGGER outcome_no_update")));
            R_VERIFY(connection->exec(QStringLiteral("UPDATE outcome SET factor = 1.25 WHERE factor IS NOT NULL")));
        }
        auto store = Store::open(m_path).value();
        const auto verdict = store->verify();
        QCOMPARE(codeOf(verdict), QByteArray("store-damaged"));
        QVERIFY(verdict.error().message.find("outcome") != std::string::npos);
    }

    void mergeBringsEveryKindOnce()
    {
        const fs::path folder = pathOf(*m_dir) / "other";
        {
            auto other = Store::open(folder).value();
            fill(*other);
        }
        auto mine = Store::open(m_path).value();
        const auto first = mine->mergeFrom(folder);
        R_VERIFY(first);
        QCOMPARE(first->tags, 1);
        QCOMPARE(first->journal, 1);
        QCOMPARE(first->reproductions, 1);
        QCOMPARE(first->outcomes, 2);
        QCOMPARE(first->reviews, 1);
        QCOMPARE(first->artifacts, 2);
        const auto again = mine->mergeFrom(folder);
        R_VERIFY(again);
        QCOMPARE(again->tags + again->journal + again->reproductions + again->outcomes + again->reviews, 0);
        QCOMPARE(mine->artifacts()->size(), 1u);
        R_VERIFY(mine->verify());
    }

    /// The form of the digest of an artifact, written down once more: a column that an older version did not know has
    /// no part in it.
    void artifactWithoutNewColumnsHasTheDigestOfItsTime()
    {
        auto store = Store::open(m_path).value();
        const std::string id = durable(store->append(someArtifact())).value();
        store.reset();
        auto connection = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadOnly).value();
        auto rows = connection->query(QStringLiteral("SELECT * FROM artifact"));
        R_VERIFY(rows);
        QVERIFY(rows->next());
        std::string text = "kind=8:artifact\n";
        for (const char* column : {"id", "created_at", "origin", "seq", "previous", "lesson", "kind", "title",
                                   "question", "claim", "reflection", "level", "prediction_ids", "run_ids", "charts",
                                   "code", "fingerprint", "provenance", "trust"}) {
            const std::string value = rows->value(QLatin1String(column)).toString().toStdString();
            text += std::string(column) + "=" + std::to_string(value.size()) + ":" + value + "\n";
        }
        QCOMPARE(rows->value(QStringLiteral("digest")).toString().toStdString(), sha256Hex(text));
    }

    void anOlderStoreIsMigratedAfterABackup_data()
    {
        QTest::addColumn<int>("version");
        QTest::newRow("versions of artifacts") << 2;
        QTest::newRow("gradings") << 4;
        QTest::newRow("first answers") << 6;
    }
    /// A store of the version before is made of the rows of a present one, with the schema of its time.
    void anOlderStoreIsMigratedAfterABackup()
    {
        QFETCH(int, version);
        std::string artifact;
        {
            auto store = Store::open(pathOf(*m_dir) / "present").value();
            const std::string run = durable(store->append(someRun())).value();
            artifact = durable(store->append(someArtifact({run}))).value();
        }
        fs::create_directories(m_path / "files");
        {
            auto old = Connection::open(m_path / kDatabaseName, Connection::Mode::ReadWrite).value();
            for (int step = 0; step < version; ++step)
                R_VERIFY(applyMigration(*old, migrations().at(std::size_t(step))));
            R_VERIFY(old->exec(QStringLiteral("ATTACH DATABASE ? AS present"),
                               {QString::fromStdString((pathOf(*m_dir) / "present" / kDatabaseName).string())}));
            for (const char* table : {"meta", "run"})
                R_VERIFY(old->exec(
                    QStringLiteral("INSERT INTO main.%1 SELECT * FROM present.%1").arg(QLatin1String(table))));
            const QString columns =
                QStringLiteral("id, created_at, origin, seq, previous, digest, lesson, kind, title, question, claim, "
                               "reflection, level,"
                               " prediction_ids, run_ids, charts, code, fingerprint, provenance, trust");
            R_VERIFY(old->exec(
                QStringLiteral("INSERT INTO main.artifact (%1) SELECT %1 FROM present.artifact").arg(columns)));
            R_VERIFY(old->exec(QStringLiteral("INSERT INTO main.artifact_run SELECT * FROM present.artifact_run")));
            QCOMPARE(schemaVersion(*old).value(), version);
        }
        // For reading only, the file stays as it is.
        {
            auto reader = Store::openReadOnly(m_path);
            R_VERIFY(reader);
            QCOMPARE((*reader)->artifacts()->size(), 1u);
        }
        auto store = Store::open(m_path);
        R_VERIFY(store);
        R_VERIFY((*store)->verify());
        QCOMPARE((*store)->artifacts()->at(0).artifactId, artifact);
        QCOMPARE((*store)->artifacts()->at(0).runIds.size(), 1u);
        fill(**store);
        R_VERIFY((*store)->verify()); // the chain goes on over all kinds
        QCOMPARE((*store)->artifacts()->size(), 2u);
        const auto backups = listBackups(m_path);
        const auto saved =
            std::ranges::find(backups, QStringLiteral("before-schema-%1").arg(version + 1), &BackupFile::why);
        QVERIFY(saved != backups.end());
        auto backup = Connection::open(saved->path, Connection::Mode::ReadOnly).value();
        QCOMPARE(schemaVersion(*backup).value(), version);
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

QTEST_GUILESS_MAIN(TestStoreRecords)
#include "tst_store_records.moc"
