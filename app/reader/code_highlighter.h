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

enum class CodeLanguage { None, Cuda, Ptx, Python, Shell };

/// By the word after a fence ("cuda", "cpp", "ptx", "python", "bash") or a file's ending; None for any other.
CodeLanguage languageOf(const QString& name);

/// Tokens of one line; `inComment` carries an open block comment from line to line.
std::vector<CodeToken> tokenize(const QString& line, CodeLanguage language, bool& inComment);

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
