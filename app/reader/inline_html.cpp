// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/inline_html.h"

#include "base/units.h"
#include "lessons/inline.h"

namespace ridge::app {

namespace {

QString claimText(const lessons::Curriculum& curriculum, const std::string& key)
{
    const auto* claim = curriculum.claim(key);
    if (!claim)
        return QString::fromStdString(key);
    return QString::fromStdString(claim->text.empty() ? formatQuantity(claim->value, claim->unit) : claim->text);
}

/// Marks that open and close a span, with what they become.
struct Mark {
    QLatin1String text;
    QString open, close;
    bool literal = false; ///< no marks inside
};

QString convert(const QString& text, const std::vector<Mark>& marks, bool html)
{
    QString out;
    qsizetype at = 0;
    const auto plain = [&](const QString& piece) { return html ? piece.toHtmlEscaped() : piece; };
    while (at < text.size()) {
        const auto mark = std::ranges::find_if(
            marks, [&](const Mark& one) { return QStringView(text).mid(at).startsWith(one.text); });
        const qsizetype from = mark == marks.end() ? 0 : at + mark->text.size();
        const qsizetype end = mark == marks.end() ? -1 : text.indexOf(mark->text, from);
        // "2 * 3" is no emphasis: a span neither begins with a space nor is empty.
        if (end <= from || text[from].isSpace()) {
            out += plain(text.mid(at, 1));
            ++at;
            continue;
        }
        const QString inner = text.mid(from, end - from);
        out += mark->open + (mark->literal ? plain(inner) : convert(inner, marks, html)) + mark->close;
        at = end + mark->text.size();
    }
    return out;
}

QString render(const std::string& markdown, const std::vector<Mark>& marks, bool html,
               const lessons::Curriculum& curriculum)
{
    QString out;
    for (const auto& piece : lessons::splitInline(markdown)) {
        if (const auto* text = std::get_if<lessons::InlineText>(&piece))
            out += convert(QString::fromStdString(text->markdown), marks, html);
        else if (const auto* claim = std::get_if<lessons::InlineClaim>(&piece))
            out += html ? claimText(curriculum, claim->key).toHtmlEscaped() : claimText(curriculum, claim->key);
        else if (const QString tex = QString::fromStdString(std::get<lessons::InlineFormula>(piece).tex); html)
            out += tex.toHtmlEscaped();
        else
            out += tex;
    }
    return out;
}

} // namespace

QString inlineHtml(const std::string& markdown, const Theme& theme, const lessons::Curriculum& curriculum)
{
    const QString code = QStringLiteral("<span style=\"font-family:'JetBrains Mono'; background-color:%1\">")
                             .arg(theme.color(Role::CodeBackground).name());
    const QString span = QStringLiteral("</span>");
    return render(markdown,
                  {{QLatin1String("`"), code, span, true},
                   {QLatin1String("**"), QStringLiteral("<b>"), QStringLiteral("</b>"), false},
                   {QLatin1String("*"), QStringLiteral("<i>"), QStringLiteral("</i>"), false}},
                  true, curriculum);
}

QString inlinePlain(const std::string& markdown, const lessons::Curriculum& curriculum)
{
    return render(
        markdown,
        {{QLatin1String("`"), {}, {}, true}, {QLatin1String("**"), {}, {}, false}, {QLatin1String("*"), {}, {}, false}},
        false, curriculum);
}

QString shownUnit(const std::string& unit)
{
    return unit == "1" ? QString() : QString::fromStdString(unit);
}

} // namespace ridge::app
