// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/classroom/roster.h"

#include "base/csv.h"

#include <QStringDecoder>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace ridge::classroom {
namespace {

constexpr std::size_t kLargest = 16u << 20; ///< a roster of ten thousand is about one megabyte

bool isUtf8(std::string_view text)
{
    QStringDecoder utf8(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString checked = utf8.decode(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
    return !utf8.hasError() && !checked.contains(QChar(0));
}

/// Control characters are part of nobody's name; a line break inside a quoted field is a blank.
std::string withoutControls(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    return text;
}

std::string trimmed(const std::string& text)
{
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string lower(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// Letters and digits in lower case: "E-mail address" and "email_address" are one name.
std::string folded(std::string_view name)
{
    std::string out;
    for (char c : lower(std::string(name)))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80)
            out += c;
    return out;
}

/// Position of a column by any of these names; -1: absent.
int columnOf(const CsvRow& header, const std::vector<std::string_view>& names)
{
    for (std::string_view name : names)
        for (std::size_t i = 0; i < header.cells.size(); ++i)
            if (folded(header.cells[i]) == folded(name))
                return static_cast<int>(i);
    return -1;
}

struct RosterColumns {
    int name, first, last, email, number, login, section, learner;
};

RosterColumns columnsOf(const CsvRow& header)
{
    return {columnOf(header, {"name", "full name", "student", "student name", "display name"}),
            columnOf(header, {"first name", "firstname", "given name", "forename"}),
            columnOf(header, {"last name", "lastname", "surname", "family name"}),
            columnOf(header, {"email", "email address", "e-mail", "mail"}),
            columnOf(header, {"student number", "id number", "sis user id", "student id", "number", "id"}),
            columnOf(header, {"login", "sis login id", "username", "user name", "user"}),
            columnOf(header, {"section", "group", "class", "sections"}),
            columnOf(header, {"learner", "learner id", "ridgepoint id"})};
}

/// Canvas writes "Lovelace, Ada" into one column.
std::string nameOf(const std::string& text)
{
    const auto comma = text.find(',');
    if (comma == std::string::npos)
        return text;
    const std::string last = trimmed(text.substr(0, comma)), first = trimmed(text.substr(comma + 1));
    return first.empty() ? last : first + ' ' + last;
}

/// Everything before the last blank is the first name, as Moodle keeps the two apart and a full name does not.
std::pair<std::string, std::string> firstAndLast(const std::string& name)
{
    const auto blank = name.find_last_of(' ');
    if (blank == std::string::npos)
        return {name, ""};
    return {trimmed(name.substr(0, blank)), name.substr(blank + 1)};
}

} // namespace

Result<Roster> parseRoster(std::string_view text, const std::string& place)
{
    if (text.size() > kLargest)
        return Error{"bad-csv", "The roster is larger than 16 MiB", place, "Export only the columns of the roster"};
    if (!isUtf8(text))
        return Error{"bad-csv", "The roster is not UTF-8 text", place, "Save it as “CSV UTF-8”"};
    const auto rows = parseCsv(text, place, csvSeparator(text));
    if (!rows)
        return rows.error();
    if (rows->empty())
        return Error{"bad-csv", "The roster is empty", place, "Its first line names the columns"};
    const CsvRow& header = rows->front();
    const RosterColumns columns = columnsOf(header);
    if (columns.name < 0 && columns.first < 0 && columns.last < 0)
        return Error{"bad-csv", "The roster has no column with names", place + ":1",
                     "Name a column “Name”, or two “First name” and “Last name”"};
    Roster roster;
    std::set<std::string> seen;
    for (std::size_t i = 1; i < rows->size(); ++i) {
        const CsvRow& row = (*rows)[i];
        const auto field = [&](int column) {
            return column < 0 || static_cast<std::size_t>(column) >= row.cells.size()
                       ? std::string()
                       : trimmed(withoutControls(row.cells[static_cast<std::size_t>(column)]));
        };
        const auto leaveOut = [&](const std::string& why) {
            roster.notes.push_back("line " + std::to_string(row.line) + ": " + why);
        };
        record::MemberRow member;
        member.name = nameOf(field(columns.name));
        if (columns.first >= 0 || columns.last >= 0)
            member.name = trimmed(field(columns.first) + ' ' + field(columns.last));
        member.email = field(columns.email);
        member.studentNumber = field(columns.number);
        member.login = field(columns.login);
        member.section = field(columns.section);
        member.learner = field(columns.learner);
        if (row.cells.size() > header.cells.size()) {
            leaveOut("more fields than the header; put fields that hold the separator into quotation marks");
            continue;
        }
        // Canvas's second row, and its test student, are no people.
        if (member.name.starts_with("Points Possible") || member.name == "Test Student" ||
            member.name == "Student Test")
            continue;
        if (member.name.empty()) {
            leaveOut("no name");
            continue;
        }
        const std::vector<std::pair<std::string, std::string>> keys = {{"email", lower(member.email)},
                                                                       {"student number", member.studentNumber},
                                                                       {"login", lower(member.login)},
                                                                       {"learner id", member.learner}};
        const auto taken = std::find_if(keys.begin(), keys.end(), [&](const auto& key) {
            return !key.second.empty() && seen.contains(key.first + ' ' + key.second);
        });
        if (taken != keys.end()) {
            leaveOut("the " + taken->first + " " + taken->second + " stands in an earlier line");
            continue;
        }
        for (const auto& [kind, value] : keys)
            if (!value.empty())
                seen.insert(kind + ' ' + value);
        roster.members.push_back(std::move(member));
    }
    if (roster.members.empty())
        return Error{"bad-csv", "The roster names nobody", place, "Below the header it has one row a person"};
    return roster;
}

const record::MemberRow* memberOf(const std::vector<record::MemberRow>& members, const std::string& learner,
                                  const ClaimedIdentity& claimed)
{
    const auto find = [&](auto fits) -> const record::MemberRow* {
        const auto found = std::find_if(members.begin(), members.end(), fits);
        return found == members.end() ? nullptr : &*found;
    };
    if (const auto* member = find([&](const record::MemberRow& m) { return m.learner == learner; }))
        return member;
    // Somebody else's row is not taken over by a claim.
    const auto open = [](const record::MemberRow& m) { return m.learner.empty(); };
    const std::string email = lower(trimmed(claimed.email)), number = trimmed(claimed.studentNumber);
    if (!email.empty())
        if (const auto* member = find([&](const record::MemberRow& m) { return open(m) && lower(m.email) == email; }))
            return member;
    if (!number.empty())
        return find([&](const record::MemberRow& m) { return open(m) && m.studentNumber == number; });
    return nullptr;
}

std::string gradeText(double grade)
{
    std::string text = fmt::format("{:.2f}", std::round(grade * 100) / 100);
    while (text.ends_with('0'))
        text.pop_back();
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

std::string moodleGrades(const std::string& title, const std::vector<GradeLine>& lines)
{
    std::string csv = csvLine({"First name", "Last name", "ID number", "Email address", csvText(title + " (Real)"),
                               csvText(title + " (Feedback)")});
    for (const GradeLine& line : lines) {
        const auto [first, last] = firstAndLast(line.member.name);
        csv += csvLine({csvText(first), csvText(last), csvText(line.member.studentNumber), csvText(line.member.email),
                        line.grade ? gradeText(*line.grade) : "-", csvText(line.feedback)});
    }
    return csv;
}

std::string canvasGrades(const std::string& title, const std::vector<GradeLine>& lines)
{
    std::string csv = csvLine({"Student", "ID", "SIS User ID", "SIS Login ID", "Section", csvText(title)});
    csv += csvLine({"    Points Possible", "", "", "", "", "100"});
    for (const GradeLine& line : lines) {
        const auto [first, last] = firstAndLast(line.member.name);
        csv += csvLine({csvText(last.empty() ? first : last + ", " + first), "", csvText(line.member.studentNumber),
                        csvText(line.member.login), csvText(line.member.section),
                        line.grade ? gradeText(*line.grade) : ""});
    }
    return csv;
}

} // namespace ridge::classroom
