// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/roster.h"

#include "base/csv.h"

#include <QStringDecoder>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace ridge::classroom {
namespace {

constexpr std::string_view kPointsPossible = "Points Possible"; ///< how Canvas's second row begins
constexpr std::size_t kLargest = 16u << 20;                     ///< a roster of ten thousand is about one megabyte

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
    int name, first, last, email, number, login, section, learner, canvas;
};

/// Canvas's gradebook: its "ID" is Canvas's own number of a person and no student number. Whoever may not see SIS ids
/// gets a file without those columns.
bool isFromCanvas(const std::vector<CsvRow>& rows)
{
    const CsvRow& header = rows.front();
    return columnOf(header, {"student"}) >= 0 && columnOf(header, {"id"}) >= 0 &&
           (columnOf(header, {"sis user id", "sis login id"}) >= 0 ||
            (rows.size() > 1 && !rows[1].cells.empty() && trimmed(rows[1].cells[0]).starts_with(kPointsPossible)));
}

RosterColumns columnsOf(const std::vector<CsvRow>& rows)
{
    const CsvRow& header = rows.front();
    const bool canvas = isFromCanvas(rows);
    std::vector<std::string_view> numbers = {"student number", "id number", "sis user id", "student id", "number"};
    if (!canvas)
        numbers.push_back("id");
    return {columnOf(header, {"name", "full name", "student", "student name", "display name"}),
            columnOf(header, {"first name", "firstname", "given name", "forename"}),
            columnOf(header, {"last name", "lastname", "surname", "family name"}),
            columnOf(header, {"email", "email address", "e-mail", "mail"}),
            columnOf(header, numbers),
            columnOf(header, {"login", "sis login id", "username", "user name", "user"}),
            columnOf(header, {"section", "group", "class", "sections"}),
            columnOf(header, {"learner", "learner id", "ridgepoint id"}),
            canvas ? columnOf(header, {"id"}) : -1};
}

struct PartedName {
    std::string first, family;
    std::string whole() const { return trimmed(first + ' ' + family); }
};

/// Canvas writes "Lovelace, Ada" into one column.
PartedName nameOf(const std::string& text)
{
    const auto comma = text.find(',');
    if (comma == std::string::npos)
        return {text, ""};
    return {trimmed(text.substr(comma + 1)), trimmed(text.substr(0, comma))};
}

/// As the roster parted them; else everything before the last blank is the first name.
PartedName firstAndFamily(const record::MemberRow& member)
{
    const std::string& name = member.name;
    if (!member.familyName.empty() && name.ends_with(member.familyName))
        return {trimmed(name.substr(0, name.size() - member.familyName.size())), member.familyName};
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
    const RosterColumns columns = columnsOf(*rows);
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
        const PartedName name = columns.first >= 0 || columns.last >= 0
                                    ? PartedName{field(columns.first), field(columns.last)}
                                    : nameOf(field(columns.name));
        member.name = name.whole();
        member.familyName = name.family;
        member.email = field(columns.email);
        member.studentNumber = field(columns.number);
        member.login = field(columns.login);
        member.section = field(columns.section);
        member.learner = field(columns.learner);
        member.canvasId = field(columns.canvas);
        if (row.cells.size() > header.cells.size()) {
            leaveOut("more fields than the header; put fields that hold the separator into quotation marks");
            continue;
        }
        // Canvas's second row, and its test student, are no people.
        if (member.name.starts_with(kPointsPossible) || member.name == "Test Student" || member.name == "Student Test")
            continue;
        if (member.name.empty()) {
            leaveOut("no name");
            continue;
        }
        const std::vector<std::pair<std::string, std::string>> keys = {{"email", lower(member.email)},
                                                                       {"student number", member.studentNumber},
                                                                       {"login", lower(member.login)},
                                                                       {"learner id", member.learner},
                                                                       {"Canvas id", member.canvasId}};
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
        const PartedName name = firstAndFamily(line.member);
        csv += csvLine({csvText(name.first), csvText(name.family), csvText(line.member.studentNumber),
                        csvText(line.member.email), line.grade ? gradeText(*line.grade) : "-", csvText(line.feedback)});
    }
    return csv;
}

std::string canvasGrades(const std::string& title, const std::vector<GradeLine>& lines)
{
    std::string csv = csvLine({"Student", "ID", "SIS User ID", "SIS Login ID", "Section", csvText(title)});
    csv += csvLine({"    Points Possible", "", "", "", "", "100"});
    for (const GradeLine& line : lines) {
        const PartedName name = firstAndFamily(line.member);
        const bool parted = !name.first.empty() && !name.family.empty();
        csv += csvLine({csvText(parted ? name.family + ", " + name.first : name.whole()), csvText(line.member.canvasId),
                        csvText(line.member.studentNumber), csvText(line.member.login), csvText(line.member.section),
                        line.grade ? gradeText(*line.grade) : ""});
    }
    return csv;
}

} // namespace ridge::classroom
