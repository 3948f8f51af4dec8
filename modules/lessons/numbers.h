// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

#include "base/json.h"

#include <mutex>

namespace ridge::lessons {

/// Numbers that have their home outside the curriculum, read when one is first asked for. Safe to ask from several
/// threads; what is found stays where it is.
///
/// `chip:h100-sxm.bf16`: of assets/chips/gpus.json. A dense peak by its name (TFLOP/s, integers TOP/s), `bandwidth`
/// (GB/s), `memory` (GB), `l2` (MB), `tdp` (W), `pcie`, `link` (GB/s), `units`, `clock`, `tensor_clock` (GHz),
/// `ridge_<peak>` (peak ÷ bandwidth, FLOP/B). `baseline:h200-sxm.latency.ns_per_load@working_set=1048576`: of
/// assets/baselines, file, experiment and metric; what follows @ has to single out one point. Both may end in `|2`:
/// significant digits.
class NumberTables {
public:
    explicit NumberTables(std::filesystem::path assets) : m_assets(std::move(assets)) {}

    /// As a claim whose key is `key`. Errors: "unknown-number", with what is known there.
    Result<const Claim*> find(std::string_view key) const;
    /// Own measurements (files whose source is a run of this program) of an experiment at a point: keys without digits.
    std::vector<std::string> measuredAt(const std::string& experiment, const ParamSet& at) const;
    /// Ids of the chips, in the order of the table.
    std::vector<std::string> chips() const;

private:
    const Json* document(const std::string& file) const; ///< null: cannot be read
    Result<Claim> chipNumber(std::string_view rest) const;
    Result<Claim> baselineNumber(std::string_view rest) const;

    std::filesystem::path m_assets;
    mutable std::recursive_mutex m_mutex;
    mutable std::map<std::string, std::unique_ptr<Json>> m_documents;
    mutable std::map<std::string, std::unique_ptr<Claim>, std::less<>> m_found;
};

/// Whether a key names a number of those tables.
bool isTableKey(std::string_view key);

/// How prose shows a claim: its text, else value and unit. GB/s from a thousand on are TB/s.
std::string claimText(const Claim& claim);

/// `{{claim:…}}`, `{{chip:…}}` and `{{baseline:…}}` in a formula replaced by their values. Errors: "unknown-number".
Result<std::string> withNumbers(std::string_view formula, const Curriculum& curriculum);
/// The same in all formulas of a lesson's questions and predictions. Errors: those, with the block in `place`.
Result<void> resolveNumbers(Lesson& lesson, const Curriculum& curriculum);

} // namespace ridge::lessons
