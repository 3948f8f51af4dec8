// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of the program has a golden picture, in the light theme at 1×, and every chart and scene a structural one;
// the dark theme and 2× are held against that picture (tests/golden/variants.h). tests/golden/views.json says which, by
// class; the classes are those of the sources, so that a view that is new has none until somebody takes its picture.
#include "base/json.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

using namespace ridge;

namespace {

QString source(const char* part)
{
    return qEnvironmentVariable("RIDGE_SOURCE") + QLatin1String(part);
}

/// Classes below app/ that are a window, a page, what opens over one, a live block, a chart or a scene, or are called
/// one of the parts that a page is seen as: its panels, cards, bars, strips, tables, and what veils it.
QMap<QString, QString> views()
{
    static const QRegularExpression view(
        QStringLiteral("^class (?:(\\w+) (?:final )?: public "
                       "(Page|Overlay|Plot|Scene|QDialog|QMainWindow|QDockWidget|BlockWidget|RunningBlock)|"
                       "(\\w+(?:Panel|Card|Bar|Strip|Table|Veil)) (?:final )?: public (QWidget|QFrame|Card))\\b"),
        QRegularExpression::MultilineOption);
    QMap<QString, QString> found;
    QDirIterator files(source("/app"), {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            continue;
        auto match = view.globalMatch(QString::fromUtf8(file.readAll()));
        while (match.hasNext()) {
            const auto one = match.next();
            const int at = one.captured(1).isEmpty() ? 3 : 1;
            found[one.captured(at)] = one.captured(at + 1);
        }
    }
    return found;
}

/// The picture of a view that is not there; "*" stands for the theme.
QStringList missing(const QString& pattern)
{
    QString name = source("/tests/golden/images/") + pattern;
    name.replace(QLatin1Char('*'), QLatin1String("light"));
    if (!QFile::exists(name + QStringLiteral(".png")) && !QFile::exists(name + QStringLiteral("_1x.png")))
        return {name};
    return {};
}

} // namespace

class TestViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewHasItsPictures()
    {
        const auto bytes = readFile(source("/tests/golden/views.json").toStdString());
        QVERIFY(bytes.ok());
        const auto table = parseJson(*bytes, "tests/golden/views.json");
        QVERIFY2(table.ok(), table.ok() ? "" : toText(table.error()).c_str());
        const QMap<QString, QString> classes = views();
        QVERIFY(classes.size() > 90);
        QStringList wrong;
        for (auto view = classes.begin(); view != classes.end(); ++view) {
            const auto entry = table->find(view.key().toStdString());
            if (entry == table->end()) {
                wrong << view.key() + QStringLiteral(" has no pictures in tests/golden/views.json");
                continue;
            }
            if (entry->contains("stands_in")) // drawn only as a part of another view
                continue;
            const Json pictures = entry->value("pictures", Json::array());
            if (pictures.empty())
                wrong << view.key() + QStringLiteral(" has no picture");
            for (const Json& pattern : pictures)
                for (const QString& each : missing(QString::fromStdString(pattern.get<std::string>())))
                    wrong << view.key() + QStringLiteral(": there is no ") + each;
            if (view.value() != QLatin1String("Plot") && view.value() != QLatin1String("Scene"))
                continue;
            const Json structure = entry->value("structure", Json::array());
            if (structure.empty())
                wrong << view.key() + QStringLiteral(" has no structural golden");
            for (const Json& name : structure) {
                const QString file = source("/tests/golden/structure/") +
                                     QString::fromStdString(name.get<std::string>()) + QStringLiteral(".json");
                if (!QFile::exists(file))
                    wrong << view.key() + QStringLiteral(": there is no ") + file;
            }
        }
        for (const auto& [name, entry] : table->items()) {
            const QString view = QString::fromStdString(name);
            if (!classes.contains(view))
                wrong << view + QStringLiteral(" is in tests/golden/views.json and no longer a view");
            if (entry.contains("stands_in") &&
                !classes.contains(QString::fromStdString(entry["stands_in"].get<std::string>())))
                wrong << view + QStringLiteral(" stands in what is no view");
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_GUILESS_MAIN(TestViews)
#include "tst_views.moc"
