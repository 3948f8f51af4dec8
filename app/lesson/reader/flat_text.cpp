// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/flat_text.h"

#include "app/lesson/reader/formula_library.h"
#include "app/theme/kept_units.h"

#include <QTextBlock>
#include <QTextDocument>
#include <algorithm>

namespace ridge::app {

namespace {

constexpr int kLayerProperty = QTextFormat::UserProperty + 7;

/// Adds characters that all stand at one place of the document, or at consecutive ones.
void add(FlatText& flat, const QString& text, int position, bool consecutive)
{
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == kWordJoiner) // is no character of the author's
            continue;
        const bool space = text[i].isSpace();
        if (space && (flat.text.isEmpty() || flat.text.back() == QLatin1Char(' ')))
            continue;
        flat.text += space ? QLatin1Char(' ') : text[i];
        flat.positions.push_back(position + (consecutive ? int(i) : 0));
    }
}

} // namespace

FlatText flatText(const QTextDocument& document)
{
    FlatText flat;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            if (fragment.charFormat().objectType() == FormulaObject::kType)
                add(flat, FormulaObject::spoken(fragment.charFormat()), fragment.position(), false);
            else
                add(flat, fragment.text(), fragment.position(), true);
        }
        add(flat, QStringLiteral(" "), block.position() + block.length() - 1, false);
    }
    while (flat.text.endsWith(QLatin1Char(' '))) {
        flat.text.chop(1);
        flat.positions.pop_back();
    }
    flat.positions.push_back(flat.positions.empty() ? 0 : flat.positions.back() + 1);
    return flat;
}

QTextCursor FlatText::cursor(QTextDocument* document, int start, int length) const
{
    QTextCursor cursor(document);
    const int last = std::clamp(start + length - 1, 0, std::max(0, int(positions.size()) - 2));
    cursor.setPosition(positions[std::size_t(std::clamp(start, 0, int(positions.size()) - 1))]);
    cursor.setPosition(positions[std::size_t(last)] + 1, QTextCursor::KeepAnchor);
    return cursor;
}

int FlatText::indexOf(int position) const
{
    return int(std::ranges::lower_bound(positions, position) - positions.begin());
}

std::vector<int> occurrences(const QString& text, const QString& needle, Qt::CaseSensitivity sensitivity)
{
    std::vector<int> found;
    if (needle.isEmpty())
        return found;
    for (qsizetype at = text.indexOf(needle, 0, sensitivity); at >= 0;
         at = text.indexOf(needle, at + needle.size(), sensitivity))
        found.push_back(int(at));
    return found;
}

void setMarks(QTextEdit& view, MarkLayer layer, QList<QTextEdit::ExtraSelection> marks)
{
    QList<QTextEdit::ExtraSelection> all = view.extraSelections();
    const auto gone = all.removeIf(
        [layer](const QTextEdit::ExtraSelection& one) { return one.format.intProperty(kLayerProperty) == int(layer); });
    if (gone == 0 && marks.isEmpty())
        return;
    for (QTextEdit::ExtraSelection& mark : marks) {
        mark.format.setProperty(kLayerProperty, int(layer));
        all << mark;
    }
    // What is looked for lies over what was highlighted.
    std::ranges::stable_sort(
        all, {}, [](const QTextEdit::ExtraSelection& one) { return one.format.intProperty(kLayerProperty); });
    view.setExtraSelections(all);
}

} // namespace ridge::app
