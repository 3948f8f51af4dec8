// SPDX-License-Identifier: GPL-3.0-or-later
// What a person has to read on the pages of a module: nothing is cut off at 80, 100 and 200 % text, and every word
// stands out from what is behind it, in every theme. Charts and scenes are looked at where they are tested.
#include "every_page.h"
#include "readable.h"

#include "app/chips/catalogue_page.h"
#include "app/kernels/debug_panel.h"
#include "app/kernels/kernel_bench.h"
#include "app/kernels/kernel_page.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/theme/color_science.h"
#include "app/ui/learner_choices.h"
#include "app/window/learn/learn_page.h"
#include "app/window/learn/module_page.h"
#include "tests/app/kernels/small_steps.h"

#include <QLabel>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabWidget>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr double kLeastContrast = 4.5; ///< WCAG 2.2, 1.4.3
constexpr int kWidth = 1280, kHeight = 720;

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// The ratio between the colour that most of a part has and the one that is furthest from it.
double contrastIn(const QImage& picture, const QRect& part)
{
    QHash<QRgb, int> seen;
    for (int y = part.top(); y <= part.bottom(); ++y)
        for (int x = part.left(); x <= part.right(); ++x)
            ++seen[picture.pixel(x, y)];
    QRgb ground = 0;
    int most = 0;
    for (auto it = seen.cbegin(); it != seen.cend(); ++it)
        if (it.value() > most) {
            most = it.value();
            ground = it.key();
        }
    double best = 1;
    for (auto it = seen.cbegin(); it != seen.cend(); ++it)
        best = std::max(best, contrastRatio(QColor(it.key()), QColor(ground)));
    return best;
}

/// What scrolls is drawn whole: the holder of a scroll area, else the page itself.
QWidget* sheetOf(QWidget* widget, QWidget* page)
{
    for (QWidget* above = widget; above && above != page; above = above->parentWidget())
        if (const auto* area = qobject_cast<const QScrollArea*>(
                above->parentWidget() ? above->parentWidget()->parentWidget() : nullptr);
            area && area->widget() == above)
            return above;
    return page;
}

QStringList faint(QWidget* page, Theme& theme)
{
    QStringList wrong;
    std::map<QWidget*, QImage> pictures;
    for (QWidget* widget : readable(page)) {
        if (!widget->isEnabled())
            continue; // what cannot be used is exempt
        QWidget* sheet = sheetOf(widget, page);
        QImage& picture = pictures[sheet];
        if (picture.isNull()) {
            picture = QImage(sheet->size(), QImage::Format_RGB32);
            picture.fill(theme.color(Role::Surface));
            sheet->render(&picture, {}, {}, QWidget::DrawChildren);
        }
        const QRect part = QRect(widget->mapTo(sheet, QPoint()), widget->size()).intersected(picture.rect());
        if (part.isEmpty())
            continue; // outside of what a list shows
        const double ratio = contrastIn(picture, part);
        if (ratio < kLeastContrast)
            wrong << s("“%1” (%2) has %3 : 1")
                         .arg(wordsOf(widget), QLatin1String(widget->metaObject()->className()))
                         .arg(ratio);
    }
    return wrong;
}

} // namespace

class TestReadable : public QObject {
    Q_OBJECT

    /// Every view of module 1, one after the other: its page, the catalogue in its three parts, Class, and of the
    /// lessons the blocks of a kind that it brought.
    template<class Check>
    static void forEachView(Workplace& place, Check&& check)
    {
        MainWindow& window = place.makeWindow();
        window.resize(kWidth, kHeight);
        QVERIFY(window.open(s("module/1")).ok());
        QCoreApplication::processEvents();
        check(s("module/1"), static_cast<QWidget*>(qobject_cast<LearnPage*>(window.page())->module()));
        QVERIFY(window.open(s("catalogue/h100-sxm,h200-sxm,t4")).ok());
        auto* catalogue = qobject_cast<CataloguePage*>(window.page());
        for (int tab = 0; tab < catalogue->tabs()->count(); ++tab) {
            catalogue->tabs()->setCurrentIndex(tab);
            QCoreApplication::processEvents();
            check(s("catalogue, part %1").arg(tab), static_cast<QWidget*>(catalogue));
        }
        for (const char* page : {"class", "class/new", "class/sample"}) {
            QVERIFY(window.open(s(page)).ok());
            QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 60000);
            QCoreApplication::processEvents();
            check(s(page), static_cast<QWidget*>(window.page()));
        }
        // The list of kernels, the editor, and the debugger with something to step through.
        QVERIFY(window.open(s("kernel/new")).ok());
        auto* kernels = qobject_cast<KernelPage*>(window.page());
        // Where a compiler is, the rows of the arguments come with its answer, and have their colours a turn later.
        (void)QTest::qWaitFor(
            [&] {
                const auto fields = kernels->findChildren<QLineEdit*>();
                return std::any_of(fields.begin(), fields.end(), [](QLineEdit* f) { return f->text() == s("16384"); });
            },
            30000);
        QCoreApplication::processEvents();
        DebugPanel* debugger = kernels->bench()->debugger();
        QSignalSpy recorded(debugger, &DebugPanel::recorded);
        debugger->setTrace(encodeStepTrace(smallTrace()));
        QTRY_COMPARE_WITH_TIMEOUT(recorded.count(), 1, 20000);
        debugger->seek(3);
        for (int view = 0; view < debugger->views()->count(); ++view) {
            debugger->views()->setCurrentIndex(view);
            QCoreApplication::processEvents();
            check(s("kernel/new, debugger, view %1").arg(view), static_cast<QWidget*>(kernels));
        }
        QVERIFY(window.open(s("kernel")).ok());
        QCoreApplication::processEvents();
        check(s("kernel"), static_cast<QWidget*>(kernels));
        int drawn = 0;
        for (const char* id : {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8"}) {
            QVERIFY(window.open(s("lesson/") + s(id)).ok());
            QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 20000);
            auto* lesson = qobject_cast<LearnPage*>(window.page())->lesson();
            for (BlockWidget* block : lesson->findChildren<BlockWidget*>()) {
                const lessons::BlockBody& body = block->block().body;
                if (!std::holds_alternative<lessons::ExploreBlock>(body) &&
                    !std::holds_alternative<lessons::FigureBlock>(body))
                    continue;
                ++drawn;
                check(s("%1 %2").arg(s(id), block->blockId()), static_cast<QWidget*>(block));
            }
        }
        QVERIFY(drawn >= 10);
    }

private Q_SLOTS:
    /// Every page that can be opened, in the smallest window and in that of a 4K screen.
    void everyPageIsWhole_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("scale");
        for (const double scale : {1.0, 2.0}) {
            QTest::addRow("small %.0f %%", 100 * scale) << QSize(1280, 720) << scale;
            QTest::addRow("large %.0f %%", 100 * scale) << QSize(3840, 2160) << scale;
        }
    }
    void everyPageIsWhole()
    {
        QFETCH(QSize, size);
        QFETCH(double, scale);
        Workplace place;
        noteLearnerAsked();
        place.theme.setTextScale(scale);
        QVERIFY(place.loadCatalogue());
        const QMap<QString, QString> pages = everyPage(place);
        MainWindow& window = place.makeWindow();
        window.resize(size);
        QStringList wrong;
        for (const QString& page : pages) {
            QVERIFY2(window.open(page).ok(), qPrintable(page));
            QTRY_VERIFY2_WITH_TIMEOUT(window.page()->ready(), qPrintable(page), 60000);
            const auto found = [&] { return cutOff(window.page()) + pushedOut(&window); };
            (void)QTest::qWaitFor([&] { return found().isEmpty(); }, 10000); // a layout may still be on its way
            for (const QString& each : found())
                wrong << page + s(": ") + each;
        }
        place.theme.setTextScale(1);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void nothingIsCutOff_data()
    {
        QTest::addColumn<double>("scale");
        for (const double scale : {0.8, 1.0, 2.0})
            QTest::addRow("%.0f %%", 100 * scale) << scale;
    }
    void nothingIsCutOff()
    {
        QFETCH(double, scale);
        Workplace place;
        noteLearnerAsked();
        place.theme.setTextScale(scale);
        QVERIFY(place.loadCatalogue());
        QStringList wrong;
        std::size_t seen = 0;
        forEachView(place, [&](const QString& view, QWidget* root) {
            seen += readable(root).size();
            for (const QString& each : cutOff(root))
                wrong << view + s(": ") + each;
        });
        place.theme.setTextScale(1);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
        QVERIFY(seen > 100);
    }

    /// In the smallest window, with the largest text, what is read is read by scrolling down alone: only tables, code
    /// and pictures, which have two dimensions of their own, may go sideways (WCAG 2.2, 1.4.10).
    void nothingScrollsSideways()
    {
        Workplace place;
        noteLearnerAsked();
        place.theme.setTextScale(2);
        QVERIFY(place.loadCatalogue());
        QStringList wrong;
        int seen = 0;
        const auto sideways = [&seen](const QWidget* root) {
            QStringList found;
            for (const QScrollArea* area : root->findChildren<QScrollArea*>()) {
                if (!area->widget() || !area->isVisibleTo(root))
                    continue;
                ++seen;
                const int room = area->viewport()->width(), needed = area->widget()->width();
                if (needed > room)
                    found << s("%1 has %2 and needs %3 for %4")
                                 .arg(area->accessibleName())
                                 .arg(room)
                                 .arg(needed)
                                 .arg(widest(area->widget()));
            }
            return found;
        };
        const auto check = [&](const QString& view, QWidget* root) {
            const auto found = [&] { return sideways(root) + pushedOut(place.window.get()); };
            (void)QTest::qWaitFor([&] { return found().isEmpty(); }, 10000); // a layout may still be on its way
            for (const QString& each : found())
                wrong << view + s(": ") + each;
        };
        forEachView(place, check);
        MainWindow& window = *place.window;
        // A run as a worker stores it, with a fingerprint full of digests.
        record::RunRow run = Workplace::run(2);
        run.lesson = "2.4";
        run.fingerprint = Json{{"target", {{"chip", "h100-sxm"}, {"build", "5f7fb6214bdbdc63"}}},
                               {"kernels", Json::array({Json{{"name", "coalescing/01_strided_copy.cu"},
                                                             {"source_sha256", std::string(64, 'a')}}})}};
        run.checks = {{"matches_reference", true, "65536 elements equal the CPU's bit for bit"}};
        QStringList pages{s("runs/") + QString::fromStdString(place.store(run))};
        pages << everyPage(place).values();
        for (const ExperimentInfo& info : place.context->experiments())
            pages << s("lab/") + QString::fromStdString(info.id);
        for (const QString& page : pages) {
            QVERIFY2(window.open(page).ok(), qPrintable(page));
            QTRY_VERIFY2_WITH_TIMEOUT(window.page()->ready(), qPrintable(page), 20000);
            check(page, window.page());
        }
        place.theme.setTextScale(1);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
        QVERIFY(seen > 40);
        QCOMPARE(window.size(), QSize(kWidth, kHeight)); // nothing in it made it wider
    }

    void everyWordStandsOut_data()
    {
        QTest::addColumn<QString>("theme");
        for (const char* theme : {"light", "dark", "contrast"})
            QTest::newRow(theme) << s(theme);
    }
    void everyWordStandsOut()
    {
        QFETCH(QString, theme);
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        place.theme.setTextScale(2); // strokes wide enough to have their colour
        QVERIFY(place.loadCatalogue());
        QStringList wrong;
        forEachView(place, [&](const QString& view, QWidget* root) {
            for (const QString& each : faint(root, place.theme))
                wrong << view + s(": ") + each;
        });
        place.theme.setTextScale(1);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    /// The instrument itself: it tells what is cut off and what is faint.
    void theyAreFound()
    {
        Workplace place;
        QWidget page;
        page.resize(300, 200);
        auto* label = new QLabel(s("Words that need room"), &page);
        label->setGeometry(0, 0, 280, 60);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QVERIFY(cutOff(&page).isEmpty());
        label->setGeometry(0, 0, 20, 60);
        QCOMPARE(cutOff(&page).size(), 1);
        label->setGeometry(0, 0, 280, 60);
        QImage picture(280, 60, QImage::Format_RGB32);
        picture.fill(Qt::white);
        QVERIFY(contrastIn(picture, picture.rect()) < 1.01);
        picture.setPixelColor(5, 5, QColor(0x77, 0x77, 0x77));
        QVERIFY(contrastIn(picture, picture.rect()) < kLeastContrast);
        picture.setPixelColor(5, 5, QColor(0x76, 0x76, 0x76));
        QVERIFY(contrastIn(picture, picture.rect()) >= kLeastContrast);
    }
};

QTEST_MAIN(TestReadable)
#include "tst_readable.moc"
