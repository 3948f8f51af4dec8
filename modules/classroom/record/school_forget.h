// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSqlQuery>
#include <filesystem>
#include <string>
#include <vector>

namespace ridge::record {

struct SchoolPerson;

/// A file that is there from before the first row of somebody goes until nothing of them can be read any more. It says
/// nothing about whom.
inline std::filesystem::path forgettingMark(const std::filesystem::path& classFolder)
{
    return classFolder / "forgetting";
}

/// Whether a text speaks of a person: one of their words stands in it. Words of fewer than three bytes stand in
/// anything, and count only as the whole text.
bool mentions(const std::string& text, const std::vector<std::string>& words);

/// Whether a row of the table refusal is about this person, or tells of them.
bool isAbout(const QSqlQuery& refusal, const SchoolPerson& person);

} // namespace ridge::record
