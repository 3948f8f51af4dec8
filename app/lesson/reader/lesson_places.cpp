// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/lesson_places.h"

#include "app/lesson/reader/lesson_column.h"
#include "search/query.h"

#include <QApplication>
#include <QScrollArea>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextEdit>

namespace ridge::app {

namespace {

constexpr int kAbove = 96; ///< room above the place, so that what leads to it is seen

QRect mapped(const QTextEdit& view, const QRect& area, const QWidget& column)
{
    return {view.viewport()->mapTo(&column, area.topLeft()), area.size()};
}

} // namespace

// The children of the column are its own: they are told so, and taken out of it when the page goes.
LessonPlaces::LessonPlaces(const ReaderContext& context, LessonColumn& column, QScrollArea& scroll, QWidget* page)
    : m_context(context), m_column(column), m_scroll(scroll), m_flash(context.theme(), &column),
      m_find(context.theme(), column, page), m_notes(context, column)
{
    connect(&m_find, &FindBar::shown, this, [this](const QRect& area) { show(area, false); });
    connect(&m_find, &FindBar::closed, this, [this] { m_scroll.setFocus(Qt::OtherFocusReason); });
    connect(&m_notes, &NotesLayer::noteMade, this, [this](const QString& noteId) {
        if (const NoteCard* card = m_notes.card(noteId))
            m_scroll.ensureWidgetVisible(const_cast<NoteCard*>(card), 0, space::xl);
    });
    connect(&m_notes, &NotesLayer::refused, this,
            [this](const QString& why) { Q_EMIT m_context.app.notice(why, true); });
    connect(&m_notes, &NotesLayer::backToText, this, [this](QWidget* view) {
        if (view)
            view->setFocus(Qt::OtherFocusReason);
        else
            m_scroll.setFocus(Qt::OtherFocusReason);
    });
}

void LessonPlaces::show(const QRect& area, bool flash)
{
    QScrollBar* bar = m_scroll.verticalScrollBar();
    const int top = bar->value(), bottom = top + m_scroll.viewport()->height();
    // A step from one place to the next moves the page only when it has to.
    if (flash || area.top() < top + space::xxxl || area.bottom() > bottom - space::xxxl)
        bar->setValue(area.top() - kAbove);
    if (flash)
        m_flash.flash(area);
}

QRect LessonPlaces::wordsIn(QWidget* widget, const QString& typed) const
{
    const SearchQuery query = parseQuery(typed);
    QList<QTextEdit*> views = widget->findChildren<QTextEdit*>();
    if (auto* self = qobject_cast<QTextEdit*>(widget))
        views.prepend(self);
    for (QTextEdit* view : views) {
        if (!view->isVisibleTo(&m_column))
            continue;
        // Of the paragraphs the first with the most of the words.
        std::size_t most = 0;
        QRect best;
        for (QTextBlock block = view->document()->begin(); block.isValid(); block = block.next()) {
            const auto spans = findMatches(block.text(), query);
            if (spans.size() <= most)
                continue;
            most = spans.size();
            const auto* prose = qobject_cast<ProseView*>(view);
            QTextCursor line(block);
            line.setPosition(block.position() + spans.front().start);
            best = prose ? prose->paragraphRect(QTextCursor(block))
                         : view->cursorRect(line).adjusted(0, 0, view->viewport()->width() / 2, 0);
        }
        if (most > 0)
            return mapped(*view, best, m_column);
    }
    return {};
}

bool LessonPlaces::open(const QString& anchor)
{
    if (anchor.startsWith(QLatin1String("note=")))
        return openNote(anchor.mid(5));
    if (anchor.startsWith(QLatin1String("term=")))
        return openTerm(anchor.mid(5));
    const QString name = anchor.section(QLatin1Char('?'), 0, 0);
    QWidget* widget = m_column.widgetAt(name);
    if (!widget)
        return false;
    const QRect words = wordsIn(widget, anchor.section(QLatin1Char('?'), 1));
    show(words.isNull() ? QRect(widget->mapTo(&m_column, QPoint(0, 0)), widget->size()) : words, true);
    widget->setFocus(Qt::OtherFocusReason);
    return true;
}

bool LessonPlaces::openNote(const QString& noteId)
{
    NoteCard* card = m_notes.card(noteId);
    if (!card)
        return false;
    const QRect place = m_notes.placeArea(noteId);
    show(place.isNull() ? QRect(card->mapTo(&m_column, QPoint(0, 0)), card->size()) : place, true);
    card->field()->setFocus(Qt::OtherFocusReason);
    return true;
}

bool LessonPlaces::openTerm(const QString& name)
{
    const lessons::Term* term = m_context.app.curriculum().term(name.toStdString());
    for (const LessonColumn::Text& text : m_column.texts())
        for (QTextBlock block = text.view->document()->begin(); term && block.isValid(); block = block.next())
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                const QString link = it.fragment().charFormat().anchorHref();
                if (!link.startsWith(QLatin1String("term:")) ||
                    m_context.app.curriculum().term(link.mid(5).toStdString()) != term)
                    continue;
                const QRect place = text.view->paragraphRect(QTextCursor(block));
                show(mapped(*text.view, place, m_column), true);
                text.view->setFocus(Qt::OtherFocusReason);
                return true;
            }
    return false;
}

void LessonPlaces::addNote()
{
    ProseView* view = nullptr;
    const int top = m_scroll.verticalScrollBar()->value(), height = m_scroll.viewport()->height();
    int y = top + height / 3;
    const auto texts = m_column.texts();
    for (const LessonColumn::Text& text : texts)
        if (text.view->hasFocus() && text.view->textCursor().hasSelection())
            view = text.view;
    const auto topOf = [this](const ProseView* one) { return one->mapTo(&m_column, QPoint(0, 0)).y(); };
    if (!view) {
        // Nothing is selected: the paragraph that is being read.
        for (const LessonColumn::Text& text : texts)
            if (topOf(text.view) <= y && (!view || topOf(text.view) > topOf(view)))
                view = text.view;
        if (!view && !texts.empty())
            view = texts.front().view; // above the first there is only the head of the lesson
        if (view)
            y = std::min(y, topOf(view) + view->height() - 1);
    }
    m_notes.add(view, y);
}

} // namespace ridge::app

#include "moc_lesson_places.cpp"
