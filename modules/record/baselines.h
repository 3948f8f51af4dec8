// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "record/rows.h"

#include <filesystem>

namespace ridge::record {

/// One point that another machine gave, as a run of provenance RECORDED.
struct BaselinePoint {
    RunRow run;       ///< parameters that were not told are absent; validity is "not told" where nobody judged it
    std::string note; ///< what is special about this point; may be empty
};

/// What one machine gave, with all that is known of the machine and what is not. A file of assets/baselines, format
/// "ridge-baseline/1" (assets/schemas/baseline.schema.json).
struct Baseline {
    std::string id;                    ///< name of its file without ".json"
    std::string machine;               ///< "A100 SXM4 80GB"
    std::string chip;                  ///< id in the chip table; may be empty
    bool published = false;            ///< read in a source; else this program ran there
    std::string source;                ///< what was read, or how it was measured
    std::string where;                 ///< address or page; may be empty
    std::string date;                  ///< of the measurement or of the source, ISO 8601
    std::vector<std::string> unknown;  ///< what nobody told about the machine or the run
    JsonValue fingerprint;             ///< of the machine, as far as it is known: an object
    std::vector<BaselinePoint> points; ///< of all experiments, in the order of the file
};

/// Errors: "bad-baseline" (place names file and spot), "newer-baseline" (a later format), "bad-json".
Result<Baseline> parseBaseline(const std::string& text, const std::string& id, const std::string& place);

struct BaselineLibrary {
    std::vector<Baseline> baselines; ///< by id
    std::vector<Error> problems;     ///< one a file that cannot be read; the others are there all the same
};

/// Every *.json of a folder. A folder that is not there holds none.
BaselineLibrary readBaselines(const std::filesystem::path& folder);

/// What of it does not fit the experiments as they are: unknown experiment or metric, other unit, other version of the
/// experiment. One error for each kind of point, which names the file.
std::vector<Error> baselineMisfits(const Baseline& baseline, std::span<const ExperimentInfo> experiments);

/// Points that stand for the same measurement as `experiment` does: its id and version.
std::vector<const BaselinePoint*> pointsOf(const Baseline& baseline, const ExperimentInfo& experiment);

/// {"id", "machine", "kind", "source", "where", "date", "unknown", "fingerprint"}: what must go with a number of it.
Json baselineCard(const Baseline& baseline);

} // namespace ridge::record
