// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/record/school_codec.h"

#include "base/json.h"
#include "record/sqlite.h"

namespace ridge::record {
namespace {

Column text(const char* name, const std::string& value)
{
    return {name, sqlText(value)};
}
Column optional(const char* name, const std::string& value)
{
    return {name, value.empty() ? QVariant() : QVariant(sqlText(value))};
}
Column integer(const char* name, std::int64_t value)
{
    return {name, static_cast<qlonglong>(value)};
}
/// What is no valid UTF-8 shows as a replacement character; a class row is made by this program from checked text.
Column json(const char* name, const Json& value)
{
    return {name, QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace))};
}
Column document(const char* name, const JsonValue& value, Json::value_t type)
{
    return json(name, value->is_null() ? Json(type) : *value);
}

std::string textOf(const QSqlQuery& query, const char* name)
{
    return query.value(QLatin1String(name)).toString().toStdString();
}
Json jsonOf(const QSqlQuery& query, const char* name)
{
    return Json::parse(textOf(query, name), nullptr, false); // the column's own rule says that it parses
}
std::vector<std::string> namesOf(const QSqlQuery& query, const char* name)
{
    std::vector<std::string> all;
    for (const Json& one : jsonOf(query, name))
        if (one.is_string())
            all.push_back(one.get<std::string>());
    return all;
}
template<class Row>
Row stamped(Row row, const QSqlQuery& query)
{
    row.id = textOf(query, "id");
    row.createdAt = textOf(query, "created_at");
    row.origin = textOf(query, "origin");
    row.seq = query.value(QStringLiteral("seq")).toLongLong();
    return row;
}

} // namespace

Columns columnsOf(const AssignmentRow& row)
{
    return {text("assignment_id", row.assignmentId), text("title", row.title), optional("deadline", row.deadline),
            json("lessons", row.lessons), text("file_sha256", row.fileSha256)};
}

Columns columnsOf(const MemberRow& row)
{
    return {text("member_id", row.memberId),
            text("name", row.name),
            text("email", row.email),
            text("student_number", row.studentNumber),
            text("login", row.login),
            text("section", row.section),
            text("learner", row.learner),
            integer("removed", row.removed ? 1 : 0),
            optional("family_name", row.familyName),
            optional("canvas_id", row.canvasId)};
}

Columns columnsOf(const SubmissionRow& row)
{
    return {text("assignment_id", row.assignmentId),
            text("learner", row.learner),
            text("public_key", row.publicKey),
            text("content_digest", row.digest),
            text("file_name", row.fileName),
            text("submitted_at", row.submittedAt),
            text("app_version", row.appVersion),
            text("name", row.name),
            integer("late", row.late ? 1 : 0),
            json("hardware", row.hardware),
            document("notices", row.notices, Json::value_t::array),
            integer("row_count", row.rows)};
}

Columns columnsOf(const GradeRow& row)
{
    return {text("assignment_id", row.assignmentId),
            text("submission_id", row.submissionId),
            text("learner", row.learner),
            text("lesson", row.lesson),
            text("how", row.how),
            {"points", row.points},
            document("steps", row.steps, Json::value_t::object),
            document("outcomes", row.outcomes, Json::value_t::array),
            document("findings", row.findings, Json::value_t::array),
            document("execution", row.execution, Json::value_t::object)};
}

Columns columnsOf(const FeedbackRow& row)
{
    return {text("assignment_id", row.assignmentId), text("learner", row.learner), text("lesson", row.lesson),
            text("text", row.text), optional("submission_id", row.submissionId)};
}

Columns columnsOf(const DecisionRow& row)
{
    return {text("assignment_id", row.assignmentId),
            text("submission_id", row.submissionId),
            text("learner", row.learner),
            text("lesson", row.lesson),
            integer("accepted", row.accepted ? 1 : 0),
            {"points", row.points},
            text("decided_by", row.decidedBy)};
}

Columns columnsOf(const RefusalRow& row)
{
    return {text("file_digest", row.fileDigest), text("file_name", row.fileName), text("reason", row.reason),
            text("learner", row.learner),        text("member_id", row.memberId), text("state", row.state)};
}

AssignmentRow assignmentFrom(const QSqlQuery& query)
{
    AssignmentRow row;
    row.assignmentId = textOf(query, "assignment_id");
    row.title = textOf(query, "title");
    row.deadline = textOf(query, "deadline");
    row.lessons = namesOf(query, "lessons");
    row.fileSha256 = textOf(query, "file_sha256");
    return stamped(std::move(row), query);
}

MemberRow memberFrom(const QSqlQuery& query)
{
    MemberRow row;
    row.memberId = textOf(query, "member_id");
    row.name = textOf(query, "name");
    row.email = textOf(query, "email");
    row.studentNumber = textOf(query, "student_number");
    row.login = textOf(query, "login");
    row.section = textOf(query, "section");
    row.learner = textOf(query, "learner");
    row.removed = query.value(QStringLiteral("removed")).toInt() != 0;
    row.familyName = textOf(query, "family_name");
    row.canvasId = textOf(query, "canvas_id");
    return stamped(std::move(row), query);
}

SubmissionRow submissionFrom(const QSqlQuery& query)
{
    SubmissionRow row;
    row.assignmentId = textOf(query, "assignment_id");
    row.learner = textOf(query, "learner");
    row.publicKey = textOf(query, "public_key");
    row.digest = textOf(query, "content_digest");
    row.fileName = textOf(query, "file_name");
    row.submittedAt = textOf(query, "submitted_at");
    row.appVersion = textOf(query, "app_version");
    row.name = textOf(query, "name");
    row.late = query.value(QStringLiteral("late")).toInt() != 0;
    row.hardware = namesOf(query, "hardware");
    row.notices = jsonOf(query, "notices");
    row.rows = query.value(QStringLiteral("row_count")).toInt();
    return stamped(std::move(row), query);
}

GradeRow gradeFrom(const QSqlQuery& query)
{
    GradeRow row;
    row.assignmentId = textOf(query, "assignment_id");
    row.submissionId = textOf(query, "submission_id");
    row.learner = textOf(query, "learner");
    row.lesson = textOf(query, "lesson");
    row.how = textOf(query, "how");
    row.points = query.value(QStringLiteral("points")).toDouble();
    row.steps = jsonOf(query, "steps");
    row.outcomes = jsonOf(query, "outcomes");
    row.findings = jsonOf(query, "findings");
    row.execution = jsonOf(query, "execution");
    return stamped(std::move(row), query);
}

FeedbackRow feedbackFrom(const QSqlQuery& query)
{
    FeedbackRow row;
    row.assignmentId = textOf(query, "assignment_id");
    row.learner = textOf(query, "learner");
    row.lesson = textOf(query, "lesson");
    row.text = textOf(query, "text");
    row.submissionId = textOf(query, "submission_id");
    return stamped(std::move(row), query);
}

DecisionRow decisionFrom(const QSqlQuery& query)
{
    DecisionRow row;
    row.assignmentId = textOf(query, "assignment_id");
    row.submissionId = textOf(query, "submission_id");
    row.learner = textOf(query, "learner");
    row.lesson = textOf(query, "lesson");
    row.accepted = query.value(QStringLiteral("accepted")).toInt() != 0;
    row.points = query.value(QStringLiteral("points")).toDouble();
    row.decidedBy = textOf(query, "decided_by");
    return stamped(std::move(row), query);
}

RefusalRow refusalFrom(const QSqlQuery& query)
{
    RefusalRow row;
    row.fileDigest = textOf(query, "file_digest");
    row.fileName = textOf(query, "file_name");
    row.reason = textOf(query, "reason");
    row.learner = textOf(query, "learner");
    row.memberId = textOf(query, "member_id");
    row.state = textOf(query, "state");
    return stamped(std::move(row), query);
}

} // namespace ridge::record
