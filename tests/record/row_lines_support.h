// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "record/row_lines.h"
#include "record/sqlite.h"
#include "tests/record/record_support.h"

namespace ridge::test {

inline std::vector<Json> jsonLines(const std::string& text)
{
    std::vector<Json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(Json::parse(line));
    return lines;
}

inline std::string textOf(const std::vector<Json>& lines)
{
    std::string text;
    for (const Json& line : lines)
        text += line.dump() + "\n";
    return text;
}

/// Gives a changed line the digest that fits it: what a learner who owns the program can do.
inline void redigest(Json& line)
{
    using namespace record;
    const QString kind = QString::fromStdString(line["kind"].get<std::string>());
    const auto text = [&](const char* key) { return sqlText(line[key].get<std::string>()); };
    Stamp stamp{text("id"), text("created_at"), text("origin"), line["seq"].get<std::int64_t>(), text("previous")};
    std::vector<QByteArray> names;
    Columns columns;
    names.reserve(64);
    for (const QString& name : contentColumns(kind)) {
        names.push_back(name.toLatin1());
        const Json& value = line["columns"][name.toStdString()];
        QVariant held;
        if (value.is_string())
            held = sqlText(value.get<std::string>());
        else if (value.is_number_integer())
            held = static_cast<qlonglong>(value.get<std::int64_t>());
        else if (value.is_number())
            held = value.get<double>();
        columns.push_back({names.back().constData(), held});
    }
    line["digest"] = rowDigest(kind, stamp, columns).toStdString();
}

inline Json& lineOf(std::vector<Json>& lines, const char* kind)
{
    return *std::ranges::find_if(lines, [&](const Json& line) { return line["kind"] == kind; });
}

} // namespace ridge::test
