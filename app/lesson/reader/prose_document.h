// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/formula_library.h"
#include "lessons/curriculum.h"
#include "lessons/prose.h"

class QTextDocument;
class QTextEdit;

namespace ridge::app {

/// How a piece of author's text is set.
enum class ProseLook {
    Reading, ///< the column of the lesson
    Card,    ///< inside a block: ui.body
    Question ///< the question of a block: read.body, semibold
};

struct ProseSources {
    Theme& theme;
    FormulaLibrary& formulas;
    const lessons::Curriculum& curriculum;
};

/// Fills `document`, which should have no layout yet, from GitHub Markdown with claims and formulas, then gives it the
/// type, spacing, boxes and links of the design, which QTextDocument's own Markdown import has not. Claims become links
/// "claim:key" around the number, bold terms links "term:name".
void buildProse(QTextDocument& document, FormulaObject& formulas, const std::string& markdown, ProseLook look,
                const ProseSources& sources);

/// Shows `document`, which has no layout yet, in place of the view's own. It is laid out once: with the layout on, it
/// is when it gets one and two more times in QTextEdit::setDocument (Qt 6.4).
void showProse(QTextEdit& view, QTextDocument& document, FormulaObject& formulas);

/// Width of the column for reading: 68 to 72 characters of ordinary prose, in px at the theme's text scale.
int textMeasure(const Theme& theme);

/// The text as it is read aloud: formulas by their spoken form.
QString spokenText(const QTextDocument& document);

} // namespace ridge::app
