// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ridge::personal {

/// Where this program keeps something about the person who uses it.
struct Places {
    std::filesystem::path home;     ///< homeFolder()
    std::filesystem::path cache;    ///< cacheFolder()
    std::filesystem::path settings; ///< file of the window's preferences
    std::filesystem::path preview;  ///< portfolios that were looked at before they were exported
};
Places placesHere();

/// A kind of thing that is kept.
struct Part {
    std::string key;                            ///< "record", "drafts" …; in the export its folder
    std::string title, what;                    ///< for a person
    std::vector<std::filesystem::path> paths{}; ///< files and folders that are there
    int files = 0;
    std::uintmax_t bytes = 0;
};

/// Something that deleting does not reach, and why.
struct Staying {
    std::string what, why;
};

/// Everything that there is.
struct Inventory {
    std::vector<Part> parts;         ///< all that deleting takes; without those of which nothing is there
    std::vector<Staying> stays;      ///< in the home folder and elsewhere
    std::map<std::string, int> rows; ///< of the record, by kind; empty where there is none or it cannot be read
    int files() const;
    std::uintmax_t bytes() const;
};

/// Looks at names and sizes, and counts rows. Takes the longer the more files there are: not for a window's thread.
Inventory inventory(const Places& places);

/// "15 runs, 1 artifact".
std::string rowsText(const std::map<std::string, int>& rows);

} // namespace ridge::personal
