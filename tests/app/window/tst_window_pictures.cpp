// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a whole in each named layout, and the small views that stand in it, over it or beside a page.
#include "shell_fixture.h"

#include "app/class/assignments/file_reader.h"
#include "app/class/teaching/class_tables.h"
#include "app/class/teaching/drop_veil.h"
#include "app/class/teaching/job_bar.h"
#include "app/kernels/history_panel.h"
#include "app/kernels/replace_bar.h"
#include "app/lesson/reader/error_card.h"
#include "app/lesson/reader/find_bar.h"
#include "app/lesson/reader/info_card.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/ui/kernel_editor.h"
#include "app/ui/learner_choices.h"
#include "app/ui/outcome_bar.h"
#include "app/window/file_bar.h"
#include "app/window/layouts.h"
#include "app/window/log_panel.h"
#include "app/window/settler.h"
#include "app/window/status_strip.h"
#include "app/window/window_docks.h"
#include "tests/golden/golden.h"

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// The window on a lesson, and what differs from a picture.
struct Seen {
    Workplace place{true, Workplace::Lessons::Small};
    QString end; ///< of the pictures' names
    bool large;
    QStringList wrong;

    Seen(const QString& theme, int textPercent) : end(s("_") + theme), large(textPercent > 100)
    {
        noteLearnerAsked();
        if (!place.theme.load(theme))
            qFatal("theme");
        place.theme.setTextScale(textPercent / 100.0);
        if (large)
            end += s("_%1").arg(textPercent);
    }
    MainWindow& window() { return *place.window; }
    bool open(QSize size)
    {
        if (!place.loadCatalogue())
            return false;
        place.context->setTarget(s("sim:h100-sxm"));
        place.makeWindow().resize(size);
        return window().open(s("lesson/1.1")).ok() &&
               QTest::qWaitFor([this] { return window().page()->ready(); }, 20000) && settle();
    }
    bool settle()
    {
        if (QWidget* focused = QApplication::focusWidget())
            focused->clearFocus(); // a focus ring is no part of the picture
        Settler settler(window(), false, 20000);
        QSignalSpy settled(&settler, &Settler::settled);
        settler.start();
        return settled.wait(60000);
    }
    LessonPage* lesson() { return window().findChild<LessonPage*>(); }
    void check(const char* name, QWidget& widget)
    {
        const QString found = large ? golden::checkImage(s(name) + end, widget.grab().toImage())
                                    : golden::checkView(s(name) + end, widget);
        if (!found.isEmpty())
            wrong << found;
    }
    /// A view by itself, in a window of its size.
    void checkAlone(const char* name, QWidget* view, QSize size)
    {
        QWidget sheet;
        sheet.resize(size);
        auto* column = new QVBoxLayout(&sheet);
        column->setContentsMargins(space::m, space::m, space::m, space::m);
        column->addWidget(view);
        view->show(); // also one that waits for work
        sheet.show();
        if (!QTest::qWaitForWindowExposed(&sheet))
            qFatal("no window");
        if (QWidget* focused = QApplication::focusWidget())
            focused->clearFocus();
        for (int i = 0; i < 5; ++i) // lists lay themselves out in several turns
            QCoreApplication::processEvents();
        check(name, sheet);
    }
};

/// The log with hours that are the same each time.
void fillLog(LogPanel& log)
{
    log.add(s("Coalescing, stride 2: finished in 0.4 s."), false);
    log.add(s("Coalescing, stride 16: there is no room for 8 GiB of input. Take fewer elements, or another target."),
            true);
    log.add(s("Bank conflicts, 4 points: finished in 1.2 s."), false);
    auto* model = log.findChild<QListView*>()->model();
    for (int row = 0; row < model->rowCount(); ++row) {
        const QModelIndex line = model->index(row, 0);
        model->setData(line, s("12:00:0%1").arg(row) + line.data().toString().mid(8));
    }
}

void addThemes()
{
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("textPercent");
    for (const char* theme : {"light", "dark"})
        QTest::newRow(theme) << s(theme) << 100;
}

} // namespace

class TestWindowPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
    }

    void layouts_data() { addThemes(); }
    void layouts()
    {
        QFETCH(QString, theme);
        Seen seen(theme, 100);
        QVERIFY(seen.open({1280, 720}));
        for (const WindowLayout& layout : windowLayouts()) {
            seen.window().setLayoutName(layout.id);
            if (seen.window().isFullScreen()) { // as large as that of the others, whatever the screen is
                seen.window().setWindowState(Qt::WindowNoState);
                seen.window().resize(1280, 720);
            }
            fillLog(*seen.window().docks()->logPanel());
            QVERIFY(seen.settle());
            seen.check(qPrintable(s("window_") + layout.id), seen.window());
            seen.window().docks()->logPanel()->findChild<QListView*>()->model()->removeRows(
                0, seen.window().docks()->logPanel()->lines().size());
        }
        QVERIFY2(seen.wrong.isEmpty(), qPrintable(seen.wrong.join(u'\n')));
    }

    void smallViews_data()
    {
        addThemes();
        QTest::newRow("light 200") << s("light") << 200;
    }
    void smallViews()
    {
        QFETCH(QString, theme);
        QFETCH(int, textPercent);
        Seen seen(theme, textPercent);
        QVERIFY(seen.open({1280, 720}));
        auto* strip = seen.window().status();
        strip->showNotice(s("Coalescing, stride 2: finished."), false);
        QCoreApplication::processEvents();
        seen.check("status_strip", *strip);

        seen.lesson()->places()->find();
        FindBar& bar = seen.lesson()->places()->findBar();
        QTest::keyClicks(bar.field(), s("sector"));
        QVERIFY(bar.count() > 1);
        bar.setFocus();
        seen.check("find_bar", bar);
        bar.close();

        auto* card = seen.lesson()->findChild<InfoCard*>();
        for (const auto& [name, link] :
             {std::pair("card_term", "term:stride"), std::pair("card_claim", "claim:h100.warp_sectors")}) {
            card->open(QUrl(s(link)), seen.lesson(), QRect(200, 100, 60, 20));
            QVERIFY2(card->isVisible(), link);
            for (const QPushButton* button : card->findChildren<QPushButton*>())
                QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
            seen.lesson()->setFocus();
            seen.check(name, *card);
            card->dismiss();
        }

        auto* log = new LogPanel(*seen.place.context, *seen.window().runs());
        fillLog(*log);
        seen.checkAlone("log", log, {760, seen.large ? 240 : 150});
        if (seen.large) {
            QVERIFY2(seen.wrong.isEmpty(), qPrintable(seen.wrong.join(u'\n')));
            return;
        }

        KernelHistory history;
        const std::string first =
            "__global__ void add(float* a, int n)\n{\n    int i = threadIdx.x;\n    a[i] += 1;\n}\n";
        std::string second = first;
        second.replace(second.find("threadIdx.x"), 11, "blockIdx.x * blockDim.x + threadIdx.x");
        for (const auto& [text, name] : {std::pair(first, "One block"), std::pair(second, "Every block")})
            QVERIFY(history.keep(text, name).ok());
        auto* versions = new HistoryPanel(seen.place.theme);
        versions->setHistory(history, QString::fromStdString(first));
        QCOMPARE(versions->list()->count(), 2);
        for (int row = 0; row < 2; ++row) { // when they were kept is another time each time
            QListWidgetItem* item = versions->list()->item(row);
            item->setText(item->text().section(s(" — "), 0, 0) + s(" — 2 Jan 2026 03:04"));
        }
        seen.checkAlone("versions", versions, {420, 420});

        classroom::RegradeReport report;
        report.learners = 3;
        report.runs = 10;
        report.same = 6;
        report.rebuilt = 2;
        report.trouble = {"coalescing on gpu:0: there is no GPU here"};
        report.different = {{{"L-6AANDMSAHZ", "Ada Lovelace"},
                             "1.1",
                             "curve",
                             "r1",
                             "coalescing",
                             "sim:h100-sxm",
                             "sectors_per_request",
                             8,
                             16,
                             true},
                            {{"L-9BBNDMSAHZ", "Chen Okafor"},
                             "1.1",
                             "curve",
                             "r2",
                             "coalescing",
                             "sim:h100-sxm",
                             "sectors_per_request",
                             32,
                             31,
                             false}};
        auto* recheck = new RegradeTable(seen.place.theme);
        recheck->setReport(report);
        recheck->resize(1100, 240); // what the smallest window gives it
        recheck->show();
        QCoreApplication::processEvents();
        QTreeView* verdicts = recheck->view();
        QVERIFY(verdicts->columnWidth(7) >=
                verdicts->fontMetrics().horizontalAdvance(s("built otherwise: this one counts")));
        seen.checkAlone("recheck", recheck, {1120, 260});

        auto* outcome = new OutcomeBar(seen.place.theme);
        outcome->tell(s("30 submissions are in: 28 new, 2 were there before."), s("Show them"), [] {});
        seen.checkAlone("outcome_bar", outcome, {760, 64});
        auto* error = new ErrorCard(seen.place.theme);
        error->showError(
            {"out-of-memory", "There is no room for 8 GiB of input.", "coalescing", "Take fewer elements."}, true);
        seen.checkAlone("error_card", error, {640, 130});
        auto* files = new FileReader(*seen.place.context, &seen.window());
        auto* file = new FileBar(seen.place.theme, *files);
        file->findChild<QLabel*>()->setText(s("Reading week-1.ridgeclass …"));
        file->findChild<QProgressBar*>()->setRange(0, 100); // one that runs to and fro is another one each time
        seen.checkAlone("file_bar", file, {760, 64});
        auto* desk = new ClassDesk(seen.place.home().toStdString(), {}, {}, &seen.window());
        auto* job = new JobBar(seen.place.theme, *desk);
        job->findChild<QLabel*>()->setText(s("Collecting …"));
        job->findChild<QProgressBar*>()->setRange(0, 30);
        job->findChild<QProgressBar*>()->setValue(12);
        seen.checkAlone("job_bar", job, {760, 64});
        auto* editor = new KernelEditor(seen.place.theme, &seen.window());
        editor->setPlainText(QString::fromStdString(first));
        auto* replace = new ReplaceBar(seen.place.theme, *editor);
        replace->open();
        replace->field()->setText(s("threadIdx"));
        replace->replacement()->setText(s("blockIdx"));
        QCOMPARE(replace->count(), 1);
        seen.checkAlone("replace_bar", replace, {760, 110});

        auto* under = new QWidget;
        auto* veil = new DropVeil(seen.place.theme, under);
        under->setMinimumSize(640, 200);
        under->resize(640, 200);
        veil->showFor(s("Collect into Spring 2027"));
        seen.check("drop_veil", *under);
        delete under;
        QVERIFY2(seen.wrong.isEmpty(), qPrintable(seen.wrong.join(u'\n')));
    }
};

QTEST_MAIN(TestWindowPictures)
#include "tst_window_pictures.moc"
