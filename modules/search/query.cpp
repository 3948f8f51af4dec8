// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/query.h"

#include <algorithm>

namespace ridge::app {

namespace {

bool isWordPart(char32_t c)
{
    return QChar::isLetterOrNumber(c) || QChar::isMark(c) || QChar::category(c) == QChar::Other_PrivateUse;
}

struct Word {
    int start = 0, length = 0;
    QString text; ///< folded
};

char32_t codeAt(const QString& text, int at, int& units)
{
    const QChar c = text[at];
    units = 1;
    if (c.isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate()) {
        units = 2;
        return QChar::surrogateToUcs4(c, text[at + 1]);
    }
    return c.unicode();
}

std::vector<Word> wordsOf(const QString& text, int from, int to)
{
    std::vector<Word> words;
    for (int at = from, units = 0; at < to; at += units) {
        if (!isWordPart(codeAt(text, at, units)))
            continue;
        const int start = at;
        while (at < to && isWordPart(codeAt(text, at, units)))
            at += units;
        words.push_back({start, at - start, folded(text.mid(start, at - start))});
        units = 0;
    }
    return words;
}

} // namespace

QString folded(const QString& text)
{
    QString out;
    const QString parts = text.normalized(QString::NormalizationForm_D).toLower();
    for (int at = 0, units = 0; at < parts.size(); at += units)
        if (!QChar::isMark(codeAt(parts, at, units)))
            out += QStringView(parts).mid(at, units);
    return out;
}

SearchQuery parseQuery(const QString& typed)
{
    SearchQuery query;
    const auto add = [&query](const QString& piece) {
        QStringList phrase;
        for (const Word& word : wordsOf(piece, 0, int(piece.size())))
            if (phrase.size() < kMostPhrases && !word.text.isEmpty())
                phrase << word.text.left(kLongestWord);
        if (!phrase.isEmpty() && int(query.phrases.size()) < kMostPhrases)
            query.phrases.push_back(phrase);
    };
    QString piece;
    bool quoted = false;
    for (const QChar c : typed) {
        if (int(query.phrases.size()) >= kMostPhrases)
            break;
        if (c != QLatin1Char('"') && (quoted || !c.isSpace())) {
            piece += c;
            continue;
        }
        add(piece);
        piece.clear();
        quoted = c == QLatin1Char('"') && !quoted;
    }
    add(piece);
    return query;
}

QString SearchQuery::fts() const
{
    QStringList parts;
    for (const QStringList& phrase : phrases)
        parts << QLatin1Char('"') + phrase.join(QLatin1Char(' ')) + QStringLiteral("\" *");
    return parts.join(QStringLiteral(" AND "));
}

std::vector<TextSpan> findMatches(const QString& text, const SearchQuery& query)
{
    const std::vector<Word> words = wordsOf(text, 0, int(text.size()));
    std::vector<TextSpan> spans;
    for (std::size_t at = 0; at < words.size();) {
        std::size_t longest = 0;
        for (const QStringList& phrase : query.phrases) {
            const auto size = std::size_t(phrase.size());
            if (at + size > words.size())
                continue;
            bool same = true;
            for (std::size_t i = 0; same && i < size; ++i)
                same = i + 1 == size ? words[at + i].text.startsWith(phrase[qsizetype(i)])
                                     : words[at + i].text == phrase[qsizetype(i)];
            if (same)
                longest = std::max(longest, size);
        }
        if (longest > 0) {
            const Word& last = words[at + longest - 1];
            spans.push_back({words[at].start, last.start + last.length - words[at].start});
        }
        at += std::max<std::size_t>(longest, 1);
    }
    return spans;
}

Snippet makeSnippet(const QString& source, const SearchQuery& query, int length)
{
    const QString text = source.simplified();
    const std::vector<TextSpan> spans = findMatches(text, query);
    int from = 0;
    if (text.size() > length && !spans.empty()) {
        // The window that begins a little before a match and holds the most of them.
        int most = 0;
        for (const TextSpan& first : spans) {
            const int start = std::clamp(first.start - length / 4, 0, std::max(0, int(text.size()) - length));
            const int held = int(std::ranges::count_if(spans, [&](const TextSpan& span) {
                return span.start >= start && span.start + span.length <= start + length;
            }));
            if (held > most) {
                most = held;
                from = start;
            }
        }
    }
    int to = std::min(int(text.size()), from + length);
    const auto isSpace = [&](int at) { return text[at].isSpace(); };
    if (from > 0)
        while (from < to && !isSpace(from - 1))
            ++from;
    if (to < text.size())
        while (to > from + length / 2 && !isSpace(to))
            --to;
    if (from > 0 && from < text.size() && text[from].isLowSurrogate())
        ++from;
    if (to < text.size() && to > 0 && text[to].isLowSurrogate())
        --to;
    Snippet snippet;
    const QString head = from > 0 ? QStringLiteral("… ") : QString();
    snippet.text = head + text.mid(from, to - from) + (to < text.size() ? QStringLiteral(" …") : QString());
    for (const TextSpan& span : spans)
        if (span.start >= from && span.start + span.length <= to)
            snippet.marks.push_back({span.start - from + int(head.size()), span.length});
    return snippet;
}

} // namespace ridge::app
