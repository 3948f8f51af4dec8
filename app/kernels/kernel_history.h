// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ridge::app {

/// A state of a kernel's text that was kept.
struct KernelVersion {
    std::string id;
    std::string at;   ///< ISO 8601, UTC
    std::string name; ///< as the learner called it; empty: kept because it was run
    std::string text;
};

/// What one run of a version counted. Counts are exact, so that two of them can be compared; they are of one launch on
/// one target.
struct KernelScore {
    std::string version; ///< KernelVersion::id
    std::string at;
    std::string setting; ///< sha-256 of kernel, grid, block, arguments and target: what has to be equal to compare
    std::string target;
    std::string provenance;
    std::optional<std::uint64_t> instructions, threadInstructions; ///< absent on a GPU
    std::optional<double> seconds;
    std::uint64_t reports = 0; ///< what the detectors found: a kernel that is wrong is no best one
};

/// The kept versions and scores of one kernel: a file to which lines are only ever added, beside the store.
class KernelHistory {
public:
    /// An empty path keeps nothing on disk.
    explicit KernelHistory(std::filesystem::path file = {});

    const std::vector<KernelVersion>& versions() const { return m_versions; } ///< oldest first
    const std::vector<KernelScore>& scores() const { return m_scores; }
    const KernelVersion* version(const std::string& id) const;
    /// Lines of the file that could not be read: a crash in the middle of one, or another program.
    int damaged() const { return m_damaged; }

    /// Keeps a state. A text equal to the newest version's is kept again only under a name. Gives the version's id.
    /// Errors: "cannot-write".
    Result<std::string> keep(const std::string& text, const std::string& name = {});
    /// Errors: "cannot-write".
    Result<void> add(KernelScore score);

    /// The fewest warp instructions of an earlier version with the same setting whose detectors found nothing; absent
    /// where there is none. `but`: the version that is judged.
    std::optional<KernelScore> best(const std::string& setting, const std::string& but) const;

private:
    Result<void> append(const Json& line);

    std::filesystem::path m_file;
    std::vector<KernelVersion> m_versions;
    std::vector<KernelScore> m_scores;
    int m_damaged = 0;
};

/// KernelScore::setting of a run's document and its SPECs.
std::string settingOf(const Json& document, const std::vector<std::string>& args);
/// The score of a run; `version` is what ran.
KernelScore scoreOf(const Json& document, const std::vector<std::string>& args, const std::string& version);

} // namespace ridge::app
