// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextCursor>
#include <QTextEdit>
#include <vector>

namespace ridge::app {

/// The text of a document as it is read, in one line: formulas by their spoken form, every run of blanks as one space.
/// What was found or quoted in it keeps its place when the author wraps the lines anew.
struct FlatText {
    QString text;
    std::vector<int> positions; ///< of each character in the document; one more than the text has, for its end

    /// Range of the document behind `length` characters from `start`.
    QTextCursor cursor(QTextDocument* document, int start, int length) const;
    /// First character of the text at or behind a position of the document.
    int indexOf(int position) const;
};
FlatText flatText(const QTextDocument& document);

/// Where `needle` stands, whatever its case, from the start on and without overlaps. An empty one stands nowhere.
std::vector<int> occurrences(const QString& text, const QString& needle, Qt::CaseSensitivity sensitivity);

/// Marks of several origins in one text: each replaces only its own.
enum class MarkLayer { Note = 1, Find };
void setMarks(QTextEdit& view, MarkLayer layer, QList<QTextEdit::ExtraSelection> marks);

} // namespace ridge::app
