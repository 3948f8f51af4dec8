// SPDX-License-Identifier: GPL-3.0-or-later
// The portfolio of somebody who took lessons of several modules, as tools/make-whole-portfolio makes it: each lesson is
// taken by the ideal learner into one record, and what was shipped is exported. It has to look like something one
// shows.
#include "folio_support.h"

#include "tests/support/process.h"

#include <QRegularExpression>
#include <QTemporaryDir>

using namespace ridge;
using namespace ridge::test;

namespace {

/// Each of them takes a second of computing: models and small machines.
const QStringList kLessons = {QStringLiteral("1.5"), QStringLiteral("3.4"), QStringLiteral("3.8"),
                              QStringLiteral("5.5"), QStringLiteral("5.8"), QStringLiteral("6.2"),
                              QStringLiteral("7.7")};

QString textOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class TestFolioCourse : public QObject {
    Q_OBJECT
    QTemporaryDir m_home;
    QString m_folder;
    Json m_manifest;

    Outcome ridgeRun(const QStringList& arguments) const
    {
        return runProgram(QStringLiteral("ridge"), arguments,
                          {{QStringLiteral("RIDGE_HOME"), m_home.filePath(QStringLiteral("record"))}}, {}, 240000);
    }
    QString pageOf(const Json& artifact) const
    {
        return textOf(m_folder + QLatin1Char('/') + QString::fromStdString(artifact.at("page").get<std::string>()));
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const QString& lesson : kLessons) {
            const Outcome taken = ridgeRun({QStringLiteral("lesson"), QStringLiteral("check"), lesson,
                                            QStringLiteral("--keep"), m_home.filePath(QStringLiteral("record"))});
            QVERIFY2(taken.exitCode == 0, (lesson.toUtf8() + ": " + taken.err + taken.out.right(1500)).constData());
        }
        m_folder = m_home.filePath(QStringLiteral("folio"));
        const Outcome made =
            ridgeRun({QStringLiteral("export"), QStringLiteral("portfolio"), QStringLiteral("--template"),
                      QStringLiteral("job"), QStringLiteral("--out"), m_folder});
        QVERIFY2(made.exitCode == 0, made.err.constData());
        const Result<Json> manifest =
            parseJson(textOf(m_folder + QStringLiteral("/manifest.json")).toStdString(), "manifest.json");
        QVERIFY(manifest);
        m_manifest = *manifest;
    }

    void onlyTheIdealLearnerIsKept()
    {
        const Outcome wrong = ridgeRun({QStringLiteral("lesson"), QStringLiteral("check"), QStringLiteral("7.7"),
                                        QStringLiteral("--learner"), QStringLiteral("wrong"), QStringLiteral("--keep"),
                                        m_home.filePath(QStringLiteral("other"))});
        QVERIFY(wrong.exitCode != 0 && wrong.err.contains("--learner"));
        QVERIFY(!QFile::exists(m_home.filePath(QStringLiteral("other"))));
    }

    void aStrangerCanCheckIt()
    {
        const Outcome verified = ridgeRun({QStringLiteral("verify"), m_folder});
        QVERIFY2(verified.exitCode == 0, (verified.out + verified.err).constData());
    }

    /// A claim with its numbers, where they come from, charts with marks in them, and the line that makes them again.
    void everyArtifactStandsByItself()
    {
        QCOMPARE(m_manifest.at("artifacts").size(), std::size_t(kLessons.size()));
        for (const Json& artifact : m_manifest.at("artifacts")) {
            const std::string title = artifact.at("title");
            const QString claim = QString::fromStdString(artifact.at("claim").get<std::string>());
            QVERIFY2(claim.contains(QRegularExpression(QStringLiteral("[0-9]"))) &&
                         !claim.contains(QStringLiteral("{{")) && !claim.contains(QStringLiteral("nan")),
                     (title + ": " + claim.toStdString()).c_str());
            QVERIFY2(!artifact.at("provenance").get<std::string>().empty(), title.c_str());
            const QString page = pageOf(artifact);
            QVERIFY2(page.count(QStringLiteral("<svg xmlns")) > 0, title.c_str());
            QVERIFY2(page.contains(QStringLiteral("ridge run ")), title.c_str());
            QVERIFY2(page.contains(QStringLiteral("class=\"badge")), title.c_str());
        }
        const QDir charts(m_folder + QStringLiteral("/charts"));
        QVERIFY(charts.entryList({QStringLiteral("*.svg")}).size() >= 2 * kLessons.size());
        for (const QString& name : charts.entryList({QStringLiteral("*.svg")})) {
            const QString svg = textOf(charts.filePath(name));
            QVERIFY2(svg.contains(QRegularExpression(QStringLiteral("<(circle|rect|polygon|path)[^>]*"))),
                     qPrintable(name + QStringLiteral(" has no mark")));
            QVERIFY2(svg.contains(QRegularExpression(QStringLiteral("<desc>[^<]{20,}</desc>"))), qPrintable(name));
        }
    }

    /// Three lead the first page, the others stand under the module of their lesson, in the order of the modules.
    void theFirstPageIsReadByModule()
    {
        const QString index = textOf(m_folder + QStringLiteral("/index.html"));
        QCOMPARE(index.count(QStringLiteral("class=\"card lead\"")), 3);
        for (const Json& artifact : m_manifest.at("artifacts"))
            QVERIFY(index.contains(QString::fromStdString(artifact.at("page").get<std::string>())));
        QStringList modules;
        QRegularExpressionMatchIterator found =
            QRegularExpression(QStringLiteral("<h3>(Module [0-9])</h3>")).globalMatch(index);
        while (found.hasNext())
            modules << found.next().captured(1);
        QVERIFY2(modules.size() >= 2 && std::ranges::is_sorted(modules), qPrintable(modules.join(QLatin1Char(','))));
    }

    /// The list on paper says on which page each artifact begins, and it does begin there.
    void theListOnPaperNamesThePages()
    {
        const Ran ran =
            runTool(QStringLiteral("pdftotext"),
                    {QStringLiteral("-layout"), m_folder + QStringLiteral("/portfolio.pdf"), QStringLiteral("-")});
        if (!ran.there)
            QSKIP("pdftotext (poppler-utils) is not installed");
        const QStringList pages = QString::fromUtf8(ran.out).split(QLatin1Char('\f'));
        QString list;
        for (const QString& page : pages)
            if (page.contains(QStringLiteral("All artifacts")))
                list = page;
        QVERIFY(!list.isEmpty());
        QVERIFY(list.contains(QStringLiteral("Module 1")) && list.contains(QStringLiteral("Module 7")));
        for (const Json& artifact : m_manifest.at("artifacts")) {
            // A long title goes on in a second line of its cell. Where the numbers come from is not in the list.
            const QString start = QString::fromStdString(artifact.at("title").get<std::string>())
                                      .section(QStringLiteral(" ("), 0, 0)
                                      .left(20);
            const auto line =
                QRegularExpression(QRegularExpression::escape(start) + QStringLiteral("[^\n]*\\s(\\d+)\n")).match(list);
            QVERIFY2(line.hasMatch(), qPrintable(start + list));
            const int page = line.captured(1).toInt();
            QVERIFY2(page >= 2 && page <= pages.size(), qPrintable(line.captured(0)));
            QVERIFY2(pages.at(page - 1).trimmed().startsWith(start), qPrintable(start + pages.at(page - 1).left(200)));
        }
    }
};

QTEST_GUILESS_MAIN(TestFolioCourse)
#include "tst_folio_course.moc"
