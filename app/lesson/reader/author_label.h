// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/reader_context.h"
#include "app/ui/themed_label.h"

namespace ridge::app {

/// A label whose text comes from a lesson's author: inline Markdown, claims and formulas as text.
class AuthorLabel : public ThemedLabel {
    Q_OBJECT
public:
    AuthorLabel(const ReaderContext& context, const std::string& markdown, TextStyle style, const char* tone = "",
                QWidget* parent = nullptr);
    void setMarkdown(const std::string& markdown);
    QString plain() const;

private:
    void render();
    ReaderContext m_context;
    std::string m_markdown;
};

} // namespace ridge::app
