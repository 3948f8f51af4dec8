// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace ridge::app {

/// What somebody typed, as words that all have to be found. A word that holds punctuation ("sm_90", "ld.global") or
/// stands in quotes is a phrase of several; the last word of a phrase may go on ("coal" finds "coalescing").
struct SearchQuery {
    std::vector<QStringList> phrases; ///< folded: lower case, without accents
    bool empty() const { return phrases.empty(); }
    /// Expression of SQLite's FTS5, in which every word is quoted: nothing typed is an operator.
    QString fts() const;
};

/// Takes anything: what holds no letter or digit gives an empty query. At most kMostPhrases words count, each cut to
/// kLongestWord characters, so that a pasted file is answered too.
SearchQuery parseQuery(const QString& typed);
inline constexpr int kMostPhrases = 16, kLongestWord = 64;

/// Lower case without accents, character by character where that keeps the length; as the index's tokenizer does it.
QString folded(const QString& text);

struct TextSpan {
    int start = 0, length = 0;
    bool operator==(const TextSpan&) const = default;
};

/// Where the query's phrases stand in a text, in order, without overlaps.
std::vector<TextSpan> findMatches(const QString& text, const SearchQuery& query);

struct Snippet {
    QString text;
    std::vector<TextSpan> marks;
};

/// The piece of a text in which most of the query stands, cut at words with "…" and in one line.
Snippet makeSnippet(const QString& text, const SearchQuery& query, int length);

} // namespace ridge::app
