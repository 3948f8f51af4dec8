// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a module and the GPU catalogue in the real window: what they say, by keyboard, as pictures.
#include "tests/app/window/shell_fixture.h"

#include "app/chips/catalogue_page.h"
#include "app/chips/choice_bar.h"
#include "app/chips/parity_page.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/lesson/reader/info_card.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/ui/learner_choices.h"
#include "app/window/learn/learn_page.h"
#include "app/window/learn/module_page.h"
#include "app/window/learn/outline.h"
#include "app/window/learn/path_step.h"
#include "app/window/learn/term_list.h"
#include "app/window/palette_model.h"
#include "app/window/status_segments.h"
#include "base/kernel_task.h"
#include "tests/golden/golden.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTextBrowser>
#include <QTreeView>
#include <QVBoxLayout>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

ModulePage* modulePage(Workplace& place)
{
    auto* learn = qobject_cast<LearnPage*>(place.window->page());
    return learn ? learn->module() : nullptr;
}

CataloguePage* cataloguePage(Workplace& place)
{
    return qobject_cast<CataloguePage*>(place.window->page());
}

ParityPage* parityPage(Workplace& place)
{
    return qobject_cast<ParityPage*>(place.window->page());
}

/// The window of the test before may take the focus with it as it goes.
bool activate(QWidget& window)
{
    for (int i = 0; i < 5; ++i) {
        window.activateWindow();
        if (QTest::qWaitForWindowActive(&window, 2000))
            return true;
    }
    return false;
}

lessons::Lesson lesson(const char* id, std::vector<std::string> objectives)
{
    lessons::Lesson out;
    out.id = id;
    out.objectives = std::move(objectives);
    return out;
}

/// Shipped, begun, open, not written, and a capstone.
std::vector<PathStepRow*> pathOfEveryState(Theme& theme)
{
    using Place = PathStepRow::Place;
    ModuleStep step;
    step.id = s("1.1");
    step.title = s("GPU vs CPU architecture");
    step.question = s("From which size on does a GPU finish before a CPU, and what decides it?");
    step.minutes = 24;
    step.written = true;
    step.checks = 6;
    step.passed = 6;
    step.progress = {true, true, true, true};
    std::vector<PathStepRow*> rows = {new PathStepRow(theme, step, Place::First)};
    step.id = s("1.2");
    step.progress.shipped = false;
    step.passed = 2;
    rows.push_back(new PathStepRow(theme, step, Place::Middle));
    step.id = s("1.3");
    step.progress = {};
    rows.push_back(new PathStepRow(theme, step, Place::Middle));
    ModuleStep planned;
    planned.id = s("1.4");
    planned.title = s("Tensor cores and mixed precision");
    rows.push_back(new PathStepRow(theme, planned, Place::Middle));
    step.id = s("1.capstone");
    step.title = s("Read an unknown GPU");
    step.capstone = true;
    rows.push_back(new PathStepRow(theme, step, Place::Last));
    return rows;
}

QImage pictureOf(QWidget& page, double scale)
{
    QImage image(page.size() * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    if (QWidget* focused = QApplication::focusWidget())
        focused->clearFocus(); // its ring is no part of the picture
    image.fill(page.palette().color(QPalette::Window));
    page.render(&image);
    return image;
}

} // namespace

class TestModulePages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void abilitiesAreDrawnTogetherByTheirVerb()
    {
        const auto one = lesson("1.1", {"Predict which is faster.", "Say why."});
        const auto two = lesson("1.2", {"Compute the occupancy.", "predict the limit.", "Say why."});
        const auto groups = abilitiesOf({&one, &two});
        QCOMPARE(groups.size(), std::size_t{3});
        QCOMPARE(groups[0].verb, s("Predict"));
        QCOMPARE(groups[0].items.size(), std::size_t{2});
        QCOMPARE(groups[0].items[1].text, s("the limit."));
        QCOMPARE(groups[1].items.size(), std::size_t{1}); // the same thing once
        QCOMPARE(groups[1].items[0].lessons, QStringList({s("1.1"), s("1.2")}));
        QCOMPARE(groups[2].verb, s("Compute"));
        QVERIFY(abilitiesOf({}).empty());
    }

    void timesAndStatesInWords()
    {
        QCOMPARE(durationText(24), s("24 min"));
        QCOMPARE(durationText(120), s("2 h"));
        QCOMPARE(durationText(168), s("2 h 48 min"));
        ModuleStep step;
        QCOMPARE(stepText(step), s("Not written yet"));
        step.written = true;
        QCOMPARE(stepText(step), s("Not started"));
        step.progress = {true, true, true, false};
        step.checks = 7;
        step.passed = 5;
        QCOMPARE(stepText(step), s("Read, predicted, ran, 5 of 7 checks pass"));
        step.passed = 7;
        step.progress.shipped = true;
        QCOMPARE(stepText(step), s("Read, predicted, ran, passed, shipped"));
    }

    void continueLeadsToTheNextOpenLesson()
    {
        ModuleStory story;
        for (const char* id : {"1.1", "1.2", "1.3", "1.4"}) {
            ModuleStep step;
            step.id = s(id);
            step.written = step.id != s("1.1");
            story.steps.push_back(step);
        }
        QCOMPARE(story.next({})->id, s("1.2")); // the first is not written
        QCOMPARE(story.next({s("2.4"), s("1.4"), s("1.3")})->id, s("1.4"));
        story.steps[3].progress.shipped = true;
        QCOMPARE(story.next({s("1.4"), s("1.3")})->id, s("1.3"));
        story.steps[1].progress.shipped = story.steps[2].progress.shipped = true;
        QVERIFY(!story.next({s("1.4")}));
    }

    void everyModuleHasAPageThatIsTrueToIt()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        for (const lessons::ModuleInfo& module : place.context->curriculum().modules) {
            const QString name = s("module/%1").arg(module.number);
            QVERIFY(window.open(name).ok());
            QCOMPARE(window.currentPage(), name);
            ModulePage* page = modulePage(place);
            QVERIFY(page);
            const ModuleStory& story = page->story();
            QCOMPARE(story.title, QString::fromStdString(module.title));
            QCOMPARE(story.lessons(), 8);
            QCOMPARE(page->rows().size(), story.steps.size());
            for (const PathStepRow* row : page->rows()) {
                QCOMPARE(row->isEnabled(), place.context->curriculum().head(row->step().id.toStdString()) != nullptr);
                if (!row->isEnabled())
                    QCOMPARE(row->accessibleDescription(), s("Not written yet"));
            }
            QCOMPARE(page->continueButton() != nullptr, story.written() > 0);
            QCOMPARE(page->terms() != nullptr, !story.terms.empty());
            for (std::size_t i = 1; i < story.terms.size(); ++i)
                QVERIFY(QString::localeAwareCompare(QString::fromStdString(story.terms[i - 1]->name),
                                                    QString::fromStdString(story.terms[i]->name)) <= 0);
        }
        const auto unknown = window.open(s("module/9"));
        QVERIFY(!unknown.ok());
        QVERIFY(unknown.error().fix.find("module/1") != std::string::npos);
        QVERIFY(!window.open(s("module")).ok());
        QCOMPARE(window.currentPage(), s("module/7"));
    }

    void stateComesFromEvidenceAndIsRefreshed()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("module/2")).ok());
        const auto state = [&] {
            for (const ModuleStep& step : modulePage(place)->story().steps)
                if (step.id == s("2.4"))
                    return stepText(step);
            return QString();
        };
        QCOMPARE(state(), s("Not started"));
        place.storeArtifact();
        QTRY_VERIFY2(state().endsWith(s("shipped")), qPrintable(state()));
        QVERIFY(state().contains(s("redicted, ran")));
        // What was shipped can be opened from here.
        QPushButton* open = nullptr;
        for (QPushButton* button : modulePage(place)->findChildren<QPushButton*>())
            if (button->accessibleName() == s("Open the artifact of 2.4"))
                open = button;
        QVERIFY(open);
        QTest::mouseClick(open, Qt::LeftButton);
        QVERIFY2(window.currentPage().startsWith(s("artifact/")), qPrintable(window.currentPage()));
    }

    /// Each module offers the kernel tasks of its lessons, with how far one is.
    void tasksOfItsLessonsAreOffered()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        const auto tasks = shippedTasks();
        std::size_t offered = 0;
        for (const char* number : {"2", "4", "5"}) {
            QVERIFY(window.open(s("module/") + s(number)).ok());
            for (const KernelTask& task : *tasks) {
                const bool own = task.lesson.starts_with(number);
                auto* open =
                    modulePage(place)->findChild<QPushButton*>(s("openTask-") + QString::fromStdString(task.id));
                QVERIFY2((open != nullptr) == own, task.id.c_str());
                offered += own ? 1 : 0;
            }
        }
        QCOMPARE(offered, tasks->size());
        QVERIFY(window.open(s("module/2")).ok());
        const auto said = [&] { return modulePage(place)->findChild<QLabel*>(s("task-reverse"))->text(); };
        QVERIFY2(said().endsWith(s("untried")), qPrintable(said()));
        modulePage(place)->findChild<QPushButton*>(s("openTask-reverse"))->click();
        QCOMPARE(window.currentPage(), s("kernel/task/reverse"));
        QVERIFY(window.open(s("module/2")).ok());
        QTRY_VERIFY2(said().endsWith(s("· tried")), qPrintable(said()));
    }

    void waysToTheModulePage()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        const auto entries = paletteEntries(*place.context, {});
        const auto leadsTo = [&](const QString& target) {
            return std::any_of(entries.begin(), entries.end(),
                               [&](const PaletteEntry& e) { return e.target == target; });
        };
        for (int number = 1; number <= 7; ++number)
            QVERIFY(leadsTo(s("module/%1").arg(number)));
        QVERIFY(leadsTo(s("go.catalogue")));
        QVERIFY(leadsTo(s("go.parity")));
        // No term leads to a lesson that is not there.
        for (const PaletteEntry& entry : entries)
            if (entry.kind == PaletteEntry::Kind::Term && entry.target.startsWith(s("lesson/")))
                QVERIFY2(place.context->curriculum().head(entry.target.mid(7).toStdString()), qPrintable(entry.text));
        // The heading of the overview, with the keyboard.
        QVERIFY(window.open(s("learn")).ok());
        QVERIFY(activate(window));
        QAbstractButton* heading = nullptr;
        for (auto* button : window.page()->findChildren<QAbstractButton*>())
            if (button->accessibleName() == s("Module 2, CUDA Programming"))
                heading = button;
        QVERIFY(heading);
        heading->setFocus();
        QTest::keyClick(heading, Qt::Key_Space);
        QCOMPARE(window.currentPage(), s("module/2"));
        // The outline beside a lesson.
        QVERIFY(window.open(s("lesson/2.4")).ok());
        auto* outline = window.findChild<LessonOutline*>();
        QTreeWidgetItem* up = outline->topLevelItem(0)->child(0);
        QVERIFY(!up->isHidden() && up->text(0).contains(s("CUDA Programming")));
        Q_EMIT outline->itemActivated(up, 0);
        QCOMPARE(window.currentPage(), s("module/2"));
        window.goBack();
        QCOMPARE(window.currentPage(), s("lesson/2.4"));
        window.goForward();
        QVERIFY(modulePage(place));
    }

    void termsExplainThemselvesByKeyboardAndHover()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("module/2")).ok());
        QVERIFY(activate(window));
        ModulePage* page = modulePage(place);
        TermList* terms = page->terms();
        QVERIFY(terms);
        auto* card = page->findChild<InfoCard*>();
        terms->setFocus();
        for (int row = 0; row < terms->model()->rowCount(); ++row)
            QVERIFY(cardFor(place.context->curriculum(),
                            QUrl(s("term:") + terms->model()->index(row, 0).data().toString())));
        terms->setCurrentIndex(terms->model()->index(1, 0));
        QTest::keyClick(terms, Qt::Key_F1);
        QVERIFY(card->isVisible());
        QVERIFY(card->accessibleName().startsWith(terms->currentIndex().data().toString()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        Q_EMIT terms->entered(terms->model()->index(0, 0));
        QTRY_VERIFY(card->isVisible());
        // A list of all terms is one stop for Tab and as high as it needs.
        QTest::keyClick(terms, Qt::Key_Tab);
        QVERIFY(!terms->hasFocus());
        const QRect last = terms->visualRect(terms->model()->index(terms->model()->rowCount() - 1, 0));
        QVERIFY(terms->viewport()->rect().contains(last));
    }

    void parityByKeyboard()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("parity")).ok());
        QVERIFY(activate(window));
        ParityPage* page = parityPage(place);
        QTreeView* list = page->list();
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(list));
        // Something is drawn at once, and it says where it comes from and what else was measured there.
        QCOMPARE(page->chosen(), QStringList({s("gemm-a100-bf16")}));
        QVERIFY2(page->provenance().contains(s("Apache-2.0")) && page->provenance().contains(s("errors of a fit")) &&
                     page->provenance().contains(s("LLMCompass differs by")),
                 qPrintable(page->provenance()));
        // The next one, and both together: one unit, one picture.
        QTest::keyClick(list, Qt::Key_Down);
        QCOMPARE(page->chosen(), QStringList({s("gemm-a100-int4")}));
        QTest::keyClick(list, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(page->chosen(), QStringList({s("gemm-a100-int4"), s("gemm-h200-bf16")}));
        QCOMPARE(page->part(), s("gemm-a100-int4,gemm-h200-bf16"));
        QCOMPARE(page->chart()->table()->rowCount(), 228);
        // Ctrl+F and words leave fewer; what is chosen and no longer there is drawn no more.
        QTest::keyClick(list, Qt::Key_F, Qt::ControlModifier);
        auto* field = page->findChild<QLineEdit*>();
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, s("vidur"));
        QCOMPARE(list->model()->rowCount(), 2);
        QCOMPARE(page->chosen(), QStringList({s("gemm-a100-vidur")}));
        // Data sets of another unit are named and not drawn.
        QVERIFY(window.open(s("parity/dram-latency,dram-bandwidth")).ok());
        QVERIFY2(page->chart()->plot()->text().caption.contains(s("Not drawn: Streams of reads and writes")),
                 qPrintable(page->chart()->plot()->text().caption));
        // The way into the Lab, and a page that is not there.
        const auto wrong = window.open(s("parity/abacus"));
        QVERIFY(!wrong.ok());
        QVERIFY2(wrong.error().fix.find("gemm-h200-fp8") != std::string::npos, wrong.error().fix.c_str());
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->text() == s("Open in the Lab")) {
                button->setFocus();
                QTest::keyClick(button, Qt::Key_Space);
                break;
            }
        QCOMPARE(window.currentPage(), s("lab/dram"));
    }

    /// The badge of the target says what a provenance promises and leads to how far it was off.
    void theTargetsProvenanceLeadsToThePage()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QMenu menu;
        fillProvenanceMenu(&menu, *place.context, Provenance::Modelled);
        auto* go = menu.findChild<QAction*>(s("parity"));
        QVERIFY(go && go->isEnabled());
        go->trigger();
        QTRY_COMPARE(window.currentPage().section(QLatin1Char('/'), 0, 0), s("parity"));
    }

    void lessonsLeadToTheirDataSets()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("lesson/7.2")).ok());
        QTextBrowser* prose = nullptr;
        const auto found = [&] {
            for (auto* one : window.page()->findChildren<QTextBrowser*>())
                if (one->toHtml().contains(s("parity:mlperf-offline")))
                    prose = one;
            return prose != nullptr;
        };
        QTRY_VERIFY(found());
        Q_EMIT prose->anchorClicked(QUrl(s("parity:mlperf-offline")));
        QTRY_COMPARE(window.currentPage(), s("parity/mlperf-offline"));
        QCOMPARE(parityPage(place)->chosen(), QStringList({s("mlperf-offline")}));
    }

    void catalogueByKeyboard()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("catalogue")).ok());
        QVERIFY(activate(window));
        CataloguePage* page = cataloguePage(place);
        auto* view = page->findChild<QTreeView*>(s("chips"));
        QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(view));
        // Ctrl+F, words, Down into the list, Space, Space.
        QTest::keyClick(view, Qt::Key_F, Qt::ControlModifier);
        auto* field = page->findChild<QLineEdit*>();
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, s("sxm hopper"));
        QCOMPARE(page->filter()->shownIds(), QStringList({s("h100-sxm"), s("h200-sxm")}));
        view->setFocus();
        view->setCurrentIndex(page->filter()->index(0, 4));
        QTest::keyClick(view, Qt::Key_Space);
        QTest::keyClick(view, Qt::Key_Down);
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(page->list()->chosen(), QStringList({s("h100-sxm"), s("h200-sxm")}));
        QCOMPARE(page->part(), s("h100-sxm,h200-sxm"));
        QVERIFY(page->comparison()->comparison().chips.size() == 2);
        // Once more takes it out again.
        QTest::keyClick(view, Qt::Key_Space);
        QCOMPARE(page->list()->chosen(), QStringList({s("h100-sxm")}));
        // Nothing fits: it says so, and the way back is there.
        field->setText(s("abacus"));
        QCOMPARE(page->filter()->rowCount(), 0);
        QPushButton* clear = nullptr;
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->text() == s("Clear the filters"))
                clear = button;
        QVERIFY(clear && clear->isVisible());
        QTest::mouseClick(clear, Qt::LeftButton);
        QCOMPARE(page->filter()->rowCount(), page->list()->rowCount());
    }

    void namesOfChipsHaveRoom_data()
    {
        QTest::addColumn<double>("scale");
        QTest::newRow("100 %") << 1.0;
        QTest::newRow("200 %") << 2.0;
    }
    void namesOfChipsHaveRoom()
    {
        QFETCH(double, scale);
        Workplace place;
        noteLearnerAsked();
        place.theme.setTextScale(scale);
        MainWindow& window = place.makeWindow();
        window.resize(1280, 720);
        QVERIFY(window.open(s("catalogue")).ok());
        QCoreApplication::processEvents();
        CataloguePage* page = cataloguePage(place);
        auto* view = page->findChild<QTreeView*>(s("chips"));
        QStyleOptionViewItem option;
        option.initFrom(view);
        option.font = view->font();
        for (int column = 0; column < ChipListModel::FirstFigure; ++column)
            for (int row = 0; row < page->filter()->rowCount() && !view->isColumnHidden(column); ++row) {
                const QModelIndex cell = page->filter()->index(row, column);
                const int needed = view->itemDelegate()->sizeHint(option, cell).width();
                QVERIFY2(needed <= view->columnWidth(column),
                         qPrintable(
                             s("%1: %2 of %3").arg(cell.data().toString()).arg(needed).arg(view->columnWidth(column))));
            }
        // At 1280 px all figures stand side by side, and a wider window is filled, with the class.
        if (scale == 1) {
            QCOMPARE(view->horizontalScrollBar()->maximum(), 0);
            QVERIFY(!view->isColumnHidden(ChipListModel::Name));
            window.resize(1920, 1080);
            QTRY_VERIFY(!view->isColumnHidden(ChipListModel::Class));
            QTRY_COMPARE(view->header()->length(), view->viewport()->width());
        }
        place.theme.setTextScale(1);
    }

    void catalogueOfNamedChips()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        const auto wrong = window.open(s("catalogue/h100-sxn"));
        QVERIFY(!wrong.ok());
        QVERIFY2(wrong.error().fix.find("h100-sxm") != std::string::npos, wrong.error().fix.c_str());
        QVERIFY(window.open(s("catalogue/h100-sxm,l40s,t4")).ok());
        CataloguePage* page = cataloguePage(place);
        QCOMPARE(page->tabs()->currentIndex(), int(CataloguePage::SideBySide));
        // The cell that one moves to says where its number comes from, without a pointer.
        auto* table = page->findChild<QTreeView*>(s("comparison"));
        QVERIFY(table);
        table->setCurrentIndex(page->comparison()->index(3, 2));
        bool told = false;
        for (const QLabel* label : page->findChildren<QLabel*>())
            told = told || (label->accessibleName() == s("Where the number comes from") &&
                            label->text().startsWith(s("L40S, FP32")) && label->text().contains(s("published")));
        QVERIFY(told);
        // Another chip becomes the first.
        auto* bar = page->findChild<ChoiceBar*>();
        Q_EMIT bar->madeFirst(s("l40s"));
        QCOMPARE(page->list()->chosen().first(), s("l40s"));
        QCOMPARE(page->comparison()->comparison().chips.front()->id, std::string("l40s"));

        for (const char* suffix : {"csv", "md", "json"}) {
            const QString file = place.home() + s("/gpus.") + s(suffix);
            QVERIFY(page->exportTo(file).ok());
            QFile in(file);
            QVERIFY(in.open(QIODevice::ReadOnly));
            const QByteArray bytes = in.readAll();
            QVERIFY2(bytes.contains("989") && bytes.contains("not supported"), suffix);
        }
        QVERIFY(!page->exportTo(s("/nowhere/gpus.csv")).ok());
        page->copy();
        QVERIFY(QApplication::clipboard()->mimeData()->hasHtml());
        QVERIFY(QApplication::clipboard()->text().contains(s("l40s_source")));
        QVERIFY(QApplication::clipboard()->mimeData()->html().contains(s("L40S")));
        QVERIFY(page->chart()->plot()->summary().contains(s("L40S")));
        // A wide window has the chart beside the comparison.
        QCOMPARE(page->tabs()->count(), 3);
        window.resize(1900, 1000);
        QTRY_COMPARE(page->tabs()->count(), 2);
        QVERIFY(page->chart()->isVisible());
        window.resize(1280, 800);
        QTRY_COMPARE(page->tabs()->count(), 3);
    }

    void lookAsDrawn_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << s(theme) << scale;
    }

    void lookAsDrawn()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        MainWindow& window = place.makeWindow();
        window.resize(1100, 720);
        const auto check = [&](const char* name, const QString& page, int tab) {
            if (!window.open(page))
                return s("%1 does not open").arg(page);
            cataloguePage(place)->tabs()->setCurrentIndex(tab);
            QCoreApplication::processEvents();
            return golden::checkImage(s("%1_%2_%3x").arg(s(name), theme).arg(scale), pictureOf(*window.page(), scale));
        };
        QString wrong = check("catalogue_list", s("catalogue"), CataloguePage::List);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        wrong = check("catalogue_compare", s("catalogue/h100-sxm,h200-sxm,t4"), CataloguePage::SideBySide);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        wrong = check("catalogue_roofline", s("catalogue/h100-sxm,h200-sxm,t4"), CataloguePage::Roofline);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        const auto parity = [&](const char* name, const QString& page, bool ratio) {
            if (!window.open(page))
                return s("%1 does not open").arg(page);
            parityPage(place)->ratio()->setChecked(ratio);
            QCoreApplication::processEvents();
            return golden::checkImage(s("%1_%2_%3x").arg(s(name), theme).arg(scale), pictureOf(*window.page(), scale));
        };
        wrong = parity("parity_diagonal", s("parity/nccl-a100,nccl-h200,allreduce-vidur"), false);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        window.resize(1500, 800);
        wrong = parity("parity_ratio", s("parity/gemm-h200-bf16"), true);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        window.resize(1100, 720);
        // The path in every state, and a flow of terms: of their own, so that writing a lesson changes no picture.
        QWidget path;
        QPalette palette = path.palette();
        palette.setColor(QPalette::Window, place.theme.color(Role::Surface));
        path.setPalette(palette);
        auto* column = new QVBoxLayout(&path);
        column->setSpacing(0);
        for (PathStepRow* row : pathOfEveryState(place.theme))
            column->addWidget(row);
        std::vector<lessons::Term> terms;
        for (const char* name : {"bank", "coalescing", "lane", "load efficiency", "memory request", "padding", "sector",
                                 "stride", "swizzle", "warp", "wavefront"})
            terms.push_back({name, {}, "Text.", "2.4"});
        std::vector<const lessons::Term*> shown;
        for (const lessons::Term& term : terms)
            shown.push_back(&term);
        InfoCard card(*place.context, &path);
        column->addWidget(new TermList(*place.context, card, shown));
        path.resize(620, 620);
        path.show();
        QVERIFY(QTest::qWaitForWindowExposed(&path));
        wrong = golden::checkImage(s("module_path_%1_%2x").arg(theme).arg(scale), pictureOf(path, scale));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestModulePages)
#include "tst_module_pages.moc"
