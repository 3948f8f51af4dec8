// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QSyntaxHighlighter>

namespace ridge::app {

/// A coloured piece of one line of code.
struct CodeToken {
    int start = 0, length = 0;
    Role role = Role::Text;
};

enum class CodeLanguage { None, Cuda, Ptx, Sass, Python, Verilog, Shell, Data };

/// By the word after a fence ("cuda", "cpp", "ptx", "sass", "python", "triton", "verilog", "bash", "json", "yaml") or a
/// file's ending; None for any other.
CodeLanguage languageOf(const QString& name);

/// What a line leaves open for the next one: a block comment, or a text between three quotes.
enum class CodeState { Plain, Comment, TripleSingle, TripleDouble };

/// Tokens of one line, in order and without overlaps.
std::vector<CodeToken> tokenize(const QString& line, CodeLanguage language, CodeState& state);

/// Colours a document by the theme; a theme change asks for rehighlight().
class CodeHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    CodeHighlighter(QTextDocument* document, Theme& theme, CodeLanguage language);

protected:
    void highlightBlock(const QString& text) override;

private:
    Theme& m_theme;
    CodeLanguage m_language;
};

} // namespace ridge::app
