// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell_fixture.h"
#include "tests/golden/golden.h"

#include "app/kernels/kernel_page.h"
#include "app/runs/lab/lab_page.h"
#include "app/ui/filter_bar.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_form.h"
#include "app/window/gallery/gallery_page.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>

namespace ridge::app {
namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

record::RunHead head(std::int64_t position, const std::string& sweep, double value, const std::string& lesson = {})
{
    record::RunHead run;
    run.position = position;
    run.id = "r" + std::to_string(position);
    run.sweepId = sweep;
    run.lesson = lesson;
    run.experiment = "coalescing";
    run.target = "sim:h100-sxm";
    run.params = R"({"stride":)" + std::to_string(position) + "}";
    run.metric = "sectors_per_request";
    run.value = value;
    return run;
}

class TestGallery : public QObject {
    Q_OBJECT

    static GalleryPage* gallery(MainWindow& window)
    {
        if (!window.open(s("gallery")))
            return nullptr;
        auto* page = qobject_cast<GalleryPage*>(window.page());
        return page && QTest::qWaitFor([&] { return page->ready(); }, 20000) ? page : nullptr;
    }
    static bool choose(GalleryPage& page, const char* key)
    {
        const QModelIndex found = page.model()->indexOf(s(key));
        page.view()->setCurrentIndex(found);
        return found.isValid();
    }
    static void pick(QComboBox* box, int value) { box->setCurrentIndex(box->findData(QString::number(value))); }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_place.loadCatalogue());
        for (const int stride : {1, 2, 4, 8})
            m_place.store(Workplace::run(stride));
        m_place.makeWindow();
    }

    void aCurveIsTheNewestSweepInTheOrderItRan()
    {
        std::vector<record::RunHead> heads{head(4, "b", 8), head(1, "a", 99), head(3, "b", 4), head(2, "b", 2),
                                           head(9, "", 7)};
        auto runs = cardRuns(heads, {});
        QCOMPARE(runs.size(), std::size_t{1});
        const CardRuns& card = runs.at("coalescing");
        QCOMPARE(card.curve, (std::vector<double>{2, 4, 8}));
        QCOMPARE(card.latest.size(), kLatestRuns);
        QCOMPARE(card.latest.front().position, std::int64_t{9});
        // The same point twice is told once; what failed or is withheld is not told.
        heads.push_back(head(10, "", 7));
        heads.back().params = heads[4].params;
        heads.push_back(head(11, "", 1));
        heads.back().failed = true;
        heads.push_back(head(12, "", 1, "2.4"));
        const auto again = cardRuns(heads, {"2.4"});
        QCOMPARE(again.at("coalescing").latest.front().position, std::int64_t{10});
        QCOMPARE(again.at("coalescing").latest[1].position, std::int64_t{4});
        QVERIFY(cardRuns({head(1, "a", 5, "2.4")}, {"2.4"}).empty());
    }

    void everyExperimentTaskAndKernelHasACard()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page);
        const auto tasks = tasksInOrder();
        QVERIFY(tasks.ok());
        const auto count = [&](GalleryCard::Kind kind) {
            pick(page->kinds(), int(kind));
            const int rows = page->model()->rowCount();
            page->kinds()->setCurrentIndex(0);
            return rows;
        };
        QCOMPARE(count(GalleryCard::Kind::Experiment), int(m_place.context->experiments().size()));
        QCOMPARE(count(GalleryCard::Kind::Task), int(tasks->size()));
        QVERIFY(count(GalleryCard::Kind::Kernel) > 100);
        for (int row = 0; row < page->model()->rowCount(); ++row) {
            const GalleryCard* card = page->model()->card(page->model()->index(row));
            QVERIFY2(!card->title.isEmpty() && !card->about.isEmpty(), qPrintable(card->key()));
            QVERIFY2(card->kind == GalleryCard::Kind::Experiment || !card->lines.isEmpty(), qPrintable(card->key()));
        }
        // What was run comes first, with its curve and when that was.
        const GalleryCard* first = page->model()->card(page->model()->index(0));
        QCOMPARE(first->key(), s("experiment/coalescing"));
        QCOMPARE(page->model()->runs(*first)->curve, (std::vector<double>{4, 8, 16, 32}));
        QVERIFY(page->model()->stateWords(*first).contains(m_place.context->targetInfo(s("sim:h100-sxm")).title));
    }

    void theFilterNarrows()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page);
        page->filter()->text()->setText(s("coalesc sector"));
        QVERIFY(page->model()->rowCount() >= 1 && page->model()->rowCount() < 10);
        QVERIFY(page->model()->indexOf(s("experiment/coalescing")).isValid());
        page->filter()->text()->setText(s("no such thing"));
        QCOMPARE(page->model()->rowCount(), 0);
        QVERIFY(!page->chosen() && page->openButton()->isHidden());
        page->filter()->clear();
        pick(page->shows(), int(GalleryQuery::Show::Recent));
        QCOMPARE(page->model()->rowCount(), 1);
        pick(page->shows(), int(GalleryQuery::Show::Untried));
        QVERIFY(!page->model()->indexOf(s("experiment/coalescing")).isValid());
        page->filter()->clear();
        pick(page->modules(), 5);
        QVERIFY(page->model()->indexOf(s("experiment/dram")).isValid());
        QVERIFY(!page->model()->indexOf(s("experiment/coalescing")).isValid());
        page->filter()->clear();
    }

    void aFavouriteComesFirstAndIsKept()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page && choose(*page, "experiment/dram"));
        page->favouriteButton()->click();
        QCOMPARE(page->chosen()->key(), s("experiment/dram"));
        QCOMPARE(page->model()->indexOf(s("experiment/dram")).row(), 0);
        QVERIFY(page->model()->index(0).data(Qt::AccessibleTextRole).toString().contains(s("favourite")));
        GalleryPage again(*m_place.context);
        QCOMPARE(again.model()->favourites(), QStringList(s("experiment/dram")));
        page->favouriteButton()->click();
        QVERIFY(page->model()->favourites().isEmpty());
    }

    void enterOpensACard()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page && choose(*page, "experiment/dram"));
        page->view()->setFocus();
        QTest::keyClick(page->view(), Qt::Key_Return);
        QCOMPARE(m_place.window->page()->part(), s("dram"));
        QVERIFY(qobject_cast<LabPage*>(m_place.window->page()));
        page = gallery(*m_place.window);
        QVERIFY(page && choose(*page, "task/pooling"));
        QTest::keyClick(page->view(), Qt::Key_Return);
        QVERIFY(qobject_cast<KernelPage*>(m_place.window->page()));
        QVERIFY(m_place.window->page()->part().contains(s("pooling")));
        page = gallery(*m_place.window);
        QVERIFY(page && choose(*page, "kernel/transpose/01_copy"));
        QTest::keyClick(page->view(), Qt::Key_Return);
        QVERIFY(qobject_cast<KernelPage*>(m_place.window->page()));
        QVERIFY(m_place.window->page()->part().contains(s("copy")));
        // Of a task that was begun the gallery says so.
        page = gallery(*m_place.window);
        const QModelIndex task = page->model()->indexOf(s("task/pooling"));
        QVERIFY(page->model()->stateWords(*page->model()->card(task)) == s("tried"));
    }

    void anotherChipTakesTheSettingsOfTheLastRun()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page && choose(*page, "experiment/coalescing"));
        QVERIFY(page->latest()->text().contains(s("32 sectors/request, SIM")));
        QMenu* menu = page->otherChipButton()->menu();
        Q_EMIT menu->aboutToShow();
        const auto actions = menu->findChildren<QAction*>();
        const QString wanted = m_place.context->targetInfo(s("sim:h200-sxm")).title;
        const auto chip = std::ranges::find_if(
            actions, [&](QAction* action) { return action->text().startsWith(wanted) && action->isEnabled(); });
        QVERIFY2(chip != actions.end(), qPrintable(wanted));
        (*chip)->trigger();
        auto* lab = qobject_cast<LabPage*>(m_place.window->page());
        QVERIFY(lab);
        QCOMPARE(m_place.context->target(), s("sim:h200-sxm"));
        QCOMPARE(std::get<std::int64_t>(lab->form()->values().at("stride")), std::int64_t{8});
        QCOMPARE(lab->runningJobs(), 0);
        const auto none = lab->open(s("coalescing/no-such-run"));
        QVERIFY(!none);
        QCOMPARE(none.error().code, std::string("unknown-page"));
        // And back by the bench's own button.
        lab->findChild<QPushButton*>(s("gallery"))->click();
        QVERIFY(qobject_cast<GalleryPage*>(m_place.window->page()));
    }

    void cardsFitAtEveryWidthAndTextSize()
    {
        GalleryPage* page = gallery(*m_place.window);
        QVERIFY(page);
        for (const double scale : {1.0, 2.0})
            for (const int width : {1024, 1600}) {
                m_place.theme.setTextScale(scale);
                m_place.window->resize(width, 800);
                QVERIFY(QTest::qWaitFor([&] {
                    const QSize cell = page->view()->gridSize();
                    const int room = page->view()->viewport()->width();
                    return cell.width() <= room && cell.width() * 2 > std::min(room, m_place.theme.scaled(340));
                }));
                // All of a card's lines are inside it.
                const QSize cell = page->view()->gridSize();
                QVERIFY(cell.height() > 5 * m_place.theme.lineHeight(TextStyle::Caption) / 2);
                QVERIFY(page->view()->visualRect(page->model()->index(0)).height() <= cell.height());
            }
        m_place.theme.setTextScale(1.0);
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        QVERIFY(m_place.theme.load(theme).ok());
        GalleryPage page(*m_place.context);
        page.resize(1100, 520);
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.ready(), 20000);
        page.filter()->text()->setText(s("coalescing")); // an experiment that was run, and kernels
        QVERIFY(choose(page, "experiment/coalescing"));
        QVERIFY(QTest::qWaitFor([&] {
            const QRect first = page.view()->visualRect(page.model()->index(0));
            return page.view()->visualRect(page.model()->index(1)).left() == first.right() + 1 &&
                   page.latest()->height() >= page.latest()->heightForWidth(page.latest()->width());
        }));
        QStringList wrong;
        for (const auto& [name, widget] :
             {std::pair<const char*, QWidget*>{"cards", page.view()}, {"chosen", page.findChild<Card*>()}}) {
            QImage image(widget->size() * scale, QImage::Format_RGB32);
            image.setDevicePixelRatio(scale);
            image.fill(m_place.theme.color(Role::Window));
            widget->render(&image);
            const QString found =
                golden::checkImage(QStringLiteral("gallery_%1_%2_%3x").arg(s(name), theme).arg(scale), image);
            if (!found.isEmpty())
                wrong << found;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

private:
    Workplace m_place;
};

} // namespace
} // namespace ridge::app

QTEST_MAIN(ridge::app::TestGallery)
#include "tst_gallery.moc"
