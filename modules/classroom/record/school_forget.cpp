// SPDX-License-Identifier: GPL-3.0-or-later
// Taking one person out of a class.
#include "classroom/record/school_forget.h"

#include "base/json.h"
#include "classroom/record/school.h"

#include <QSqlError>

namespace ridge::record {
namespace {

namespace fs = std::filesystem;

/// Tables that rows are taken out of, in an order in which none is referred to by a later one.
QStringList tablesOfPeople()
{
    QStringList all{QStringLiteral("decision"),     QStringLiteral("feedback"),
                    QStringLiteral("grade"),        QStringLiteral("learner_origin"),
                    QStringLiteral("submission"),   QStringLiteral("member"),
                    QStringLiteral("refusal"),      QStringLiteral("artifact_file"),
                    QStringLiteral("artifact_run"), QStringLiteral("artifact_prediction")};
    for (auto kind = rowKinds().crbegin(); kind != rowKinds().crend(); ++kind)
        all << *kind;
    return all << QStringLiteral("file");
}

/// Lets rows be taken out until the transaction ends or `restore` is called.
class LiftedTriggers {
public:
    explicit LiftedTriggers(SchoolDatabase& database) : m_database(database) {}
    Result<void> lift()
    {
        if (m_database.dialect() == SqlDialect::Postgres)
            return forEachTable("DISABLE");
        auto triggers = m_database.query(QStringLiteral(
            "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%BEFORE DELETE%'"));
        if (!triggers)
            return triggers.error();
        QStringList names;
        const QStringList tables = tablesOfPeople();
        while (triggers->next())
            if (tables.contains(triggers->value(1).toString())) {
                names << triggers->value(0).toString();
                m_statements << triggers->value(2).toString();
            }
        triggers->finish();
        for (const QString& name : names)
            if (auto done = m_database.exec(QStringLiteral("DROP TRIGGER ") + name); !done)
                return done;
        return {};
    }
    Result<void> restore()
    {
        if (m_database.dialect() == SqlDialect::Postgres)
            return forEachTable("ENABLE");
        for (const QString& sql : m_statements)
            if (auto done = m_database.exec(sql); !done)
                return done;
        return {};
    }

private:
    Result<void> forEachTable(const char* verb)
    {
        for (const QString& table : tablesOfPeople())
            if (auto done =
                    m_database.exec(QStringLiteral("ALTER TABLE %1 %2 TRIGGER USER").arg(table, QLatin1String(verb)));
                !done)
                return done;
        return {};
    }

    SchoolDatabase& m_database;
    QStringList m_statements;
};

Result<int> removeRows(SchoolDatabase& database, const QString& from, const QVariantList& values)
{
    auto gone = database.query(QStringLiteral("DELETE FROM ") + from, values);
    if (!gone)
        return gone.error();
    return gone->numRowsAffected();
}

} // namespace

Result<Forgotten> School::forget(const SchoolPerson& person)
{
    if (person.learner.empty() && person.memberId.empty())
        return Error{"unknown-person", "Nobody is named", place(), "Name somebody of the class"};
    if (auto marked = writeDurably(forgettingMark(m_folder), "Somebody is being taken out of this class.\n"); !marked)
        return marked.error();
    // What is freed is overwritten at once; scrub() sees to what earlier writes have left.
    if (m_database->dialect() == SqlDialect::Sqlite)
        if (auto set = m_database->exec(QStringLiteral("PRAGMA secure_delete = ON")); !set)
            return set.error();
    Forgotten gone;
    auto done = m_database->transaction(SchoolDatabase::Durable::AtOnce, [&]() -> Result<void> {
        // Its place in the sequence is behind all there were.
        auto last = tail();
        if (!last)
            return last.error();
        LiftedTriggers triggers(*m_database);
        if (auto lifted = triggers.lift(); !lifted)
            return lifted;
        const auto remove = [&](int& count, const QString& from, const std::string& value) -> Result<void> {
            if (value.empty())
                return {};
            auto removed = removeRows(*m_database, from, {sqlText(value)});
            if (!removed)
                return removed.error();
            count += *removed;
            return {};
        };
        int links = 0;
        for (const auto& [count, from, value] :
             {std::tuple(&gone.remarks, "feedback WHERE learner = ?", &person.learner),
              {&gone.grades, "grade WHERE learner = ?", &person.learner},
              {&gone.decisions, "decision WHERE learner = ?", &person.learner},
              {&links, "learner_origin WHERE learner = ?", &person.learner},
              {&gone.submissions, "submission WHERE learner = ?", &person.learner},
              {&gone.rosterLines, "member WHERE member_id = ?", &person.memberId}})
            if (auto removed = remove(*count, QLatin1String(from), *value); !removed)
                return removed;
        std::vector<std::string> telling;
        auto read =
            m_database->each(QStringLiteral("SELECT * FROM refusal"), {}, [&](const QSqlQuery& row) -> Result<void> {
                if (isAbout(row, person))
                    telling.push_back(row.value(QStringLiteral("id")).toString().toStdString());
                return {};
            });
        if (!read)
            return read;
        for (const std::string& id : telling)
            if (auto removed = remove(gone.refusals, QStringLiteral("refusal WHERE id = ?"), id); !removed)
                return removed;
        for (const std::string& origin : person.origins) {
            for (const char* link : {"artifact_file", "artifact_run", "artifact_prediction"})
                if (auto removed = remove(links,
                                          QStringLiteral("%1 WHERE artifact_id IN (SELECT id FROM artifact"
                                                         " WHERE origin = ?)")
                                              .arg(QLatin1String(link)),
                                          origin);
                    !removed)
                    return removed;
            for (auto kind = rowKinds().crbegin(); kind != rowKinds().crend(); ++kind)
                if (auto removed = remove(gone.rows, *kind + QStringLiteral(" WHERE origin = ?"), origin); !removed)
                    return removed;
        }
        read = m_database->each(
            QStringLiteral("SELECT text FROM feedback"), {}, [&](const QSqlQuery& row) -> Result<void> {
                gone.namedElsewhere += mentions(row.value(0).toString().toStdString(), person.words) ? 1 : 0;
                return {};
            });
        if (!read)
            return read;
        const auto files =
            removeRows(*m_database,
                       QStringLiteral("file WHERE sha256 NOT IN (SELECT sha256 FROM artifact_file) AND sha256 NOT IN"
                                      " (SELECT trace_sha256 FROM run WHERE trace_sha256 IS NOT NULL)"),
                       {});
        if (!files)
            return files.error();
        gone.files = *files;
        if (auto restored = triggers.restore(); !restored)
            return restored;
        const Json counts{{"learners", 1},
                          {"rows", gone.rows},
                          {"submissions", gone.submissions},
                          {"grades", gone.grades},
                          {"decisions", gone.decisions},
                          {"remarks", gone.remarks},
                          {"roster_lines", gone.rosterLines},
                          {"refusals", gone.refusals},
                          {"files", gone.files}};
        const auto noted = insertOwn("erasure", {{{"removed", QString::fromStdString(counts.dump())}}}, *last);
        return noted ? Result<void>() : Result<void>(noted.error());
    });
    if (!done)
        return done.error();
    if (auto scrubbed = scrub(); !scrubbed)
        return scrubbed.error();
    return gone;
}

Result<void> School::dropUnnamedFiles()
{
    const fs::path folder = m_folder / "files";
    std::set<std::string> named;
    auto read =
        m_database->each(QStringLiteral("SELECT sha256 FROM file"), {}, [&](const QSqlQuery& row) -> Result<void> {
            named.insert(row.value(0).toString().toStdString());
            return {};
        });
    if (!read)
        return read;
    std::error_code code;
    std::vector<fs::path> gone;
    for (fs::recursive_directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
        if (!at->is_directory(code) &&
            !named.contains(at->path().parent_path().filename().string() + at->path().filename().string()))
            gone.push_back(at->path());
    for (const fs::path& file : gone) {
        if (!fs::remove(file, code) && code)
            return fileError(code, file, "The file cannot be removed");
        if (auto synced = syncPath(file.parent_path()); !synced)
            return synced;
    }
    return {};
}

Result<void> School::scrub()
{
    if (auto dropped = dropUnnamedFiles(); !dropped)
        return dropped;
    if (m_database->dialect() == SqlDialect::Postgres) {
        for (const QString& table : tablesOfPeople())
            if (auto done = m_database->exec(QStringLiteral("VACUUM FULL ") + table); !done)
                return done;
    } else {
        // A database that is written anew has no free pages, and a log that is cut to nothing no earlier ones.
        for (const char* sql : {"PRAGMA secure_delete = ON", "VACUUM"})
            if (auto done = m_database->exec(QLatin1String(sql)); !done)
                return done;
        auto busy = m_database->value(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)"));
        if (!busy)
            return busy.error();
        if (busy->toInt() != 0)
            return Error{"store-locked",
                         "The rows are gone, and another program reads the class, so that traces of them are left in"
                         " the database's log",
                         place(), "Close that program; the next command that writes into this class removes them"};
    }
    std::error_code code;
    fs::remove(forgettingMark(m_folder), code);
    if (code)
        return fileError(code, forgettingMark(m_folder), "The file cannot be removed");
    return syncPath(m_folder);
}

} // namespace ridge::record
