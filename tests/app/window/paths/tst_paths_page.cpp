// SPDX-License-Identifier: GPL-3.0-or-later
// Paths and roles, what builds on what, the stack, and what lies beside the lessons, in the real window.
#include "app/ui/learner_choices.h"
#include "app/window/paths/companion_tabs.h"
#include "app/window/paths/lab_draft.h"
#include "app/window/paths/paths_page.h"
#include "app/window/paths/prerequisite_graph.h"
#include "app/window/settler.h"
#include "evidence/artifact_draft.h"
#include "lessons/way.h"
#include "tests/app/window/shell_fixture.h"
#include "tests/golden/golden.h"

#include <QLabel>
#include <QPushButton>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

QString texts(QWidget* widget)
{
    QString all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all += label->text() + QLatin1Char('\n');
    return all;
}

} // namespace

class TestPathsPage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPathIsChosenHere()
    {
        Workplace place;
        noteLearnerAsked();
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("paths")).ok());
        auto* page = window.findChild<PathsPage*>();
        QVERIFY(page);
        QVERIFY2(texts(page).contains(s("Kernel engineering (L2c)")), qPrintable(texts(page)));
        QVERIFY(texts(page).contains(s("AI Compiler Engineer")));
        auto* take = page->findChild<QPushButton*>(s("path-ai-compiler"));
        QVERIFY(take && take->isEnabled());
        take->click();
        QCOMPARE(learnerChoices().path, s("ai-compiler"));
        QTRY_VERIFY(page->findChild<QPushButton*>(s("path-ai-compiler")) &&
                    !page->findChild<QPushButton*>(s("path-ai-compiler"))->isEnabled());
        QVERIFY(!window.open(s("paths/nowhere")).ok());
    }

    void theGraphTellsAndOpens()
    {
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        window.resize(1180, 820);
        QVERIFY(window.open(s("paths/prerequisites")).ok());
        auto* page = window.findChild<PathsPage*>();
        PrerequisiteGraph* graph = page->graph();
        QVERIFY(graph);
        graph->choose("4.5");
        const lessons::Lesson* head = place.context->curriculum().head("4.5");
        for (const std::string& needed : head->prerequisites)
            QVERIFY(graph->sentence().contains(QString::fromStdString(needed)));
        QCOMPARE(graph->accessibleDescription(), graph->sentence());
        auto* said = page->findChild<QLabel*>(s("said"));
        QCOMPARE(said->text(), graph->sentence());
        QTest::keyClick(graph, Qt::Key_Right);
        QCOMPARE(graph->chosen(), std::string("4.6"));
        QTest::keyClick(graph, Qt::Key_Up);
        QCOMPARE(graph->chosen(), std::string("3.6"));
        QTest::mouseClick(graph, Qt::LeftButton, {}, graph->place("2.4").center().toPoint());
        QCOMPARE(graph->chosen(), std::string("2.4"));
        // No two marks lie on one another, and all are inside.
        for (const lessons::Lesson& one : place.context->curriculum().heads) {
            QVERIFY(QRectF(graph->rect()).contains(graph->place(one.id)));
            for (const lessons::Lesson& other : place.context->curriculum().heads)
                QVERIFY(one.id == other.id || !graph->place(one.id).intersects(graph->place(other.id)));
        }
        QTest::keyClick(graph, Qt::Key_Return);
        QTRY_COMPARE(window.currentPage(), s("lesson/2.4"));
    }

    void theStackCountsLessons()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("paths/stack")).ok());
        auto* page = window.findChild<PathsPage*>();
        const auto& heads = place.context->curriculum().heads;
        const auto kernels = std::ranges::count_if(heads, [](const lessons::Lesson& head) {
            return std::ranges::find(head.layers, "L2") != head.layers.end();
        });
        QVERIFY2(texts(page).contains(s("%1; ").arg(kernels)), qPrintable(texts(page)));
        QVERIFY(texts(page).contains(s("None here. See the labs done elsewhere.")));
    }

    void aChapterSaysWhatItsProductsCost()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("paths/book")).ok());
        auto* page = window.findChild<PathsPage*>();
        const lessons::LoadedCompanions loaded = lessons::loadCompanions(place.context->curriculum());
        const auto chapter =
            std::ranges::find(loaded.companions.chapters, "nlp-applications", &lessons::BookChapter::id);
        QVERIFY(chapter != loaded.companions.chapters.end());
        for (const WorkLine& line : workLines(place.context->curriculum(), *chapter))
            QCOMPARE(line.bound, s("memory-bound")); // a batch of one
        const auto whole = std::ranges::find(loaded.companions.chapters, "nlp-pretraining", &lessons::BookChapter::id);
        for (const WorkLine& line : workLines(place.context->curriculum(), *whole))
            QCOMPARE(line.bound, s("compute-bound"));
        QVERIFY(texts(page).contains(s("Dive into Deep Learning")));
        auto* lesson = page->findChild<QPushButton*>(s("lesson-4.6"));
        QVERIFY(lesson);
        lesson->click();
        QTRY_COMPARE(window.currentPage(), s("lesson/4.6"));
    }

    void aModelOfAChapterOpensInTheExplorer()
    {
        Workplace place;
        for (const bool explores : {false, true}) {
            PathsPage page(*place.context, explores);
            QVERIFY(page.open(s("book")).ok());
            auto* model = page.findChild<QPushButton*>(s("model-resnet-50"));
            QCOMPARE(model != nullptr, explores);
            QVERIFY(!page.findChild<QPushButton*>(s("model-none")));
            if (!model)
                continue;
            QSignalSpy asked(place.context.get(), &AppContext::openRequested);
            model->click();
            QCOMPARE(asked.value(0).value(0).toString(), s("explorer/resnet-50"));
        }
    }

    void aLabElsewhereBecomesADraft()
    {
        Workplace place;
        MainWindow& window = place.makeWindow();
        QVERIFY(window.open(s("paths/labs")).ok());
        auto* page = window.findChild<PathsPage*>();
        const lessons::LoadedCompanions loaded = lessons::loadCompanions(place.context->curriculum());
        const lessons::OutsideLab* lab = loaded.companions.lab("fpga-board");
        auto* begin = page->findChild<QPushButton*>(s("lab-fpga-board"));
        QVERIFY(lab && begin && begin->isEnabled());
        begin->click();
        QTRY_VERIFY2(window.currentPage().startsWith(s("portfolio/edit/")) ||
                         window.currentPage().startsWith(s("artifact/edit/")),
                     qPrintable(window.currentPage()));
        const auto heads = drafts(place.context->store()->folder());
        QCOMPARE(heads.size(), std::size_t(1));
        const auto draft = readDraft(place.context->store()->folder(), heads.front().id);
        QVERIFY(draft);
        QCOMPARE(draft->title, lab->artifact);
        QCOMPARE(draft->question, lab->question);
        QCOMPARE(draft->kind, lab->kind);
        QCOMPARE(draft->lesson, std::string("3.6"));
        QCOMPARE(draft->sections, lab->sections);
        // Every lab's kind is one that artifacts have.
        for (const lessons::OutsideLab& one : loaded.companions.labs)
            QVERIFY2(std::ranges::any_of(artifactKinds(), [&](const char* kind) { return one.kind == kind; }),
                     one.id.c_str());
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
        Workplace place;
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        MainWindow& window = place.makeWindow();
        window.resize(1180, 820);
        QStringList wrong;
        for (const char* part : {"roles", "prerequisites", "book"}) {
            QVERIFY(window.open(s("paths/") + s(part)).ok());
            auto* page = window.findChild<PathsPage*>();
            if (s(part) == s("prerequisites"))
                page->graph()->choose("4.5");
            if (QWidget* focused = QApplication::focusWidget())
                focused->clearFocus(); // a focus ring is no part of the picture
            Settler settler(window, false, 20000);
            QSignalSpy settled(&settler, &Settler::settled);
            settler.start();
            QVERIFY2(settled.wait(60000), part);
            QImage image(page->size() * scale, QImage::Format_ARGB32_Premultiplied);
            image.fill(place.theme.color(Role::Window));
            image.setDevicePixelRatio(scale);
            page->render(&image);
            const QString found =
                golden::checkImage(QStringLiteral("paths_%1_%2_%3x").arg(s(part), theme).arg(scale), image);
            if (!found.isEmpty())
                wrong << found;
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestPathsPage)
#include "tst_paths_page.moc"
