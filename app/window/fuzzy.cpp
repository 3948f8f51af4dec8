// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/fuzzy.h"

#include <algorithm>
#include <vector>

namespace ridge::app {
namespace {

constexpr int kLetter = 1, kRun = 5, kWordStart = 8, kWhole = 20;
constexpr int kNone = -1;

bool startsWord(QStringView text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// A letter of the pattern goes on with the run of the one before, or begins a word. So "gtp" and "gotopa" mean "Go to
/// page", and letters strewn over a sentence mean nothing.
int initials(QStringView word, QStringView text)
{
    std::vector<int> ended(std::size_t(text.size()), kNone); // best score of the letters so far, the last one here
    for (qsizetype i = 0; i < word.size(); ++i) {
        std::vector<int> next(ended.size(), kNone);
        int before = i == 0 ? 0 : kNone; // best of all places before this one
        for (qsizetype at = 0; at < text.size(); ++at) {
            const int last = at > 0 ? ended[std::size_t(at - 1)] : kNone;
            before = std::max(before, i == 0 ? 0 : last);
            if (text[at] != word[i])
                continue;
            int& score = next[std::size_t(at)];
            if (last != kNone)
                score = last + kLetter + kRun;
            if (before != kNone && startsWord(text, at))
                score = std::max(score, before + kLetter) + kWordStart;
        }
        ended = std::move(next);
    }
    return ended.empty() ? kNone : *std::max_element(ended.begin(), ended.end());
}

/// Letters left out of one word: "clsc" for "coalescing", "rofline" for "roofline". The first letter stands, and at
/// least a third of the word is there.
int abridged(QStringView word, QStringView text)
{
    if (word.size() < 3)
        return kNone;
    int best = kNone;
    for (qsizetype begin = 0; begin < text.size(); ++begin) {
        if (text[begin] != word[0] || !startsWord(text, begin))
            continue;
        qsizetype end = begin;
        while (end < text.size() && text[end].isLetterOrNumber())
            ++end;
        if (3 * word.size() < end - begin)
            continue;
        int score = kWordStart;
        qsizetype at = begin, previous = -2;
        for (const QChar letter : word) {
            at = text.indexOf(letter, at);
            if (at < 0 || at >= end) {
                score = kNone;
                break;
            }
            score += kLetter + (at == previous + 1 ? kRun : 0);
            previous = at++;
        }
        best = std::max(best, score);
    }
    return best;
}

int wordScore(QStringView word, QStringView text)
{
    int best = std::max(initials(word, text), abridged(word, text));
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
        // Inside a word a single letter or two stand everywhere.
        const bool start = startsWord(text, at);
        if (start || word.size() > 2)
            best = std::max(best, int(word.size()) * kLetter + int(word.size() - 1) * kRun + (start ? kWordStart : 0) +
                                      kWhole);
    }
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
            return kNone;
        total += score;
    }
    // Of two equally good fits the shorter text is the more exact one.
    return total * 64 - static_cast<int>(std::min<qsizetype>(lower.size(), 63)) + 63;
}

bool containsWords(const QString& pattern, const QString& text)
{
    const QStringList words = pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::all_of(words.begin(), words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

} // namespace ridge::app
