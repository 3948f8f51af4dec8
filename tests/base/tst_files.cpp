// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/json.h"
#include "base/markup.h"
#include "base/paths.h"
#include "base/plain_file.h"
#include "base/seed.h"

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>
#include <sys/stat.h>
#include <thread>

using namespace ridge;

class TestFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jsonErrorsNameLineAndColumn()
    {
        const auto json = parseJson("{\n  \"a\": 1,\n  \"b\" 2\n}", "x.json");
        QVERIFY(!json);
        QVERIFY2(json.error().place.starts_with("x.json:3:"), json.error().place.c_str());
    }

    void writesWholeOrNotAtAll()
    {
        QTemporaryDir dir;
        const std::filesystem::path path = dir.path().toStdString() + "/a.txt";
        QVERIFY(writeFile(path, "one"));
        QVERIFY(writeFile(path, "two"));
        QCOMPARE(*readFile(path), std::string("two"));
        const auto refused = writeFile(path / "below" / "b.txt", "three");
        QVERIFY(!refused);
        QVERIFY(!refused.error().fix.empty());
        QVERIFY(!readFile(path.parent_path()));
        QVERIFY(!readFile(path.string() + ".missing"));
    }

    /// A pipe that nobody writes into and a device that gives bytes for ever would hold whoever reads them.
    void readsPlainFilesAlone()
    {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString(), pipe = folder / "pipe", link = folder / "link";
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const auto refused = readFile(pipe);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("cannot-read"));
        QVERIFY(refused.error().message.find("pipe") != std::string::npos);
        const auto device = readFile("/dev/zero");
        QVERIFY(!device && device.error().message.find("device") != std::string::npos);
        QVERIFY(!PlainFile::open(folder));
        std::filesystem::create_symlink(pipe, link);
        QVERIFY(!readFile(link));
        std::filesystem::remove(link);
        QVERIFY(writeFile(folder / "file", "bytes"));
        std::filesystem::create_symlink(folder / "file", link);
        QCOMPARE(*readFile(link), std::string("bytes"));
        QVERIFY(!readFile("/proc/self/status")->empty()); // has no size and bytes all the same
    }

    /// The size is told before a byte is read.
    void readsNoMoreThanIsWanted()
    {
        QTemporaryDir dir;
        const std::filesystem::path path = dir.path().toStdString() + "/sparse";
        std::ofstream(path).close();
        std::filesystem::resize_file(path, (128u << 20) + 1);
        const auto refused = readFile(path, 128u << 20);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, std::string("too-large"));
        QCOMPARE(refused.error().message, std::string("has 134217729 bytes, and at most 128 MiB are read"));
        std::filesystem::resize_file(path, 70000);
        QCOMPARE(readFile(path, 70000)->size(), std::size_t{70000});
        QVERIFY(!readFile(path, 69999));
        std::filesystem::resize_file(path, 0);
        QCOMPARE(*readFile(path, 0), std::string());
    }

    void hashMatchesThePublishedVectors()
    {
        // FIPS 180-4 examples.
        QCOMPARE(sha256Hex(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha256Hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }

    void uuidsAreOrderedAndUnique()
    {
        std::set<std::string> seen;
        std::mutex mutex;
        const auto make = [&] {
            std::string last;
            for (int i = 0; i < 5000; ++i) {
                const std::string id = newUuid7();
                QVERIFY(id > last);
                last = id;
                const std::lock_guard lock(mutex);
                seen.insert(id);
            }
        };
        std::thread other(make);
        make();
        other.join();
        QCOMPARE(seen.size(), std::size_t{10000});
        const std::string id = *seen.begin();
        QCOMPARE(id.size(), std::size_t{36});
        QCOMPARE(id[14], '7');
        QVERIFY(std::string("89ab").find(id[19]) != std::string::npos);
    }

    void seedsGiveThePublishedSequence()
    {
        // First outputs of SplitMix64 with seed 1234567 (Vigna's reference program).
        Rng rng(1234567);
        QCOMPARE(rng.next(), std::uint64_t{6457827717110365317ull});
        QCOMPARE(rng.next(), std::uint64_t{3203168211198807973ull});
        double sum = 0;
        for (int i = 0; i < 100000; ++i) {
            const double u = rng.uniform();
            QVERIFY(u >= 0 && u < 1);
            sum += u;
        }
        QVERIFY(std::abs(sum / 100000 - 0.5) < 0.005);
    }

    void dataFolderSaysWhereItLooked()
    {
        const QByteArray before = qgetenv("RIDGE_DATA");
        qputenv("RIDGE_DATA", "/nonexistent");
        const auto folder = dataFolder();
        QVERIFY(!folder);
        QCOMPARE(folder.error().place, std::string("/nonexistent"));
        qputenv("RIDGE_DATA", before);
        QVERIFY(dataFolder());
    }

    void aFileIsHashedInPieces()
    {
        QTemporaryDir dir;
        const std::filesystem::path path = dir.path().toStdString() + "/a";
        for (const std::string& bytes : {std::string(), std::string("abc"), std::string((2u << 20) + 3, 'x')}) {
            QVERIFY(writeFile(path, bytes));
            const auto digest = sha256OfFile(path);
            QVERIFY(digest);
            QCOMPARE(*digest, sha256Hex(bytes));
        }
        QCOMPARE(sha256OfFile(path.parent_path()).error().code, std::string("cannot-read"));
        QCOMPARE(sha256OfFile("/dev/zero").error().code, std::string("cannot-read"));
    }

    void whatIsNotUtf8IsFound()
    {
        QVERIFY(!firstNotUtf8("a\xC3\xA9\xE2\x82\xAC"));
        QCOMPARE(*firstNotUtf8("ab\xFF"), std::size_t{2});
        QCOMPARE(*firstNotUtf8("a\xC3"), std::size_t{1});
        QCOMPARE(*firstNotUtf8("\xED\xA0\x80"), std::size_t{0}); // half a surrogate pair
    }
};

QTEST_APPLESS_MAIN(TestFiles)
#include "tst_files.moc"
