// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/ptx_archive.h"

#include "base/hash.h"
#include "base/paths.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::gpu;

namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

class TestPtxArchive : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { m_assets = *dataFolder() / "assets"; }
    void everyFileIsWhatTheManifestSays();
    void everyKernelHasItsFiles();
    void damage_data();
    void damage();
    void manifests_data();
    void manifests();

private:
    std::filesystem::path m_assets;
};

void TestPtxArchive::everyFileIsWhatTheManifestSays()
{
    const auto all = shippedPtx(m_assets);
    QVERIFY2(all.ok(), all.ok() ? "" : toText(all.error()).c_str());
    QVERIFY(all->size() > 100);
    for (const ShippedPtx& ptx : *all) {
        const auto read = readShippedPtx(m_assets, ptx); // checks the digest
        QVERIFY2(read.ok(), read.ok() ? "" : toText(read.error()).c_str());
        QVERIFY2(text(*read).contains(QStringLiteral("\n.target ") + text(ptx.arch)), ptx.file.c_str());
        QVERIFY2(text(ptx.file).startsWith(text(ptx.source).chopped(3)), ptx.file.c_str());
    }
}

void TestPtxArchive::everyKernelHasItsFiles()
{
    const auto all = shippedPtx(m_assets);
    QVERIFY(all.ok());
    const auto kernels = *dataFolder() / "kernels";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kernels)) {
        if (entry.path().extension() != ".cu")
            continue;
        const std::string name = entry.path().lexically_relative(kernels).generic_string();
        const std::string hash = sha256Hex(*readFile(entry.path()));
        std::size_t made = 0;
        for (const ShippedPtx& ptx : *all)
            if (ptx.source == name) {
                ++made;
                QVERIFY2(ptx.sourceSha256 == hash, (name + ": run tools/make-ptx").c_str());
            }
        QVERIFY2(made > 0, (name + " has no PTX: run tools/make-ptx").c_str());
    }
}

void TestPtxArchive::damage_data()
{
    QTest::addColumn<QByteArray>("archive"); // null: none
    QTest::addColumn<QString>("says");
    QTest::newRow("none") << QByteArray() << "cannot be read";
    QTest::newRow("no zip") << QByteArray("this is no archive") << "cannot be read";
    QFile whole(text((m_assets / "ptx.zip").string()));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    const QByteArray bytes = whole.readAll();
    QTest::newRow("cut short") << bytes.left(bytes.size() / 2) << "cannot be read";
    QByteArray flipped = bytes;
    for (int at = 200; at < 260; ++at) // in the data of the first file
        flipped[at] = static_cast<char>(~flipped[at]);
    QTest::newRow("other bytes") << flipped << "is not the one that the manifest names";
}

void TestPtxArchive::damage()
{
    QFETCH(QByteArray, archive);
    QFETCH(QString, says);
    const auto all = shippedPtx(m_assets);
    QVERIFY(all.ok());
    QTemporaryDir folder;
    if (!archive.isNull()) {
        QFile file(folder.filePath(QStringLiteral("ptx.zip")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(archive) == archive.size());
    }
    const auto read = readShippedPtx(folder.path().toStdString(), all->front());
    QVERIFY(!read.ok());
    QCOMPARE(text(read.error().code), QStringLiteral("bad-ptx-archive"));
    QVERIFY2(text(read.error().message).contains(says), read.error().message.c_str());
    QVERIFY(text(read.error().place).endsWith(text(all->front().file)));
    QVERIFY(text(read.error().fix).contains(QLatin1String("tools/make-ptx")));
}

void TestPtxArchive::manifests_data()
{
    QTest::addColumn<QByteArray>("manifest");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("says");
    const QByteArray head = R"({"schema": "ridge-ptx/1", "files": [)";
    QTest::newRow("none") << QByteArray() << "no-ptx"
                          << "cannot be read";
    QTest::newRow("no JSON") << QByteArray("{") << "bad-ptx-manifest"
                             << "ridge-ptx/1";
    QTest::newRow("another form") << QByteArray(R"({"schema": "ridge-ptx/2", "files": []})") << "bad-ptx-manifest"
                                  << "ridge-ptx/1";
    QTest::newRow("no file name") << head + R"({"source": "a.cu"}]})"
                                  << "bad-ptx-manifest"
                                  << "files[0]";
    QTest::newRow("no chip") << head +
                                    R"({"file": "a.ptx", "source": "a.cu", "source_sha256": "", "arch": "gfx90a",
                                        "compiler": "x", "sha256": ""}]})"
                             << "bad-ptx-manifest"
                             << "names no chip";
}

void TestPtxArchive::manifests()
{
    QFETCH(QByteArray, manifest);
    QFETCH(QString, code);
    QFETCH(QString, says);
    QTemporaryDir folder;
    if (!manifest.isNull()) {
        QFile file(folder.filePath(QStringLiteral("ptx.json")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(manifest) == manifest.size());
    }
    const auto all = shippedPtx(folder.path().toStdString());
    QVERIFY(!all.ok());
    QCOMPARE(text(all.error().code), code);
    QVERIFY2(text(all.error().message).contains(says), all.error().message.c_str());
}

QTEST_GUILESS_MAIN(TestPtxArchive)
#include "tst_ptx_archive.moc"
