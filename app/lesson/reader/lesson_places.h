// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/find_bar.h"
#include "app/lesson/reader/notes_layer.h"

class QScrollArea;

namespace ridge::app {

/// The places of a lesson page that one is led to: what a search opens, what is found on the page, the notes.
class LessonPlaces : public QObject {
    Q_OBJECT
public:
    LessonPlaces(const ReaderContext& context, LessonColumn& column, QScrollArea& scroll, QWidget* page);

    /// Scrolls to a place and flashes it: a block's id, a piece of prose ("mental-model:1"), either with words to be
    /// shown in it ("mental-model:1?shared memory"), "note=<id>" or "term=<name>". False: there is no such place.
    bool open(const QString& anchor);
    void find() { m_find.open(); }
    void addNote();
    FindBar& findBar() { return m_find; }
    NotesLayer& notes() { return m_notes; }
    PlaceFlash& flash() { return m_flash; }
    void relayout() { m_find.place(); }

private:
    bool openTerm(const QString& name);
    bool openNote(const QString& noteId);
    QRect wordsIn(QWidget* widget, const QString& typed) const;
    void show(const QRect& area, bool flash);

    ReaderContext m_context;
    LessonColumn& m_column;
    QScrollArea& m_scroll;
    PlaceFlash m_flash;
    FindBar m_find;
    NotesLayer m_notes;
};

} // namespace ridge::app
