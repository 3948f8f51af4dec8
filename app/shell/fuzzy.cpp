// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/fuzzy.h"

#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kLetter = 1, kRun = 5, kWordStart = 8, kWhole = 20;

bool startsWord(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// Greedy from one starting point; tried from each place where the first letter stands.
int scoreFrom(const QString& word, const QString& text, qsizetype from)
{
    int score = 0;
    qsizetype at = from;
    qsizetype previous = -2;
    for (const QChar letter : word) {
        at = text.indexOf(letter, at);
        if (at < 0)
            return -1;
        score += kLetter;
        if (at == previous + 1)
            score += kRun;
        if (startsWord(text, at))
            score += kWordStart;
        previous = at++;
    }
    return score;
}

int wordScore(const QString& word, const QString& text)
{
    int best = -1;
    const qsizetype whole = text.indexOf(word);
    if (whole >= 0)
        best = scoreFrom(word, text, whole) + kWhole;
    for (qsizetype at = text.indexOf(word[0]); at >= 0; at = text.indexOf(word[0], at + 1))
        best = std::max(best, scoreFrom(word, text, at));
    return best;
}

} // namespace

int fuzzyScore(const QString& pattern, const QString& text)
{
    const QString lower = text.toLower();
    int total = 0;
    const QStringList words = pattern.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const QString& word : words) {
        const int score = wordScore(word, lower);
        if (score < 0)
            return -1;
        total += score;
    }
    // Of two equally good fits the shorter text is the more exact one.
    return total * 64 - static_cast<int>(std::min<qsizetype>(lower.size(), 63)) + 63;
}

} // namespace ridge::app
