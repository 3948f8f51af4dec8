// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "silicon/chip.h"

#include <filesystem>
#include <string_view>

namespace ridge::silicon {

/// A place that figures were read from.
struct Source {
    std::string title;
    std::string url; ///< empty for derived figures
    std::string kind;
    std::string caution;
};

/// The chips that are known, read from assets/chips/gpus.json. A value; copy it freely.
class Catalogue {
public:
    const std::vector<Chip>& chips() const { return m_chips; }
    const std::map<std::string, Source>& sources() const { return m_sources; }

    /// Errors: "unknown-chip" with the nearest ids.
    Result<Chip> find(std::string_view id) const;
    /// By the name that driver or NVML give, with or without "NVIDIA"; null when no row fits.
    const Chip* findByDriverName(std::string_view name) const;
    /// Ids of the chips that can be simulated, in the order of the file.
    std::vector<std::string> simulatedIds() const;

    /// Limits of one SM. Errors: "unknown-compute-capability" with the known ones.
    Result<ChipLimits> limits(int major, int minor) const;
    /// Where one of the limits comes from ("max_warps_per_sm"); null when there is no such limit.
    const Sourced<double>* limitSource(int major, int minor, std::string_view field) const;

    /// Dense FLOP per clock per unit; no value where the chip cannot or the table does not know.
    std::optional<double> flopPerClock(const Chip& chip, Precision precision) const;

private:
    friend class CatalogueReader;
    std::vector<Chip> m_chips;
    std::map<std::string, Source> m_sources;
    std::map<std::string, ChipLimits> m_limits; ///< "9.0" -> limits
    std::map<std::string, std::map<std::string, Sourced<double>>> m_limitSources;
    std::map<std::string, std::map<Precision, double>> m_flopPerClock; ///< "9.0" or "gfx942"
};

/// Reads and checks a table. `place` names it in errors.
/// Errors: "bad-chip-table"; the place reads "gpus.json: h100-sxm.units", the fix says what is legal.
Result<Catalogue> parseCatalogue(std::string_view text, const std::string& place);

/// Errors: "cannot-read" and those of parseCatalogue.
Result<Catalogue> loadCatalogue(const std::filesystem::path& file);

/// The table that ships with the program: <data folder>/assets/chips/gpus.json. Errors: "no-data" and the above.
Result<Catalogue> shippedCatalogue();

std::string_view toText(Precision precision); ///< "fp16_fp16acc", as in the table
std::optional<Precision> precisionFromText(std::string_view text);
std::string_view toText(Confidence confidence);
std::optional<Confidence> confidenceFromText(std::string_view text);

} // namespace ridge::silicon
