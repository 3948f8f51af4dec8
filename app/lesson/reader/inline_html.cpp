// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/inline_html.h"

#include "app/theme/kept_units.h"
#include "base/units.h"
#include "lessons/inline.h"
#include "lessons/numbers.h"

namespace ridge::app {

QString shownClaim(const lessons::Claim& claim)
{
    // The mark of a measured value, as in charts: only what this program measured has it.
    const bool measured = claim.provenance == "measured" && lessons::isTableKey(claim.key);
    return QString::fromStdString(lessons::claimText(claim)) + (measured ? QStringLiteral("\u202f●") : QString());
}

namespace {

QString claimText(const lessons::Curriculum& curriculum, const std::string& key)
{
    const auto* claim = curriculum.claim(key);
    if (!claim)
        return QString::fromStdString(key);
    return shownClaim(*claim);
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

/// Author's Markdown with its units kept, but for code spans. `behindNumber`: a claim's digits stand right before it.
QString keptMarkdown(const QString& markdown, bool behindNumber)
{
    QStringList parts = markdown.split(QLatin1Char('`'));
    for (qsizetype i = 0; i < parts.size(); ++i)
        if (i % 2 == 0 || i + 1 == parts.size())
            parts[i] = i == 0 && behindNumber ? keptUnits(QLatin1Char('0') + parts[i]).mid(1) : keptUnits(parts[i]);
    return parts.join(QLatin1Char('`'));
}

QString render(const std::string& markdown, const std::vector<Mark>& marks, bool html,
               const lessons::Curriculum& curriculum)
{
    QString out;
    bool behindNumber = false;
    for (const auto& piece : lessons::splitInline(markdown)) {
        const bool numberBefore = std::exchange(behindNumber, false);
        if (const auto* text = std::get_if<lessons::InlineText>(&piece)) {
            const QString written = QString::fromStdString(text->markdown);
            out += convert(html ? keptMarkdown(written, numberBefore) : written, marks, html);
        } else if (const auto* claim = std::get_if<lessons::InlineClaim>(&piece)) {
            const QString shown = claimText(curriculum, claim->key);
            behindNumber = !shown.isEmpty() && shown.back().isDigit();
            out += html ? keptUnits(shown).toHtmlEscaped() : shown;
        } else {
            const QString tex = QString::fromStdString(std::get<lessons::InlineFormula>(piece).tex);
            out += html ? tex.toHtmlEscaped() : tex;
        }
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
