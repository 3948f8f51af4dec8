// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "lessons/inline.h"
#include "record/sqlite.h"
#include "search/plain_text.h"
#include "search/search_index.h"
#include "search/search_service.h"
#include "tests/search/lesson_text.h"
#include "tests/support/pace.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace ridge;
using namespace ridge::app;
using namespace ridge::test;
namespace fs = std::filesystem;

namespace {

constexpr int kLessons = 56, kRuns = 10000, kNotes = 1000;

/// A curriculum of its own with one lesson, or with many.
class Place {
public:
    explicit Place(int count = 1)
    {
        std::string modules = "modules:\n", glossary;
        for (int m = 1; m <= 7; ++m)
            modules += "  - {number: " + std::to_string(m) + ", title: Module, folder: m" + std::to_string(m) +
                       ", promise: You can.}\n";
        write(curriculum() / "curriculum.yaml", modules);
        write(curriculum() / "claims.yaml", "t4.read:\n  value: 320\n  unit: GB/s\n  source: A sheet\n  date: 2020-01\n"
                                            "  provenance: published\n");
        write(curriculum() / "glossary.yaml",
              "- name: coalescing\n  also: [coalesced]\n  text: Putting the accesses of a warp together.\n"
              "  lesson: \"1.1\"\n");
        for (int i = 0; i < count; ++i)
            setLesson(i, words(i, 260));
    }
    void setLesson(int index, const std::string& prose)
    {
        const int module = index / 8 + 1, number = index % 8 + 1;
        write(curriculum() / ("m" + std::to_string(module)) / ("0" + std::to_string(number) + "-lesson.md"),
              lessonText(module, number, prose));
    }
    fs::path root() const { return m_dir.path().toStdString(); }
    fs::path curriculum() const { return root() / "curriculum"; }
    fs::path home() const { return root() / "home"; }
    lessons::Curriculum load() const
    {
        auto loaded = lessons::loadCurriculum(curriculum());
        for (const auto& problem : loaded.problems)
            qWarning("%s:%d %s", problem.at.file.c_str(), problem.at.line, problem.message.c_str());
        return loaded.curriculum;
    }

private:
    QTemporaryDir m_dir;
};

record::RunRow someRun(int stride)
{
    record::RunRow row;
    row.experiment = "coalescing";
    row.target = "sim:h100-sxm";
    row.params = {{"stride", std::int64_t{stride}}};
    row.metrics["sectors_per_request"] = {32.0, "sectors/request", Provenance::Simulated};
    row.validity = "valid";
    row.status = "finished";
    row.fingerprint = Json{{"chip", "h100-sxm"}};
    return row;
}

record::NoteRow someNote(const std::string& text)
{
    record::NoteRow row;
    row.lesson = "1.1";
    row.section = "Mental model";
    row.quote = "the okapi stands";
    row.text = text;
    return row;
}

void updateAll(SearchIndex& index, const Place& place, const record::Store* store)
{
    for (bool all = false; !all;) {
        const auto done = index.update(place.load(), place.root(), store);
        if (!done)
            qFatal("%s", toText(done.error()).c_str());
        all = *done;
    }
}

SearchAnswer find(const SearchIndex& index, const QString& text)
{
    auto answer = index.search(text);
    if (!answer)
        qFatal("search: %s", toText(answer.error()).c_str());
    return *answer;
}

QStringList targets(const SearchAnswer& answer)
{
    QStringList all;
    for (const SearchHit& hit : answer.hits)
        all << hit.target;
    return all;
}

} // namespace

class TestSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void queriesAreWordsAndNeverOperators()
    {
        QCOMPARE(parseQuery(QStringLiteral("Shared Memory")).fts(), QStringLiteral("\"shared\" * AND \"memory\" *"));
        QCOMPARE(parseQuery(QStringLiteral("sm_90 OR ld.global")).fts(),
                 QStringLiteral("\"sm 90\" * AND \"or\" * AND \"ld global\" *"));
        QCOMPARE(parseQuery(QStringLiteral("\"bank conflict\" Größe")).fts(),
                 QStringLiteral("\"bank conflict\" * AND \"große\" *"));
        QVERIFY(parseQuery(QStringLiteral("\"' - * () 😀 ^")).empty());
        QVERIFY(parseQuery({}).empty());
        QVERIFY(int(parseQuery(QStringLiteral("word ").repeated(5000)).phrases.size()) <= kMostPhrases);
    }

    void matchesAreMarkedWhereTheyStand()
    {
        const QString text = QStringLiteral("A coalesced LOAD of sm_90, naïve.");
        QCOMPARE(findMatches(text, parseQuery(QStringLiteral("coal load"))), (std::vector<TextSpan>{{2, 9}, {12, 4}}));
        QCOMPARE(findMatches(text, parseQuery(QStringLiteral("sm_9"))), (std::vector<TextSpan>{{20, 5}}));
        QCOMPARE(findMatches(text, parseQuery(QStringLiteral("naive"))), (std::vector<TextSpan>{{27, 5}}));
        const QString longText =
            QStringLiteral("lorem ").repeated(100) + QStringLiteral("needle ") + QStringLiteral("ipsum ").repeated(100);
        const Snippet snippet = makeSnippet(longText, parseQuery(QStringLiteral("needle")), 120);
        QVERIFY2(snippet.text.size() <= 124 && snippet.text.startsWith(QStringLiteral("… ")), qPrintable(snippet.text));
        QCOMPARE(snippet.marks.size(), std::size_t{1});
        QCOMPARE(snippet.text.mid(snippet.marks[0].start, snippet.marks[0].length), QStringLiteral("needle"));
    }

    void lessonsAreFoundByBlockAndProseAndKeepTheirSecrets()
    {
        const Place place;
        const auto readable = lessons::loadLesson(place.load(), "1.1");
        QVERIFY2(readable.ok(), readable.ok() ? "" : toText(readable.error()).c_str());
        auto index = SearchIndex::open({}).value();
        updateAll(*index, place, nullptr);
        QVERIFY(targets(find(*index, QStringLiteral("zebra"))).contains(QStringLiteral("lesson/1.1#ask")));
        QCOMPARE(targets(find(*index, QStringLiteral("okapi"))),
                 QStringList{QStringLiteral("lesson/1.1#mental-model:1")});
        QVERIFY(find(*index, QStringLiteral("giraffes")).hits.empty()); // what is explained after an attempt
        const SearchAnswer term = find(*index, QStringLiteral("coalesced"));
        QCOMPARE(term.hits.front().kind, SearchKind::Term);
        QVERIFY(!term.hits.front().title.marks.empty());
    }

    /// What is found is shown: a formula in the words that it is read aloud in, not in its source.
    void formulasAreFoundAsTheyAreSpoken()
    {
        const std::string text = "The rule is $\\mathrm{sectors} = 4$ here.";
        std::map<std::string, lessons::FormulaAsset> formulas;
        for (const lessons::Inline& piece : lessons::splitInline(text))
            if (const auto* formula = std::get_if<lessons::InlineFormula>(&piece))
                formulas[formula->asset] = {formula->tex, "sectors equal four", 1, 1, 0};
        QCOMPARE(formulas.size(), std::size_t(1));
        QCOMPARE(plainText(text, {}, formulas), std::string("The rule is sectors equal four here."));
        QVERIFY(plainText(text, {}, {}).find("mathrm") != std::string::npos); // better than nothing
        // A star that multiplies is no emphasis.
        QCOMPARE(plainText("The *whole* request for a[2 * l], and `b[i*j]`, is **one**.\n\n* two * three", {}, {}),
                 std::string("The whole request for a[2 * l], and b[i*j], is one.\n\ntwo * three"));
        QCOMPARE(plainText("**a *b* c** *open `x*y` ``p`q`` 2 *", {}, {}), std::string("a b c *open x*y p`q 2 *"));
    }

    void changedLessonsReplaceTheirOldWords()
    {
        Place place;
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "search.db";
        {
            auto index = SearchIndex::open(file).value();
            updateAll(*index, place, nullptr);
            QVERIFY(!index->inMemory());
            QVERIFY(find(*index, QStringLiteral("aardvark")).hits.empty());
        }
        place.setLesson(0, "The aardvark came.");
        auto index = SearchIndex::open(file).value();
        updateAll(*index, place, nullptr);
        QCOMPARE(find(*index, QStringLiteral("aardvark")).totals[0], 7);
        QCOMPARE(find(*index, QStringLiteral("okapi")).totals[0], 1);
        QVERIFY(find(*index, QStringLiteral("roofline")).hits.empty());
        fs::remove_all(place.curriculum() / "m1");
        updateAll(*index, place, nullptr);
        QVERIFY(find(*index, QStringLiteral("aardvark")).hits.empty());
    }

    void artifactsAndEntriesOfTheJournalByTheirNewestVersion()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open(searchIndexFile(place.home())).value();
        record::ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.title = "A pelican profile";
        artifact.sections["bottleneck"] = "the curlew waits for memory";
        artifact.artifactId = store->append(artifact).result().value();
        record::JournalRow entry;
        entry.kind = "failure";
        entry.title = "The gannet dived too early";
        entry.entryId = store->append(entry).result().value();
        store->flush();
        updateAll(*index, place, store.get());
        QCOMPARE(find(*index, QStringLiteral("curlew")).hits.front().target,
                 QStringLiteral("artifact/") + QString::fromStdString(artifact.artifactId));
        QCOMPARE(find(*index, QStringLiteral("gannet")).hits.front().target,
                 QStringLiteral("portfolio/journal/") + QString::fromStdString(entry.entryId));
        QCOMPARE(find(*index, QStringLiteral("gannet")).totals[int(SearchKind::Journal)], 1);

        artifact.title = "A heron profile";
        entry.removed = true;
        store->append(artifact);
        store->append(entry);
        store->flush();
        updateAll(*index, place, store.get());
        QVERIFY(find(*index, QStringLiteral("pelican")).hits.empty());
        QVERIFY(find(*index, QStringLiteral("gannet")).hits.empty());
        QCOMPARE(find(*index, QStringLiteral("heron")).totals[int(SearchKind::Artifact)], 1);
    }

    /// A claim was filled in from runs: while their results are held back it is neither shown nor found by guessing.
    void heldClaimsAreNotFound()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open(searchIndexFile(place.home())).value();
        record::ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.title = "A pelican profile";
        artifact.question = "What does the curlew cost?";
        artifact.claim = "It touches sixteen gannets.";
        artifact.reflection = "I had counted herons.";
        store->append(artifact);
        artifact.lesson = "1.1"; // of another lesson, which nobody holds back
        artifact.title = "A second profile";
        store->append(artifact);
        store->flush();
        updateAll(*index, place, store.get());
        const QString reason = QStringLiteral("Week 3 shows this from 8 March 2098, 18:00 on.");
        const HeldLessons held{{"2.4", reason}};
        const auto ask = [&](const char* words, const HeldLessons& now) {
            return index->search(QString::fromLatin1(words), 12, now).value();
        };
        QCOMPARE(ask("sixteen gannets", {}).hits.size(), std::size_t{2});
        QVERIFY(ask("gannets", {}).hits.front().text.text.contains(QStringLiteral("sixteen gannets")));
        for (const char* guess : {"sixteen", "gannets", "curlew gannets", "touches"}) {
            const SearchAnswer answer = ask(guess, held);
            QCOMPARE(answer.totals[int(SearchKind::Artifact)], 1);
            QVERIFY(answer.hits.front().title.text.contains(QStringLiteral("second")));
        }
        // Its other words are found, with the reason where the claim stood.
        for (const char* own : {"pelican", "curlew pelican", "herons pelican"}) {
            const SearchAnswer answer = ask(own, held);
            QCOMPARE(answer.totals[int(SearchKind::Artifact)], 1);
            QVERIFY(!answer.hits.front().text.text.contains(QStringLiteral("gannets")));
        }
        QVERIFY2(ask("pelican", held).hits.front().text.text.contains(reason),
                 qPrintable(ask("pelican", held).hits.front().text.text));
        QCOMPARE(ask("sixteen gannets", {}).hits.size(), std::size_t{2}); // released
    }

    void storedRowsAreTakenUpOnceAndNotesByTheirNewestVersion()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open(searchIndexFile(place.home())).value();
        for (int stride : {1, 2, 32})
            store->append(someRun(stride));
        record::NoteRow note = someNote("the pelican was first");
        note.noteId = note.id = newUuid7();
        store->append(note);
        store->flush();
        updateAll(*index, place, store.get());
        QCOMPARE(find(*index, QStringLiteral("stride=32")).totals[int(SearchKind::Run)], 1);
        QCOMPARE(find(*index, QStringLiteral("pelican")).hits.front().target,
                 QStringLiteral("lesson/1.1#note=") + QString::fromStdString(note.noteId));

        note.id.clear();
        note.text = "the heron was better";
        store->append(note);
        store->append(someRun(64));
        store->flush();
        updateAll(*index, place, store.get());
        updateAll(*index, place, store.get());
        QVERIFY(find(*index, QStringLiteral("pelican")).hits.empty());
        QCOMPARE(find(*index, QStringLiteral("heron")).totals[int(SearchKind::Note)], 1);
        QCOMPARE(find(*index, QStringLiteral("coalescing")).totals[int(SearchKind::Run)], 4);

        note.removed = true;
        store->append(note);
        store->flush();
        updateAll(*index, place, store.get());
        QVERIFY(find(*index, QStringLiteral("heron")).hits.empty());
    }

    /// Runs of a sweep made again read alike. They are one entry of the index, and still runs that are counted and
    /// found, newest first, also those that come later.
    void runsThatReadAlikeShareAnEntry()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open(searchIndexFile(place.home())).value();
        const auto append = [&](record::RunRow row) {
            row.id = newUuid7();
            store->append(row);
            return QStringLiteral("runs/") + QString::fromStdString(row.id);
        };
        QStringList newest;
        for (int turn = 0; turn < 20; ++turn)
            for (int stride : {1, 2}) {
                record::RunRow row = someRun(stride);
                row.metrics["sectors_per_request"].value = turn; // a number changes no word
                row.lesson = turn % 2 == 0 ? "2.4" : "";
                newest.prepend(append(row));
            }
        store->flush();
        updateAll(*index, place, store.get());
        SearchAnswer found = find(*index, QStringLiteral("coalescing sim"));
        QCOMPARE(found.totals[int(SearchKind::Run)], 40);
        QCOMPARE(targets(found), newest.mid(0, kHitsPerKind));
        QVERIFY(!found.hits[0].place.contains(QStringLiteral(" 2.4")));
        QVERIFY(found.hits[2].place.endsWith(QStringLiteral(" 2.4")));
        QCOMPARE(find(*index, QStringLiteral("stride=2")).totals[int(SearchKind::Run)], 20);

        const QString later = append(someRun(2));
        record::RunRow failed = someRun(2);
        failed.status = "failed";
        failed.error = Error{"too-large", "the okapi does not fit", "", "take a smaller okapi"};
        const QString last = append(failed);
        store->flush();
        updateAll(*index, place, store.get());
        found = find(*index, QStringLiteral("stride=2"));
        QCOMPARE(found.totals[int(SearchKind::Run)], 22);
        QVERIFY(targets(found).contains(later));
        QCOMPARE(targets(find(*index, QStringLiteral("smaller okapi"))).first(), last);
    }

    void namesOfMetricsAreFoundHoweverTheyAreWritten()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open({}).value();
        record::RunRow row = someRun(1);
        row.metrics["walrus \"deep\""] = {1, "a\\\"b,{c", Provenance::Simulated};
        row.metrics["narwhal,{\\"] = {2, "", Provenance::Simulated};
        row.metrics["zebrafish"] = {3, "", Provenance::Simulated};
        store->append(row);
        store->flush();
        updateAll(*index, place, store.get());
        row = someRun(2); // nothing is escaped; braces, in a unit
        row.metrics["wombat"] = {1, "}{", Provenance::Simulated};
        row.metrics["yak"] = {2, "GB/s", Provenance::Simulated};
        store->append(row);
        row = someRun(4);
        row.metrics.clear();
        store->append(row);
        store->flush();
        updateAll(*index, place, store.get());
        for (const char* name : {"walrus", "deep", "narwhal", "zebrafish", "wombat", "yak", "stride=4"})
            QCOMPARE(find(*index, QString::fromLatin1(name)).totals[int(SearchKind::Run)], 1);
        QCOMPARE(find(*index, QStringLiteral("sectors_per_request")).totals[int(SearchKind::Run)], 2);
        QCOMPARE(find(*index, QStringLiteral("provenance")).totals[int(SearchKind::Run)], 0);
    }

    /// The names of a run are looked for where those of the run before it were, and parameters are read without a
    /// parser where they are plain.
    void eachRunHasItsOwnNamesAndParameters()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        auto index = SearchIndex::open({}).value();
        const auto append = [&](std::initializer_list<const char*> names, const char* unit, ParamSet params) {
            record::RunRow row = someRun(1);
            row.metrics.clear();
            for (const char* name : names)
                row.metrics[name] = {1, unit, Provenance::Simulated};
            row.params = std::move(params);
            store->append(row);
        };
        append({"auk", "bee"}, "s", {{"stride", std::int64_t{-7}}});
        append({"auk", "bee", "cod"}, "s", {{"layout", std::string("row,\"col\"")}});
        append({"auk", "bee"}, "}", {{"cached", std::int64_t{1}}});
        append({"auk", "bee"}, "s", {{"ratio", 2.5}, {"stride", std::int64_t{0}}});
        append({"auk", "bee"}, "{", {{"ratio", 1e20}});
        append({"auk"}, "s", {{"layout", std::string("tall, {wide}")}, {"warps", std::int64_t{4}}});
        append({"auk", "dab"}, "s", {});
        append({"auk dab"}, "s", {});
        store->flush();
        updateAll(*index, place, store.get());
        const auto runs = [&](const char* words) {
            return find(*index, QString::fromLatin1(words)).totals[int(SearchKind::Run)];
        };
        for (const auto& [words, count] : {std::pair("auk", 8), {"bee", 5}, {"cod", 1}, {"dab", 2}, {"stride", 2}})
            QVERIFY2(runs(words) == count, words);
        for (const auto& [words, title] : {std::pair("stride 7", "stride=-7"),
                                           {"cached", "cached=1"},
                                           {"ratio stride", "ratio=2.5 stride=0"},
                                           {"cod", "layout=row,\"col\""},
                                           {"wide", "layout=tall, {wide} warps=4"}}) {
            const SearchAnswer found = find(*index, QString::fromLatin1(words));
            QVERIFY2(found.totals[int(SearchKind::Run)] == 1, words);
            QVERIFY2(found.hits[0].title.text.endsWith(QStringLiteral("  ") + QLatin1String(title)),
                     qPrintable(found.hits[0].title.text));
        }
    }

    /// A run's words are read in one piece, with separators between them.
    void aSeparatorInsideOfARowIsABlank()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        record::RunRow row = someRun(3);
        row.block = "odd\x1e"
                    "block";
        row.experiment = "co\x1e"
                         "al";
        store->append(row);
        row = someRun(4);
        row.status = "failed";
        row.error = Error{"launch-failed", "The okapi fell", "there", "Lift it"};
        store->append(row);
        store->flush();
        const auto texts = store->texts(QStringLiteral("run"), 0, 10).value();
        QCOMPARE(texts.size(), std::size_t(2));
        QCOMPARE(texts[0].block, std::string("odd block"));
        QCOMPARE(texts[0].title, std::string("co al  stride=3"));
        QVERIFY2(texts[0].text.starts_with("stride=3 sim:h100-sxm "), texts[0].text.c_str());
        QVERIFY(texts[0].text.ends_with(" sectors_per_request"));
        QCOMPARE(texts[1].title, std::string("coalescing  stride=4"));
        QVERIFY(texts[1].text.find("The okapi fell") != std::string::npos);
    }

    void anotherStoreAtTheSamePlaceIsReadAnew()
    {
        const Place place;
        auto index = SearchIndex::open({}).value();
        {
            auto store = record::Store::open(place.home()).value();
            for (int stride : {1, 2, 4})
                store->append(someRun(stride));
            store->flush();
            updateAll(*index, place, store.get());
        }
        fs::remove_all(place.home()); // as when a backup is put back
        auto store = record::Store::open(place.home()).value();
        store->append(someRun(16));
        store->flush();
        updateAll(*index, place, store.get());
        QCOMPARE(find(*index, QStringLiteral("coalescing")).totals[int(SearchKind::Run)], 1);
        QCOMPARE(find(*index, QStringLiteral("stride=16")).totals[int(SearchKind::Run)], 1);
    }

    void damagedIndexIsMadeAgainAndAFolderThatRefusesItTakesMemory()
    {
        const Place place;
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "search.db";
        for (const std::string& wreck : {std::string("this is no database at all, it is a letter"),
                                         std::string(64, '\0'), std::string("SQLite format 3\0broken", 22)}) {
            write(file, wreck);
            auto index = SearchIndex::open(file);
            QVERIFY2(index.ok(), index.ok() ? "" : toText(index.error()).c_str());
            QVERIFY(!(*index)->inMemory());
            updateAll(**index, place, nullptr);
            QCOMPARE(find(**index, QStringLiteral("okapi")).totals[0], 1);
        }
        auto nowhere = SearchIndex::open("/nonexistent/folder/search.db");
        QVERIFY(nowhere.ok() && (*nowhere)->inMemory());
        fs::create_directory(fs::path(folder.path().toStdString()) / "taken");
        fs::create_directories(fs::path(folder.path().toStdString()) / "taken/search.db/inside");
        auto taken = SearchIndex::open(fs::path(folder.path().toStdString()) / "taken/search.db");
        QVERIFY(taken.ok() && (*taken)->inMemory());
    }

    void indexDamagedInsideIsMadeAgain()
    {
        const Place place(8);
        QTemporaryDir folder;
        const fs::path file = fs::path(folder.path().toStdString()) / "search.db";
        {
            auto index = SearchIndex::open(file).value();
            updateAll(*index, place, nullptr);
        } // closing moves the log into the file
        const auto size = fs::file_size(file);
        QVERIFY(size > 40000);
        for (const double share : {0.1, 0.3, 0.6}) {
            std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
            out.seekp(std::streamoff(double(size) * share));
            out << std::string(20000, '\xA5');
            out.close();
            auto changed = place.load();
            changed.terms.front().text += " Changed " + std::to_string(share) + "."; // so that something is written
            SearchDesk desk(file, changed, place.root(), nullptr);
            QVERIFY(desk.update().ok());
            for (const char* text : {"changed", "okapi", "warp memory"}) {
                const auto answer = desk.search(QString::fromLatin1(text));
                QVERIFY2(answer.ok(), answer.ok() ? "" : toText(answer.error()).c_str());
                QVERIFY2(answer->total() > 0, text);
            }
        }
    }

    void anythingCanBeSearchedFor()
    {
        const Place place;
        auto index = SearchIndex::open({}).value();
        updateAll(*index, place, nullptr);
        QStringList all{QStringLiteral("\""),
                        QStringLiteral("\"\"\""),
                        QStringLiteral("a AND"),
                        QStringLiteral("NOT x"),
                        QStringLiteral("NEAR(a b)"),
                        QStringLiteral("title:warp"),
                        QStringLiteral("^warp*"),
                        QStringLiteral("-warp"),
                        QStringLiteral("{a}"),
                        QStringLiteral("😀🚀"),
                        QStringLiteral("%_'; DROP TABLE words; --"),
                        QStringLiteral("  \t\n "),
                        QString(QChar(0)) + QStringLiteral("warp"),
                        QString(QChar(0xD800)),
                        QString(QChar(0xDC00)) + QChar(0xD800),
                        QStringLiteral("日本語"),
                        QStringLiteral("ﷺ"),
                        QStringLiteral("̈̈̈"),
                        QStringLiteral("x").repeated(10240),
                        QStringLiteral("warp lane ").repeated(1024),
                        QStringLiteral("\"").repeated(10240)};
        unsigned state = 7;
        for (int i = 0; i < 400; ++i) {
            QString text;
            for (int n = 0; n < 24; ++n) {
                state = state * 1664525u + 1013904223u;
                text += n % 3 == 0 ? QChar(ushort(state >> 16)) : QChar(ushort(32 + (state >> 16) % 96));
            }
            all << text;
        }
        for (const QString& text : all) {
            const auto answer = index->search(text);
            QVERIFY2(
                answer.ok(),
                qPrintable(text.left(80) + (answer.ok() ? QString() : QString::fromStdString(toText(answer.error())))));
        }
        QVERIFY(!find(*index, QStringLiteral("warp lane ").repeated(1024)).hits.empty());
    }

    void fullCorpusAnswersWhileTyping()
    {
        const Place place(kLessons);
        const auto curriculum = place.load();
        QCOMPARE(int(curriculum.heads.size()), kLessons);
        auto store = record::Store::open(place.home()).value();
        for (int i = 0; i < kRuns; ++i)
            store->append(someRun(i));
        for (int i = 0; i < kNotes; ++i)
            store->append(someNote(words(i + 1000, 30)));
        store->flush();
        auto index = SearchIndex::open(searchIndexFile(place.home())).value();
        // A program that ends between slices has read runs that are not in the index: they are read again, and counted
        // once (below).
        const auto begun = index->update(curriculum, place.root(), store.get());
        QVERIFY(begun && !*begun);
        index = SearchIndex::open(searchIndexFile(place.home())).value();
        QElapsedTimer timer;
        timer.start();
        updateAll(*index, place, store.get());
        qInfo("first index of %d lessons, %d runs, %d notes: %lld ms", kLessons, kRuns, kNotes, timer.elapsed());
        timer.restart();
        updateAll(*index, place, store.get());
        qInfo("nothing new: %lld ms", timer.elapsed());
        // Asserted is what it computes: the wall clock of a machine that builds something else tells of that.
        double worst = 0;
        for (const char* text : {"c", "co", "coal", "coalescing", "coalescing stride", "w", "warp", "warp memory band",
                                 "s", "sim", "sectors_per_request", "okapi", "stride=977", "nothing like this"}) {
            timer.restart();
            const test::PacedClock clock;
            const SearchAnswer answer = find(*index, QString::fromLatin1(text));
            const qint64 waited = timer.elapsed();
            const double took = clock.ms();
            qInfo("%-20s %5d found, %.0f ms of computing, %lld ms", text, answer.total(), took, waited);
            worst = std::max(worst, took);
        }
        QCOMPARE(find(*index, QStringLiteral("coalescing")).totals[int(SearchKind::Run)], kRuns);
        QCOMPARE(find(*index, QStringLiteral("okapi")).totals[int(SearchKind::Lesson)], kLessons);
        // Every kind has its place among the answers, however many runs there are.
        QVERIFY(find(*index, QStringLiteral("coalescing")).hits.front().kind == SearchKind::Term);
        QVERIFY2(worst < 100, qPrintable(QString::number(worst)));
    }

    void serviceAnswersTheNewestQuestion()
    {
        const Place place;
        auto store = record::Store::open(place.home()).value();
        store->append(someRun(8));
        store->flush();
        SearchService service(place.curriculum(), place.root(), place.home());
        // Not QSignalSpy: it counts in the thread that emits, which is the service's own.
        int updated = 0;
        int failed = 0;
        connect(&service, &SearchService::updated, this, [&] { ++updated; });
        connect(&service, &SearchService::failed, this, [&] { ++failed; });
        SearchAnswer last;
        connect(&service, &SearchService::answered, this, [&](const SearchAnswer& answer) { last = answer; });
        service.refresh();
        QTRY_COMPARE_WITH_TIMEOUT(updated, 1, 10000);
        for (const char* text : {"o", "ok", "oka", "okapi"})
            service.ask(QString::fromLatin1(text));
        QTRY_COMPARE(last.typed, QStringLiteral("okapi"));
        QCOMPARE(last.totals[int(SearchKind::Lesson)], 1);
        store->append(someRun(128));
        store->flush();
        service.refresh();
        QTRY_COMPARE(updated, 2);
        service.ask(QStringLiteral("stride=128"));
        QTRY_COMPARE(last.totals[int(SearchKind::Run)], 1);
        QCOMPARE(failed, 0);
    }
};

QTEST_GUILESS_MAIN(TestSearch)
#include "tst_search.moc"
