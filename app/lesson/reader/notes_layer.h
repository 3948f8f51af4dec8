// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/note_card.h"
#include "app/lesson/reader/note_place.h"
#include "app/lesson/reader/reader_context.h"

#include <QTimer>

namespace ridge::app {

/// The learner's notes over the column of a lesson: the words highlighted, the note in the margin beside their
/// paragraph or, in a narrow window, below it; those whose words are gone at the end of their section. Owned by the
/// lesson page.
class NotesLayer : public QObject {
    Q_OBJECT
public:
    NotesLayer(const ReaderContext& context, LessonColumn& column, QObject* parent = nullptr);
    ~NotesLayer() override;

    /// A note on what is selected, else on the paragraph `view` shows at `y` of the column; null view: nothing.
    void add(ProseView* view, int y);
    NoteCard* card(const QString& noteId) const;
    std::vector<NoteCard*> cards() const;
    bool inMargin() const { return m_inMargin; }
    /// Of the words of a note, in the column; empty for an orphan.
    QRect placeArea(const QString& noteId) const;

Q_SIGNALS:
    void noteMade(const QString& noteId); ///< stored and in its place, its field has the focus
    void refused(const QString& why);
    void backToText(QWidget* view);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Entry {
        NoteCard* card = nullptr;
        NotePlace place;
    };
    void refresh();
    void anchor();
    void highlight();
    void arrange();
    Entry* entry(const std::string& noteId);
    void make(const record::NoteRow& note);
    void store(record::NoteRow note, const std::string& noteId);

    ReaderContext m_context;
    LessonColumn& m_column;
    std::vector<Entry> m_entries;
    QTimer m_soon;
    std::string m_focusOn; ///< the note being made
    bool m_inMargin = false, m_arranging = false;
};

} // namespace ridge::app
