// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/search_index.h"

#include "base/hash.h"
#include "base/json.h"
#include "record/sqlite.h"
#include "record/withholding.h"
#include "search/lesson_texts.h"

#include <QSqlError>
#include <algorithm>
#include <ranges>
#include <unordered_map>

namespace ridge::app {

namespace {

/// Raised with every change of what is indexed or how: an index of another number is made anew.
constexpr int kFormat = 5;
constexpr int kSlice = 2000; ///< rows of the store taken up in one transaction
/// Runs, most of which read like one before: as many rows as a processor's cache holds, and so many times before others
/// have their turn.
constexpr int kRunSlice = 500, kRunSlices = 20;
constexpr std::size_t kMostGathered = 48u << 20; ///< bytes of runs that are kept in memory before they are written
constexpr int kSnippetLength = 160;

constexpr std::array<std::string_view, kSearchKinds> kNames = {"lesson", "term", "note", "artifact", "run", "journal"};
/// What one more probably means comes first: there are many runs and few lessons. Factors on the score.
constexpr std::array<double, kSearchKinds> kWeights = {1.0, 1.3, 1.1, 0.9, 0.4, 1.0};

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// Qt Sql stores a null string as NULL.
QString kept(const QString& value)
{
    return value.isNull() ? QStringLiteral("") : value;
}

QString kindText(SearchKind kind)
{
    const std::string_view name = toText(kind);
    return QString::fromLatin1(name.data(), qsizetype(name.size()));
}

QString pageOf(SearchKind kind, const record::TextRow& row)
{
    switch (kind) {
    case SearchKind::Artifact:
        return QStringLiteral("artifact/") + text(row.id);
    case SearchKind::Journal:
        return QStringLiteral("portfolio/journal/") + text(row.id);
    default:
        return QStringLiteral("runs/") + text(row.id);
    }
}

/// Where the term is set in bold: in the lesson that owns it, or in the first that is written where that one is not.
QString pageOfTerm(const lessons::Term& term, const std::map<std::string, QString>& sources)
{
    std::vector<std::string> forms = term.also;
    forms.push_back(term.name);
    const auto bold = [&](const QString& source) {
        return std::ranges::any_of(forms, [&](const std::string& form) {
            return source.contains(QStringLiteral("**%1**").arg(text(form)), Qt::CaseInsensitive);
        });
    };
    std::string lesson = sources.contains(term.lesson) ? term.lesson : std::string();
    for (const auto& [id, source] : sources)
        if (lesson.empty() && bold(source))
            lesson = id;
    return lesson.empty() ? QString() : QStringLiteral("lesson/%1#term=%2").arg(text(lesson), text(term.name));
}

/// Lessons, and the capstones of modules, which are read as lessons are.
std::vector<lessons::Lesson> headsOf(const lessons::Curriculum& curriculum)
{
    std::vector<lessons::Lesson> all = curriculum.heads;
    all.insert(all.end(), curriculum.capstones.begin(), curriculum.capstones.end());
    return all;
}

} // namespace

std::string_view toText(SearchKind kind)
{
    return kNames[std::size_t(kind)];
}

int SearchAnswer::total() const
{
    int all = 0;
    for (const int count : totals)
        all += count;
    return all;
}

void discardIndex(const std::filesystem::path& file)
{
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
        std::filesystem::remove(file.string() + suffix, ignored);
}

std::filesystem::path searchIndexFile(const std::filesystem::path& storeFolder)
{
    return storeFolder / "search.db";
}

/// Runs that have been read and are not in the index yet. `position` and `id`: the last of them.
struct SearchIndex::GatheredRuns {
    struct Line { ///< in `lines`
        std::size_t from = 0, size = 0;
    };
    struct Alike {
        int count = 0;
        std::int64_t last = 0;
        std::array<Line, kHitsPerKind> newest; ///< a ring: the newest at count - 1, modulo kHitsPerKind
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_map<std::string, Alike, Hash, std::equal_to<>> byText; ///< title, a zero, text
    std::string lines;     ///< of all runs in one piece: a small one for each, between large ones that go, takes long
    std::size_t bytes = 0; ///< of the texts
    std::int64_t position = 0;
    std::string id;

    void clear()
    {
        byText.clear();
        lines.clear();
        bytes = 0;
    }
};

SearchIndex::SearchIndex(std::unique_ptr<record::Connection> connection, bool inMemory)
    : m_connection(std::move(connection)), m_gathered(std::make_unique<GatheredRuns>()), m_inMemory(inMemory)
{
}

SearchIndex::~SearchIndex() = default;

Result<std::unique_ptr<SearchIndex>> SearchIndex::openAt(const std::filesystem::path& file, bool inMemory)
{
    auto connection = record::Connection::open(file, record::Connection::Mode::ReadWrite, file.string());
    if (!connection)
        return connection.error();
    std::unique_ptr<SearchIndex> index(new SearchIndex(std::move(*connection), inMemory));
    if (auto ready = index->prepare(); !ready)
        return ready.error();
    return index;
}

Result<std::unique_ptr<SearchIndex>> SearchIndex::open(const std::filesystem::path& file)
{
    std::error_code code;
    if (!file.empty() && std::filesystem::is_directory(file.parent_path(), code)) {
        auto index = openAt(file, false);
        if (index)
            return index;
        // Whatever is wrong with it, nothing in it is worth mending; unless another program is just making it.
        if (index.error().code != "store-locked") {
            discardIndex(file);
            if (auto fresh = openAt(file, false))
                return fresh;
        }
    }
    return openAt(":memory:", true);
}

Result<void> SearchIndex::prepare()
{
    record::Connection& db = *m_connection;
    // Losing the last second of it costs nothing: it is read again from the store.
    for (const char* pragma : {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"})
        if (auto set = db.exec(QLatin1String(pragma)); !set)
            return set;
    auto version = db.value(QStringLiteral("PRAGMA user_version"));
    if (!version)
        return version.error();
    if (version->toInt() == kFormat)
        return db.exec(QStringLiteral("SELECT 1 FROM words LIMIT 1"));
    if (version->toInt() != 0)
        return Error{"store-error", "The search index is of another version", db.place(), "It is made anew"};
    auto transaction = record::Transaction::begin(db);
    if (!transaction)
        return transaction.error();
    for (const QString& sql :
         {QStringLiteral("CREATE TABLE IF NOT EXISTS source (name TEXT PRIMARY KEY NOT NULL, stamp TEXT NOT NULL)"),
          QStringLiteral("CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
                         " owner TEXT NOT NULL, target TEXT NOT NULL, place TEXT NOT NULL, lesson TEXT NOT NULL,"
                         // Of runs that read alike, which have one entry: how many, the position of the newest, and
                         // the newest few, each as "position id place".
                         " runs INTEGER NOT NULL DEFAULT 1, last INTEGER NOT NULL DEFAULT 0,"
                         " newest TEXT NOT NULL DEFAULT '')"),
          QStringLiteral("CREATE INDEX IF NOT EXISTS place_by_owner ON place (owner)"),
          QStringLiteral("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (title, body, outcome,"
                         " tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3')"),
          // New words are gathered in memory up to that many bytes: with 1 MB, as it comes, half of the time that a
          // first index takes in FTS5 goes into pieces that are merged later.
          QStringLiteral("INSERT INTO words (words, rank) VALUES ('hashsize', 8388608)"),
          QStringLiteral("PRAGMA user_version = %1").arg(kFormat)})
        if (auto done = db.exec(sql); !done)
            return done;
    return transaction->commit();
}

Result<QString> SearchIndex::stamp(const QString& source) const
{
    auto found = m_connection->value(QStringLiteral("SELECT stamp FROM source WHERE name = ?"), {source});
    if (!found)
        return found.error();
    return found->toString();
}

Result<void> SearchIndex::setStamp(const QString& source, const QString& stamp)
{
    return m_connection->exec(QStringLiteral("INSERT INTO source (name, stamp) VALUES (?, ?)"
                                             " ON CONFLICT (name) DO UPDATE SET stamp = excluded.stamp"),
                              {source, kept(stamp)});
}

Result<void> SearchIndex::forget(const QString& owner)
{
    for (const QString& sql :
         {QStringLiteral("DELETE FROM words WHERE rowid IN (SELECT id FROM place WHERE owner = ?)"),
          QStringLiteral("DELETE FROM place WHERE owner = ?")})
        if (auto done = m_connection->execPrepared(sql, {owner}); !done)
            return done.error();
    return {};
}

Result<void> SearchIndex::add(SearchKind kind, const QString& owner, const QString& target, const QString& place,
                              const QString& title, const QString& body, const QString& lesson, const QString& outcome)
{
    auto placed = m_connection->execPrepared(
        QStringLiteral("INSERT INTO place (kind, owner, target, place, lesson) VALUES (?, ?, ?, ?, ?)"),
        {int(kind), owner, kept(target), kept(place), kept(lesson)});
    if (!placed)
        return placed.error();
    auto worded = m_connection->execPrepared(
        QStringLiteral("INSERT INTO words (rowid, title, body, outcome) VALUES (last_insert_rowid(), ?, ?, ?)"),
        {kept(title), kept(body), kept(outcome)});
    if (!worded)
        return worded.error();
    return {};
}

Result<void> SearchIndex::updateLessons(const lessons::Curriculum& curriculum, const std::filesystem::path& dataRoot)
{
    const auto formulas = lessons::loadFormulaIndex(dataRoot);
    const auto spoken = formulas ? *formulas : std::map<std::string, lessons::FormulaAsset>{};
    // Prose shows claims by their text, so that a changed claim is a changed lesson.
    std::string claims;
    for (const auto& [key, claim] : curriculum.claims)
        claims += key + "=" + claim.text + "\n";
    claims = sha256Hex(claims);
    QStringList known;
    for (const lessons::Lesson& head : headsOf(curriculum)) {
        const QString owner = QStringLiteral("lesson/") + text(head.id);
        known << owner;
        const auto source = readFile(curriculum.root / head.at.file);
        if (!source)
            continue;
        const QString fresh = text(sha256Hex(*source + '\0' + claims));
        auto before = stamp(owner);
        if (!before)
            return before.error();
        if (*before == fresh)
            continue;
        if (auto gone = forget(owner); !gone)
            return gone;
        const auto lesson = lessons::loadLesson(curriculum, head.id);
        if (lesson) {
            const QString name = text(lesson->id + "  " + lesson->title);
            for (const LessonText& part : lessonTexts(*lesson, curriculum, spoken)) {
                const bool whole = part.anchor.empty();
                auto added =
                    add(SearchKind::Lesson, owner, whole ? owner : owner + QLatin1Char('#') + text(part.anchor),
                        whole ? QString() : name, whole ? name : text(part.section), text(part.text));
                if (!added)
                    return added;
            }
        }
        if (auto set = setStamp(owner, fresh); !set)
            return set;
    }
    auto all = m_connection->query(QStringLiteral("SELECT name FROM source WHERE name LIKE 'lesson/%'"));
    if (!all)
        return all.error();
    QStringList gone;
    while (all->next())
        if (!known.contains(all->value(0).toString()))
            gone << all->value(0).toString();
    all->finish();
    for (const QString& owner : gone) {
        if (auto forgotten = forget(owner); !forgotten)
            return forgotten;
        if (auto cleared = m_connection->exec(QStringLiteral("DELETE FROM source WHERE name = ?"), {owner}); !cleared)
            return cleared;
    }
    return {};
}

Result<void> SearchIndex::updateTerms(const lessons::Curriculum& curriculum)
{
    std::string all; // the heads, because where a term leads depends on what is written
    for (const lessons::Lesson& head : headsOf(curriculum))
        all += head.id + ' ';
    for (const lessons::Term& term : curriculum.terms) {
        all += term.name + '\0' + term.text + '\0' + term.lesson + '\0';
        for (const std::string& form : term.also)
            all += form + '\0';
    }
    const QString owner = QStringLiteral("terms"), fresh = text(sha256Hex(all));
    auto before = stamp(owner);
    if (!before)
        return before.error();
    if (*before == fresh)
        return {};
    if (auto gone = forget(owner); !gone)
        return gone;
    std::map<std::string, QString> sources;
    for (const lessons::Lesson& head : headsOf(curriculum))
        if (const auto source = readFile(curriculum.root / head.at.file))
            sources[head.id] = text(*source);
    for (const lessons::Term& term : curriculum.terms) {
        QString title = text(term.name);
        for (const std::string& form : term.also)
            title += QStringLiteral(", ") + text(form);
        auto added = add(SearchKind::Term, owner, pageOfTerm(term, sources),
                         term.lesson.empty() ? QString() : text(term.lesson), title, text(term.text));
        if (!added)
            return added;
    }
    return setStamp(owner, fresh);
}

void SearchIndex::gatherRuns(const std::vector<record::TextRow>& rows)
{
    std::string& lines = m_gathered->lines;
    std::string words; // one for all: most runs read like one before and need no memory of their own
    for (const record::TextRow& row : rows) {
        m_gathered->position = row.position;
        m_gathered->id = row.id;
        const std::size_t from = lines.size();
        ((((lines += std::to_string(row.position)) += ' ') += row.id) += ' ') += row.createdAt;
        if (!row.lesson.empty())
            (lines += ' ') += row.lesson;
        ((words.assign(row.title) += '\0') += row.text);
        auto at = m_gathered->byText.find(std::string_view(words));
        if (at == m_gathered->byText.end()) {
            at = m_gathered->byText.try_emplace(words).first;
            m_gathered->bytes += words.size();
        }
        GatheredRuns::Alike& alike = at->second;
        alike.newest[std::size_t(alike.count % kHitsPerKind)] = {from, lines.size() - from};
        ++alike.count;
        alike.last = row.position;
    }
}

Result<void> SearchIndex::storeRuns()
{
    auto known = m_connection->query(QStringLiteral("SELECT id, newest FROM place WHERE owner = ?"), {QString()});
    if (!known)
        return known.error();
    const auto mark = stamp(kindText(SearchKind::Run));
    if (!mark)
        return mark.error();
    const bool first = mark->isEmpty(); // then nothing of it can be there
    std::string newest;
    for (const auto& [words, alike] : m_gathered->byText) {
        newest.clear();
        for (int i = 1; i <= std::min(alike.count, kHitsPerKind); ++i) {
            const GatheredRuns::Line& line = alike.newest[std::size_t((alike.count - i) % kHitsPerKind)];
            newest.append(i > 1 ? "\n" : "").append(m_gathered->lines, line.from, line.size);
        }
        QString lines = text(newest);
        const QString owner = QStringLiteral("run/") + text(sha256Hex(words));
        QVariant id;
        known->bindValue(0, owner);
        if (!first && !known->exec())
            return record::sqlError(known->lastError(), m_connection->place());
        if (!first && known->next()) {
            id = known->value(0);
            lines = (lines + QLatin1Char('\n') + known->value(1).toString())
                        .section(QLatin1Char('\n'), 0, kHitsPerKind - 1, QString::SectionSkipEmpty);
        }
        known->finish();
        const qlonglong last = alike.last;
        auto counted =
            id.isValid()
                ? m_connection->execPrepared(
                      QStringLiteral("UPDATE place SET runs = runs + ?, last = ?, newest = ? WHERE id = ?"),
                      {alike.count, last, lines, id})
                : m_connection->execPrepared(
                      QStringLiteral("INSERT INTO place (kind, owner, target, place, lesson, runs, last, newest)"
                                     " VALUES (?, ?, '', '', '', ?, ?, ?)"),
                      {int(SearchKind::Run), owner, alike.count, last, lines});
        if (!counted)
            return counted.error();
        if (id.isValid())
            continue;
        const std::size_t title = words.find('\0');
        auto worded = m_connection->execPrepared(
            QStringLiteral("INSERT INTO words (rowid, title, body, outcome) VALUES (last_insert_rowid(), ?, ?, '')"),
            {text(words.substr(0, title)), kept(text(words.substr(title + 1)))});
        if (!worded)
            return worded.error();
    }
    const QString last = QString::number(m_gathered->position) + QLatin1Char(' ') + text(m_gathered->id);
    if (auto set = setStamp(kindText(SearchKind::Run), last); !set)
        return set;
    m_gathered->clear();
    return {};
}

Result<void> SearchIndex::addVersions(SearchKind kind, const std::vector<record::TextRow>& rows)
{
    for (const record::TextRow& row : rows) {
        const QString owner = kindText(kind) + QLatin1Char('/') + text(row.id);
        QString target = pageOf(kind, row), place = text(row.createdAt), title = text(row.title);
        // A further version of the same thing takes the place of the one before.
        if (auto gone = forget(owner); !gone)
            return gone;
        if (row.removed)
            continue;
        if (kind == SearchKind::Note) {
            target = QStringLiteral("lesson/") + text(row.lesson) + QStringLiteral("#note=") + text(row.id);
            place = text(row.lesson);
        } else if (!row.lesson.empty()) {
            place += QLatin1Char(' ') + text(row.lesson);
        }
        QString body = text(row.text), outcome;
        if (kind == SearchKind::Artifact) {
            const QChar separator(0x1e);
            outcome = body.section(separator, 1, 1);
            body = body.section(separator, 0, 0) + QLatin1Char('\n') + body.section(separator, 2);
        }
        if (auto added = add(kind, owner, target, place, title, body, text(row.lesson), outcome); !added)
            return added;
    }
    return {};
}

Result<bool> SearchIndex::updateRows(SearchKind kind, const record::Store& store)
{
    const QString name = kindText(kind);
    auto mark = stamp(name);
    if (!mark)
        return mark.error();
    const bool run = kind == SearchKind::Run, more = run && !m_gathered->byText.empty();
    std::int64_t position = more ? m_gathered->position : mark->section(QLatin1Char(' '), 0, 0).toLongLong();
    if (position > 0 && !more) {
        // A restored backup has other rows at the same positions: then everything of this kind is read anew.
        auto last = store.texts(name, position - 1, 1);
        if (!last)
            return last.error();
        if (last->empty() || last->front().position != position ||
            text(last->front().id) != mark->section(QLatin1Char(' '), 1)) {
            for (const QString& sql : {QStringLiteral("DELETE FROM words WHERE rowid IN (SELECT id FROM place"
                                                      " WHERE kind = ?)"),
                                       QStringLiteral("DELETE FROM place WHERE kind = ?")})
                if (auto done = m_connection->exec(sql, {int(kind)}); !done)
                    return done.error();
            if (auto none = setStamp(name, {}); !none)
                return none.error();
            position = 0;
        }
    }
    if (run)
        return updateRuns(position, store);
    auto rows = store.texts(name, position, kSlice);
    if (!rows)
        return rows.error();
    if (auto added = addVersions(kind, *rows); !added)
        return added.error();
    if (rows->empty() && position > 0)
        return true;
    const QString fresh =
        rows->empty() ? QString() : QString::number(rows->back().position) + QLatin1Char(' ') + text(rows->back().id);
    if (fresh != *mark)
        if (auto set = setStamp(name, fresh); !set)
            return set.error();
    return std::ssize(*rows) < kSlice;
}

Result<bool> SearchIndex::updateRuns(std::int64_t after, const record::Store& store)
{
    bool all = false;
    for (int slice = 0; slice < kRunSlices && !all; ++slice) {
        auto rows = store.texts(kindText(SearchKind::Run), after, kRunSlice);
        if (!rows)
            return rows.error();
        all = std::ssize(*rows) < kRunSlice;
        gatherRuns(*rows);
        after = m_gathered->position;
    }
    if (!m_gathered->byText.empty() && (all || m_gathered->bytes + m_gathered->lines.size() > kMostGathered))
        if (auto stored = storeRuns(); !stored)
            return stored.error();
    return all;
}

Result<bool> SearchIndex::update(const lessons::Curriculum& curriculum, const std::filesystem::path& dataRoot,
                                 const record::Store* store)
{
    auto transaction = record::Transaction::begin(*m_connection);
    if (!transaction)
        return transaction.error();
    // Between two slices of rows nobody writes lessons, and to look whether they changed takes as long as a slice.
    if (!m_amidRows) {
        if (auto done = updateLessons(curriculum, dataRoot); !done)
            return done.error();
        if (auto done = updateTerms(curriculum); !done)
            return done.error();
    }
    bool all = true;
    if (store)
        for (const SearchKind kind : {SearchKind::Note, SearchKind::Artifact, SearchKind::Journal, SearchKind::Run}) {
            auto done = updateRows(kind, *store);
            if (!done)
                return done.error();
            all = all && *done;
        }
    if (auto committed = transaction->commit(); !committed)
        return committed.error();
    m_amidRows = !all;
    return all;
}

Result<SearchAnswer> SearchIndex::search(const QString& typed, int perKind, const HeldLessons& held) const
{
    SearchAnswer answer;
    answer.typed = typed;
    const SearchQuery query = parseQuery(typed);
    if (query.empty())
        return answer;
    // Where results are held back, what was filled in from them must not be found either: guessing would tell it.
    QString unless;
    QVariantList values{query.fts()};
    if (!held.empty()) {
        QStringList marks;
        for (const auto& [lesson, reason] : held) {
            marks << QStringLiteral("?");
            values << text(lesson);
        }
        unless = QStringLiteral(" AND (place.lesson NOT IN (%1) OR place.id IN"
                                " (SELECT rowid FROM words WHERE words MATCH ?))")
                     .arg(marks.join(QLatin1Char(',')));
        values << QStringLiteral("{title body} : (%1)").arg(query.fts());
    }
    values << perKind;
    // A word in the title weighs as much as ten in the text. bm25 is smaller for what fits better.
    auto rows = m_connection->query(
        QStringLiteral("SELECT ranked.kind, place.target, place.place, words.title, words.body, ranked.score,"
                       " ranked.total, words.outcome, place.lesson, place.newest FROM (SELECT id, kind, score,"
                       " ROW_NUMBER() OVER (PARTITION BY kind ORDER BY score, last DESC, id DESC) AS number,"
                       " SUM(runs) OVER (PARTITION BY kind) AS total"
                       " FROM (SELECT place.id AS id, place.kind AS kind, place.runs AS runs, place.last AS last,"
                       " bm25(words, 10.0, 1.0, 1.0) AS score"
                       " FROM words JOIN place ON place.id = words.rowid WHERE words MATCH ?%1)) AS ranked"
                       " JOIN place ON place.id = ranked.id JOIN words ON words.rowid = ranked.id"
                       " WHERE ranked.number <= ?")
            .arg(unless),
        values);
    if (!rows)
        return rows.error();
    std::vector<std::pair<std::int64_t, SearchHit>> runs; ///< by position in the store
    while (rows->next()) {
        const int kind = rows->value(0).toInt();
        if (kind < 0 || kind >= kSearchKinds)
            continue;
        SearchHit hit;
        hit.kind = SearchKind(kind);
        hit.target = rows->value(1).toString();
        hit.place = rows->value(2).toString();
        const QString title = rows->value(3).toString();
        hit.title = {title, findMatches(title, query)};
        QString outcome = rows->value(7).toString();
        const auto reason = held.find(rows->value(8).toString().toStdString());
        if (reason != held.end() && !outcome.isEmpty())
            outcome = text(record::heldClaim(reason->second.toStdString()));
        hit.text = makeSnippet(rows->value(4).toString() + QLatin1Char('\n') + outcome, query, kSnippetLength);
        hit.score = -rows->value(5).toDouble() * kWeights[std::size_t(kind)];
        answer.totals[std::size_t(kind)] = rows->value(6).toInt();
        if (hit.kind != SearchKind::Run) {
            answer.hits.push_back(std::move(hit));
            continue;
        }
        for (const QString& line : rows->value(9).toString().split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
            hit.target = QStringLiteral("runs/") + line.section(QLatin1Char(' '), 1, 1);
            hit.place = line.section(QLatin1Char(' '), 2);
            runs.emplace_back(line.section(QLatin1Char(' '), 0, 0).toLongLong(), hit);
        }
    }
    std::ranges::sort(runs, [](const auto& a, const auto& b) {
        return a.second.score != b.second.score ? a.second.score > b.second.score : a.first > b.first;
    });
    for (std::size_t at = 0; at < runs.size() && at < std::size_t(perKind); ++at)
        answer.hits.push_back(std::move(runs[at].second));
    std::ranges::stable_sort(answer.hits, std::ranges::greater(), &SearchHit::score);
    return answer;
}

} // namespace ridge::app
