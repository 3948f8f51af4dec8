// SPDX-License-Identifier: GPL-3.0-or-later
// The window in a language a third longer than English, in which every translated word is marked: what stays English is
// content (lessons, experiments, names) or was forgotten, and nothing may be cut off.
#include "readable.h"
#include "shell_fixture.h"

#include "app/ui/facts.h"
#include "app/ui/learner_choices.h"
#include "app/ui/targets.h"
#include "app/window/pseudo_locale.h"
#include "base/experiment_info.h"
#include "base/json.h"
#include "base/kernel_task.h"

#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// What is written for the program rather than in it: lessons, experiments, chips, this machine.
QString contentOf(const Workplace& place)
{
    QString all = QString::fromStdString(catalogueToJson(place.context->experiments()).dump());
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*dataFolder() / "curriculum")) {
        QFile file(QString::fromStdString(entry.path().string()));
        if (entry.is_regular_file() && file.open(QIODevice::ReadOnly))
            all += QLatin1Char('\n') + QString::fromUtf8(file.readAll());
    }
    const auto tasks = shippedTasks();
    for (const KernelTask& task : tasks ? *tasks : std::vector<KernelTask>())
        all += QLatin1Char('\n') + QString::fromStdString(task.title + "\n" + task.about);
    for (const AppContext::Target& target : targetsOf(*place.context))
        all += QLatin1Char('\n') + target.title;
    all += s("\nkernel\nSIM\n") + QSysInfo::prettyProductName();
    return all.simplified();
}

bool isContent(const QString& content, const QString& words)
{
    // "1.1  GPU vs CPU architecture", "12. Dot product": the number is the program's, the title is not.
    static const QRegularExpression number(s("^[0-9.]+ +")), letters(s("[A-Za-z]{3}"));
    const QString plain = QString(words).remove(number).simplified();
    return !plain.contains(letters) || content.contains(plain) ||
           // Names and versions of compilers, of the processor and of the system.
           plain.contains(QSysInfo::prettyProductName()) || plain.contains(s("clang")) || plain.contains(s(":log2"));
}

} // namespace

class TestPseudoLocale : public QObject {
    Q_OBJECT
    PseudoLocale m_language;

    /// Every page that is the program's own: lessons are content.
    template<class Check>
    static void forEachPage(Workplace& place, const QSize& size, Check&& check)
    {
        MainWindow& window = place.makeWindow();
        window.resize(size);
        for (const char* page :
             {"home", "learn", "lab", "runs", "portfolio", "class", "class/new", "class/sample", "kernel", "kernel/new",
              "catalogue", "parity", "insight", "review", "placement", "doctor"}) {
            QVERIFY2(window.open(s(page)).ok(), page);
            QTRY_VERIFY2_WITH_TIMEOUT(window.page()->ready(), page, 30000);
            QCoreApplication::processEvents();
            check(s(page), static_cast<QWidget*>(window.page()));
        }
    }

private Q_SLOTS:
    void initTestCase() { QCoreApplication::installTranslator(&m_language); }

    void textKeepsWhatIsNotWords_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("kept");
        QTest::newRow("places") << s("Step %1 of %2, %L3") << QStringList{s("%1"), s("%2"), s("%L3")};
        QTest::newRow("count") << s("%n runs") << QStringList{s("%n")};
        QTest::newRow("mnemonic") << s("&Search or do…") << QStringList{s("&S")};
        QTest::newRow("tags") << s("<b>Go</b> &amp; <a href=\"x\">see</a>")
                              << QStringList{s("<b>"), s("</b>"), s("&amp;"), s("<a href=\"x\">")};
        QTest::newRow("less") << s("stay below a < b") << QStringList{s(" < ")};
    }
    void textKeepsWhatIsNotWords()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, kept);
        const QString made = pseudoText(text);
        QVERIFY(made != text && made.size() > text.size());
        QVERIFY(made.startsWith(QChar(0xab)) && made.endsWith(QChar(0xbb)));
        for (const QString& each : kept)
            QVERIFY2(made.contains(each), qPrintable(made));
        QCOMPARE(pseudoText(s("%1 × %2")), s("%1 × %2")); // nothing to translate
    }

    void everyWordCanBeTranslated()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        const QString content = contentOf(place);
        QStringList wrong;
        int seen = 0;
        forEachPage(place, {1280, 720}, [&](const QString& page, QWidget* root) {
            for (QWidget* widget : readable(root)) {
                const QString words = wordsOf(widget);
                ++seen;
                // What store and worker say of themselves stands there as at the command line.
                if (page == s("doctor") && qobject_cast<FactTable*>(widget->parentWidget()))
                    continue;
                if (!words.contains(QChar(0xab)) && !isContent(content, words))
                    wrong << page + s(": ") + QLatin1String(widget->metaObject()->className()) + s(" “") + words +
                                 s("”");
            }
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
        QVERIFY(seen > 150);
    }

    void nothingIsCutOff()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        QStringList wrong;
        forEachPage(place, {1280, 720}, [&](const QString& page, QWidget* root) {
            // What came last may not be laid out yet.
            (void)QTest::qWaitFor([&] { return cutOff(root).isEmpty(); }, 3000);
            for (const QString& each : cutOff(root))
                wrong << page + s(": ") + each;
        });
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestPseudoLocale)
#include "tst_pseudo_locale.moc"
