// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/flat_text.h"
#include "app/lesson/reader/prose_view.h"
#include "record/rows.h"

#include <QPointer>

namespace ridge::app {

class LessonColumn;

/// A piece of a text of the lesson. By numbers, because a text is set anew with every theme, and a cursor of the
/// document of before would point nowhere.
struct NotePlace {
    QPointer<ProseView> view;
    QPointer<QTextDocument> document; ///< in which the words were found
    int start = 0, end = 0;           ///< of the quoted words in it

    explicit operator bool() const { return !view.isNull(); }
    /// Whether the view still shows that document; if not, the place has to be looked for again.
    bool current() const;
    /// With the quoted words selected, in the document that the view shows now. Not to be kept.
    QTextCursor cursor() const;
};

/// What a note made at `start`, `length` of the view's flat text is anchored by: lesson section, block, quote and which
/// of its occurrences. `text` and the ids are left empty.
record::NoteRow anchorOf(LessonColumn& column, ProseView& view, int start, int length);

/// Where a stored note stands now: in its block, or the prose of its section, at its occurrence or the last one there
/// is; where its words have left that, at their first occurrence in the section and then in the lesson. No place where
/// the words are gone: the note is an orphan.
NotePlace placeOf(LessonColumn& column, const record::NoteRow& note);

} // namespace ridge::app
