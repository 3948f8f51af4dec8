// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/flat_text.h"
#include "record/rows.h"

namespace ridge::app {

class LessonColumn;
class ProseView;

/// A piece of a text of the lesson.
struct NotePlace {
    ProseView* view = nullptr;
    QTextCursor cursor; ///< with the quoted words selected
    explicit operator bool() const { return view != nullptr; }
};

/// What a note made at `start`, `length` of the view's flat text is anchored by: lesson section, block, quote and which
/// of its occurrences. `text` and the ids are left empty.
record::NoteRow anchorOf(LessonColumn& column, ProseView& view, int start, int length);

/// Where a stored note stands now: in its block, or the prose of its section, at its occurrence or the last one there
/// is; where its words have left that, at their first occurrence in the section and then in the lesson. No place where
/// the words are gone: the note is an orphan.
NotePlace placeOf(LessonColumn& column, const record::NoteRow& note);

} // namespace ridge::app
