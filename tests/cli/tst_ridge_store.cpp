// SPDX-License-Identifier: GPL-3.0-or-later
// What ridge leaves behind: saved runs, artifacts, exports, merges.
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/process.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace ridge;

namespace {

class Home {
public:
    test::Outcome operator()(const QStringList& arguments) const
    {
        return test::runProgram(QStringLiteral("ridge"), arguments, {{QStringLiteral("RIDGE_HOME"), m_dir.path()}}, {},
                                120000);
    }
    Json artifacts() const
    {
        const auto outcome = (*this)({QStringLiteral("artifacts"), QStringLiteral("--json")});
        auto json = parseJson(outcome.out.toStdString(), "artifacts");
        return json ? *json : Json();
    }
    QString path() const { return m_dir.path(); }
    QString database() const { return m_dir.filePath(QStringLiteral("ridgepoint.db")); }

private:
    QTemporaryDir m_dir;
};

QStringList words(const char* line)
{
    return QString::fromUtf8(line).split(QLatin1Char(' '));
}

/// Whether a file names this host. Two or three letters stand in many a compressed trace by chance: a short name counts
/// as a word of a text alone.
bool tells(const QByteArray& bytes, const QString& host)
{
    constexpr int kNotByChance = 6;
    if (host.size() >= kNotByChance)
        return bytes.contains(host.toUtf8());
    const QRegularExpression word(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(host)));
    return !bytes.contains('\0') && QString::fromUtf8(bytes).contains(word);
}

} // namespace

class TestRidgeStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savedRunsAreRows()
    {
        Home ridge;
        const auto outcome = ridge(words("run coalescing --target sim:t4 --sweep stride=1,2,4 --save --json"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        const auto json = parseJson(outcome.out.toStdString(), "run");
        QVERIFY(json);
        QCOMPARE(json->at("saved").size(), std::size_t{3});
        QVERIFY(QFile::exists(ridge.database()));
    }

    void searchFindsStoredRowsAndTakesAnything()
    {
        Home ridge;
        const auto lessons = ridge(words("search coalesc --json")); // without any store
        QVERIFY2(lessons.exitCode == 0, lessons.err.constData());
        QVERIFY(!QFile::exists(ridge.database()));
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --sweep stride=1,2,4 --save")).exitCode, 0);
        for (int round = 0; round < 2; ++round) { // made, then only read
            const auto outcome = ridge(words("search coalesc --json"));
            QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
            const auto json = parseJson(outcome.out.toStdString(), "search");
            QVERIFY(json);
            QCOMPARE(json->at("totals").at("run").get<int>(), 3);
            QVERIFY(json->at("totals").at("lesson").get<int>() > 0);
            QCOMPARE(json->at("hits").at(0).at("kind").get<std::string>(), std::string("term"));
            for (const auto& hit : json->at("hits"))
                QVERIFY(!hit.at("page").get<std::string>().empty());
        }
        for (const QString& text : {QStringLiteral("\" OR 1=1 --"), QStringLiteral("😀"), QStringLiteral("*"),
                                    QStringLiteral("x").repeated(10000)})
            QCOMPARE(ridge({QStringLiteral("search"), QStringLiteral("--"), text}).exitCode, 0);
    }

    void lessonShipsExportsAndMerges()
    {
        Home first, second;
        QTemporaryDir out;
        QCOMPARE(first.artifacts().size(), std::size_t{0});
        const auto lesson =
            first({QStringLiteral("lesson"), QStringLiteral("run"), QStringLiteral("2.4"), QStringLiteral("--target"),
                   QStringLiteral("sim:h100-sxm"), QStringLiteral("--out"), out.path()});
        QVERIFY2(lesson.exitCode == 0, lesson.err.constData());
        QCOMPARE(first.artifacts().size(), std::size_t{1});
        const std::string id = first.artifacts().at(0).at("id");

        const auto folders = QDir(out.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QCOMPARE(folders.size(), 1);
        const QString folder = out.filePath(folders.first());
        QFile sums(folder + QStringLiteral("/SHA256SUMS"));
        QVERIFY(sums.open(QIODevice::ReadOnly));
        int listed = 0;
        for (const QByteArray& line : sums.readAll().split('\n')) {
            if (line.isEmpty())
                continue;
            const QString name = QString::fromUtf8(line.mid(66));
            const auto bytes = readFile((folder + QLatin1Char('/') + name).toStdString());
            QVERIFY2(bytes.ok(), qPrintable(name));
            QCOMPARE(sha256Hex(*bytes), line.left(64).toStdString());
            ++listed;
        }
        QVERIFY(listed >= 5);
        QFile readme(folder + QStringLiteral("/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QByteArray text = readme.readAll();
        QVERIFY(text.contains("ridge run coalescing --target sim:h100-sxm"));
        // Nothing that tells who or where: neither the user's name nor a path of this machine.
        QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            QVERIFY2(!bytes.contains(qEnvironmentVariable("RIDGE_SOURCE").toUtf8() + "/"), qPrintable(file.fileName()));
            QVERIFY2(!bytes.contains(first.path().toUtf8()), qPrintable(file.fileName()));
            QVERIFY2(!tells(bytes, QSysInfo::machineHostName()), qPrintable(file.fileName()));
        }

        // The line of the README repeats the run.
        const int at = static_cast<int>(text.indexOf("ridge run coalescing"));
        QStringList line = QString::fromUtf8(text.mid(at, text.indexOf('\n', at) - at)).split(QLatin1Char(' '));
        line.removeFirst();
        QCOMPARE(second(line).exitCode, 0);

        const auto merged = second({QStringLiteral("merge"), first.path()});
        QVERIFY2(merged.exitCode == 0, merged.err.constData());
        QCOMPARE(second.artifacts().at(0).at("id").get<std::string>(), id);
        const auto again = second({QStringLiteral("merge"), first.path()});
        QVERIFY2(again.out.startsWith("added nothing; "), again.out.constData());
        const auto exported = second({QStringLiteral("export"), QString::fromStdString(id), QStringLiteral("--out"),
                                      out.filePath(QStringLiteral("b"))});
        QVERIFY2(exported.exitCode == 0, exported.err.constData());
    }

    void storeIsCheckedBackedUpMergedAndRestored()
    {
        Home ridge, other;
        QCOMPARE(ridge(words("store check")).exitCode, 4); // there is none yet
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        const auto document = [&](const QStringList& arguments, int exitCode) {
            const auto outcome = ridge(arguments + QStringList{QStringLiteral("--json")});
            if (outcome.exitCode != exitCode)
                qWarning("%d: %s", outcome.exitCode, outcome.err.constData());
            auto json = parseJson(outcome.out.toStdString(), "store");
            return json && outcome.exitCode == exitCode ? *json : Json::object();
        };
        Json check = document(words("store check"), 0);
        QCOMPARE(check.value("sound", false), true);
        QCOMPARE(check.at("rows").at("run").get<int>(), 1);
        QCOMPARE(check.at("rows").at("journal").get<int>(), 0);
        QCOMPARE(check.at("files").get<int>(), 1); // its trace
        QVERIFY(check.at("database_bytes").get<std::int64_t>() > 0);

        const Json backup = document(words("store backup"), 0);
        const QString file = QString::fromStdString(backup.value("file", std::string()));
        QVERIFY(QFile::exists(file));
        QCOMPARE(other(words("run coalescing --target sim:t4 --sweep stride=1,2 --save")).exitCode, 0);
        const Json merged = document({QStringLiteral("store"), QStringLiteral("merge"), other.path()}, 0);
        QCOMPARE(merged.at("added").at("runs").get<int>(), 2);
        QCOMPARE(document(words("store check"), 0).at("origins").get<int>(), 2);

        // Lost files are named, and everything else is still told.
        QDirIterator it(ridge.path() + QStringLiteral("/files"), QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext())
            QVERIFY(QFile::remove(it.next()));
        check = document(words("store check"), 4);
        QCOMPARE(check.value("sound", true), false);
        QCOMPARE(check.at("faults").at(0).at("code").get<std::string>(), std::string("file-missing"));
        QCOMPARE(check.at("rows").at("run").get<int>(), 3);

        const Json restored = document({QStringLiteral("store"), QStringLiteral("restore"), file}, 0);
        QVERIFY(QFile::exists(QString::fromStdString(restored.value("moved_to", std::string()))));
        QCOMPARE(document(words("store check"), 4).at("rows").at("run").get<int>(), 1);
        QCOMPARE(ridge(words("store restore /nonexistent.db")).exitCode, 4);
        QCOMPARE(other(words("store restore")).exitCode, 4); // it has no backup
        QCOMPARE(ridge(words("store")).exitCode, 2);
    }

    void mergeTellsWhatIsLostAndCheckMendsIt()
    {
        Home ridge, other, third;
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        QCOMPARE(other(words("run coalescing --target sim:t4 --sweep stride=2,4 --save")).exitCode, 0);
        QDirIterator it(other.path() + QStringLiteral("/files"), QDir::Files, QDirIterator::Subdirectories);
        QVERIFY(it.hasNext());
        const QString gone = it.next();
        QVERIFY(QFile::remove(gone));

        const auto merged = ridge({QStringLiteral("merge"), other.path()});
        QCOMPARE(merged.exitCode, 1);
        QVERIFY2(merged.out.startsWith("added 2 runs"), merged.out.constData());
        QVERIFY2(merged.err.contains(gone.toUtf8()), merged.err.constData());
        QVERIFY2(merged.err.contains("(run "), merged.err.constData());
        const auto check = ridge(words("store check"));
        QVERIFY2(check.exitCode == 0, check.err.constData());
        QVERIFY2(check.out.contains("1 file is noted as lost"), check.out.constData());

        const auto json = parseJson(
            ridge({QStringLiteral("merge"), other.path(), QStringLiteral("--json")}).out.toStdString(), "merge");
        QVERIFY(json);
        QCOMPARE(json->at("lost_files").size(), std::size_t{1});
        QCOMPARE(json->at("lost_files").at(0).at("rows").size(), std::size_t{1});

        const auto unsound = other(words("store check"));
        QCOMPARE(unsound.exitCode, 4);
        QVERIFY2(unsound.err.contains("ridge store check --mend"), unsound.err.constData());
        const auto mended = other(words("store check --mend"));
        QVERIFY2(mended.exitCode == 0, mended.err.constData());
        QVERIFY2(mended.err.contains("noted as lost") && mended.err.contains("(run "), mended.err.constData());
        QCOMPARE(other(words("store check")).exitCode, 0);
    }

    void restoreSaysWhatItTakesAndWhatIsNewer()
    {
        Home ridge;
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        const QString made = QString::fromUtf8(ridge(words("store backup")).out).section(QLatin1Char('\n'), 0, 0);
        QVERIFY(QFile::exists(made));
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --sweep stride=2,4 --save")).exitCode, 0);
        const auto refused = ridge(words("store restore"));
        QCOMPARE(refused.exitCode, 4);
        QVERIFY2(refused.err.contains("2 rows (run 2;"), refused.err.constData());
        QVERIFY2(refused.err.contains(QFileInfo(made).fileName().toUtf8()), refused.err.constData());
        const auto named = ridge({QStringLiteral("store"), QStringLiteral("restore"), QFileInfo(made).fileName()});
        QVERIFY2(named.exitCode == 0, named.err.constData());
        QVERIFY2(named.out.contains(": 1 rows, the newest of 2") || named.out.contains(": 1 row, the newest of 2"),
                 named.out.constData());
        QVERIFY2(named.out.contains("2 rows (run 2;"), named.out.constData());
        const QString line = QString::fromUtf8(named.out).section(QStringLiteral("ridge merge "), 1).trimmed();
        QCOMPARE(ridge({QStringLiteral("merge"), line}).exitCode, 0);
        QVERIFY(ridge(words("store check")).out.contains("sound"));
    }

    void emptyDatabaseIsANewStoreForAll()
    {
        Home ridge;
        QFile database(ridge.database());
        QVERIFY(database.open(QIODevice::WriteOnly));
        database.close();
        for (const char* line : {"store check", "artifacts", "progress", "doctor"}) {
            const auto outcome = ridge(words(line));
            QVERIFY2(outcome.exitCode == 0, (line + QByteArray(": ") + outcome.out + outcome.err).constData());
        }
        QCOMPARE(ridge(words("store backup")).exitCode, 0);
        QCOMPARE(ridge(words("store check")).exitCode, 0);
    }

    void doctorTellsOfAHomeThatCannotBeWritten()
    {
        Home ridge;
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        QCOMPARE(ridge(words("doctor")).exitCode, 0);
        // Being root, permissions mean nothing; a user of the name of nobody has them.
        const QString drop = QStandardPaths::findExecutable(QStringLiteral("setpriv"));
        if (::geteuid() == 0 && drop.isEmpty())
            QSKIP("root, and no setpriv");
        const auto setWritable = [&](bool writable) {
            QDirIterator it(ridge.path(), QDir::AllEntries | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QByteArray path = it.next().toUtf8();
                ::chmod(path.constData(), it.fileInfo().isDir() ? (writable ? 0755 : 0555) : (writable ? 0644 : 0444));
            }
            ::chmod(ridge.path().toUtf8().constData(), writable ? 0755 : 0555);
        };
        setWritable(false);
        QProcess process;
        process.setProcessEnvironment(test::environmentWith({{QStringLiteral("RIDGE_HOME"), ridge.path()}}));
        const QString program = test::binary(QStringLiteral("ridge"));
        if (::geteuid() == 0)
            process.start(drop, {QStringLiteral("--reuid=65534"), QStringLiteral("--regid=65534"),
                                 QStringLiteral("--clear-groups"), program, QStringLiteral("doctor")});
        else
            process.start(program, {QStringLiteral("doctor")});
        QVERIFY(process.waitForFinished(120000));
        const QByteArray out = process.readAllStandardOutput();
        setWritable(true);
        QCOMPARE(process.exitCode(), 1);
        QVERIFY2(out.contains("can be read, but not written"), out.constData());
    }

    void doctorTellsOfBackupsOfTheFuture()
    {
        Home ridge;
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        const QString made = QString::fromUtf8(ridge(words("store backup")).out).section(QLatin1Char('\n'), 0, 0);
        QVERIFY(
            QFile::rename(made, QFileInfo(made).path() + QStringLiteral("/ridgepoint-20991231T235959000Z-hourly.db")));
        const auto outcome = ridge(words("doctor"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData()); // nothing is broken by it
        QVERIFY2(outcome.out.contains("1 backup is dated in the future"), outcome.out.constData());
    }

    void artifactIsReproducedBitForBit()
    {
        Home ridge;
        QCOMPARE(ridge(words("lesson run 2.4 --target sim:h100-sxm")).exitCode, 0);
        const std::string id = ridge.artifacts().at(0).at("id");
        const QStringList again{QStringLiteral("reproduce"), QString::fromStdString(id), QStringLiteral("--json")};
        auto outcome = ridge(again);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        auto json = parseJson(outcome.out.toStdString(), "reproduce");
        QVERIFY(json);
        QCOMPARE(json->at("verdict").get<std::string>(), std::string("reproduced"));
        QVERIFY(json->at("pairs").size() > 100);
        QCOMPARE(json->at("trust").at("level").get<std::string>(), std::string("T1"));
        outcome = ridge(again + words("--target sim:t4"));
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        json = parseJson(outcome.out.toStdString(), "reproduce");
        QCOMPARE(json->at("verdict").get<std::string>(), std::string("different hardware"));
        QCOMPARE(ridge(words("reproduce 0")).exitCode, 2);
        QCOMPARE(ridge(again + words("--target sim:no-such-chip")).exitCode, 2);
        QCOMPARE(ridge(words("store check")).exitCode, 0);
    }

    void damagedStoreIsNamed()
    {
        Home ridge;
        QCOMPARE(ridge(words("run coalescing --target sim:t4 --save")).exitCode, 0);
        QFile database(ridge.database());
        QVERIFY(database.open(QIODevice::ReadWrite));
        database.write(QByteArray(4096, 'x'));
        database.close();
        const auto outcome = ridge(words("run coalescing --target sim:t4 --save"));
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(QString::fromUtf8(outcome.err).contains(ridge.database()) ||
                QString::fromUtf8(outcome.err).contains(ridge.path()));
    }

    void mergeOfNothingIsNamed()
    {
        Home ridge;
        const auto outcome = ridge(words("merge /nonexistent"));
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(outcome.err.contains("/nonexistent"));
    }

    void homeThatCannotBeMade()
    {
        const auto outcome = test::runProgram(QStringLiteral("ridge"), words("run coalescing --target sim:t4 --save"),
                                              {{QStringLiteral("RIDGE_HOME"), QStringLiteral("/proc/ridge")}});
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(outcome.err.contains("/proc/ridge"));
    }
};

QTEST_GUILESS_MAIN(TestRidgeStore)
#include "tst_ridge_store.moc"
