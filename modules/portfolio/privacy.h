// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::folio {

/// What tells who somebody is, where they work or when, and what they wrote for themselves. Each is left out unless its
/// switch is on.
enum class Detail {
    Name,      ///< the author's name and contact, e-mail addresses in texts
    Times,     ///< days and hours; ids of rows, whose first half is the time; without it: the month
    Host,      ///< names of the computer and of the account
    Paths,     ///< folders of this computer in texts, code and errors
    Devices,   ///< serial numbers, UUIDs and hashes that stand for one device
    Processes, ///< what else ran
    Record,    ///< the id of the learner's record and the digests of its rows
    Notes,     ///< margin notes and highlights in the lessons of the artifacts
};

struct DetailText {
    Detail detail;
    const char* key;    ///< "times": on the command line and in manifest.json
    const char* title;  ///< "Exact times"
    const char* effect; ///< what turning it on adds
};
/// In the order in which they are shown.
const std::vector<DetailText>& detailTexts();

using Shown = std::set<Detail>; ///< empty: the least

/// The person at this machine, as far as the machine tells: what must not be found in what is exported.
struct Person {
    std::vector<std::string> users; ///< account name, full name; names that everybody has ("root") are left out
    std::vector<std::string> hosts;
    std::vector<std::string> folders; ///< home, record, program; longest first
};
Person personHere();

/// Takes details out of texts and documents, and remembers what it found, so that one pass gives both the portfolio
/// and the preview. What it replaces is replaced the same way each time. Not thread-safe.
class Redactor {
public:
    Redactor(Person person, Shown shown);

    bool shows(Detail detail) const { return m_shown.contains(detail); }
    std::string text(std::string_view text);
    /// A parameter's words: as text(), but a day stays. It is one that the run is about, as the date of a price.
    std::string setting(std::string_view text);
    /// Fields that hold a detail by their name ("hostname", "uuid", "processes") are dropped, texts go through text().
    Json json(const Json& value);
    /// ISO 8601 as it is, or its month "2026-11".
    std::string time(const std::string& iso);
    /// A row's id, or "run-3": the third run that was asked for. Empty stays empty.
    std::string id(const std::string& kind, const std::string& uuid);
    /// "record-1", or the id of a record.
    std::string origin(const std::string& uuid);

    /// What was met, whether it was let through or not; at most 200 a detail.
    const std::map<Detail, std::set<std::string>>& found() const { return m_found; }
    void note(Detail detail, std::string_view what);
    /// Number of replacements so far: equal before and after means that nothing was taken out.
    std::size_t taken() const { return m_taken; }

private:
    std::string replace(Detail detail, std::string text, const std::string& what, const char* instead, bool word);
    std::string patterns(std::string text, bool days);
    std::string cleaned(std::string_view text, bool days);

    Person m_person;
    Shown m_shown;
    std::map<Detail, std::set<std::string>> m_found;
    std::map<std::string, std::string> m_ids;
    std::map<std::string, std::size_t> m_counts;
    std::size_t m_taken = 0;
};

/// One line of the preview.
struct PrivacyItem {
    Detail detail;
    bool shown = false;
    std::size_t count = 0;             ///< different ones in these artifacts
    std::vector<std::string> examples; ///< at most three
};
std::vector<PrivacyItem> privacyPreview(const Redactor& redactor);

} // namespace ridge::folio
