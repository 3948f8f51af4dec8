// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/archive.h"

#include "tests/support/zip_forge.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::bundle;
using ridge::test::ForgedEntry;
using ridge::test::forgeZip;

Q_DECLARE_METATYPE(std::string)

namespace {

QByteArray codeOf(const Result<std::vector<Entry>>& result)
{
    return result ? QByteArray("ok") : QByteArray::fromStdString(result.error().code);
}

Result<std::vector<Entry>> read(const std::string& zip, const ArchiveLimits& limits = {})
{
    return readArchive(zip, limits, "drop/a.ridgesubmission");
}

} // namespace

class TestBundleArchive : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void comesBackAsItWasWritten();
    void sameBytesForTheSameEntries();
    void hostile_data();
    void hostile();
    void bombs();
    void limitsCountWhatTheyName();
    void everyTruncationIsRefused();
    void everyChangedByteIsRefusedOrHarmless();
    void writerRefusesBadNames();
};

void TestBundleArchive::comesBackAsItWasWritten()
{
    std::vector<Entry> entries = {{"manifest.json", "{}"},
                                  {"files/a b+c(1).bin", std::string("\0\xff\r\n", 4)},
                                  {"empty", ""},
                                  {"lessons/2.4.md", std::string(300'000, 'x') + "end"}};
    const auto zip = writeArchive(entries);
    QVERIFY(zip.ok());
    const auto again = read(*zip, {.ratio = 2000});
    QVERIFY2(again.ok(), again ? "" : toText(again.error()).c_str());
    std::ranges::sort(entries, {}, &Entry::name);
    QVERIFY(*again == entries);
    QCOMPARE(findEntry(*again, "manifest.json")->bytes, std::string("{}"));
    QVERIFY(!findEntry(*again, "Manifest.json"));
    QVERIFY(read(writeArchive({}).value())->empty());
}

void TestBundleArchive::sameBytesForTheSameEntries()
{
    const std::vector<Entry> entries = {{"b", "second"}, {"a", "first"}};
    const std::string zip = writeArchive(entries).value();
    QCOMPARE(writeArchive({entries[1], entries[0]}).value(), zip);
    qputenv("TZ", "Asia/Tokyo");
    tzset();
    QCOMPARE(writeArchive(entries).value(), zip);
    qputenv("TZ", "UTC");
    tzset();
}

void TestBundleArchive::hostile_data()
{
    QTest::addColumn<std::string>("zip");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("names"); ///< what the message must name
    const auto row = [](const char* what, const std::string& zip, const char* code, const char* names) {
        QTest::newRow(what) << zip << QByteArray(code) << QByteArray(names);
    };
    const auto one = [](ForgedEntry entry) { return forgeZip({std::move(entry)}); };
    row("zip-slip", one({"../../.bashrc", "x"}), "archive-name", "../../.bashrc");
    row("zip-slip inside", one({"files/../../x", "x"}), "archive-name", "..");
    row("backslash slip", one({"..\\x", "x"}), "archive-name", "x");
    row("absolute", one({"/etc/passwd", "x"}), "archive-name", "absolute");
    row("drive", one({"C:/x", "x"}), "archive-name", "C:/x");
    row("NUL in a name", one({std::string("good\0.exe", 9), "x"}), "archive-name", "good\\x00.exe");
    row("line feed in a name", one({"a\nb", "x"}), "archive-name", "a\\x0ab");
    row("terminal escape in a name", one({"a\x1b[2Jb", "x"}), "archive-name", "a\\x1b[2Jb");
    row("not UTF-8 in a name", one({"a\xff", "x"}), "archive-name", "\\xff");
    row("SQL in a name", one({"x'); DROP TABLE run;--", "x"}), "archive-name", "DROP TABLE");
    row("empty name", one({"", "x"}), "archive-name", "empty");
    row("device of Windows", one({"files/nul.txt", "x"}), "archive-name", "nul.txt");
    row("ends in a dot", one({"manifest.json.", "x"}), "archive-name", "manifest.json.");
    row("symbolic link", one({"link", "/etc/passwd", 0120777}), "archive-link", "link");
    row("device", one({"dev", "", 0060644}), "archive-link", "dev");
    row("pipe", one({"pipe", "", 0010644}), "archive-link", "pipe");
    row("folder", one({"files/", "", 0040755}), "archive-link", "files/");
    row("double", forgeZip({{"manifest.json", "{}"}, {"manifest.json", "{ }"}}), "archive-double", "manifest.json");
    row("double by case", forgeZip({{"Manifest.json", "{}"}, {"manifest.json", "{}"}}), "archive-double",
        "manifest.json");
    row("file and folder", forgeZip({{"files", "x"}, {"files/a", "x"}}), "archive-double", "files");
    row("encrypted", one({"a", std::string(12, 'x') + "y", 0100644, 1}), "archive-encrypted", "entry a");
    row("other method", one({"a", "x", 0100644, 0, 14}), "archive-broken", "entry a");
    row("two names", one({"a", "x", 0100644, 0, 0, "b"}), "archive-broken", "entry a");
    // Info-ZIP's Unicode path field, which libarchive would take in place of the name.
    std::string unicode;
    test::put(unicode, 0x7075, 2);
    test::put(unicode, 5 + 6, 2);
    unicode += '\1';
    test::put(unicode, test::crc32("a"), 4);
    unicode += "../etc";
    row("second name in an extra field", one({"a", "x", 0100644, 0, 0, {}, -1, -1, unicode}), "archive-broken",
        "../etc");
    row("says more than there is", one({"a", "x", 0100644, 0, 0, {}, 2}), "archive-broken", "entry a");
    row("wrong checksum", one({"a", "xyz", 0100644, 0, 0, {}, -1, 7}), "archive-broken", "entry a");
    row("not deflate", one({"a", "\xff\xff\xff\xff", 0100644, 0, 8}), "archive-broken", "entry a");
    row("overlap", forgeZip({{"a", "x"}, {"b", "x", 0100644, 0, 0, "a", -1, -1, {}, 0}}), "archive-broken", "entry b");
    row("same data for two entries", forgeZip({{"a", "x"}, {"a", "x", 0100644, 0, 0, {}, -1, -1, {}, 0}}),
        "archive-double", "entry a");
    row("bytes between entries", forgeZip({{"a", "x"}, {"b", "y"}}, -1, std::string(64, 'z')), "archive-broken",
        "between");
    row("bytes in front", "MZ program" + one({"a", "x"}), "archive-broken", "a.ridgesubmission");
    row("bytes behind", one({"a", "x"}) + "tail", "archive-broken", "a.ridgesubmission");
    row("says more entries", forgeZip({{"a", "x"}}, 2), "archive-broken", "directory");
    row("says fewer entries", forgeZip({{"a", "x"}, {"b", "x"}}, 1), "archive-broken", "directory");
    row("many entries declared", forgeZip({{"a", "x"}}, 60000), "archive-large", "60000");
    row("nothing", "", "archive-broken", "a.ridgesubmission");
    row("text", "this is no zip", "archive-broken", "a.ridgesubmission");
    // A tar with a hard link is no zip at all.
    std::string tar = "link" + std::string(152, '\0') + "1/etc/passwd" + std::string(344, '\0');
    row("tar with a hard link", tar + std::string(1024, '\0'), "archive-broken", "not a whole zip");
}

void TestBundleArchive::hostile()
{
    QFETCH(std::string, zip);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, names);
    const auto result = read(zip);
    QCOMPARE(codeOf(result), code);
    const QByteArray text = QByteArray::fromStdString(toText(result.error()));
    QVERIFY2(text.contains(names), text.constData());
    QVERIFY2(text.contains("drop/a.ridgesubmission"), text.constData());
    QVERIFY(!result.error().fix.empty());
    for (const char c : text)
        QVERIFY2(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a message obeys the sender's control characters");
}

void TestBundleArchive::bombs()
{
    // 40 MiB of zeros pack to 40 KiB.
    const std::string zeros(40u << 20, '\0');
    const std::string bomb = writeArchive({{"zeros", zeros}}).value();
    QVERIFY(bomb.size() < 100'000);
    QCOMPARE(codeOf(read(bomb)), QByteArray("archive-large"));
    QVERIFY(read(bomb).error().message.find("times its size") != std::string::npos);

    // The same bomb that says it is small: what comes out is counted, and it stops there.
    std::string liar = bomb;
    const std::size_t directory = liar.rfind("PK\1\2");
    for (int i = 0; i < 4; ++i)
        liar[directory + 24 + static_cast<std::size_t>(i)] = static_cast<char>(i == 1 ? 16 : 0);
    const auto lied = read(liar);
    QCOMPARE(codeOf(lied), QByteArray("archive-broken"));

    // A bomb inside a bundle stays packed: archives inside archives are files.
    const auto nested = read(writeArchive({{"inner.zip", bomb}}).value());
    QVERIFY(nested.ok());
    QCOMPARE(nested->front().bytes.size(), bomb.size());

    // Many entries of which each keeps to the ratio because it is small.
    std::vector<Entry> many;
    for (int i = 0; i < 40; ++i)
        many.push_back({"f" + std::to_string(i), std::string(1u << 20, '\0')});
    QCOMPARE(codeOf(read(writeArchive(many).value())), QByteArray("archive-large"));
}

void TestBundleArchive::limitsCountWhatTheyName()
{
    const std::string zip = writeArchive({{"abc", "12345"}, {"d", "12345"}}).value();
    QVERIFY(read(zip, {.entries = 2, .nameBytes = 3, .entryBytes = 5, .totalBytes = 10}).ok());
    QCOMPARE(codeOf(read(zip, {.entries = 1})), QByteArray("archive-large"));
    QCOMPARE(codeOf(read(zip, {.nameBytes = 2})), QByteArray("archive-large"));
    QCOMPARE(codeOf(read(zip, {.entryBytes = 4})), QByteArray("archive-large"));
    QCOMPARE(codeOf(read(zip, {.totalBytes = 9})), QByteArray("archive-large"));
    QCOMPARE(codeOf(read(zip, {.archiveBytes = zip.size() - 1})), QByteArray("archive-large"));
    QVERIFY(read(zip, {.archiveBytes = zip.size()}).ok());
}

void TestBundleArchive::everyTruncationIsRefused()
{
    const std::string zip = writeArchive({{"manifest.json", "{\"a\": 1}"}, {"rows.jsonl", "{}\n"}}).value();
    for (std::size_t size = 0; size < zip.size(); ++size)
        QVERIFY(!read(zip.substr(0, size)).ok());
}

void TestBundleArchive::everyChangedByteIsRefusedOrHarmless()
{
    // What a change in a header that nobody reads leaves is the same content under the same names.
    const std::string zip = writeArchive({{"manifest.json", "{\"a\": 1}"}, {"rows.jsonl", "{}\n"}}).value();
    const auto honest = read(zip).value();
    for (std::size_t at = 0; at < zip.size(); ++at) {
        for (const char flip : {'\x01', '\x80', '\xff'}) {
            std::string changed = zip;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto result = read(changed);
            if (!result || *result == honest)
                continue;
            // The last possibility is another name, the same in both headers: there is no such single change.
            QFAIL(("byte " + std::to_string(at) + " changes the content unnoticed").c_str());
        }
    }
}

void TestBundleArchive::writerRefusesBadNames()
{
    for (const char* name : {"", "/a", "../a", "a//b", "a/./b", "a\\b", "a:b", "a/", "COM1", "lpt9.log", "x ", " x"})
        QVERIFY2(!writeArchive({{name, "x"}}).ok(), name);
    for (const char* name : {"a", "a.b", "...x", "com", "com10", "lessons/1.1.md", "a (1)+b_c-d"})
        QVERIFY2(writeArchive({{name, "x"}}).ok(), name);
    QVERIFY(!writeArchive({{"a", "x"}, {"a", "y"}}).ok());
}

QTEST_APPLESS_MAIN(TestBundleArchive)
#include "tst_bundle_archive.moc"
