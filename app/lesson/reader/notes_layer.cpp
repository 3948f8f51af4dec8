// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/notes_layer.h"

#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/prose_view.h"
#include "base/hash.h"

#include <QTextEdit>
#include <map>

namespace ridge::app {

namespace {

constexpr int kMarginWidth = 208, kLongestQuote = 400;

} // namespace

NotesLayer::NotesLayer(const ReaderContext& context, LessonColumn& column, QObject* parent)
    : QObject(parent), m_context(context), m_column(column)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    connect(&m_soon, &QTimer::timeout, this, &NotesLayer::arrange);
    connect(&context.state, &LessonState::notesChanged, this, &NotesLayer::refresh);
    // Texts are built anew with the theme; their places with them.
    connect(
        &context.theme(), &Theme::changed, this, [this] { anchor(); }, Qt::QueuedConnection);
    column.installEventFilter(this);
    if (column.isFilled())
        refresh();
    else
        connect(&column, &LessonColumn::filled, this, &NotesLayer::refresh);
}

NotesLayer::~NotesLayer()
{
    m_column.removeEventFilter(this);
    for (Entry& each : m_entries) {
        each.card->disconnect(this);
        const auto text = each.card->unsaved();
        record::NoteRow note = each.card->note();
        if (!text)
            continue;
        // The row is on its way; the draft stays until a later visit finds both the same.
        note.text = text->toStdString();
        store(note, note.noteId);
    }
}

NotesLayer::Entry* NotesLayer::entry(const std::string& noteId)
{
    const auto found = std::ranges::find_if(m_entries, [&](const Entry& one) { return one.card->noteId() == noteId; });
    return found == m_entries.end() ? nullptr : &*found;
}

NoteCard* NotesLayer::card(const QString& noteId) const
{
    for (const Entry& each : m_entries)
        if (each.card->noteId() == noteId.toStdString())
            return each.card;
    return nullptr;
}

std::vector<NoteCard*> NotesLayer::cards() const
{
    std::vector<NoteCard*> all;
    for (const Entry& each : m_entries)
        all.push_back(each.card);
    return all;
}

QRect NotesLayer::placeArea(const QString& noteId) const
{
    for (const Entry& each : m_entries)
        if (each.card->noteId() == noteId.toStdString() && each.place) {
            const QRect area = each.place.view->paragraphRect(each.place.cursor());
            return {each.place.view->viewport()->mapTo(&m_column, area.topLeft()), area.size()};
        }
    return {};
}

void NotesLayer::store(record::NoteRow note, const std::string& noteId)
{
    m_context.state.commit(record::nextVersion(std::move(note)), this, [this, noteId](const Result<std::string>& id) {
        if (!id)
            Q_EMIT refused(QString::fromStdString(toText(id.error())));
        if (Entry* kept = entry(noteId))
            kept->card->saved(id.ok());
    });
}

void NotesLayer::add(ProseView* view, int y)
{
    if (!view)
        return;
    if (const auto obstacle = m_context.state.storeObstacle()) {
        Q_EMIT refused(obstacle->line());
        return;
    }
    const FlatText flat = flatText(*view->document());
    QTextCursor words = view->textCursor();
    if (!words.hasSelection() || !view->hasFocus()) {
        words = view->paragraphAt(view->viewport()->mapFrom(&m_column, QPoint(0, y)).y());
        words.movePosition(QTextCursor::StartOfBlock);
        words.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    }
    int start = flat.indexOf(words.selectionStart()), end = flat.indexOf(words.selectionEnd());
    while (start < end && flat.text[start].isSpace())
        ++start;
    while (end > start && flat.text[end - 1].isSpace())
        --end;
    if (end - start > kLongestQuote) // a place, not a page: the paragraph is known by its first words
        end = start + kLongestQuote;
    if (end <= start)
        return;
    record::NoteRow note = anchorOf(m_column, *view, start, end - start);
    note.noteId = newUuid7();
    m_focusOn = note.noteId;
    QTextCursor none = view->textCursor();
    none.clearSelection();
    view->setTextCursor(none);
    store(note, note.noteId);
}

void NotesLayer::make(const record::NoteRow& note)
{
    const record::Store* kept = m_context.app.store();
    auto* card = new NoteCard(m_context.theme(), note, kept ? kept->folder() : std::filesystem::path(), &m_column);
    connect(card, &NoteCard::saveAsked, this, [this, card](const QString& text) {
        record::NoteRow next = card->note();
        next.text = text.toStdString();
        store(next, next.noteId);
    });
    connect(card, &NoteCard::removeAsked, this, [this, card](bool removed) {
        record::NoteRow next = card->note();
        next.text = card->field()->toPlainText().toStdString();
        next.removed = removed;
        card->setRemoved(removed); // at once: the row follows, and a refusal is said
        store(next, next.noteId);
        highlight();
    });
    connect(card, &NoteCard::heightChanged, &m_soon, qOverload<>(&QTimer::start));
    connect(card, &NoteCard::left, this, [this, card] {
        const Entry* here = entry(card->noteId());
        Q_EMIT backToText(here ? here->place.view.data() : nullptr);
    });
    m_entries.push_back({card, {}});
}

void NotesLayer::refresh()
{
    for (const record::NoteRow& note : m_context.state.notes()) {
        if (Entry* known = entry(note.noteId)) {
            known->card->setNote(note);
            known->card->setRemoved(false);
        } else {
            make(note);
        }
    }
    anchor();
}

void NotesLayer::anchor()
{
    for (Entry& each : m_entries) {
        each.place = placeOf(m_column, each.card->note());
        each.card->setOrphan(!each.place);
        if (each.place)
            each.place.view->installEventFilter(this);
        else if (QVBoxLayout* end = m_column.sectionEnd(each.card->note().section))
            end->addWidget(each.card);
        each.card->show();
    }
    highlight();
    arrange();
    if (Entry* made = m_focusOn.empty() ? nullptr : entry(m_focusOn)) {
        m_focusOn.clear();
        made->card->field()->setFocus(Qt::ShortcutFocusReason);
        Q_EMIT noteMade(QString::fromStdString(made->card->noteId()));
    }
}

void NotesLayer::highlight()
{
    std::map<ProseView*, QList<QTextEdit::ExtraSelection>> marks;
    for (const LessonColumn::Text& text : m_column.texts())
        marks[text.view];
    for (const Entry& each : m_entries) {
        if (!each.place || each.card->isRemoved())
            continue;
        QTextEdit::ExtraSelection mark;
        mark.cursor = each.place.cursor();
        mark.format.setBackground(m_context.theme().color(Role::Heat2));
        marks[each.place.view] << mark;
    }
    for (auto& [view, all] : marks)
        setMarks(*view, MarkLayer::Note, all);
}

void NotesLayer::arrange()
{
    if (m_arranging)
        return;
    // A text that was set anew asks for another layout, and its marks are gone.
    if (std::ranges::any_of(m_entries, [](const Entry& one) { return one.place && !one.place.current(); }))
        return anchor();
    m_arranging = true;
    const bool any = std::ranges::any_of(m_entries, [](const Entry& one) { return bool(one.place); });
    m_inMargin = m_column.reserveNotes(any ? m_context.theme().scaled(kMarginWidth) : 0);
    std::map<ProseView*, std::map<int, int>> gaps;
    for (const LessonColumn::Text& text : m_column.texts())
        gaps[text.view];
    std::vector<Entry*> order;
    for (Entry& each : m_entries)
        if (each.place)
            order.push_back(&each);
    const auto top = [this](const Entry* one) {
        return one->place.view->viewport()
            ->mapTo(&m_column, one->place.view->paragraphRect(one->place.cursor()).topLeft())
            .y();
    };
    std::ranges::stable_sort(order, {}, [&](const Entry* one) { return std::pair(top(one), one->place.start); });
    const auto place = [](NoteCard* card, const QRect& area) {
        if (card->geometry() != area)
            card->setGeometry(area);
        card->raise();
    };
    if (m_inMargin) {
        int free = 0; // below the note before
        for (const Entry* each : order) {
            const int width = m_context.theme().scaled(kMarginWidth), y = std::max(free, top(each));
            place(each->card, {m_column.notesLeft(), y, width, each->card->heightForWidth(width)});
            free = y + each->card->height() + space::s;
        }
        for (auto& [view, none] : gaps)
            view->setGaps({});
    } else {
        for (const Entry* each : order) {
            ProseView* view = each->place.view;
            const int number = each->place.cursor().block().blockNumber(), width = view->viewport()->width();
            const QRect text = view->paragraphRect(each->place.cursor());
            int& gap = gaps[view][number];
            const int y = text.bottom() + 1 + space::s + gap, height = each->card->heightForWidth(width);
            gap += height + space::s;
            place(each->card, {view->viewport()->mapTo(&m_column, QPoint(0, y)), QSize(width, height)});
        }
        for (auto& [view, wanted] : gaps)
            view->setGaps(wanted);
    }
    m_arranging = false;
}

bool NotesLayer::eventFilter(QObject* watched, QEvent* event)
{
    const bool column = watched == &m_column;
    if (event->type() == QEvent::Resize ||
        (column ? event->type() == QEvent::LayoutRequest : event->type() == QEvent::Move))
        if (!m_arranging && !m_entries.empty())
            m_soon.start();
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app

#include "moc_notes_layer.cpp"
