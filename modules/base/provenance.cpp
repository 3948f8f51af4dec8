// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/provenance.h"

#include <array>

namespace ridge {
namespace {

struct Names {
    Provenance provenance;
    std::string_view text, label;
};
constexpr std::array<Names, 4> kNames = {{
    {Provenance::Measured, "MEASURED", "MEAS"},
    {Provenance::Simulated, "SIMULATED", "SIM"},
    {Provenance::Modelled, "MODELLED", "MODEL"},
    {Provenance::Recorded, "RECORDED", "REC"},
}};

} // namespace

std::string_view toText(Provenance provenance)
{
    for (const Names& names : kNames)
        if (names.provenance == provenance)
            return names.text;
    return {};
}

std::string_view shortLabel(Provenance provenance)
{
    for (const Names& names : kNames)
        if (names.provenance == provenance)
            return names.label;
    return {};
}

std::optional<Provenance> provenanceFromText(std::string_view text)
{
    for (const Names& names : kNames)
        if (names.text == text)
            return names.provenance;
    return std::nullopt;
}

} // namespace ridge
