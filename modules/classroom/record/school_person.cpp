// SPDX-License-Identifier: GPL-3.0-or-later
// Who somebody is in a class, and all that it has about them.
#include "base/json.h"
#include "classroom/record/school.h"
#include "classroom/record/school_forget.h"

#include <QSqlField>
#include <QSqlRecord>

namespace ridge::record {
namespace {

std::string field(const QSqlQuery& row, const char* name)
{
    return row.value(QLatin1String(name)).toString().toStdString();
}

Json asJson(const QSqlQuery& row)
{
    Json all = Json::object();
    const QSqlRecord record = row.record();
    for (int i = 0; i < record.count(); ++i) {
        const QVariant value = row.value(i);
        const int type = value.userType();
        all[record.fieldName(i).toStdString()] = value.isNull()              ? Json()
                                                 : type == QMetaType::Double ? Json(value.toDouble())
                                                 : type == QMetaType::LongLong || type == QMetaType::Int
                                                     ? Json(value.toLongLong())
                                                     : Json(value.toString().toStdString());
    }
    return all;
}

} // namespace

bool isAbout(const QSqlQuery& refusal, const SchoolPerson& person)
{
    if (!person.memberId.empty() && field(refusal, "member_id") == person.memberId)
        return true;
    for (const char* name : {"learner", "file_name", "reason"})
        if (mentions(field(refusal, name), person.words))
            return true;
    return false;
}

bool mentions(const std::string& text, const std::vector<std::string>& words)
{
    constexpr std::size_t kTelling = 3;
    for (const std::string& word : words)
        if (word.size() < kTelling ? text == word : text.find(word) != std::string::npos)
            return true;
    return false;
}

Result<SchoolPerson> School::person(const std::string& whom)
{
    // Any version of a line finds it; the newest says whose work is theirs, for an earlier match may have been mended.
    SchoolPerson person;
    std::set<std::string> found;
    auto read = m_database->each(QStringLiteral("SELECT * FROM member"), {}, [&](const QSqlQuery& row) -> Result<void> {
        for (const char* name : {"name", "email", "student_number", "login", "learner"})
            if (!whom.empty() && field(row, name) == whom)
                found.insert(field(row, "member_id"));
        return {};
    });
    if (read && found.size() > 1) {
        // One whose line says so today goes before those whose line once did.
        std::set<std::string> today;
        read = m_database->each(QStringLiteral("SELECT * FROM latest_members"), {},
                                [&](const QSqlQuery& row) -> Result<void> {
                                    for (const char* name : {"name", "email", "student_number", "login", "learner"})
                                        if (field(row, name) == whom)
                                            today.insert(field(row, "member_id"));
                                    return {};
                                });
        if (today.size() == 1)
            found = today;
    }
    if (!read)
        return read.error();
    if (found.size() > 1)
        return Error{"several-people", std::to_string(found.size()) + " people on the roster are called so", whom,
                     "Name the email, the student number or the learner id"};
    std::set<std::string> words;
    if (!found.empty()) {
        person.memberId = *found.begin();
        read = m_database->each(QStringLiteral("SELECT * FROM member WHERE member_id = ? ORDER BY seq"),
                                {sqlText(person.memberId)}, [&](const QSqlQuery& row) -> Result<void> {
                                    person.learner = field(row, "learner");
                                    person.name = field(row, "name");
                                    for (const char* name : {"name", "email", "student_number", "login"})
                                        words.insert(field(row, name));
                                    return {};
                                });
    } else {
        auto known = m_database->value(
            QStringLiteral("SELECT learner FROM (SELECT learner FROM submission UNION SELECT learner FROM refusal"
                           " UNION SELECT learner FROM grade UNION SELECT learner FROM feedback) AS handed_in"
                           " WHERE learner = ?"),
            {sqlText(whom)});
        if (!known)
            return known.error();
        if (whom.empty() || known->isNull())
            return Error{"unknown-person", "Nobody on the roster is called so, and no learner handed in under it", whom,
                         "See who is there with ridge class report"};
        person.learner = whom;
    }
    if (read && !person.learner.empty()) {
        const QVariantList who{sqlText(person.learner)};
        words.insert(person.learner);
        read = m_database->each(QStringLiteral("SELECT origin FROM learner_origin WHERE learner = ?"), who,
                                [&](const QSqlQuery& row) -> Result<void> {
                                    person.origins.push_back(field(row, "origin"));
                                    return {};
                                });
        if (read)
            read = m_database->each(QStringLiteral("SELECT name, public_key, file_name FROM submission"
                                                   " WHERE learner = ?"),
                                    who, [&](const QSqlQuery& row) -> Result<void> {
                                        words.insert(field(row, "name"));
                                        words.insert(field(row, "public_key"));
                                        person.fileNames.push_back(field(row, "file_name"));
                                        return {};
                                    });
    }
    if (!read)
        return read.error();
    words.erase(std::string());
    person.words.assign(words.begin(), words.end());
    read = m_database->each(QStringLiteral("SELECT * FROM refusal ORDER BY seq"), {},
                            [&](const QSqlQuery& row) -> Result<void> {
                                if (isAbout(row, person))
                                    person.fileNames.push_back(field(row, "file_name"));
                                return {};
                            });
    if (!read)
        return read.error();
    return person;
}

Result<JsonValue> School::everythingOf(const SchoolPerson& person)
{
    Json all = Json::object();
    Result<void> read;
    const auto take = [&](const QString& table, const QString& where, const std::string& value,
                          const std::function<bool(const QSqlQuery&)>& wanted = {}) {
        if (!read || (value.empty() && !where.isEmpty()))
            return;
        Json& rows = all[table.toStdString()];
        if (rows.is_null())
            rows = Json::array();
        QString sql = QStringLiteral("SELECT * FROM ") + table;
        QVariantList values;
        if (!where.isEmpty()) {
            sql += QStringLiteral(" WHERE %1 = ?").arg(where);
            values << sqlText(value);
        }
        read =
            m_database->each(sql + QStringLiteral(" ORDER BY seq"), values, [&](const QSqlQuery& row) -> Result<void> {
                if (!wanted || wanted(row))
                    rows.push_back(asJson(row));
                return {};
            });
    };
    take(QStringLiteral("member"), QStringLiteral("member_id"), person.memberId);
    for (const char* table : {"submission", "grade", "decision", "feedback"})
        take(QLatin1String(table), QStringLiteral("learner"), person.learner);
    take(QStringLiteral("refusal"), {}, {}, [&](const QSqlQuery& row) { return isAbout(row, person); });
    std::set<std::string> files;
    for (const std::string& origin : person.origins)
        for (const QString& kind : rowKinds())
            take(kind, QStringLiteral("origin"), origin);
    for (const std::string& origin : person.origins)
        for (const char* sql :
             {"SELECT trace_sha256 FROM run WHERE origin = ? AND trace_sha256 IS NOT NULL",
              "SELECT sha256 FROM artifact_file WHERE artifact_id IN (SELECT id FROM artifact WHERE origin = ?)"})
            if (read)
                read =
                    m_database->each(QLatin1String(sql), {sqlText(origin)}, [&](const QSqlQuery& row) -> Result<void> {
                        files.insert(row.value(0).toString().toStdString());
                        return {};
                    });
    if (!read)
        return read.error();
    all["files"] = files;
    return JsonValue(std::move(all));
}

} // namespace ridge::record
