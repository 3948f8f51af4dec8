// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/open_work.h"

#include "base/json.h"

#include <algorithm>
#include <map>

namespace ridge::classroom {
namespace {

constexpr const char* kOpen = "open"; ///< in GradeRow::execution

/// The part of a grade that a decision chooses.
Json gradeJson(const record::GradeRow& row)
{
    return Json{
        {"points", row.points}, {"steps", *row.steps}, {"outcomes", *row.outcomes}, {"findings", *row.findings}};
}

void takeGrade(record::GradeRow& row, const Json& grade)
{
    row.points = std::clamp(grade.value("points", 0.0), 0.0, 100.0);
    row.steps = grade.value("steps", Json::object());
    row.outcomes = grade.value("outcomes", Json::array());
    row.findings = grade.value("findings", Json::array());
}

} // namespace

std::string reasonsText(const OpenWork& work)
{
    std::string text;
    for (const NotRepeated& item : work.items)
        text += (text.empty() ? "" : "; ") + item.what + ": " + item.why;
    return text;
}

std::string whyNotRepeated(const Error& error)
{
    static const std::map<std::string, const char*, std::less<>> words = {
        {"unknown-target", "there is no such chip"},
        {"unsupported-target", "the experiment does not run there"},
        {"target-unavailable", "that target is not on this machine"},
        {"unknown-experiment", "there is no such experiment"},
        {"unknown-parameter", "the experiment has no such parameter"},
        {"out-of-range", "a parameter lies outside its range"},
        {"bad-value", "a parameter has no value that fits"},
        {"unsupported-ptx", "it uses what the simulator does not know"},
        {"unsupported-instruction", "it uses what that chip or the simulator does not know"},
        {"unsupported-capability", "it uses what that chip does not have"},
        {"bad-launch", "that chip cannot launch it"},
        {"bad-ptx", "the simulator cannot read it"},
        {"time-limit", "it took longer than it may"},
        {"out-of-memory", "it needs more memory than there is"},
        {"worker-crashed", "it ended the worker"},
        {"worker-hung", "the worker did not answer any more"},
        {"no-compiler", "there is no compiler on this machine"},
        {"file-missing", "its file was not handed in"},
    };
    const auto found = words.find(error.code);
    return std::string(found == words.end() ? "it could not be run" : found->second) + " (" + error.code + ")";
}

record::GradeRow openGradeRow(const LessonGrade& counted, const LessonGrade& claimed,
                              const std::vector<NotRepeated>& items)
{
    record::GradeRow row = toRow(counted);
    row.execution = Json::object();
    if (items.empty())
        return row;
    Json list = Json::array();
    for (const NotRepeated& item : items)
        list.push_back(Json{{"what", item.what}, {"why", item.why}});
    row.execution = Json{{kOpen, Json{{"points", std::max(0.0, claimed.points - counted.points)},
                                      {"items", std::move(list)},
                                      {"counted", gradeJson(row)},
                                      {"claimed", gradeJson(toRow(claimed))}}}};
    return row;
}

std::optional<OpenWork> openWorkOf(const record::GradeRow& row)
{
    if (!row.execution->is_object())
        return std::nullopt;
    const auto open = row.execution->find(kOpen);
    if (open == row.execution->end() || !open->is_object())
        return std::nullopt;
    OpenWork work;
    work.points = open->value("points", 0.0);
    for (const Json& item : open->value("items", Json::array()))
        work.items.push_back({item.value("what", ""), item.value("why", "")});
    if (const auto decision = open->find("decision"); decision != open->end() && decision->is_object()) {
        work.decision = decision->value("accepted", false) ? OpenWork::Decision::Accepted : OpenWork::Decision::Left;
        work.decidedBy = decision->value("by", "");
        work.decidedAt = decision->value("at", "");
    }
    return work;
}

void applyDecision(record::GradeRow& row, const record::DecisionRow& decision)
{
    if (!openWorkOf(row) || decision.submissionId != row.submissionId)
        return;
    Json execution = *row.execution;
    Json& open = execution[kOpen];
    open["decision"] = Json{{"accepted", decision.accepted}, {"by", decision.decidedBy}, {"at", decision.createdAt}};
    takeGrade(row, open.value(decision.accepted ? "claimed" : "counted", Json::object()));
    row.execution = std::move(execution);
}

Json toJson(const OpenWork& work)
{
    Json items = Json::array();
    for (const NotRepeated& item : work.items)
        items.push_back(Json{{"what", item.what}, {"why", item.why}});
    const bool decided = work.decision != OpenWork::Decision::None;
    return Json{{"points", work.points},
                {"items", std::move(items)},
                {"decision", !decided                                        ? Json()
                             : work.decision == OpenWork::Decision::Accepted ? Json("accepted")
                                                                             : Json("left")},
                {"decided_by", decided ? Json(work.decidedBy) : Json()},
                {"decided_at", decided ? Json(work.decidedAt) : Json()}};
}

Json toJson(const OpenLine& line)
{
    Json one = toJson(line.who);
    one["lesson"] = line.lesson;
    one.update(toJson(line.work));
    return one;
}

} // namespace ridge::classroom
