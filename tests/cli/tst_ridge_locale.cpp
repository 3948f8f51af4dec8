// SPDX-License-Identifier: GPL-3.0-or-later
// What the programs write is the same where people write decimal commas.
#include "base/json.h"
#include "base/number_text.h"
#include "base/units.h"
#include "tests/support/german.h"

#include <QDir>
#include <QDirIterator>
#include <QtTest>

#include <clocale>
#include <map>

using namespace ridge;

namespace {

using Files = std::map<QString, QByteArray>;

Files filesBelow(const QString& folder)
{
    Files files;
    QDirIterator all(folder, QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) {
        const QString path = all.next();
        QFile file(path);
        if (file.open(QIODevice::ReadOnly))
            files[QDir(folder).relativeFilePath(path)] = file.readAll();
    }
    return files;
}

/// What differs from run to run: ids and times.
QByteArray withoutIds(const QByteArray& text)
{
    static const QRegularExpression fleeting(QStringLiteral(
        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z|\"seconds\": ?[0-9.e-]+"));
    return QString::fromUtf8(text).replace(fleeting, QStringLiteral("*")).toUtf8();
}

} // namespace

class TestRidgeLocale : public QObject {
    Q_OBJECT
    std::unique_ptr<test::German> m_german;
    QTemporaryDir m_home;
    const test::Environment m_plain{{QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8")}};

    test::Outcome ridge(const QStringList& arguments, bool german) const
    {
        test::Environment environment = german ? m_german->environment() : m_plain;
        environment << std::pair(QStringLiteral("RIDGE_HOME"), m_home.path());
        return test::runProgram(QStringLiteral("ridge"), arguments, environment, {}, 170000);
    }
    static QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

private Q_SLOTS:
    void initTestCase()
    {
        m_german = std::make_unique<test::German>();
        if (!m_german->missing.isEmpty())
            QSKIP(m_german->missing.constData());
    }

    /// The helpers themselves, while the C library writes commas.
    void numbersHavePoints()
    {
        qputenv("LOCPATH", m_german->folder().toUtf8());
        const char* set = std::setlocale(LC_ALL, test::German::kName);
        QVERIFY2(set != nullptr, "the locale was made and cannot be used");
        char own[16];
        std::snprintf(own, sizeof own, "%.1f", 0.5);
        QCOMPARE(QByteArray(own), QByteArray("0,5")); // else this test says nothing
        QCOMPARE(fixedText(1234.5, 2), std::string("1234.50"));
        QCOMPARE(shortText(0.0625), std::string("0.0625"));
        QCOMPARE(shortText(1.5e-7, 3), std::string("1.5e-07"));
        QCOMPARE(formatNumber(0.0625), std::string("0.0625"));
        QCOMPARE(formatQuantity(12.5, "%"), std::string("12.5 %"));
        QCOMPARE(formatQuantity(12.5, "version"), std::string("12.5"));
        QCOMPARE(leadingNumber("2.5 kB"), 2.5);
        QCOMPARE(numberIn("1e-3").value_or(0), 1e-3);
        QVERIFY(!numberIn("1,5") && !numberIn("") && !numberIn("1.5x"));
        {
            const PlainNumbers plain;
            std::snprintf(own, sizeof own, "%.1f", 0.5);
            QCOMPARE(QByteArray(own), QByteArray("0.5"));
        }
        std::snprintf(own, sizeof own, "%.1f", 0.5);
        QCOMPARE(QByteArray(own), QByteArray("0,5"));
        keepDecimalPoints();
        std::snprintf(own, sizeof own, "%.1f", 0.5);
        QCOMPARE(QByteArray(own), QByteArray("0.5"));
        std::setlocale(LC_ALL, "C");
        qunsetenv("LOCPATH");
    }

    /// One record, made where commas are written; every file of both exports has the same bytes.
    void anExportIsTheSame()
    {
        const auto made = ridge(words("lesson check 2.4 --json"), true);
        QVERIFY2(made.exitCode == 0, (made.err + made.out).constData());
        const auto plain = ridge(words("lesson check 2.4 --json"), false);
        QVERIFY2(plain.exitCode == 0, (plain.err + plain.out).constData());
        const auto germanJson = parseJson(made.out.toStdString(), "german");
        const auto plainJson = parseJson(plain.out.toStdString(), "plain");
        QVERIFY(germanJson && plainJson);
        QCOMPARE(germanJson->at("artifact"), plainJson->at("artifact"));
        QCOMPARE(withoutIds(made.out), withoutIds(plain.out));

        const auto run =
            ridge(words("lesson run 2.4 --out") + QStringList{m_home.filePath(QStringLiteral("notes"))}, true);
        QVERIFY2(run.exitCode == 0, (run.err + run.out).constData());
        Files before;
        for (const bool german : {false, true}) {
            const QString folder = m_home.filePath(german ? QStringLiteral("german") : QStringLiteral("plain"));
            const auto written =
                ridge(words("export portfolio --template job --no-pdf --out") + QStringList{folder}, german);
            QVERIFY2(written.exitCode == 0, (written.err + written.out).constData());
            const auto verified = ridge({QStringLiteral("verify"), folder}, german);
            QVERIFY2(verified.exitCode == 0, verified.out.constData());
            const Files files = filesBelow(folder);
            QVERIFY(files.size() > 8);
            for (const auto& [name, bytes] : before)
                QVERIFY2(files.contains(name) && files.at(name) == bytes, qPrintable(name));
            QVERIFY(before.empty() || before.size() == files.size());
            before = files;
        }
    }

    /// A command line is read as the documentation writes it.
    void numbersOfACommandLineHavePoints()
    {
        const auto run = ridge(words("run coalescing --target sim:h100-sxm --seconds 100.5 --json"), true);
        QVERIFY2(run.exitCode == 0, (run.err + run.out).constData());
    }

    /// What is printed can be typed again.
    void rangesHavePoints()
    {
        for (const char* line : {"describe speedup", "run speedup --target model --set intensity=1e9"}) {
            const auto german = ridge(words(line), true), plain = ridge(words(line), false);
            QCOMPARE(german.exitCode, plain.exitCode);
            QCOMPARE(german.out, plain.out);
            QCOMPARE(german.err, plain.err);
        }
    }
};

QTEST_GUILESS_MAIN(TestRidgeLocale)
#include "tst_ridge_locale.moc"
