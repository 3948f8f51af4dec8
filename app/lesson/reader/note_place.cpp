// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/note_place.h"

#include "app/lesson/reader/lesson_column.h"

namespace ridge::app {

namespace {

using Views = std::vector<ProseView*>;

/// Texts that count together as one place: those of a block, or the prose between the blocks of a section.
Views viewsOf(LessonColumn& column, const std::string& section, const std::string& block)
{
    Views views;
    for (const LessonColumn::Text& text : column.texts())
        if ((section.empty() || text.section == section) && text.block == block)
            views.push_back(text.view);
    return views;
}

NotePlace findIn(const Views& views, const QString& quote, int occurrence)
{
    NotePlace last;
    int seen = 0;
    for (ProseView* view : views) {
        const FlatText flat = flatText(*view->document());
        for (const int at : occurrences(flat.text, quote, Qt::CaseSensitive)) {
            const QTextCursor words = flat.cursor(view->document(), at, int(quote.size()));
            last = {view, view->document(), words.selectionStart(), words.selectionEnd()};
            if (seen++ == occurrence)
                return last;
        }
    }
    return last;
}

} // namespace

bool NotePlace::current() const
{
    return view && document && document == view->document();
}

QTextCursor NotePlace::cursor() const
{
    if (!view)
        return {};
    QTextCursor words(view->document());
    const int last = std::max(0, view->document()->characterCount() - 1);
    words.setPosition(std::min(start, last));
    words.setPosition(std::min(end, last), QTextCursor::KeepAnchor);
    return words;
}

record::NoteRow anchorOf(LessonColumn& column, ProseView& view, int start, int length)
{
    record::NoteRow note;
    for (const LessonColumn::Text& text : column.texts())
        if (text.view == &view) {
            note.section = text.section;
            note.block = text.block;
        }
    const FlatText flat = flatText(*view.document());
    const QString quote = flat.text.mid(start, length);
    note.quote = quote.toStdString();
    for (const ProseView* each : viewsOf(column, note.section, note.block)) {
        const FlatText here = flatText(*each->document());
        for (const int at : occurrences(here.text, quote, Qt::CaseSensitive))
            if (each != &view || at < start)
                ++note.occurrence;
        if (each == &view)
            break;
    }
    return note;
}

NotePlace placeOf(LessonColumn& column, const record::NoteRow& note)
{
    const QString quote = QString::fromStdString(note.quote);
    if (const NotePlace exact = findIn(viewsOf(column, note.section, note.block), quote, note.occurrence))
        return exact;
    Views inSection, anywhere;
    for (const LessonColumn::Text& text : column.texts()) {
        anywhere.push_back(text.view);
        if (text.section == note.section)
            inSection.push_back(text.view);
    }
    if (const NotePlace near = findIn(inSection, quote, 0))
        return near;
    return findIn(anywhere, quote, 0);
}

} // namespace ridge::app
