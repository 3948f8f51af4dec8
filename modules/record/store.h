// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/lost_files.h"
#include "record/rows.h"
#include "record/run_heads.h"

#include <QFuture>
#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

namespace ridge::record {

/// The lessons in which this record holds anything, by their ids.
struct LessonMarks {
    std::set<std::string> predicted, ran, shipped; ///< shipped: an artifact that was not taken away
};

struct MergeReport {
    int predictions = 0, runs = 0, reasons = 0, answers = 0, artifacts = 0, notes = 0; ///< newly added
    int tags = 0, journal = 0, reproductions = 0, outcomes = 0, reviews = 0;           ///< newly added
    int files = 0;                                                                     ///< newly added
    int already = 0;                                                                   ///< rows both stores had
    std::vector<LostFile> lost; ///< files that rows of the other store name and neither store has; noted here
    int misnamedFiles = 0;      ///< file rows of the other store that are no SHA-256 and that no row names: left out
};

/// What a thorough look at a store has found.
struct StoreAudit {
    int schema = 0;
    int origins = 0;                 ///< stores whose rows it holds, its own among them
    std::map<std::string, int> rows; ///< by kind
    int files = 0;                   ///< content files that the database knows
    std::int64_t fileBytes = 0;      ///< of those that are there
    int lostFiles = 0;               ///< known and not there, and noted as that: no fault
    int unknownFiles = 0;            ///< left by a write that did not come to its commit; harmless
    std::int64_t databaseBytes = 0;  ///< with the write-ahead log
    int backups = 0;
    std::vector<Error> faults; ///< empty: integrity, references, digests, chain and files are sound
};

struct OpenOptions;
struct RowSelection;

/// The learner's record: one SQLite file `ridgepoint.db` (WAL, foreign keys, append-only triggers) and `files/`
/// beside it (content-addressed by SHA-256) in one folder. Owned by the program's main object; reads may be called
/// from the owning thread, writes go in order through one writer thread and are durable when their future is ready.
class Store : public QObject {
    Q_OBJECT
public:
    /// Creates the folder and the database when absent, migrates an older one after a backup, checks integrity.
    /// Errors (place = path, each with a fix): "store-readonly", "store-damaged" (names the newest backup),
    /// "store-newer" (made by a later version), "disk-full", "store-locked" (another writer holds it).
    static Result<std::unique_ptr<Store>> open(const std::filesystem::path& folder);
    /// The same with what tests change; see open_options.h.
    static Result<std::unique_ptr<Store>> open(const std::filesystem::path& folder, const OpenOptions& options);
    /// For reading only, without a writer thread or lock: what `ridge artifacts` uses beside a running app. Changes
    /// no data: an older store is read through a migrated copy (SQLite may leave an empty -wal and a -shm). Error
    /// "store-missing" where there is none.
    static Result<std::unique_ptr<Store>> openReadOnly(const std::filesystem::path& folder);
    /// Puts a backup in the place of the database, which is kept in damaged/<time>/, without asking which of them is
    /// newer; restoreRecord (restore.h) does. Gives that folder. Errors: "bad-backup", "store-locked",
    /// "store-readonly", "disk-full".
    static Result<std::filesystem::path> restoreBackup(const std::filesystem::path& folder,
                                                       const std::filesystem::path& backup);
    /// Everything handed in is written before it returns.
    ~Store() override;

    std::filesystem::path folder() const;
    std::string origin() const; ///< UUID of this store
    bool readOnly() const;
    /// Something the learner should know about where the record lies, without it being an error: "store-network".
    std::optional<Error> notice() const;

    // Writes: the future gives the stored id, or "disk-full", "store-readonly", "bad-row". It becomes ready on the
    // writer's thread: give `then` a context object to go on in yours.
    QFuture<Result<std::string>> append(PredictionRow row);
    QFuture<Result<std::string>> append(RunRow row, std::string traceBytes = {});
    /// The same, telling on the owning thread with the row as it was stored. Nothing is called when `context` is gone.
    void append(RunRow row, std::string traceBytes, QObject* context,
                std::function<void(const Result<RunRow>&)> stored);
    QFuture<Result<std::string>> append(ReasonRow row);
    QFuture<Result<std::string>> append(AnswerRow row);
    /// A version of an artifact. A row without artifactId begins one: the future's id is then that of the artifact too.
    QFuture<Result<std::string>> append(ArtifactRow row);
    /// A version of a note. A row without noteId begins a new note: the future's id is then that of the note too.
    QFuture<Result<std::string>> append(NoteRow row);
    QFuture<Result<std::string>> append(TagRow row);
    /// A version of an entry; without entryId as for notes.
    QFuture<Result<std::string>> append(JournalRow row);
    QFuture<Result<std::string>> append(ReproductionRow row);
    QFuture<Result<std::string>> append(OutcomeRow row);
    QFuture<Result<std::string>> append(ReviewRow row);
    /// Stores bytes by content; gives the SHA-256.
    QFuture<Result<std::string>> putFile(std::string bytes);
    /// Waits until every write handed in so far is durable.
    void flush();
    /// Writes handed in and not yet durable; the worker client pauses above a bound.
    int pendingWrites() const;

    // Reads, newest first unless said otherwise.
    Result<std::vector<RunRow>> runs(const RunFilter& filter) const;
    /// Runs as a table lists them, in the order in which this database took them up, newest first.
    Result<std::vector<RunHead>> runHeads(const RunHeadFilter& filter) const;
    /// Gives the finished runs of a lesson one by one, in the order of runs(), to a reader that needs few of many.
    /// `take` says whether it wants the next.
    Result<void> eachRun(const RunFactFilter& filter, const std::function<bool(RunFact&&)>& take) const;
    Result<std::vector<PredictionRow>> predictions(const std::string& lesson) const; ///< empty lesson: all
    Result<std::vector<PredictionRow>>
    predictionsById(const std::vector<std::string>& ids) const; ///< those of them there are
    Result<std::vector<ReasonRow>> reasons(const std::string& predictionId) const;
    Result<std::vector<AnswerRow>> answers(const std::string& lesson) const;
    /// What predictions(), runs() and artifacts() say of every lesson at once: a few seeks, however many rows there
    /// are.
    Result<LessonMarks> lessonMarks() const;
    /// The newest version of each artifact; those taken away are left out. Empty lesson: all.
    Result<std::vector<ArtifactRow>> artifacts(const std::string& lesson = {}) const;
    /// The newest version of an artifact by its artifactId, or one older version by its own id; also where it was taken
    /// away. Error "unknown-artifact".
    Result<ArtifactRow> artifact(const std::string& id) const;
    /// All versions of one, also that which takes it away.
    Result<std::vector<ArtifactRow>> artifactVersions(const std::string& artifactId) const;
    /// Labels that are on something; both empty: all.
    Result<std::vector<TagRow>> tags(const std::string& subjectKind = {}, const std::string& subjectId = {}) const;
    /// The newest version of each entry; those taken away are left out. Empty lesson: all.
    Result<std::vector<JournalRow>> journal(const std::string& lesson = {}) const;
    Result<std::vector<ReproductionRow>> reproductions(const std::string& artifactId = {}) const; ///< empty: all
    Result<std::vector<OutcomeRow>> outcomes(const std::string& lesson = {}) const;               ///< empty: all
    /// Reviews of one prediction; empty: all.
    Result<std::vector<ReviewRow>> reviews(const std::string& ofPredictionId = {}) const;
    /// The newest version of each note, oldest note first; those taken away are left out. Empty lesson: all.
    Result<std::vector<NoteRow>> notes(const std::string& lesson = {}) const;
    /// Newest first; `newest`: only so many, 0: all.
    Result<std::vector<PredictionResult>> predictionResults(int newest = 0) const;
    /// Those that are due at `until` (ISO 8601 UTC), longest due first.
    Result<std::vector<DueReview>> dueReviews(const std::string& until) const;
    /// Of every lesson that was passed once, by lesson.
    Result<std::vector<LessonMastery>> mastery() const;
    /// Rows of "run", "artifact", "note" or "journal" (every version) behind a position, in order, for a search index.
    Result<std::vector<TextRow>> texts(const QString& kind, std::int64_t after, int limit) const;
    Result<std::string> file(const std::string& sha256) const; ///< checked against its name

    /// Union of rows and files: INSERT OR IGNORE by id. The other store is only read.
    Result<MergeReport> mergeFrom(const std::filesystem::path& otherFolder);
    /// A consistent copy of the database file. Gives its path below backups/.
    Result<std::filesystem::path> backup(const std::string& why);
    /// SQLite integrity and foreign-key check, every row against its digest and the chain, and a check of every file.
    Result<void> verify() const;
    /// The same, going on after a fault, with figures. Errors: only what keeps it from looking.
    Result<StoreAudit> audit() const;
    /// Notes every file that rows name and that is not there, or not as it was, as lost, so that verify() and audit()
    /// look for it no longer. Gives those that were not noted before. Nothing is deleted.
    Result<std::vector<LostFile>> noteLostFiles();
    /// Some rows of a kind against their digests and the rows stored before them, without reading everything. Errors:
    /// "store-damaged".
    Result<void> verifyRows(const QString& kind, const std::vector<std::string>& ids) const;

Q_SIGNALS:
    /// After rows of this kind became durable: one of rowKinds(), "run", "artifact", "tag", "journal" …
    void changed(const QString& kind);
    /// A write failed after its future was given out; for a notice that stays visible.
    void writeFailed(const QString& message);

private:
    friend Result<std::string> rowLines(const Store& store, const RowSelection& selection); // row_lines.h
    struct Private;
    explicit Store(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace ridge::record
