// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/plain_text.h"

#include "base/markup.h"
#include "lessons/inline.h"

#include <QRegularExpression>

namespace ridge::app {

std::string plainText(const std::string& markdown, const lessons::Curriculum& curriculum,
                      const std::map<std::string, lessons::FormulaAsset>& formulas)
{
    static const QRegularExpression link(QStringLiteral("!?\\[([^\\]]*)\\]\\([^)]*\\)"));
    static const QRegularExpression lineMark(QStringLiteral("^[ \\t]*(#{1,6}|>|[-+*]|[0-9]+[.)])[ \\t]+"),
                                             QRegularExpression::MultilineOption);
    static const QRegularExpression ruler(QStringLiteral("^[ \\t|:-]+$"), QRegularExpression::MultilineOption);
    QString out;
    for (const lessons::Inline& piece : lessons::splitInline(markdown)) {
        if (const auto* text = std::get_if<lessons::InlineText>(&piece)) {
            out += QString::fromStdString(text->markdown);
        } else if (const auto* claim = std::get_if<lessons::InlineClaim>(&piece)) {
            const lessons::Claim* known = curriculum.claim(claim->key);
            out += QString::fromStdString(known ? known->text : claim->key);
        } else {
            const auto& formula = std::get<lessons::InlineFormula>(piece);
            // As it is read aloud; its source means nothing to who searches, and stands in what is found.
            const auto drawn = formulas.find(formula.asset);
            out += QString::fromStdString(drawn != formulas.end() ? drawn->second.spoken : formula.tex);
        }
    }
    out.replace(link, QStringLiteral("\\1"));
    out.replace(ruler, QString());
    out.replace(lineMark, QString());
    out.replace(QLatin1Char('|'), QLatin1Char(' '));
    // An underscore belongs to a name more often than to emphasis.
    return withoutMarks(out.toStdString());
}

} // namespace ridge::app
