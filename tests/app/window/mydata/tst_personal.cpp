// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept about somebody: seen, exported and deleted, by the functions and by `ridge data`, also when it is
// killed.
#include "base/csv.h"
#include "base/hash.h"
#include "base/json.h"
#include "classroom/identity.h"
#include "privacy/data_export.h"
#include "privacy/erase.h"
#include "tests/record/record_support.h"
#include "tests/support/process.h"

#include <set>

using namespace ridge;
using namespace ridge::personal;
using namespace ridge::test;

namespace {

const std::string kSecret = "a sentence that only this learner wrote";

/// A home with one of everything.
struct Home {
    QTemporaryDir dir;
    Places places{pathOf(dir) / "home", pathOf(dir) / "cache", pathOf(dir) / "home" / "ridgepoint" / "ridgepoint.ini",
                  pathOf(dir) / "tmp" / "ridgepoint-preview"};

    test::Environment environment() const
    {
        const QString root = dir.path();
        return {{QStringLiteral("RIDGE_HOME"), root + QStringLiteral("/home")},
                {QStringLiteral("RIDGE_CACHE"), root + QStringLiteral("/cache")},
                {QStringLiteral("TMPDIR"), root + QStringLiteral("/tmp")}};
    }
    Outcome ridge(const QStringList& arguments) const
    {
        return runProgram(QStringLiteral("ridge"), arguments, environment());
    }
    void put(const fs::path& file) const
    {
        fs::create_directories(file.parent_path());
        writeBytes(file, kSecret);
    }
    void fill() const
    {
        auto store = record::Store::open(places.home);
        if (!store)
            qFatal("%s", toText(store.error()).c_str());
        const auto must = [](const Result<std::string>& done) {
            if (!done)
                qFatal("%s", toText(done.error()).c_str());
            return *done;
        };
        const std::string prediction = must((*store)->append(somePrediction()).result());
        const std::string run = must((*store)->append(someRun(8, prediction), "a trace").result());
        record::NoteRow note;
        note.lesson = "2.4";
        note.section = "Build it";
        note.quote = "warp";
        note.text = kSecret + ", \"quoted\",\nover two lines";
        must((*store)->append(note).result());
        record::ArtifactRow artifact;
        artifact.lesson = "2.4";
        artifact.kind = "kernel";
        artifact.title = "Profile";
        artifact.claim = kSecret;
        artifact.predictionIds = {prediction};
        artifact.runIds = {run};
        must((*store)->append(artifact).result());
        must((*store)->putFile("content of a file").result());
        if (auto saved = (*store)->backup("before-test"); !saved)
            qFatal("%s", toText(saved.error()).c_str());
        store->reset();
        if (auto identity = classroom::ownIdentity(places.home); !identity)
            qFatal("%s", toText(identity.error()).c_str());
        for (const char* name : {"drafts/2.4/why.json", "assignments/week.ridgeclass", "search.db", "search.db-wal",
                                 "reports/ridgepoint-x.txt", "session/running.json", "damaged/x/ridgepoint.db"})
            put(places.home / name);
        writeBytes(places.home / "targets.json", R"({"version": 1, "targets": []})");
        put(places.settings);
        put(places.cache / "ptx" / "x.ptx");
        put(places.cache / "runs" / "x" / "request.json");
        put(places.preview / "portfolio" / "index.html");
        put(places.home / "classes" / "spring" / "class.json"); // of a teacher who learns, too
        put(places.home / "my own letter.txt");
    }
    /// Everything below this home, cache and temporary folder but what is said to stay.
    std::vector<std::string> left() const
    {
        std::vector<std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(pathOf(dir)))
            if (entry.is_regular_file() && entry.path().string().find("/classes/") == std::string::npos &&
                entry.path().filename() != "my own letter.txt")
                all.push_back(entry.path().string());
        return all;
    }
};

} // namespace

class TestPersonal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingIsListed()
    {
        Home home;
        home.fill();
        const Inventory all = inventory(home.places);
        std::set<std::string> keys;
        int files = 0;
        for (const Part& part : all.parts) {
            keys.insert(part.key);
            files += part.files;
            QVERIFY2(part.bytes > 0, part.key.c_str());
        }
        QCOMPARE(keys, (std::set<std::string>{"record", "earlier", "drafts", "keys", "assignments", "machines",
                                              "settings", "reports", "search", "cache", "preview"}));
        QCOMPARE(all.files(), files);
        QCOMPARE(files, int(home.left().size())); // nothing lies there that is not listed
        QCOMPARE(all.rows.at("note"), 1);
        QCOMPARE(rowsText(all.rows), std::string("1 prediction, 1 run, 1 artifact, 1 note"));
        std::string stays;
        for (const Staying& one : all.stays)
            stays += one.what + '\n';
        QVERIFY(stays.find("classes") != std::string::npos && stays.find("letter") != std::string::npos);
    }

    void whatIsExportedCanBeReadAndTakenUpAgain()
    {
        Home home;
        home.fill();
        const fs::path folder = pathOf(home.dir) / "copy";
        const auto done = exportData(home.places, folder, "1.0");
        R_VERIFY(done);
        QVERIFY(done->notices.empty());
        std::istringstream sums(bytesOf(folder / "SHA256SUMS"));
        std::set<std::string> listed;
        for (std::string line; std::getline(sums, line);) {
            QCOMPARE(sha256Hex(bytesOf(folder / line.substr(66))), line.substr(0, 64));
            listed.insert(line.substr(66));
        }
        std::set<std::string> there{"SHA256SUMS"};
        there.insert(listed.begin(), listed.end());
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                QVERIFY2(there.contains(entry.path().lexically_relative(folder).string()), entry.path().c_str());
        for (const char* name :
             {"README.txt", "manifest.json", "schema.json", "keys/learner.key", "drafts/2.4/why.json",
              "settings/ridgepoint.ini", "assignments/week.ridgeclass", "earlier/damaged/x/ridgepoint.db",
              "reports/ridgepoint-x.txt", "machines/targets.json"})
            QVERIFY2(listed.contains(name), name);
        // A text comes back exactly, and every column is described.
        const auto notes = parseCsv(bytesOf(folder / "tables/note.csv"), "note.csv");
        R_VERIFY(notes);
        QCOMPARE(notes->size(), std::size_t{2});
        const auto at = std::find((*notes)[0].cells.begin(), (*notes)[0].cells.end(), "text");
        QVERIFY(at != (*notes)[0].cells.end());
        QCOMPARE((*notes)[1].cells[std::size_t(at - (*notes)[0].cells.begin())],
                 kSecret + ", \"quoted\",\nover two lines");
        const Json schema = Json::parse(bytesOf(folder / "schema.json"));
        for (const Json& table : schema["tables"]) {
            const auto rows = parseCsv(bytesOf(folder / table["file"].get<std::string>()), "x");
            R_VERIFY(rows);
            QCOMPARE(int(rows->size()) - 1, table["rows"].get<int>());
            QCOMPARE(rows->front().cells.size(), table["columns"].size());
        }
        // The copy is a store, sound and whole.
        auto copy = record::Store::openReadOnly(folder / "record");
        R_VERIFY(copy);
        R_VERIFY((*copy)->verify());
        QCOMPARE((*copy)->notes()->size(), std::size_t{1});
        QCOMPARE((*copy)->artifacts()->size(), std::size_t{1});
        copy->reset();
        QVERIFY(!exportData(home.places, folder, "1.0"));                    // never over something
        QVERIFY(!exportData(home.places, home.places.home / "copy", "1.0")); // nor into itself
        QVERIFY(!fs::exists(home.places.home / "copy"));
    }

    void aDamagedRecordIsCopiedAsItIs()
    {
        Home home;
        home.fill();
        writeBytes(home.places.home / "ridgepoint.db", "no database any more");
        const fs::path folder = pathOf(home.dir) / "copy";
        const auto done = exportData(home.places, folder, "1.0");
        R_VERIFY(done);
        QCOMPARE(done->notices.size(), std::size_t{1});
        QCOMPARE(bytesOf(folder / "record/ridgepoint.db"), std::string("no database any more"));
        QVERIFY(fs::exists(folder / "record/backups"));
        QVERIFY(inventory(home.places).rows.empty());
        R_VERIFY(eraseNow(home.places));
        fs::remove_all(folder);
        QCOMPARE(home.left(), std::vector<std::string>());
    }

    void nothingIsLeft()
    {
        Home home;
        home.fill();
        const auto shown = home.ridge({QStringLiteral("data"), QStringLiteral("delete")});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY(shown.out.contains("Nothing was deleted"));
        QVERIFY(shown.out.contains("classes"));
        QVERIFY(!home.left().empty());
        const auto gone = home.ridge({QStringLiteral("data"), QStringLiteral("delete"), QStringLiteral("--yes")});
        QVERIFY2(gone.exitCode == 0, gone.err.constData());
        QCOMPARE(home.left(), std::vector<std::string>());
        QVERIFY(fs::exists(home.places.home / "classes/spring/class.json"));
        QVERIFY(fs::exists(home.places.home / "my own letter.txt"));
        // A fresh home: another record, another key.
        auto store = record::Store::open(home.places.home);
        R_VERIFY(store);
        QVERIFY((*store)->runs({})->empty());
    }

    void notWhileSomebodyWorks()
    {
        Home home;
        home.fill();
        auto store = record::Store::open(home.places.home);
        R_VERIFY(store);
        const std::size_t before = home.left().size();
        const auto refused = home.ridge({QStringLiteral("data"), QStringLiteral("delete"), QStringLiteral("--yes")});
        QVERIFY(refused.exitCode != 0);
        QVERIFY2(refused.err.contains("in use by"), refused.err.constData());
        QVERIFY(!erasureOrdered(home.places.home)); // not decided for later either
        QCOMPARE(home.left().size(), before);
        // Decided in the window: whoever comes waits until it has closed, and then finishes first.
        R_VERIFY(orderErasure(home.places.home));
        QVERIFY(home.ridge({QStringLiteral("artifacts")}).err.contains("in use by"));
        store->reset();
        const auto next = home.ridge({QStringLiteral("doctor")});
        QVERIFY2(next.err.contains("finished deleting"), next.err.constData());
        QVERIFY(!erasureOrdered(home.places.home));
        const std::vector<std::string> left = home.left();
        for (const std::string& file : left) // what doctor itself writes is not the learner's
            QVERIFY2(bytesOf(file).find(kSecret) == std::string::npos, file.c_str());
    }

    /// Killed at some moment of it, it is all there, or the next start finishes it.
    void killed_data()
    {
        QTest::addColumn<int>("gone"); // kill when so many of the files are
        for (const int gone : {0, 1, 100, 600})
            QTest::addRow("%d", gone) << gone;
    }
    void killed()
    {
        QFETCH(int, gone);
        constexpr int kFiles = 800;
        Home home;
        home.fill();
        const fs::path files = home.places.home / "files";
        for (int i = 0; i < kFiles; ++i)
            home.put(files / std::to_string(100 + i % 100) / std::to_string(i));
        const auto count = [&] { return int(home.left().size()); };
        const int before = count();
        const auto there = [&] {
            std::error_code ec; // no throw: it goes away under the counting
            int all = 0;
            for (fs::recursive_directory_iterator at(files, ec), end; !ec && at != end; at.increment(ec))
                if (std::error_code no; at->is_regular_file(no))
                    ++all;
            return all;
        };
        QProcess process;
        process.setProcessEnvironment(environmentWith(home.environment()));
        process.start(binary(QStringLiteral("ridge")),
                      {QStringLiteral("data"), QStringLiteral("delete"), QStringLiteral("--yes")});
        QVERIFY(process.waitForStarted());
        while (process.state() != QProcess::NotRunning && there() > kFiles - gone)
            process.waitForFinished(0);
        process.kill();
        process.waitForFinished();
        const bool decided = erasureOrdered(home.places.home);
        if (!decided && count() > 0) { // before it was decided: as if nothing had been
            QCOMPARE(count(), before);
            auto store = record::Store::open(home.places.home);
            R_VERIFY(store);
            R_VERIFY((*store)->verify());
            return;
        }
        const auto next = home.ridge({QStringLiteral("artifacts")});
        QCOMPARE(next.err.contains("finished deleting"), decided);
        QCOMPARE(home.left(), std::vector<std::string>());
    }

    void whatALinkLeadsToIsNotFollowed()
    {
        Home home;
        home.fill();
        const fs::path other = pathOf(home.dir) / "other disk";
        fs::rename(home.places.home / "files", other);
        writeBytes(other / "a letter.txt", "not Ridgepoint's");
        fs::create_directory_symlink(other, home.places.home / "files");
        const Inventory all = inventory(home.places);
        std::string stays;
        for (const Staying& one : all.stays)
            stays += one.what + '\n';
        QVERIFY(stays.find("other disk") != std::string::npos);
        R_VERIFY(eraseNow(home.places));
        QVERIFY(!fs::exists(fs::symlink_status(home.places.home / "files")));
        QCOMPARE(bytesOf(other / "a letter.txt"), std::string("not Ridgepoint's"));
    }
};

QTEST_GUILESS_MAIN(TestPersonal)
#include "tst_personal.moc"
