// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/chip_catalogue.h"

#include "base/experiment_info.h"
#include "base/paths.h"

namespace ridge::silicon {

namespace {

constexpr std::array<std::pair<Precision, std::string_view>, 11> kPrecisions{{
    {Precision::Fp32, "fp32"},
    {Precision::Tf32, "tf32"},
    {Precision::Fp16, "fp16"},
    {Precision::Fp16Fp16Acc, "fp16_fp16acc"},
    {Precision::Bf16, "bf16"},
    {Precision::Fp8, "fp8"},
    {Precision::Fp8Fp16Acc, "fp8_fp16acc"},
    {Precision::Int8, "int8"},
    {Precision::Int4, "int4"},
    {Precision::Fp6, "fp6"},
    {Precision::Fp4, "fp4"},
}};

constexpr std::array<std::pair<Confidence, std::string_view>, 6> kConfidences{{
    {Confidence::Verified, "verified"},
    {Confidence::Published, "published"},
    {Confidence::Derived, "derived"},
    {Confidence::Uncertain, "uncertain"},
    {Confidence::Recalled, "recalled"},
    {Confidence::Unknown, "unknown"},
}};

std::string capability(int major, int minor)
{
    return std::to_string(major) + "." + std::to_string(minor);
}

/// Driver names lost and gained the prefix "NVIDIA" over the years.
std::string plainName(std::string_view name)
{
    std::string out;
    for (const char c : name)
        out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    constexpr std::string_view prefix = "nvidia ";
    if (out.starts_with(prefix))
        out.erase(0, prefix.size());
    while (!out.empty() && out.back() == ' ')
        out.pop_back();
    return out;
}

std::string joined(const std::vector<std::string>& names)
{
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

/// The rate of a format with another accumulator is that of the format itself.
Precision ratePrecision(Precision precision)
{
    if (precision == Precision::Fp16Fp16Acc)
        return Precision::Fp16;
    if (precision == Precision::Fp8Fp16Acc)
        return Precision::Fp8;
    return precision;
}

bool halvesWithFp32Accumulate(Precision precision)
{
    return precision == Precision::Tf32 || precision == Precision::Fp16 || precision == Precision::Bf16 ||
           precision == Precision::Fp8;
}

} // namespace

Result<Chip> Catalogue::find(std::string_view id) const
{
    std::vector<std::string> known;
    for (const Chip& chip : m_chips) {
        if (chip.id == id)
            return chip;
        known.push_back(chip.id);
    }
    const std::vector<std::string> near = nearestNames(id, known);
    return Error{"unknown-chip", "there is no chip '" + std::string(id) + "' in the catalogue", std::string(id),
                 near.empty() ? "list the chips with: ridge targets" : "did you mean " + joined(near) + "?"};
}

const Chip* Catalogue::findByDriverName(std::string_view name) const
{
    const std::string wanted = plainName(name);
    for (const Chip& chip : m_chips)
        for (const std::string& candidate : chip.driverNames)
            if (plainName(candidate) == wanted)
                return &chip;
    return nullptr;
}

std::vector<std::string> Catalogue::simulatedIds() const
{
    std::vector<std::string> ids;
    for (const Chip& chip : m_chips)
        if (chip.canSimulate())
            ids.push_back(chip.id);
    return ids;
}

Result<ChipLimits> Catalogue::limits(int major, int minor) const
{
    const auto it = m_limits.find(capability(major, minor));
    if (it != m_limits.end())
        return it->second;
    std::vector<std::string> known;
    for (const auto& [name, limits] : m_limits)
        known.push_back(name);
    return Error{"unknown-compute-capability",
                 "the limits of compute capability " + capability(major, minor) + " are not in the chip table",
                 "sm_limits", "known are " + joined(known)};
}

const Sourced<double>* Catalogue::limitSource(int major, int minor, std::string_view field) const
{
    const auto table = m_limitSources.find(capability(major, minor));
    if (table == m_limitSources.end())
        return nullptr;
    const auto it = table->second.find(std::string(field));
    return it == table->second.end() ? nullptr : &it->second;
}

std::optional<double> Catalogue::flopPerClock(const Chip& chip, Precision precision) const
{
    const std::string key = chip.isNvidia() ? capability(chip.computeMajor, chip.computeMinor) : chip.gfx;
    const auto table = m_flopPerClock.find(key);
    if (table == m_flopPerClock.end())
        return std::nullopt;
    const auto rate = table->second.find(ratePrecision(precision));
    if (rate == table->second.end())
        return std::nullopt;
    const bool halved = chip.halfRateFp32Accumulate && halvesWithFp32Accumulate(precision);
    return halved ? rate->second / 2 : rate->second;
}

Result<Catalogue> shippedCatalogue()
{
    const Result<std::filesystem::path> folder = dataFolder();
    if (!folder.ok())
        return folder.error();
    return loadCatalogue(*folder / "assets" / "chips" / "gpus.json");
}

std::string_view toText(Precision precision)
{
    for (const auto& [value, text] : kPrecisions)
        if (value == precision)
            return text;
    return {};
}

std::optional<Precision> precisionFromText(std::string_view text)
{
    for (const auto& [value, name] : kPrecisions)
        if (name == text)
            return value;
    return std::nullopt;
}

std::string_view toText(Confidence confidence)
{
    for (const auto& [value, text] : kConfidences)
        if (value == confidence)
            return text;
    return {};
}

std::optional<Confidence> confidenceFromText(std::string_view text)
{
    for (const auto& [value, name] : kConfidences)
        if (name == text)
            return value;
    return std::nullopt;
}

} // namespace ridge::silicon
