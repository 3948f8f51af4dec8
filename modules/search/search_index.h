// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "record/store.h"
#include "search/query.h"

#include <memory>

namespace ridge::record {
class Connection;
}

namespace ridge::app {

inline constexpr int kHitsPerKind = 12;

enum class SearchKind { Lesson, Term, Note, Artifact, Run, Journal };
inline constexpr int kSearchKinds = 6;
std::string_view toText(SearchKind kind); ///< "lesson", "term" …

struct SearchHit {
    SearchKind kind = SearchKind::Lesson;
    Snippet title;
    QString place;  ///< "2.4 · Mental model", a time
    Snippet text;   ///< the piece in which the words stand
    QString target; ///< page: "lesson/2.4#mental-model:1", "runs/<id>" …
    double score = 0;
};

struct SearchAnswer {
    QString typed;
    std::vector<SearchHit> hits;            ///< best first
    std::array<int, kSearchKinds> totals{}; ///< found of each kind, also those that are not among `hits`
    int total() const;
};

/// Lessons whose results are not told now, each with the sentence that says from when on they are.
using HeldLessons = std::map<std::string, QString>;

/// An index over the texts of lessons, terms, runs, notes, artifacts and the journal (SQLite FTS5). It is no record:
/// everything in it comes from the curriculum and the store and can be made again; a damaged, older or unwritable file
/// is replaced by a fresh one, in memory where the folder refuses it. One thread.
class SearchIndex {
public:
    /// `file` empty: in memory. Errors: "store-error" where SQLite has no FTS5.
    static Result<std::unique_ptr<SearchIndex>> open(const std::filesystem::path& file);
    ~SearchIndex();

    /// Takes up what is new since last time; `store` null: lessons and terms only. False: there may be more rows, ask
    /// again (rows come in slices, so that a first start answers meanwhile; runs are found once all slices are read).
    Result<bool> update(const lessons::Curriculum& curriculum, const std::filesystem::path& dataRoot,
                        const record::Store* store);
    /// At most `perKind` hits of each kind (of runs that read alike at most kHitsPerKind), ranked: titles before texts,
    /// lessons before runs. A text without letters or digits finds nothing. What was filled in from results of a lesson
    /// in `held` is neither found nor shown.
    Result<SearchAnswer> search(const QString& typed, int perKind = kHitsPerKind, const HeldLessons& held = {}) const;
    bool inMemory() const { return m_inMemory; }

private:
    explicit SearchIndex(std::unique_ptr<record::Connection> connection, bool inMemory);
    static Result<std::unique_ptr<SearchIndex>> openAt(const std::filesystem::path& file, bool inMemory);
    Result<void> prepare();
    Result<QString> stamp(const QString& source) const;
    Result<void> setStamp(const QString& source, const QString& stamp);
    Result<void> forget(const QString& owner);
    /// `outcome`: the part of the text that was filled in from results of `lesson`.
    Result<void> add(SearchKind kind, const QString& owner, const QString& target, const QString& place,
                     const QString& title, const QString& text, const QString& lesson = {},
                     const QString& outcome = {});
    Result<void> updateLessons(const lessons::Curriculum& curriculum, const std::filesystem::path& dataRoot);
    Result<void> updateTerms(const lessons::Curriculum& curriculum);
    /// Gathers runs, of which those that read alike share one entry of the index: it knows how many they are and the
    /// newest kHitsPerKind. They are written with storeRuns, once for many slices.
    void gatherRuns(const std::vector<record::TextRow>& rows);
    Result<void> storeRuns();
    /// Rows of what has versions: the newest takes the place of the one before.
    Result<void> addVersions(SearchKind kind, const std::vector<record::TextRow>& rows);
    Result<bool> updateRows(SearchKind kind, const record::Store& store);
    Result<bool> updateRuns(std::int64_t after, const record::Store& store);

    struct GatheredRuns;
    std::unique_ptr<record::Connection> m_connection;
    std::unique_ptr<GatheredRuns> m_gathered;
    bool m_inMemory;
    bool m_amidRows = false; ///< the last update left rows for the next
};

/// An index together with what it is made from: what turns out to be damaged inside is made again, once, before an
/// error is handed on. One thread.
class SearchDesk {
public:
    /// `file` as for SearchIndex::open. What is referred to outlives the desk.
    SearchDesk(std::filesystem::path file, const lessons::Curriculum& curriculum, std::filesystem::path dataRoot,
               const record::Store* store);
    ~SearchDesk();
    Result<bool> update(); ///< as SearchIndex::update
    Result<SearchAnswer> search(const QString& typed, int perKind = kHitsPerKind, const HeldLessons& held = {});

private:
    Result<void> begin();
    Result<bool> renew(); ///< false: the error was none of the file's

    std::filesystem::path m_file, m_dataRoot;
    const lessons::Curriculum& m_curriculum;
    const record::Store* m_store;
    std::unique_ptr<SearchIndex> m_index;
};

/// Takes the file of an index away, with what SQLite keeps beside it.
void discardIndex(const std::filesystem::path& file);

/// Where the index of a store lies.
std::filesystem::path searchIndexFile(const std::filesystem::path& storeFolder);

} // namespace ridge::app
