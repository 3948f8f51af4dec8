// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/refusal.h"

#include "base/hash.h"
#include "base/json.h"
#include "classroom/roster.h"

#include <QRegularExpression>
#include <algorithm>

namespace ridge::classroom {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kShortestDigest = 8;

/// The pseudonym that the suggested name of a submission begins with.
std::string learnerInName(const fs::path& file)
{
    static const QRegularExpression pseudonym(QStringLiteral("L-[A-Z2-7]{10}(?![A-Z2-7])"));
    return pseudonym.match(QString::fromStdString(file.filename().string())).captured().toStdString();
}

std::string memberIdOf(const std::vector<record::MemberRow>& members, const std::string& learner, const fs::path& file)
{
    if (!learner.empty())
        for (const record::MemberRow& member : members)
            if (member.learner == learner)
                return member.memberId;
    const record::MemberRow* named = memberNamed(members, {}, file);
    return named != nullptr ? named->memberId : std::string();
}

} // namespace

std::string fileNameOf(const fs::path& file)
{
    return QString::fromStdString(file.filename().string()).toStdString();
}

void RefusalBook::note(record::RefusalRow row)
{
    row.id.clear();
    row.createdAt.clear();
    row.origin.clear();
    row.seq = 0;
    std::erase_if(m_known, [&](const record::RefusalRow& one) {
        return one.fileDigest == row.fileDigest && one.fileName == row.fileName;
    });
    m_known.push_back(row);
    m_fresh.push_back(std::move(row));
}

void RefusalBook::refused(const fs::path& file, const std::string* bytes, const std::string& reason,
                          std::string learner, const std::vector<record::MemberRow>& members)
{
    record::RefusalRow row;
    row.fileDigest = bytes != nullptr ? sha256Hex(*bytes) : std::string();
    row.fileName = fileNameOf(file);
    row.reason = reason;
    row.learner = learner.empty() ? learnerInName(file) : std::move(learner);
    row.memberId = memberIdOf(members, row.learner, file);
    row.state = "refused";
    const bool said = std::ranges::any_of(m_known, [&](const record::RefusalRow& one) {
        return one.fileDigest == row.fileDigest && one.fileName == row.fileName && one.reason == row.reason &&
               one.state != "replaced";
    });
    if (!said)
        note(std::move(row));
}

void RefusalBook::taken(const fs::path& file, const std::string& bytes, const std::string& learner,
                        const std::vector<record::MemberRow>& members)
{
    const std::string digest = sha256Hex(bytes), member = memberIdOf(members, learner, file);
    std::vector<record::RefusalRow> replaced;
    for (const record::RefusalRow& one : m_known)
        if (one.state == "refused" && (one.fileDigest == digest || (!learner.empty() && one.learner == learner) ||
                                       (!member.empty() && one.memberId == member)))
            replaced.push_back(one);
    for (record::RefusalRow& one : replaced) {
        one.state = "replaced";
        note(std::move(one));
    }
}

Result<std::vector<Refused>> refusedFiles(OpenClass& open)
{
    const auto rows = open.school->refusals();
    const auto members = open.school->members();
    if (!rows || !members)
        return !rows ? rows.error() : members.error();
    std::vector<Refused> all;
    for (const record::RefusalRow& row : *rows) {
        if (row.state != "refused")
            continue;
        Refused one{row.fileName, row.fileDigest, row.reason, row.createdAt, {row.learner, {}}};
        for (const record::MemberRow& member : *members)
            if ((!row.memberId.empty() && member.memberId == row.memberId) ||
                (!row.learner.empty() && member.learner == row.learner))
                one.who.name = member.name;
        all.push_back(std::move(one));
    }
    return all;
}

Result<int> dismissRefused(OpenClass& open, const std::string& which)
{
    const auto rows = open.school->refusals();
    if (!rows)
        return rows.error();
    std::vector<record::RefusalRow> dismissed;
    for (const record::RefusalRow& row : *rows) {
        const bool meant =
            row.fileName == which || (which.size() >= kShortestDigest && row.fileDigest.starts_with(which));
        if (row.state != "refused" || !meant)
            continue;
        dismissed.push_back(row);
        dismissed.back().id.clear();
        dismissed.back().createdAt.clear();
        dismissed.back().origin.clear();
        dismissed.back().seq = 0;
        dismissed.back().state = "dismissed";
    }
    if (dismissed.empty())
        return Error{"unknown-file", "No refused file is called so", which,
                     "See which there are with ridge class report"};
    const int count = static_cast<int>(dismissed.size());
    if (auto stored = open.school->append(std::move(dismissed)); !stored)
        return stored.error();
    return count;
}

Json toJson(const Refused& refused)
{
    Json json = toJson(refused.who);
    json.update(Json{{"file", refused.file},
                     {"sha256", refused.digest.empty() ? Json() : Json(refused.digest)},
                     {"reason", refused.reason},
                     {"since", refused.since}});
    return json;
}

} // namespace ridge::classroom
