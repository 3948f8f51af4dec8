// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/shell_words.h"

#include <algorithm>

namespace ridge::record {
namespace {

bool isPlain(QChar c)
{
    return (c >= QLatin1Char('a') && c <= QLatin1Char('z')) || (c >= QLatin1Char('A') && c <= QLatin1Char('Z')) ||
           (c >= QLatin1Char('0') && c <= QLatin1Char('9')) || QStringLiteral("_-.:=,/+@%").contains(c);
}

Error bad(const QString& text, const QString& what, const char* fix)
{
    return {"bad-launcher", what.toStdString(), "launcher " + text.toStdString(), fix};
}

Error needsShell(const QString& text, QChar c)
{
    return bad(text, QStringLiteral("the launcher is started without a shell, so \"%1\" would do nothing").arg(c),
               "write the words themselves, or put them into single quotes if they are meant as they are");
}

} // namespace

Result<QStringList> splitShellWords(const QString& text)
{
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar c = text[at];
        const bool last = at + 1 == text.size();
        if (quote == QLatin1Char('\'')) {
            if (c == quote)
                quote = QChar();
            else
                word += c;
        } else if (c == QLatin1Char('\\')) {
            if (last)
                return bad(text, QStringLiteral("the launcher ends in a lone backslash"), "take it away or double it");
            const QChar next = text[++at];
            // Between double quotes a backslash is itself unless it guards one of these.
            if (!quote.isNull() && !QStringLiteral("$`\"\\").contains(next))
                word += c;
            word += next;
            inWord = true;
        } else if (QStringLiteral("$`").contains(c)) {
            return needsShell(text, c);
        } else if (quote == QLatin1Char('"')) {
            if (c == quote)
                quote = QChar();
            else
                word += c;
        } else if (c == QLatin1Char('\'') || c == QLatin1Char('"')) {
            quote = c;
            inWord = true;
        } else if (QStringLiteral(";|&<>()").contains(c)) {
            return needsShell(text, c);
        } else if (c.isSpace()) {
            if (inWord)
                words << word;
            word.clear();
            inWord = false;
        } else {
            word += c;
            inWord = true;
        }
    }
    if (!quote.isNull())
        return bad(text, QStringLiteral("the quote %1 is never closed").arg(quote), "close it");
    if (inWord)
        words << word;
    return words;
}

QString shellQuoted(const QString& word)
{
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), isPlain))
        return word;
    QString quoted = word;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString shellQuoted(const QStringList& words)
{
    QStringList all;
    for (const QString& word : words)
        all << shellQuoted(word);
    return all.join(QLatin1Char(' '));
}

} // namespace ridge::record
