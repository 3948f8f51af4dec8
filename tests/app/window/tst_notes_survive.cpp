// SPDX-License-Identifier: GPL-3.0-or-later
// A note in the margin of every lesson that there is, and what sets all texts anew under it: themes, text sizes, the
// presentation, another width.
#include "shell_fixture.h"

#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/lesson/reader/prose_view.h"

#include <QLineEdit>
#include <QTextBlock>

using namespace ridge;
using namespace ridge::app;

namespace {

constexpr int kWaitMs = 20000;

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// What is wrong with the marks of a text: each has to select something in the document that is shown. Empty: nothing.
QString faultOf(const ProseView& view)
{
    for (const QTextEdit::ExtraSelection& mark : view.extraSelections()) {
        if (mark.cursor.document() != view.document())
            return s("A mark belongs to a document that is gone.");
        if (!mark.cursor.hasSelection())
            return s("A mark selects nothing.");
    }
    return {};
}

LessonPage* shownLesson(MainWindow& window)
{
    for (LessonPage* page : window.findChildren<LessonPage*>())
        if (page->isVisible())
            return page;
    return nullptr;
}

} // namespace

class TestNotesSurvive : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> m_place;

    /// The words of the note, as they are marked now; empty: they are not.
    QString marked(LessonPage& page, const QString& noteId)
    {
        LessonColumn* column = page.findChild<LessonColumn*>();
        const auto notes = m_place->context->store()->notes(page.lessonId().toStdString());
        for (const record::NoteRow& note : *notes) {
            if (QString::fromStdString(note.noteId) != noteId)
                continue;
            const NotePlace place = placeOf(*column, note);
            if (!place)
                return {};
            for (const QTextEdit::ExtraSelection& mark : place.view->extraSelections())
                if (mark.cursor.selectionStart() == place.start && mark.cursor.selectionEnd() == place.end)
                    return mark.cursor.selectedText();
        }
        return {};
    }

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<Workplace>(); // its own: pages that are kept would be set anew, too
        QVERIFY(m_place->loadCatalogue());
        m_place->makeWindow();
    }
    void cleanup() { m_place.reset(); }

    void everyLesson_data()
    {
        QTest::addColumn<QString>("id");
        const lessons::Curriculum all = lessons::loadCurriculum(*dataFolder() / "curriculum").curriculum;
        const int step = qEnvironmentVariable("RIDGE_CASE") == s("some") ? 6 : 1;
        int found = 0;
        for (const auto* heads : {&all.heads, &all.capstones})
            for (const lessons::Lesson& head : *heads) {
                if (found++ % step == 0)
                    QTest::newRow(head.id.c_str()) << QString::fromStdString(head.id);
            }
        QVERIFY(found >= 10);
    }
    void everyLesson()
    {
        QFETCH(QString, id);
        MainWindow& window = *m_place->window;
        QVERIFY(window.open(s("lesson/") + id).ok());
        QTRY_VERIFY_WITH_TIMEOUT(shownLesson(window) && shownLesson(window)->lessonId() == id, kWaitMs);
        LessonPage& page = *shownLesson(window);
        QTRY_VERIFY_WITH_TIMEOUT(page.ready(), kWaitMs);
        QSignalSpy made(&page.places()->notes(), &NotesLayer::noteMade);
        window.page()->perform(Page::Command::Note);
        QTRY_COMPARE_WITH_TIMEOUT(made.count(), 1, kWaitMs);
        const QString note = made.first().first().toString();
        const QString words = marked(page, note);
        QVERIFY(!words.isEmpty());
        // What is looked for is marked in the same texts.
        page.places()->find();
        page.places()->findBar().field()->setText(words.simplified().left(3));
        QVERIFY(page.places()->findBar().count() > 0);
        const int places = page.places()->findBar().count();

        LessonColumn* column = page.findChild<LessonColumn*>();
        const auto act = [&](const char* action) { m_place->actions->find(s(action))->trigger(); };
        const std::vector<std::pair<const char*, std::function<void()>>> changes = {
            {"dark", [&] { act("view.theme.dark"); }},
            {"larger", [&] { act("view.larger"), act("view.larger"); }},
            {"narrow", [&] { window.resize(720, 700); }},
            {"presented", [&] { act("window.layout.present"); }},
            {"next place", [&] { page.places()->findBar().next(); }},
            {"high contrast and wide at once", [&] { act("view.theme.contrast"), window.resize(1900, 900); }},
            {"all at once, the next place before anything is laid out",
             [&] {
                 act("window.layout.read"), act("view.theme.light"), act("view.normalText");
                 page.places()->findBar().next();
             }},
        };
        for (const auto& [name, change] : changes) {
            change();
            for (const LessonColumn::Text& text : column->texts())
                QVERIFY2(faultOf(*text.view).isEmpty(), name);
            QTRY_VERIFY2_WITH_TIMEOUT(marked(page, note) == words, name, kWaitMs);
            QTRY_VERIFY2_WITH_TIMEOUT(page.places()->findBar().count() == places, name, kWaitMs);
            page.grab(); // what is hidden below is painted, too
            for (const LessonColumn::Text& text : column->texts())
                QVERIFY2(faultOf(*text.view).isEmpty(), name);
        }
        page.places()->findBar().close();
    }
};

QTEST_MAIN(TestNotesSurvive)
#include "tst_notes_survive.moc"
