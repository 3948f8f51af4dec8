// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/author_label.h"

#include "app/lesson/reader/inline_html.h"

namespace ridge::app {

AuthorLabel::AuthorLabel(const ReaderContext& context, const std::string& markdown, TextStyle style, const char* tone,
                         QWidget* parent)
    : ThemedLabel(context.theme(), {}, style, tone, parent), m_context(context)
{
    setTextFormat(Qt::RichText);
    connect(&context.theme(), &Theme::changed, this, &AuthorLabel::render);
    setMarkdown(markdown);
}

void AuthorLabel::setMarkdown(const std::string& markdown)
{
    m_markdown = markdown;
    render();
}

QString AuthorLabel::plain() const
{
    return inlinePlain(m_markdown, m_context.app.curriculum());
}

void AuthorLabel::render()
{
    setText(inlineHtml(m_markdown, m_context.theme(), m_context.app.curriculum()));
    setAccessibleName(plain());
}

} // namespace ridge::app

#include "moc_author_label.cpp"
